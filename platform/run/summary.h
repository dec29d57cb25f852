// What `vp run` prints for people.
#pragma once

#include <ostream>
#include <vector>

#include "platform/run/run_report.h"

namespace meshkv::platform {

/// What is simulated, one line: "quickstart: llama-2-7b, 8x8 mesh, 32768 tokens, 1 stream, at, seed 1".
std::string headline(const Scenario& scenario);

/// A table with a column a run, the notes, and the verdict of the checks. Deterministic.
void print_summary(std::ostream& out, const Scenario& scenario, const std::vector<FinishedRun>& runs,
                   const Json& results);

/// "1234567.8" as "1,234,567.8", with `decimals` digits after the point.
std::string grouped(double value, int decimals = 0);

}  // namespace meshkv::platform
