// The command line of ./vp (DESIGN section 12).
#pragma once

#include <string>
#include <vector>

namespace meshkv::platform {

/// `arguments` without the program's name. Returns the exit code; never throws.
int run_cli(const std::vector<std::string>& arguments);

// The commands. They throw InputError for what the user can mend; everything else is a defect of ours.
int command_run(const std::vector<std::string>& arguments);
int command_check(const std::vector<std::string>& arguments);
int command_report(const std::vector<std::string>& arguments);
int command_params(const std::vector<std::string>& arguments);
int command_registers(const std::vector<std::string>& arguments);
int command_elf(const std::vector<std::string>& arguments);
int command_regress(const std::vector<std::string>& arguments);
int command_sweep(const std::vector<std::string>& arguments);
int command_bench(const std::vector<std::string>& arguments);

}  // namespace meshkv::platform
