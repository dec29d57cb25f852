#include "platform/regress/junit.h"

#include <algorithm>
#include <cstdio>

#include "platform/scenario/printable.h"

namespace meshkv::platform {
namespace {

std::string escaped(const std::string& text) {
  std::string xml;
  for (char c : printable(text)) {
    switch (c) {
      case '&':
        xml += "&amp;";
        break;
      case '<':
        xml += "&lt;";
        break;
      case '>':
        xml += "&gt;";
        break;
      case '"':
        xml += "&quot;";
        break;
      case '\n':
        xml += "&#10;";
        break;
      default:
        xml += c;
    }
  }
  return xml;
}

std::string seconds_text(double seconds) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3f", seconds);
  return text;
}

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + escaped(value) + "\"";
}

}  // namespace

std::string junit_xml(const std::string& suite, const std::vector<JunitCase>& cases) {
  const auto failures =
      std::count_if(cases.begin(), cases.end(), [](const JunitCase& c) { return !c.failure.empty(); });
  double seconds = 0;
  for (const JunitCase& c : cases) seconds += c.seconds;
  const std::string counts = attribute("name", suite) + attribute("tests", std::to_string(cases.size())) +
                             attribute("failures", std::to_string(failures)) + attribute("errors", "0") +
                             attribute("time", seconds_text(seconds));
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts + ">\n<testsuite" +
                    counts + attribute("skipped", "0") + ">\n";
  for (const JunitCase& c : cases) {
    xml += "<testcase" + attribute("classname", c.group) + attribute("name", c.name) +
           attribute("time", seconds_text(c.seconds));
    if (c.failure.empty()) {
      xml += "/>\n";
      continue;
    }
    xml += ">\n<failure" + attribute("message", c.failure) + attribute("type", c.type) + ">" +
           escaped(c.detail) + "</failure>\n</testcase>\n";
  }
  return xml + "</testsuite>\n</testsuites>\n";
}

}  // namespace meshkv::platform
