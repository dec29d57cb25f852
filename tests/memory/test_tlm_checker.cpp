// The checker must be silent where the protocol is kept, and must see each way of breaking it.
#include <catch2/catch.hpp>
#include <functional>

#include "tests/support/random_tlm.h"
#include "tests/support/tlm_checker.h"

using namespace meshkv;
using namespace meshkv::test;

namespace {

/// An initiator and a target whose every call is written out by the test.
struct Script : sc_core::sc_module, tlm::tlm_bw_transport_if<>, tlm::tlm_fw_transport_if<> {
  tlm::tlm_initiator_socket<> initiator;
  tlm::tlm_target_socket<> target;
  TlmChecker checker;
  memory::PayloadPool pool;
  unsigned char bytes[64] = {};
  std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&)> fw, bw;

  explicit Script(sc_core::sc_module_name name)
      : sc_module(name), initiator("initiator"), target("target"), checker("checker") {
    initiator.bind(*this);
    target.bind(*this);
    initiator.bind(checker.in);
    checker.out.bind(target);
    fw = bw = [](auto&, auto&, auto&) { return tlm::TLM_ACCEPTED; };
  }
  tlm::tlm_generic_payload& payload() {
    tlm::tlm_generic_payload& p = *pool.allocate();
    p.acquire();
    p.set_command(tlm::TLM_READ_COMMAND);
    p.set_data_ptr(bytes);
    p.set_data_length(64);
    p.set_streaming_width(64);
    return p;
  }
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& p, tlm::tlm_phase phase, double delay_ns = 0) {
    sc_core::sc_time delay(delay_ns, sc_core::SC_NS);
    return initiator->nb_transport_fw(p, phase, delay);
  }
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& p, tlm::tlm_phase phase, double delay_ns = 0) {
    sc_core::sc_time delay(delay_ns, sc_core::SC_NS);
    return target->nb_transport_bw(p, phase, delay);
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return fw(p, phase, delay);
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return bw(p, phase, delay);
  }
  void b_transport(tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return true; }
  unsigned int transport_dbg(tlm::tlm_generic_payload& p) override { return p.get_data_length() + 1; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  bool saw(const std::string& what) const {
    for (const std::string& v : checker.violations())
      if (v.find(what) != std::string::npos) return true;
    return false;
  }
};

struct Elaborated : Script {
  Elaborated() : Script("script") { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
};

}  // namespace

TEST_CASE("The checker is silent on random initiators and targets", "[memory][tlm]") {
  struct Pair {
    RandomInitiator initiator;
    TlmChecker checker;
    RandomTarget target;
    explicit Pair(unsigned seed)
        : initiator(sc_core::sc_gen_unique_name("initiator"), seed, 2000, 0, 4096),
          checker(sc_core::sc_gen_unique_name("checker")),
          target(sc_core::sc_gen_unique_name("target"), seed + 77) {
      initiator.socket.bind(checker.in);
      checker.out.bind(target.socket);
    }
  };
  Pair pairs[] = {Pair(1), Pair(2), Pair(3), Pair(4)};
  sc_core::sc_start();
  for (const Pair& pair : pairs) {
    CHECK(pair.initiator.done() == 2000);
    CHECK(pair.initiator.errors() == 0);
    CHECK(pair.initiator.live_payloads() == 0);
    for (const std::string& v : pair.checker.violations()) UNSCOPED_INFO(v);
    CHECK(pair.checker.violations().empty());
    CHECK(pair.checker.completed() == 2000);
    CHECK(pair.checker.peak_outstanding() > 3);
  }
}

TEST_CASE("The checker sees a second BEGIN_REQ", "[memory][tlm]") {
  Elaborated s;
  s.forward(s.payload(), tlm::BEGIN_REQ);
  REQUIRE(s.checker.violations().size() == 1);  // that it never ended
  s.forward(s.payload(), tlm::BEGIN_REQ);
  REQUIRE(s.saw("before the END_REQ"));
}

TEST_CASE("The checker sees a second BEGIN_RESP", "[memory][tlm]") {
  Elaborated s;
  auto &a = s.payload(), &b = s.payload();
  a.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  s.forward(a, tlm::BEGIN_REQ);
  s.backward(a, tlm::END_REQ);
  s.forward(b, tlm::BEGIN_REQ);
  s.backward(b, tlm::END_REQ);
  a.set_response_status(tlm::TLM_OK_RESPONSE);
  b.set_response_status(tlm::TLM_OK_RESPONSE);
  s.backward(a, tlm::BEGIN_RESP);
  REQUIRE_FALSE(s.saw("before the END_RESP"));
  s.backward(b, tlm::BEGIN_RESP);
  REQUIRE(s.saw("before the END_RESP"));
}

TEST_CASE("The checker sees phases out of order", "[memory][tlm]") {
  Elaborated s;
  auto& p = s.payload();
  s.forward(p, tlm::END_RESP);
  REQUIRE(s.saw("END_RESP without BEGIN_RESP"));
  s.backward(p, tlm::END_REQ);
  REQUIRE(s.saw("END_REQ without BEGIN_REQ"));
  s.backward(p, tlm::BEGIN_RESP);
  REQUIRE(s.saw("not under way"));
  s.forward(p, tlm::END_REQ);
  REQUIRE(s.saw("forward path"));
  s.backward(p, tlm::BEGIN_REQ);
  REQUIRE(s.saw("backward path"));
}

TEST_CASE("The checker sees answers that cannot follow", "[memory][tlm]") {
  Elaborated s;
  s.fw = [](auto&, tlm::tlm_phase& phase, auto&) {
    phase = tlm::END_RESP;
    return tlm::TLM_UPDATED;
  };
  auto& p = s.payload();
  s.forward(p, tlm::BEGIN_REQ);
  REQUIRE(s.saw("BEGIN_REQ answered with a phase"));
  s.bw = [](auto&, auto&, auto&) { return tlm::TLM_COMPLETED; };
  s.backward(p, tlm::END_REQ);
  REQUIRE(s.saw("END_REQ answered with something else"));
}

TEST_CASE("The checker sees a response without a status", "[memory][tlm]") {
  Elaborated s;
  s.fw = [](auto&, auto&, auto&) { return tlm::TLM_COMPLETED; };
  s.forward(s.payload(), tlm::BEGIN_REQ);
  REQUIRE(s.saw("without a response status"));
}

TEST_CASE("The checker sees time that goes backwards", "[memory][tlm]") {
  Elaborated s;
  auto& p = s.payload();
  s.forward(p, tlm::BEGIN_REQ, 10);
  s.backward(p, tlm::END_REQ, 5);
  REQUIRE(s.saw("annotated before"));
}

TEST_CASE("The checker sees broken payloads", "[memory][tlm]") {
  Elaborated s;
  s.fw = [](tlm::tlm_generic_payload& p, auto&, auto&) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    p.set_data_length(32);
    return tlm::TLM_COMPLETED;
  };
  auto& p = s.payload();
  p.set_streaming_width(0);
  p.set_dmi_allowed(true);
  s.forward(p, tlm::BEGIN_REQ);
  REQUIRE(s.saw("streaming width 0"));
  REQUIRE(s.saw("DMI hint"));
  REQUIRE(s.saw("attribute that belongs to the initiator"));
  auto& q = s.payload();
  q.set_response_status(tlm::TLM_OK_RESPONSE);
  q.set_data_ptr(nullptr);
  s.forward(q, tlm::BEGIN_REQ);
  REQUIRE(s.saw("already set"));
  REQUIRE(s.saw("without a data pointer"));
  tlm::tlm_generic_payload loose;
  loose.set_command(tlm::TLM_IGNORE_COMMAND);
  s.forward(loose, tlm::BEGIN_REQ);
  REQUIRE(s.saw("without a memory manager"));
  s.initiator->transport_dbg(p);
  REQUIRE(s.saw("more than was asked"));
  tlm::tlm_dmi dmi;
  s.initiator->get_direct_mem_ptr(p, dmi);
  REQUIRE(s.saw("without a pointer"));
  sc_core::sc_time delay;
  s.payload().set_address(1);
  s.initiator->b_transport(s.payload(), delay);
  REQUIRE(s.saw("response without"));
}
