#include "models/controller/devices/column_bus.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace meshkv::controller {
namespace {

std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%08llx", static_cast<unsigned long long>(value));
  return text;
}

std::uint32_t word_of(const tlm::tlm_generic_payload& payload) {
  std::uint32_t value = 0;
  std::memcpy(&value, payload.get_data_ptr(), sizeof value);
  return value;
}

}  // namespace

ColumnBus::ColumnBus(sc_core::sc_module_name name, const ColumnBusConfig& config)
    : sc_module(name), from_core("from_core"), config_(config) {
  from_core.register_b_transport(this, &ColumnBus::b_transport);
  from_core.register_transport_dbg(this, &ColumnBus::transport_dbg);
  from_core.register_get_direct_mem_ptr(this, &ColumnBus::get_direct_mem_ptr);
}

void ColumnBus::map(const BlockInfo& block, std::uint32_t instances, Device& device) {
  Window window{block.base, block.base + block.stride * instances, &block, instances, &device, {}, false};
  for (const Window& other : windows_) {
    if (window.begin < other.end && other.begin < window.end)
      throw std::logic_error(std::string(name()) + ": " + block.name + " (" + hex(window.begin) + " to " +
                             hex(window.end - 1) + ") overlaps " + other.block->name + " (" +
                             hex(other.begin) + " to " + hex(other.end - 1) + ")");
  }
  window.registers.assign(block.stride / 4, nullptr);
  for (const RegisterInfo& info : block.registers) window.registers.at(info.offset / 4) = &info;
  const auto by_address = [](const Window& a, const Window& b) { return a.begin < b.begin; };
  windows_.insert(std::upper_bound(windows_.begin(), windows_.end(), window, by_address), window);
  device.set_observer([this, begin = window.begin] { withdraw(begin); });
}

/// The initiator copies the value: it may be asked for another one before this one changes.
bool ColumnBus::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t address = payload.get_address();
  dmi.allow_none();
  dmi.set_start_address(address);
  dmi.set_end_address(address);
  const RegisterInfo* info = nullptr;
  std::string why;
  const Window* window = decode(payload, info, why);
  if (window == nullptr || info->access == Access::kWriteOnly) return false;
  const auto offset = static_cast<std::uint32_t>(address - window->begin);
  if (!window->device->constant(offset)) return false;
  windows_[static_cast<std::size_t>(window - windows_.data())].granted = true;
  granted_ = window->device->peek(offset, sc_core::sc_time_stamp().value() / config_.period.value());
  dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(&granted_));
  dmi.set_end_address(address + 3);
  dmi.allow_read();
  dmi.set_read_latency(config_.period * static_cast<double>(config_.access_cycles));
  return true;
}

void ColumnBus::withdraw(std::uint32_t begin) {
  for (Window& window : windows_) {
    if (window.begin != begin || !window.granted) continue;
    window.granted = false;
    from_core->invalidate_direct_mem_ptr(window.begin, window.end - 1);
  }
}

const ColumnBus::Window* ColumnBus::decode(const tlm::tlm_generic_payload& payload, const RegisterInfo*& info,
                                           std::string& why) {
  const std::uint64_t address = payload.get_address();
  if (payload.get_data_length() != 4 || payload.get_streaming_width() < 4 ||
      payload.get_byte_enable_ptr() != nullptr) {
    why = "registers are accessed as words";
    return nullptr;
  }
  if (address % 4 != 0) {
    why = "the address is not a multiple of 4";
    return nullptr;
  }
  for (const Window& window : windows_) {
    if (address < window.begin || address >= window.end) continue;
    info = window.registers[(address - window.begin) % window.block->stride / 4];
    if (info != nullptr) return &window;
    why = "block " + upper_case(window.block->name) + " has no such register";
    return nullptr;
  }
  for (const BlockInfo& block : register_map()) {
    if (address < block.base || address - block.base >= block.stride * block.count) continue;
    why = "there is no " + upper_case(block.name) + " " +
          std::to_string((address - block.base) / block.stride) + " here";
    return nullptr;
  }
  why = "nothing is there";
  return nullptr;
}

void ColumnBus::access(tlm::tlm_generic_payload& payload, Cycle now, std::string& why) {
  const RegisterInfo* info = nullptr;
  const Window* window = decode(payload, info, why);
  if (window == nullptr) {
    payload.set_response_status(payload.get_data_length() == 4 ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                                                               : tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  const Access forbidden = payload.is_read() ? Access::kWriteOnly : Access::kReadOnly;
  if (info->access == forbidden) {
    why = std::string("the register is ") + access_name(info->access);
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return;
  }
  const auto offset = static_cast<std::uint32_t>(payload.get_address() - window->begin);
  bool done = false;
  if (payload.is_read()) {
    std::uint32_t value = 0;
    done = window->device->read(offset, now, value);
    payload.set_dmi_allowed(done && window->device->constant(offset));
    std::memcpy(payload.get_data_ptr(), &value, sizeof value);
  } else {
    withdraw(window->begin);
    done = window->device->write(offset, word_of(payload), now);
  }
  if (!done) why = window->device->refusal();
  payload.set_response_status(done ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
}

std::string ColumnBus::describe(const tlm::tlm_generic_payload& payload, const std::string& why) const {
  const std::uint64_t address = payload.get_address();
  std::string text = payload.is_read() ? "read of " : "write of ";
  if (!payload.is_read() && payload.get_data_length() == 4) text += hex(word_of(payload)) + " to ";
  text += hex(address);
  for (const Window& window : windows_) {
    if (address < window.begin || address >= window.end) continue;
    const RegisterInfo* info = window.registers[(address - window.begin) % window.block->stride / 4];
    if (info == nullptr) continue;
    text += " (" + register_name(*window.block, *info);
    if (window.block->count > 1)
      text += " " + std::to_string((address - window.begin) / window.block->stride);
    text += ")";
  }
  return text + ": " + why;
}

void ColumnBus::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  ++accesses_;
  const std::uint64_t at = (sc_core::sc_time_stamp() + delay).value();
  const std::uint64_t period = config_.period.value();
  std::string why;
  access(payload, (at + period - 1) / period, why);
  if (!payload.is_response_ok()) {
    ++errors_;
    last_error_ = describe(payload, why);
  }
  delay += sc_core::sc_time::from_value(config_.access_cycles * period);
}

unsigned ColumnBus::transport_dbg(tlm::tlm_generic_payload& payload) {
  const RegisterInfo* info = nullptr;
  std::string why;
  const Window* window = decode(payload, info, why);
  if (window == nullptr) return 0;
  const Cycle now = sc_core::sc_time_stamp().value() / config_.period.value();
  const auto offset = static_cast<std::uint32_t>(payload.get_address() - window->begin);
  if (payload.is_write()) {
    if (info->access == Access::kReadOnly) return 0;
    withdraw(window->begin);
    return window->device->write(offset, word_of(payload), now) ? 4 : 0;
  }
  const std::uint32_t value = info->access == Access::kWriteOnly ? 0 : window->device->peek(offset, now);
  std::memcpy(payload.get_data_ptr(), &value, sizeof value);
  return 4;
}

}  // namespace meshkv::controller
