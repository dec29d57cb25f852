#include "platform/cli/options.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <thread>

#include "platform/scenario/input_error.h"
#include "platform/scenario/parameter.h"

namespace meshkv::platform {
namespace po = boost::program_options;

std::optional<po::variables_map> parse_options(const std::string& usage,
                                               const std::vector<std::string>& arguments,
                                               po::options_description visible, const char* positional,
                                               int most) {
  visible.add_options()("help,h", "print this");
  po::options_description all;
  all.add(visible);
  po::positional_options_description places;
  if (positional) {
    all.add_options()(positional, po::value<std::vector<std::string>>());
    places.add(positional, most);
  }
  po::variables_map map;
  try {
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(arguments).options(all).positional(places).style(style).run(), map);
    po::notify(map);
  } catch (const po::error& e) {
    throw InputError("command line", "", std::string(e.what()) + "; usage: " + usage);
  }
  if (map.count("help")) {
    std::cout << "usage: " << usage << "\n" << visible;
    return std::nullopt;
  }
  return map;
}

std::uint64_t number_of(const po::variables_map& map, const char* option, std::uint64_t least,
                        std::uint64_t most) {
  const std::string text = map[option].as<std::string>();
  std::uint64_t value = 0;
  std::size_t used = 0;
  try {
    if (text.find_first_not_of("0123456789") == std::string::npos) value = std::stoull(text, &used);
  } catch (const std::logic_error&) {  // no digits, or too many
    used = 0;
  }
  if (used == 0 || used != text.size() || value < least || value > most)
    throw InputError(
        std::string("--") + option, "",
        "found \"" + text + "\"; allowed: " + std::to_string(least) + " to " + std::to_string(most));
  return value;
}

int default_jobs() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int jobs_of(const po::variables_map& map) {
  const int jobs = map["jobs"].as<int>();
  if (jobs < 1 || jobs > 1024)
    throw InputError("--jobs", "", "found " + std::to_string(jobs) + "; allowed: integer 1 to 1024");
  return jobs;
}

double timeout_of(const po::variables_map& map) {
  const double seconds = map["timeout"].as<double>();
  if (!(seconds >= 0) || !std::isfinite(seconds))
    throw InputError("--timeout", "", "found " + std::to_string(seconds) + "; allowed: seconds, 0 or more");
  return seconds;
}

}  // namespace meshkv::platform
