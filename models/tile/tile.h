// A tile (paper section IV): router, network interface, KV SRAM, the home side of Mare, the Pad pipeline and
// a column reduce root; a control block for the column's descriptor controller and a socket to memory.
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>

#include "models/common/clock_domain.h"
#include "models/common/scoreboard.h"
#include "models/controller/completion.h"
#include "models/controller/descriptor.h"
#include "models/mare/append_unit.h"
#include "models/mare/home_agent.h"
#include "models/memory/kv_sram.h"
#include "models/memory/memory_port.h"
#include "models/noc/network_interface.h"
#include "models/noc/network_interface_module.h"
#include "models/noc/router.h"
#include "models/pad/pad_agent.h"
#include "models/takv/block_mover.h"
#include "models/takv/occupancy.h"
#include "models/tile/reduce_root.h"
#include "models/workload/decode_plan.h"

namespace meshkv::tile {

struct TileConfig {
  mare::HomeConfig home;
  pad::PadConfig pad;
  memory::KvSramConfig sram;
  memory::MemoryPortConfig memory_port;
  int injection_ports = 1;
};

/// What all tiles of a chip share.
struct TileEnvironment {
  ClockDomain& clock;
  noc::NocContext& noc;
  const workload::DecodePlan& plan;
  const memory::MemoryMap& map;
  Scoreboard& scoreboard;
  data::DataPlane* data = nullptr;      ///< null: payloads are names only
  check::FabricAudit* audit = nullptr;  ///< null: nobody follows packets over links
  takv::Occupancy* occupancy = nullptr;
};

class Tile : public sc_core::sc_module, public noc::NetworkClient {
 public:
  tlm_utils::simple_target_socket<Tile> control;  ///< registers of controller/descriptor.h

  Tile(sc_core::sc_module_name name, NodeId node, const TileConfig& config,
       const TileEnvironment& environment);

  void set_listener(controller::CompletionListener* listener);
  void set_mode(TimingMode mode);

  Cycle on_head(const noc::Packet& packet, Cycle now) override;
  void on_tail(const noc::Packet& packet, Cycle now) override;
  void on_refill(noc::PacketClass packet_class, Cycle now) override;

  noc::Router router;
  noc::NetworkInterface network_interface;
  memory::MemoryPort memory_port;
  memory::KvSram kv_sram;
  mare::HomeAgent home;
  mare::AppendUnit appends;
  takv::BlockMover mover;
  pad::PadAgent pad;
  ReduceRoot reduce_root;

  NodeId node() const { return node_; }
  bool idle() const {
    return home.idle() && appends.idle() && mover.idle() && pad.idle() && memory_port.idle();
  }
  /// What the tile waits for, a line for each part that is not idle.
  std::string describe_waits() const;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  tlm::tlm_response_status execute(const controller::Descriptor& descriptor, Cycle at);
  std::uint32_t read_register(std::uint64_t address, bool& known) const;

  NodeId node_;
  ClockDomain& clock_;
};

}  // namespace meshkv::tile
