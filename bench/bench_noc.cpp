#include <sys/resource.h>
#include <array>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <systemc>

#include "bench/bench.h"
#include "bench/in_child.h"
#include "models/workload/synthetic_run.h"

namespace meshkv::bench {
namespace {

struct Sample {
  double cpu_s = 0;
  double cycles = 0;
  double flit_hops = 0;
  double activations = 0;  ///< kernel activations of the clock domain's process
  double ticks = 0;        ///< calls of routers and interfaces
  double transports = 0;   ///< nb_transport calls, forward and backward
  double peak_rss = 0;     ///< bytes
  bool drained = false;
};

struct Row {
  const char* what;
  int side;
  double rate;
  Cycle cycles;
};

/// Uniform traffic, profile b1, packets of 5 flits.
workload::SyntheticConfig load(const Row& row) {
  workload::SyntheticConfig c;
  c.noc.profile = "b1";
  c.noc.mesh = {row.side, row.side};
  c.injection_rate = row.rate;
  c.warmup_cycles = 1000;
  c.measure_cycles = row.cycles;
  return c;
}

/// 64 packets, `gap` cycles apart: what is in between is idle.
workload::SyntheticConfig idle(Cycle gap) {
  workload::SyntheticConfig c;
  c.noc.profile = "b1";
  c.pattern = workload::TrafficPattern::kReplay;
  for (Cycle k = 0; k < 64; ++k)
    c.packets.push_back({k * gap, static_cast<NodeId>(k), static_cast<NodeId>(63 - k), 5, kNever});
  return c;
}

Sample measure(const workload::SyntheticConfig& config) {
  workload::SyntheticRun run("mesh", config);
  // Elaboration is not part of it: the first, empty cycle is simulated before the clock starts.
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const std::clock_t begin = std::clock();
  run.run();
  Sample s;
  s.cpu_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  s.cycles = static_cast<double>(run.statistics().cycles);
  s.flit_hops = static_cast<double>(run.statistics().flit_hops);
  s.activations = static_cast<double>(run.domain().statistics().activations);
  s.ticks = static_cast<double>(run.domain().statistics().ticks);
  for (int n = 0; n < run.mesh().nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    // A flit is one forward call where it leaves, and one backward call where its slot in a router is freed.
    s.transports += static_cast<double>(2 * run.mesh().router(node).core().flits_sent());
    s.transports += static_cast<double>(run.mesh().interface(node).injection_link(0).flits_sent());
  }
  s.drained = run.statistics().outcome == workload::SyntheticOutcome::kDrained;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  s.peak_rss = static_cast<double>(usage.ru_maxrss) * 1024;
  return s;
}

bool measure_alone(const workload::SyntheticConfig& config, Sample& sample) {
  return in_child(
             "bench noc", [&] { return measure(config); }, sample) &&
         sample.drained;
}

void print_row(std::ostream& out, const std::string& what, const Sample& s) {
  out << "  " << std::left << std::setw(26) << what << std::right << std::fixed << std::setprecision(0)
      << std::setw(12) << s.cycles / s.cpu_s << std::setprecision(2) << std::setw(13)
      << s.flit_hops / s.cpu_s / 1e6 << std::setw(10) << s.cpu_s / s.flit_hops * 1e9 << std::setprecision(1)
      << std::setw(10) << s.peak_rss / (1 << 20) << std::setprecision(4) << std::setw(13)
      << s.activations / s.flit_hops << std::setprecision(2) << std::setw(9) << s.ticks / s.flit_hops
      << std::setw(11) << s.transports / s.flit_hops << '\n';
}

void print_heading(std::ostream& out) {
  out << "Uniform traffic, profile b1, packets of 5 flits; host CPU time. A flit-hop is a flit in a router.\n"
      << std::left << std::setw(28) << "  run" << std::right << std::setw(12) << "cycles/s" << std::setw(13)
      << "Mflit-hops/s" << std::setw(10) << "ns each" << std::setw(10) << "MB peak" << std::setw(13)
      << "activations" << std::setw(9) << "calls" << std::setw(11) << "transports\n";
}

}  // namespace

int bench_noc(std::ostream& out) {
  // The mesh sizes have the same load on each link of the bisection: rate x side is constant.
  const std::array<Row, 6> rows = {{{"8x8, 0.1 flits/node/cycle", 8, 0.1, 100000},
                                    {"8x8, 0.3 flits/node/cycle", 8, 0.3, 40000},
                                    {"4x4, 0.2 (equal bisection)", 4, 0.2, 400000},
                                    {"8x8, 0.1", 8, 0.1, 100000},
                                    {"16x16, 0.05", 16, 0.05, 25000},
                                    {"32x32, 0.025", 32, 0.025, 8000}}};
  print_heading(out);
  bool fine = true;
  for (const Row& row : rows) {
    Sample s;
    if (measure_alone(load(row), s)) {
      print_row(out, row.what, s);
    } else {
      out << "  " << row.what << ": failed\n";
      fine = false;
    }
  }
  out << "Idle: 64 packets, with so many idle cycles in between.\n";
  for (const Cycle gap : {Cycle{100000}, Cycle{1000000}}) {
    Sample s;
    if (!measure_alone(idle(gap), s)) return 1;
    out << "  " << std::setw(10) << gap << " cycles apart: " << std::fixed << std::setprecision(0) << s.cycles
        << " cycles in " << std::setprecision(4) << s.cpu_s << " s, " << std::setprecision(0) << s.activations
        << " activations, " << s.ticks << " calls\n";
  }
  return fine ? 0 : 1;
}

}  // namespace meshkv::bench
