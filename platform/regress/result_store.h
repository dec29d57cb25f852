// Finished results on disk, one folder each, named after what they depend on. A folder appears whole or not
// at all, so that a store survives a kill at any moment and several programs may share one.
#pragma once

#include <optional>
#include <string>

#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// What is known of a job's end.
struct StoredResult {
  int exit_code = -1;  ///< of `vp run`; -1: it did not exit by itself
  std::string err;     ///< its stderr
  double cpu_s = 0;
  double wall_s = 0;
  std::string folder;     ///< of results.json and host.json
  Json results = Json();  ///< results.json; null if the run wrote none
};

class ResultStore {
 public:
  /// Makes the folder, and removes what dead processes of this machine left in it. Throws InputError naming
  /// `option` where it cannot be written.
  ResultStore(const std::string& folder, const std::string& option);
  ~ResultStore();  ///< removes what this process left under way
  ResultStore(const ResultStore&) = delete;
  ResultStore& operator=(const ResultStore&) = delete;

  /// A result that was kept, or nothing.
  std::optional<StoredResult> find(const std::string& name, const std::string& key) const;

  /// A folder that does not exist yet, for `vp run --out`; part of the store once keep() is called.
  std::string part(const std::string& key) const;
  /// Moves what was written to `part` to its place, replacing what is there.
  StoredResult keep(const std::string& name, const std::string& key, StoredResult result) const;
  /// Reads results.json of a part that shall not be kept, and removes it.
  StoredResult drop(const std::string& key, StoredResult result) const;

  const std::string& folder() const { return folder_; }

 private:
  std::string place(const std::string& name, const std::string& key) const;
  std::string folder_;
  std::string part_prefix_;  ///< of this process
};

}  // namespace meshkv::platform
