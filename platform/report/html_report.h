// The page of `vp report --html`: one file, no network, from the files beside this header.
#pragma once

#include <string>

#include "platform/report/result_files.h"

namespace meshkv::platform {

std::string html_report(const ReportInput& input);

}  // namespace meshkv::platform
