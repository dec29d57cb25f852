// Scenarios as processes of this program, with results that are kept by content.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "platform/regress/result_store.h"

namespace meshkv::platform {

/// One run of one scenario file.
struct Job {
  std::string file;
  std::vector<std::string> settings;  ///< as --set
  std::string name;
  std::string key;       ///< content_key(); empty where the files cannot be read: the job is run every time
  Json expect = Json();  ///< the scenario's `expect`
};

/// Throws nothing that is the scenario's fault: its process says it.
Job make_job(const std::string& file, const std::vector<std::string>& settings);

struct JobResult {
  StoredResult stored;
  bool cached = false;
  bool timed_out = false;
  int signal = 0;
};

struct JobOptions {
  int jobs = 1;
  double timeout_s = 0;  ///< 0: none
  bool force = false;    ///< nothing is taken from the store
};

/// Kept results first, then what has to be run; `ended` hears of each job once. Jobs with equal keys are run
/// once. Kept are results that the scenario decides (exit codes 0, 1 and 3).
void run_jobs(const std::vector<Job>& jobs, const JobOptions& options, const ResultStore& store,
              const std::function<void(std::size_t, const JobResult&)>& ended);

}  // namespace meshkv::platform
