// Slices that share an injection port, against packet-wise round robin.
#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "models/mare/slice_scheduler.h"

using namespace meshkv;
using namespace meshkv::mare;

namespace {

struct Job {
  Cycle at;
  std::uint32_t flits;
};

Cycle last_packet(const Job& j) {
  return (j.flits - 1) % 8 + 1;
}

/// When each job's last flit leaves a port that serves packets of eight flits in turn.
std::vector<Cycle> round_robin(const std::vector<Job>& jobs) {
  std::vector<Cycle> ends(jobs.size(), 0);
  std::vector<std::uint32_t> left;
  for (const Job& j : jobs) left.push_back(j.flits);
  std::deque<std::size_t> ring;
  std::size_t next = 0;
  for (Cycle now = 0; next < jobs.size() || !ring.empty();) {
    if (ring.empty()) now = std::max(now, jobs[next].at);
    while (next < jobs.size() && jobs[next].at <= now) ring.push_back(next++);
    const std::size_t i = ring.front();
    ring.pop_front();
    const std::uint32_t packet = std::min<std::uint32_t>(8, left[i]);
    now += packet;
    left[i] -= packet;
    while (next < jobs.size() && jobs[next].at < now) ring.push_back(next++);
    if (left[i] == 0)
      ends[i] = now;
    else
      ring.push_back(i);
  }
  return ends;
}

/// The same by PortShare, the port taking on whole jobs in the order of their arrival.
std::vector<Cycle> shared(const std::vector<Job>& jobs) {
  std::vector<Slice> slices(jobs.size());
  std::map<const Slice*, std::size_t> index;
  for (std::size_t i = 0; i < jobs.size(); ++i) index[&slices[i]] = i;
  std::vector<Cycle> ends(jobs.size(), 0);
  PortShare share(1, 8);
  std::size_t joined = 0, sent = 0;
  Cycle port_free = 0;
  std::size_t out = 0;
  for (Cycle now = 0; out < jobs.size(); ++now) {
    while (joined < jobs.size() && jobs[joined].at <= now) {
      share.join(slices[joined], jobs[joined].flits, now);
      ++joined;
    }
    if (sent < joined && port_free <= now) {
      share.serve(jobs[sent].flits, now);
      port_free = now + jobs[sent].flits;
      share.sent(slices[sent], port_free - last_packet(jobs[sent]));
      ++sent;
    }
    for (PortShare::Left left = share.leave(now); left.slice != nullptr; left = share.leave(now)) {
      const std::size_t i = index[left.slice];
      ends[i] = left.at + last_packet(jobs[i]);
      ++out;
    }
    if (now > 1000000) break;
  }
  return ends;
}

}  // namespace

TEST_CASE("Slices that start together end a packet apart, the last with the port", "[lt][mare]") {
  const std::vector<Job> jobs(4, Job{10, 64});
  const std::vector<Cycle> expected{10 + 256 - 24, 10 + 256 - 16, 10 + 256 - 8, 10 + 256};
  CHECK(round_robin(jobs) == expected);
  CHECK(shared(jobs) == expected);
}

TEST_CASE("A slice that has the port to itself takes its flits in cycles", "[lt][mare]") {
  const std::vector<Job> jobs{{5, 64}, {200, 8}, {300, 63}};
  CHECK(shared(jobs) == std::vector<Cycle>{69, 208, 363});
}

TEST_CASE("Virtual-time sharing stays near packet-wise turns, and serves as much", "[lt][mare]") {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    std::mt19937 random(seed);
    std::vector<Job> jobs;
    Cycle at = 0;
    for (int i = 0; i < 300; ++i) {
      at += random() % 70;
      jobs.push_back({at, 64});
    }
    const std::vector<Cycle> exact = round_robin(jobs), virtual_time = shared(jobs);
    double exact_sum = 0, virtual_sum = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      exact_sum += static_cast<double>(exact[i] - jobs[i].at);
      virtual_sum += static_cast<double>(virtual_time[i] - jobs[i].at);
    }
    CHECK(virtual_sum / exact_sum == Approx(1.0).margin(0.1));
    CHECK(*std::max_element(virtual_time.begin(), virtual_time.end()) ==
          *std::max_element(exact.begin(), exact.end()));
  }
}
