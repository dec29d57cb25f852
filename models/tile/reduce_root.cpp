#include "models/tile/reduce_root.h"

#include <algorithm>

namespace meshkv::tile {

ReduceRoot::ReduceRoot(sc_core::sc_module_name name, NodeId node, ClockDomain& clock,
                       const workload::DecodePlan& plan, data::DataPlane* data)
    : sc_module(name),
      node_(node),
      clock_(clock),
      plan_(plan),
      clock_id_(clock.add(*this)),
      data_(data),
      merge_(plan.decode().model.head_dim) {}

void ReduceRoot::begin_layer(int layer) {
  layer_ = layer;
  missing_ = plan_.layer(layer).expected_parts[node_];
  done_at_ = 0;
  reported_ = missing_ == 0;
  merge_.begin_layer();
}

void ReduceRoot::on_part(const noc::Packet& packet, Cycle now) {
  ++statistics_.parts;
  if (observer_ != nullptr) observer_->part_merged(node_, packet, now);
  if (packet.key.layer != layer_ || missing_ == 0) {
    ++statistics_.unexpected;
    return;
  }
  if (data_ != nullptr) {
    merge_.add({static_cast<int>(packet.key.segment), packet.key.group},
               data::from_bytes(packet.bytes(), plan_.decode().model.head_dim));
  }
  done_at_ = std::max(done_at_, now);
  if (listener_ != nullptr) listener_->part_done(node_);
  if (--missing_ == 0) clock_.wake(clock_id_, std::max(done_at_, clock_.now()) + 1);
}

void ReduceRoot::tick(Cycle now) {
  if (missing_ != 0 || reported_) return;
  reported_ = true;
  if (data_ != nullptr) data_->outputs().results(layer_, merge_.merged());
  if (listener_ != nullptr) listener_->root_done(node_, now);
}

std::string ReduceRoot::describe_waits() const {
  if (missing_ == 0) return {};
  return std::string(name()) + ": waits for " + std::to_string(missing_) + " PART packets of layer " +
         std::to_string(layer_);
}

}  // namespace meshkv::tile
