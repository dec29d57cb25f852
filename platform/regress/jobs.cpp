#include "platform/regress/jobs.h"

#include <map>

#include "platform/regress/content_key.h"
#include "platform/regress/process_pool.h"
#include "platform/run/run_report.h"

namespace meshkv::platform {
namespace {

bool is_worth_keeping(int exit_code) {
  return exit_code == static_cast<int>(ExitCode::kOk) ||
         exit_code == static_cast<int>(ExitCode::kCheckFailed) ||
         exit_code == static_cast<int>(ExitCode::kBadSimulation);
}

/// A process to start, and whose results it makes.
struct Work {
  std::string part;  ///< what the store knows it by while it is under way
  std::vector<std::size_t> jobs;
};

std::vector<std::string> command_of(const Job& job, const std::string& out) {
  std::vector<std::string> command{"/proc/self/exe", "run", "--quiet", "--jobs", "1", "--out", out};
  for (const std::string& setting : job.settings) command.insert(command.end(), {"--set", setting});
  command.insert(command.end(), {"--", job.file});  // whatever its name begins with
  return command;
}

JobResult result_of(const ProcessEnd& end, const Job& job, const Work& work, const ResultStore& store) {
  JobResult result;
  result.timed_out = end.timed_out;
  result.signal = end.signal;
  StoredResult found;
  found.exit_code = end.exit_code;
  found.err = end.err;
  found.cpu_s = end.cpu_s;
  found.wall_s = end.wall_s;
  const bool keep = !job.key.empty() && is_worth_keeping(end.exit_code) && !end.timed_out;
  result.stored =
      keep ? store.keep(job.name, job.key, std::move(found)) : store.drop(work.part, std::move(found));
  return result;
}

}  // namespace

Job make_job(const std::string& file, const std::vector<std::string>& settings) {
  Job job{file, settings, name_from(file), "", nullptr};
  try {
    const MergedValues merged = load_merged(file, settings);
    job.name = scenario_name(merged, file);
    job.key = content_key(merged, job.name, program_identity());
    if (const Json* expect = merged.find("expect")) job.expect = *expect;
  } catch (const InputError&) {
    // Its process will say what is wrong.
  }
  return job;
}

void run_jobs(const std::vector<Job>& jobs, const JobOptions& options, const ResultStore& store,
              const std::function<void(std::size_t, const JobResult&)>& ended) {
  std::vector<Work> works;
  std::map<std::string, std::size_t> by_key;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Job& job = jobs[i];
    if (!options.force && !job.key.empty()) {
      if (auto kept = store.find(job.name, job.key)) {
        ended(i, {std::move(*kept), true, false, 0});
        continue;
      }
    }
    const auto same = by_key.find(job.key);
    if (!job.key.empty() && same != by_key.end()) {
      works[same->second].jobs.push_back(i);
      continue;
    }
    if (!job.key.empty()) by_key[job.key] = works.size();
    works.push_back({job.key.empty() ? "unread-" + std::to_string(i) : job.key, {i}});
  }
  std::vector<std::vector<std::string>> commands;
  for (const Work& work : works)
    commands.push_back(command_of(jobs[work.jobs.front()], store.part(work.part)));
  run_processes(commands, options.jobs, options.timeout_s, [&](const ProcessEnd& end) {
    const Work& work = works[end.index];
    const JobResult result = result_of(end, jobs[work.jobs.front()], work, store);
    for (std::size_t i : work.jobs) ended(i, result);
  });
}

}  // namespace meshkv::platform
