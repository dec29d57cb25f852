// JUnit XML as Jenkins and GitLab read it.
#pragma once

#include <string>
#include <vector>

namespace meshkv::platform {

struct JunitCase {
  std::string group;  ///< `classname`: the folder
  std::string name;
  double seconds = 0;
  std::string failure;  ///< `message` of a <failure>; empty: passed
  std::string type;     ///< of the failure
  std::string detail;
};

/// One <testsuite> of all cases. Bytes that XML or UTF-8 do not allow are replaced.
std::string junit_xml(const std::string& suite, const std::vector<JunitCase>& cases);

}  // namespace meshkv::platform
