// The mesh and the paper's three planes.
#include "platform/scenario/parameter_builder.h"

namespace meshkv::platform {

using namespace declare;

namespace {

void add_noc(std::vector<Parameter>& all) {
  using noc::MulticastAllocation;
  using noc::Vn1VcPolicy;
  std::vector<Parameter> some{
      integer("mesh.width", "tiles", 2, 32, MESHKV_FIELD(noc.mesh.width),
              {"Columns of the mesh", "paper VIII"}),
      integer("mesh.height", "tiles", 2, 32, MESHKV_FIELD(noc.mesh.height),
              {"Rows of the mesh", "paper VIII"}),
      choice<std::string>(
          "noc.profile", MESHKV_FIELD(noc.profile), {{"fpga", "fpga"}, {"b1", "b1"}, {"b2", "b2"}},
          {"Router pipeline: two cycles a hop, or one of the two BookSim2 reference routers", "DESIGN 3"}),
      integer("noc.vcs_per_vn", "", 1, 4, MESHKV_FIELD(noc.vcs_per_vn),
              {"Virtual channels in each of the two virtual networks", "paper Table I"}),
      integer("noc.vc_depth_flits", "flits", 1, 64, MESHKV_FIELD(noc.vc_depth_flits),
              {"Input FIFO of a virtual channel; KV_DATA packets are no longer than it", "paper Table I"}),
      integer("noc.flit_bits", "bits", 64, 4096, MESHKV_FIELD(noc.flit_bits),
              {"Payload of a flit, and a link's width; a power of two", "paper Table I"}),
      choice<Vn1VcPolicy>(
          "noc.vn1_vc_policy", MESHKV_FIELD(noc.vn1_vc_policy),
          {{"per_class", Vn1VcPolicy::kPerClass}, {"shared", Vn1VcPolicy::kShared}},
          {"Whether KV_FETCH and KV_DATA have VCs of their own; shared can deadlock", "DESIGN 4"}),
      choice<MulticastAllocation>(
          "noc.multicast_allocation", MESHKV_FIELD(noc.multicast_allocation),
          {{"independent", MulticastAllocation::kIndependent},
           {"cut_through", MulticastAllocation::kCutThrough},
           {"lockstep", MulticastAllocation::kLockstep}},
          {"How the branches of a multicast packet advance; lockstep can deadlock", "DESIGN 4"}),
      integer("noc.watchdog_cycles", "cycles", 100, 1e9, MESHKV_FIELD(noc.watchdog_cycles),
              {"Nothing moves for so long while packets are in flight: a deadlock is reported", "DESIGN 4"})};
  std::move(some.begin(), some.end(), std::back_inserter(all));
}

void add_switches(std::vector<Parameter>& all) {
  using takv::PlacementKind;
  const char* by_preset = "by preset";
  std::vector<Parameter> some{
      with_default_note(by_preset,
                        choice<PlacementKind>("fabric.placement", MESHKV_FIELD(placement.kind),
                                              {{"cent", PlacementKind::kCent},
                                               {"shared", PlacementKind::kShared},
                                               {"takv", PlacementKind::kTakv}},
                                              {"Where the home of a KV block is", "paper V, VIII"})),
      with_default_note(by_preset, boolean("fabric.multicast", MESHKV_FIELD(mare.multicast),
                                           {"Homes merge requests and send along trees (Mare)", "paper VI"})),
      with_default_note(
          by_preset,
          boolean("fabric.duplicate_suppression", MESHKV_FIELD(mare.duplicate_suppression),
                  {"Late windows join the running tree, routers drop copies already sent", "paper VI"})),
      with_default_note(by_preset, boolean("fabric.pad", MESHKV_FIELD(pad.enabled),
                                           {"Prefetch, multiply and reduce overlap (Pad)", "paper VII"})),
      with_default_note(by_preset,
                        boolean("fabric.swaps", MESHKV_FIELD(placement.swaps),
                                {"Occupancy swaps of homes every takv.swap_period_steps", "paper V"}))};
  std::move(some.begin(), some.end(), std::back_inserter(all));
}

void add_placement(std::vector<Parameter>& all) {
  using takv::CentPorts;
  using takv::SharedOrder;
  std::vector<Parameter> some{
      with_default_note(
          "mesh.width + 1, or the next odd number that is coprime to mesh.height",
          integer("takv.a", "", 0, 9999, MESHKV_FIELD(placement.a),
                  {"Stride of the affine placement: odd and coprime to mesh.height; 0: the default",
                   "paper eq. 4"})),
      integer("takv.swap_period_steps", "steps", 1, 1e6, MESHKV_FIELD(placement.swap_period_steps),
              {"Decode steps between occupancy swaps (K)", "paper V"}),
      choice<takv::SwapsBy>(
          "takv.swaps_by", MESHKV_FIELD(placement.swaps_by),
          {{"hardware", takv::SwapsBy::kHardware}, {"firmware", takv::SwapsBy::kFirmware}},
          {"Who decides which blocks swap: the fabric, or the controllers' firmware (docs/firmware.md)",
           "DESIGN 10"}),
      integer("takv.swaps_per_period", "swaps", 1, 1024, MESHKV_FIELD(placement.swaps_per_period),
              {"Pairs of blocks of a layer that may swap homes in one period", "paper V: two homes"}),
      choice<CentPorts>(
          "cent.ports", MESHKV_FIELD(placement.cent_ports),
          {{"corner", CentPorts::kCorner},
           {"corners", CentPorts::kCorners},
           {"edge", CentPorts::kEdge},
           {"centre", CentPorts::kCentre}},
          {"Where the central memory path of `cent` enters the mesh", "study of the paper's figures, 7"}),
      integer("cent.flits_per_cycle", "flits/cycle", 1, 2, MESHKV_FIELD(placement.cent_flits_per_cycle),
              {"Injection links of a central port; the second uses a free edge port",
               "study of the paper's figures, 7"}),
      choice<SharedOrder>(
          "shared.order", MESHKV_FIELD(placement.shared_order),
          {{"column_major", SharedOrder::kColumnMajor}, {"row_major", SharedOrder::kRowMajor}},
          {"Order in which `shared` deals blocks to tiles", "study of the paper's figures, 7"})};
  std::move(some.begin(), some.end(), std::back_inserter(all));
}

void add_mare(std::vector<Parameter>& all) {
  using mare::HomeService;
  std::vector<Parameter> some{
      integer("mare.coalescing_cycles", "cycles", 0, 10000, MESHKV_FIELD(mare.coalescing_cycles),
              {"Window in which a home merges requests, from the first one", "paper VI"}),
      integer("mare.tree_build_cycles", "cycles", 0, 1000, MESHKV_FIELD(mare.tree_build_cycles),
              {"Control cycles before the first KV_DATA of a tree departs", "paper VI"}),
      integer("mare.tags", "", 0, 4096, MESHKV_FIELD(mare.tags),
              {"Exact tags in each router", "paper Table I"}),
      integer("mare.bloom_bits", "bits", 8, 65536, MESHKV_FIELD(mare.bloom_bits),
              {"Bloom prefilter in each router; a power of two", "paper Table I"}),
      integer("mare.bloom_refresh_cycles", "cycles", 1, 1e6, MESHKV_FIELD(mare.bloom_refresh_cycles),
              {"Interval after which the prefilter is cleared", "paper Table I"}),
      choice<HomeService>(
          "mare.service", MESHKV_FIELD(mare.service),
          {{"auto", HomeService::kAuto},
           {"round_robin", HomeService::kRoundRobin},
           {"block_order", HomeService::kBlockOrder},
           {"fifo", HomeService::kFifo}},
          {"Order in which a home sends the packets of waiting slices; auto: round_robin without "
           "multicast, block_order with it",
           "DESIGN 4"})};
  std::move(some.begin(), some.end(), std::back_inserter(all));
}

void add_pad_and_controllers(std::vector<Parameter>& all) {
  using controller::ControllerKind;
  std::vector<Parameter> some{
      integer("pad.fifo_flits", "flits", 2, 4096, MESHKV_FIELD(pad.fifo_flits),
              {"FIFOs between the stages (F)", "paper VII"}),
      integer("pad.macs_per_cycle", "MAC/cycle/tile", 1, 65536, MESHKV_FIELD(pad.macs_per_cycle),
              {"Multiply-accumulates of a tile: 5760 DSP48E2 over 64 tiles", "paper Table III"}),
      integer("pad.outstanding_per_stream", "segments", 1, 64, MESHKV_FIELD(pad.outstanding_per_stream),
              {"Segments that a tile may have requested for one stream", "study of the paper's figures, 7"}),
      integer("pad.outstanding_per_tile", "segments", 1, 64, MESHKV_FIELD(pad.outstanding_per_tile),
              {"Segments that a tile may have requested in all", "study of the paper's figures, 7"}),
      integer("pad.home_credits", "", 1, 64, MESHKV_FIELD(pad.home_credits),
              {"Fetches that one requester may have unserved at one home (C_pi)", "paper VII"}),
      choice<ControllerKind>("controllers.kind", MESHKV_FIELD(controllers.kind),
                             {{"sequencer", ControllerKind::kSequencer},
                              {"rv32", ControllerKind::kRv32},
                              {"native", ControllerKind::kNative}},
                             {"What drives decoding in each column: a hardware sequencer, or a processor "
                              "with firmware",
                              "DESIGN 10"}),
      text("controllers.firmware", ParameterType::kFile, MESHKV_FIELD(controllers.firmware),
           {"Program of the controllers, where the kind has one: a name (decode, placement, hello, "
            "selftest), or an "
            "ELF file for rv32, a shared object for native",
            "DESIGN 10"}),
      integer("controllers.quantum_cycles", "cycles", 1, 1e6, MESHKV_FIELD(controllers.quantum_cycles),
              {"rv32: how far a hart may run ahead of its interrupts; 1: they are taken at the exact "
               "instruction",
               "DESIGN 3"}),
      integer(
          "controllers.register_cycles", "cycles", 0, 1000, MESHKV_FIELD(controllers.register_cycles),
          {"rv32, native: an access to a register of the column takes so long", "our estimate: a local bus"}),
      integer("controllers.native_cycles", "cycles", 0, 1000, MESHKV_FIELD(controllers.native_cycles),
              {"native: what the code before an access to a register takes, on average",
               "our estimate: `decode` on a hart"}),
      integer("controllers.timeout_cycles", "cycles", 100, 4e9, MESHKV_FIELD(controllers.timeout_cycles),
              {"Firmware gives a tile that computes nothing for so long its descriptors again", "DESIGN 10"}),
      integer("controllers.watchdog_cycles", "cycles", 1000, 1e12, MESHKV_FIELD(controllers.watchdog_cycles),
              {"rv32, native: no descriptor, no segment and no layer for so long: a deadlock is reported",
               "DESIGN 10"}),
      integer("controllers.max_lead_segments", "segments", 1, 1e6,
              MESHKV_FIELD(controllers.max_lead_segments),
              {"A tile may be at most so far ahead of the slowest one", "study of the paper's figures, 7"}),
      integer("controllers.descriptor_cycles", "cycles", 1, 1e6, MESHKV_FIELD(controllers.descriptor_cycles),
              {"From a descriptor's write until the tile may act", "paper IV"}),
      integer("controllers.barrier_cycles", "cycles", 1, 1e6, MESHKV_FIELD(controllers.barrier_cycles),
              {"Layer barrier between the columns' controllers; a mailbox word takes half of it",
               "our estimate: two mailbox writes across the chip"})};
  std::move(some.begin(), some.end(), std::back_inserter(all));
}

}  // namespace

std::vector<Parameter> fabric_parameters() {
  std::vector<Parameter> all;
  add_noc(all);
  add_switches(all);
  add_placement(all);
  add_mare(all);
  add_pad_and_controllers(all);
  return all;
}

}  // namespace meshkv::platform
