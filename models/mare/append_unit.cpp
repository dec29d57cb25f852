#include "models/mare/append_unit.h"

#include <algorithm>
#include <systemc>

namespace meshkv::mare {

AppendUnit::AppendUnit(const workload::DecodePlan& plan, const memory::MemoryMap& map,
                       memory::MemoryPort& port, const data::SliceCodec* codec, ClockDomain& clock)
    : plan_(plan), map_(map), port_(port), codec_(codec), clock_(clock) {
  if (codec_ != nullptr) slice_.resize(plan.slice_layout().slice_bytes());
}

void AppendUnit::on_append(const noc::Packet& packet, Cycle now) {
  Append append;
  append.key = packet.key;
  append.head = static_cast<int>(packet.key.index - kAppendIndex) % plan_.decode().layout.heads_per_line;
  append.token = static_cast<int>(packet.user);
  append.at = now;
  append.numbers = SharedBytes::Pointer(packet.payload);
  queue_.push_back(std::move(append));
  if (queue_.size() == 1) start(now);
}

void AppendUnit::start(Cycle now) {
  const workload::SliceLayout& layout = plan_.slice_layout();
  const Append& a = queue_.front();
  now = std::max({now, a.at, clock_.now()});
  ++statistics_.tokens;
  reading_ = layout.quantised() && a.token > 0;
  if (reading_)
    transfer({{0, layout.key_row(a.token)}}, false, now);
  else
    write_back(now);
}

void AppendUnit::write_back(Cycle now) {
  const workload::SliceLayout& layout = plan_.slice_layout();
  const Append& a = queue_.front();
  reading_ = false;
  if (codec_ != nullptr) {
    const auto dim = static_cast<std::size_t>(layout.head_dim());
    std::vector<float> key(dim), value(dim);
    codec_->unpack16(a.numbers->data(), key.data());
    codec_->unpack16(a.numbers->data() + 2 * dim, value.data());
    codec_->append(slice_.data(), a.head, a.token, key.data(), value.data());
  }
  const auto head = static_cast<std::uint32_t>(a.head);
  std::vector<Range> ranges;
  if (layout.quantised()) {
    // Parameters and codes of this head only: the other heads of the line may be written by appends of
    // theirs.
    const auto channels =
        static_cast<std::uint32_t>(layout.head_dim()) * workload::SliceLayout::kParameterBytes;
    ranges.push_back({head * channels, channels});
    for (int t = 0; t <= a.token; ++t)
      ranges.push_back({layout.key_row(t) + head * layout.head_bytes(), layout.head_bytes()});
    const std::uint32_t parameters = workload::SliceLayout::kParameterBytes;
    ranges.push_back({layout.value_row(a.token) + head * parameters, parameters});
    ranges.push_back({layout.value_row(a.token) + static_cast<std::uint32_t>(layout.heads()) * parameters +
                          head * layout.head_bytes(),
                      layout.head_bytes()});
  } else {
    ranges.push_back({layout.key_row(a.token) + head * layout.head_bytes(), layout.head_bytes()});
    ranges.push_back({layout.value_row(a.token) + head * layout.head_bytes(), layout.head_bytes()});
  }
  transfer(ranges, true, now);
}

void AppendUnit::transfer(const std::vector<Range>& ranges, bool write, Cycle now) {
  const Append& a = queue_.front();
  const noc::PayloadKey key = a.key;
  struct Piece {
    std::uint64_t address;
    std::uint32_t offset, bytes;
  };
  std::vector<Piece> pieces;
  for (const Range& range : ranges) {
    for (std::uint32_t at = range.offset, end = range.offset + range.bytes; at < end;) {
      const std::uint64_t address = map_.locate(key.layer, key.segment, key.group, at).address;
      const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(end - at, map_.contiguous(address)));
      pieces.push_back({address, at, n});
      at += n;
    }
  }
  missing_ = pieces.size();
  answered_ = now;
  // lt: answers come from within the calls; the last one may start the next append.
  for (const Piece& p : pieces) {
    unsigned char* data = codec_ == nullptr || (write && lose_writes_) ? nullptr : slice_.data() + p.offset;
    (write ? statistics_.written_bytes : statistics_.read_bytes) += p.bytes;
    if (write)
      port_.write(*this, p.address, p.bytes, 0, now, data);
    else
      port_.read(*this, p.address, p.bytes, 0, now, data);
  }
}

void AppendUnit::on_memory_response(std::uint64_t, Cycle when, bool ok) {
  if (!ok) SC_REPORT_FATAL("append_unit", "the memory answered an append with an error");
  answered_ = std::max(answered_, when);
  if (--missing_ != 0) return;
  if (reading_) {
    write_back(answered_);
    return;
  }
  queue_.pop_front();
  if (!queue_.empty()) start(answered_);
}

}  // namespace meshkv::mare
