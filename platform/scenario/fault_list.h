// `faults` of a scenario: what is to be broken, by instance name.
#pragma once

#include <vector>

#include "models/check/fault.h"
#include "platform/scenario/scenario.h"

namespace meshkv::platform {

/// Adds to `problems` what is wrong with an entry.
std::vector<check::Fault> read_faults(const Scenario& scenario, std::vector<Problem>& problems);
/// The list as it stands in results.json.
Json faults_as_json(const RunConfig& config);
/// The schema of the list.
Json faults_schema();

}  // namespace meshkv::platform
