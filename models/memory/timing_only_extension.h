// "The initiator does not look at the data": a memory that knows this ignorable extension skips the copy, and
// models time, bandwidth and status as ever. One that does not know it copies to or from the data pointer,
// which is valid.
#pragma once

#include <tlm>

namespace meshkv::memory {

struct TimingOnlyExtension : tlm::tlm_extension<TimingOnlyExtension> {
  tlm::tlm_extension_base* clone() const override { return new TimingOnlyExtension(*this); }
  void copy_from(const tlm::tlm_extension_base&) override {}
  void free() override {}  // owned by the initiator, shared by its payloads
};

}  // namespace meshkv::memory
