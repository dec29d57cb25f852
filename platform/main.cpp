// SystemC calls sc_main; main is ours only to keep its banner off the terminal.
#include <cstdlib>
#include <systemc>

#include "platform/cli/cli.h"

int sc_main(int argc, char* argv[]) {
  return meshkv::platform::run_cli(std::vector<std::string>(argv + 1, argv + argc));
}

int main(int argc, char* argv[]) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}
