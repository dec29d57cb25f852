// Generic payloads with acquire/release discipline, reused.
#pragma once

#include <memory>
#include <tlm>
#include <vector>

namespace meshkv::memory {

/// A memory manager: a payload comes back here when its last holder releases it.
class PayloadPool : public tlm::tlm_mm_interface {
 public:
  PayloadPool() = default;
  PayloadPool(const PayloadPool&) = delete;
  PayloadPool& operator=(const PayloadPool&) = delete;
  ~PayloadPool() override = default;

  /// A payload that nobody holds: acquire() it. Fields are as its last user left them, except that automatic
  /// extensions are gone and the response status is incomplete.
  tlm::tlm_generic_payload* allocate() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
      free_.push_back(all_.back().get());
    }
    tlm::tlm_generic_payload* payload = free_.back();
    free_.pop_back();
    payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return payload;
  }
  void free(tlm::tlm_generic_payload* payload) override {
    payload->reset();
    free_.push_back(payload);
  }
  /// Payloads that somebody still holds: 0 at the end of every run.
  std::size_t live() const { return all_.size() - free_.size(); }

 private:
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

}  // namespace meshkv::memory
