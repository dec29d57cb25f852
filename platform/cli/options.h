// Boost.Program_options with our manners: no abbreviations, errors are InputErrors, --help on stdout.
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <vector>

namespace meshkv::platform {

/// Nothing if --help was asked for and printed. `positional`: name of the option that takes plain arguments,
/// at most `most` of them.
std::optional<boost::program_options::variables_map> parse_options(
    const std::string& usage, const std::vector<std::string>& arguments,
    boost::program_options::options_description visible, const char* positional, int most);

}  // namespace meshkv::platform
