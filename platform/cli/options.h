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

/// Processors of this machine: the default of --jobs.
int default_jobs();
/// An option's text as a number in a range; Program_options itself would take "-1" for a large one.
std::uint64_t number_of(const boost::program_options::variables_map& map, const char* option,
                        std::uint64_t least, std::uint64_t most);
/// The value of --jobs. Throws InputError where it is out of range.
int jobs_of(const boost::program_options::variables_map& map);
/// The value of --timeout, in seconds. Throws InputError where it is no time.
double timeout_of(const boost::program_options::variables_map& map);

}  // namespace meshkv::platform
