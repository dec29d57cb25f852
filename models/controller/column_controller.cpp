#include "models/controller/column_controller.h"

namespace meshkv::controller {

bool ColumnController::write(int row, const Descriptor& descriptor, const sc_core::sc_time& delay) {
  Descriptor copy = descriptor;
  // One will do, since the call is over when it returns; making one allocates.
  tlm::tlm_generic_payload& payload = payload_;
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(static_cast<std::uint64_t>(row) * kTileWindow + kRegDescriptor);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&copy));
  payload.set_data_length(sizeof copy);
  payload.set_streaming_width(sizeof copy);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time until_it_acts = delay;
  control_bus->b_transport(payload, until_it_acts);
  if (payload.is_response_ok() && descriptor.operation == Operation::kFetchCompute) ++statistics_.descriptors;
  if (payload.is_response_ok() && descriptor.operation == Operation::kPrefetch) ++statistics_.prefetches;
  return payload.is_response_ok();
}

}  // namespace meshkv::controller
