#include "tests/trace/vcd_parser.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace meshkv::test {

std::uint64_t Vcd::Variable::at(std::uint64_t time, std::uint64_t unset) const {
  const auto after = std::upper_bound(changes.begin(), changes.end(), time,
                                      [](std::uint64_t t, const Change& c) { return t < c.time; });
  return after == changes.begin() ? unset : std::prev(after)->value;
}

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error("VCD: " + what);
}

std::string to_end(std::istringstream& in) {
  std::string text;
  for (std::string word; in >> word;) {
    if (word == "$end") return text;
    text += (text.empty() ? "" : " ") + word;
  }
  fail("no $end after \"" + text + "\"");
}

std::uint64_t from_binary(const std::string& digits, int bits) {
  if (digits.empty() || static_cast<int>(digits.size()) > bits) fail("value of the wrong width: " + digits);
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (c != '0' && c != '1') fail("digit in " + digits);
    value = value << 1 | static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

}  // namespace

Vcd parse_vcd(const std::string& text) {
  Vcd vcd;
  std::map<std::string, std::vector<Vcd::Variable*>> by_id;
  std::vector<std::string> scopes;
  std::istringstream in(text);
  bool defined = false;
  const auto change = [&](const std::string& id, const std::string& digits) {
    const auto found = by_id.find(id);
    if (found == by_id.end()) fail("unknown identifier " + id);
    if (vcd.times.empty()) fail("a change before the first time");
    for (Vcd::Variable* v : found->second) {
      if (!v->changes.empty() && v->changes.back().time == vcd.times.back())
        fail("two changes at once of " + id);
      v->changes.push_back({vcd.times.back(), from_binary(digits, v->bits)});
    }
  };
  for (std::string word; in >> word;) {
    if (word == "$comment") {
      vcd.comments.push_back(to_end(in));
    } else if (word == "$timescale") {
      vcd.timescale = to_end(in);
    } else if (word == "$scope") {
      std::istringstream parts(to_end(in));
      std::string kind, name, more;
      if (!(parts >> kind >> name) || kind != "module" || parts >> more) fail("$scope");
      scopes.push_back(name);
    } else if (word == "$upscope") {
      if (!to_end(in).empty() || scopes.empty()) fail("$upscope");
      scopes.pop_back();
    } else if (word == "$var") {
      if (defined) fail("$var after $enddefinitions");
      std::istringstream parts(to_end(in));
      std::string kind, id, name, full, more;
      int bits = 0;
      if (!(parts >> kind >> bits >> id >> name) || bits < 1 || bits > 64 || parts >> more) fail("$var");
      for (const std::string& scope : scopes) full += scope + ".";
      if (!vcd.variables.emplace(full + name, Vcd::Variable{bits, {}}).second)
        fail("two variables " + full + name);
      by_id[id].push_back(&vcd.variables.at(full + name));
    } else if (word == "$enddefinitions") {
      if (!to_end(in).empty() || !scopes.empty()) fail("$enddefinitions");
      defined = true;
    } else if (!defined) {
      fail("unexpected " + word);
    } else if (word[0] == '#') {
      const std::uint64_t time = std::stoull(word.substr(1));
      if (!vcd.times.empty() && time <= vcd.times.back()) fail("time goes back to " + word);
      vcd.times.push_back(time);
    } else if (word[0] == 'b') {
      std::string id;
      if (!(in >> id)) fail("no identifier after " + word);
      change(id, word.substr(1));
    } else if (word[0] == '0' || word[0] == '1') {
      change(word.substr(1), word.substr(0, 1));
    } else {
      fail("unexpected " + word);
    }
  }
  if (!defined) fail("no $enddefinitions");
  return vcd;
}

}  // namespace meshkv::test
