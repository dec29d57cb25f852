#include <iostream>

#include "platform/cli/cli.h"
#include "platform/cli/options.h"
#include "platform/scenario/parameter_texts.h"
#include "platform/scenario/schema.h"

namespace meshkv::platform {
namespace po = boost::program_options;

int command_params(const std::vector<std::string>& arguments) {
  po::options_description options("options");
  options.add_options()("json-schema", "a JSON Schema of scenario files, for editors and validators")(
      "markdown", "the page docs/parameters.md");
  const auto map = parse_options("vp params [options]", arguments, options, nullptr, 0);
  if (!map) return 0;
  if (map->count("json-schema"))
    std::cout << scenario_schema().dump(2) << '\n';
  else if (map->count("markdown"))
    std::cout << parameters_as_markdown();
  else
    std::cout << parameters_as_text();
  return 0;
}

}  // namespace meshkv::platform
