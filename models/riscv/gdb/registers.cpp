#include "models/riscv/gdb/registers.h"

#include <iterator>

namespace meshkv::riscv::gdb {
namespace {

struct NamedCsr {
  const char* name;
  std::uint32_t number;
};
constexpr NamedCsr kCsrs[] = {{"mstatus", csr::kMstatus},
                              {"misa", csr::kMisa},
                              {"mie", csr::kMie},
                              {"mtvec", csr::kMtvec},
                              {"mscratch", csr::kMscratch},
                              {"mepc", csr::kMepc},
                              {"mcause", csr::kMcause},
                              {"mtval", csr::kMtval},
                              {"mip", csr::kMip},
                              {"mcycle", csr::kMcycle},
                              {"minstret", csr::kMinstret},
                              {"mcycleh", csr::kMcycle + csr::kHighHalf},
                              {"minstreth", csr::kMinstret + csr::kHighHalf},
                              {"mhartid", csr::kMhartid}};
constexpr unsigned kFirstCsr = kPcNumber + 1;

}  // namespace

unsigned register_count() {
  return kFirstCsr + static_cast<unsigned>(std::size(kCsrs));
}

bool read_register(const Hart& hart, unsigned number, std::uint32_t& value) {
  if (number >= register_count()) return false;
  if (number >= kFirstCsr) return hart.read_csr(kCsrs[number - kFirstCsr].number, value);
  value = number == kPcNumber ? hart.pc() : hart.reg(number);
  return true;
}

bool write_register(Hart& hart, unsigned number, std::uint32_t value) {
  if (number >= register_count()) return false;
  if (number >= kFirstCsr) return hart.write_csr(kCsrs[number - kFirstCsr].number, value);
  if (number == kPcNumber) {
    if (value != hart.pc()) hart.set_pc(value);
  } else {
    hart.set_reg(number, value);
  }
  return true;
}

std::string description_document() {
  std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n"
      "<architecture>riscv:rv32</architecture>\n<feature name=\"org.gnu.gdb.riscv.cpu\">\n";
  const auto add = [&text](const std::string& name, unsigned number, const std::string& more) {
    text +=
        "<reg name=\"" + name + "\" bitsize=\"32\" regnum=\"" + std::to_string(number) + "\"" + more + "/>\n";
  };
  for (unsigned k = 0; k < 32; ++k) {
    const bool pointer = k == 2 || k == 3 || k == 4 || k == 8;
    add(k == 8 ? "fp" : register_name(k), k,
        k == 1    ? " type=\"code_ptr\""
        : pointer ? " type=\"data_ptr\""
                  : " type=\"int\"");
  }
  add("pc", kPcNumber, " type=\"code_ptr\"");
  text += "</feature>\n<feature name=\"org.gnu.gdb.riscv.csr\">\n";
  for (unsigned k = 0; k < std::size(kCsrs); ++k)
    add(kCsrs[k].name, kFirstCsr + k,
        kCsrs[k].number == csr::kMepc ? " type=\"code_ptr\" group=\"csr\""
                                      : " type=\"uint32\" group=\"csr\"");
  return text + "</feature>\n</target>\n";
}

}  // namespace meshkv::riscv::gdb
