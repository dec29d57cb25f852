#include <iostream>

#include "models/controller/registers/register_documents.h"
#include "platform/cli/cli.h"
#include "platform/cli/options.h"

namespace meshkv::platform {

int command_registers(const std::vector<std::string>& arguments) {
  boost::program_options::options_description options("options");
  options.add_options()("c-header", "the C header of firmware (default: the page docs/registers.md)");
  const auto map = parse_options("vp registers [options]", arguments, options, nullptr, 0);
  if (!map) return 0;
  std::cout << (map->count("c-header") ? controller::register_c_header() : controller::register_markdown());
  return 0;
}

}  // namespace meshkv::platform
