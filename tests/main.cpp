// Test runner. SystemC owns main(); each Catch2 case runs in a process of its own (see CMakeLists.txt).
// A SystemC warning (a renamed module, an unbound port, ...) makes the case fail.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <systemc>

int sc_main(int argc, char* argv[]) {
  using sc_core::sc_report_handler;
  sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DISPLAY | sc_core::SC_THROW);
  sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_DISPLAY | sc_core::SC_THROW);
  return Catch::Session().run(argc, argv);
}
