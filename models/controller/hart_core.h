#pragma once

#include "models/controller/firmware_core.h"
#include "models/riscv/elf_image.h"

namespace meshkv::controller {

/// A hart (module `hart`) that runs an ELF file.
class HartCore : public FirmwareCore, private riscv::HartListener {
 public:
  /// Throws riscv::ElfError if the program does not fit.
  HartCore(const riscv::HartModuleConfig& config, const riscv::ElfImage& image, ColumnBus& bus,
           FirmwareCoreListener& listener);

  void set_interrupt(riscv::Interrupt line, bool level) override { hart_.set_interrupt(line, level); }
  void stop() override { hart_.request_stop(); }
  CoreStatistics statistics() const override;
  std::string describe() const override;
  std::string crash_report() const override { return hart_.crash_report(); }
  riscv::HartModule* hart() override { return &hart_; }

 private:
  void hart_stopped(riscv::HartModule& hart, riscv::StopReason reason) override;

  riscv::HartModule hart_;
  FirmwareCoreListener& listener_;
};

}  // namespace meshkv::controller
