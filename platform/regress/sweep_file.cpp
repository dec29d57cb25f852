#include "platform/regress/sweep_file.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "platform/scenario/input_error.h"
#include "platform/scenario/json_file.h"
#include "platform/scenario/scenario_paths.h"

namespace meshkv::platform {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostPoints = 100000;

/// Without the last digits that repeated additions leave: 0.3, not 0.30000000000000004.
Json rounded(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.12g", value);
  const double number = std::strtod(text, nullptr);
  if (number == std::floor(number) && std::abs(number) < 9e15) return static_cast<std::int64_t>(number);
  return number;
}

bool is_declared(const std::string& path) {
  if (path == "extends" || path == "abstract") return false;
  return is_parameter_group(path) || find_parameter(path, WorkloadKind::kDecode) != nullptr;
}

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  Sweep read() {
    const Json json = content();
    sweep_.name = name_from(file_);
    for (const auto& [key, value] : json.items()) member(key, value);
    if (json.contains("base") == json.contains("table"))
      add("base", json.contains("base")
                      ? "stands beside table; allowed: one of them"
                      : "is missing; allowed: the path of a scenario (or table: of a table)");
    for (const char* key : {"rows", "seeds", "readings"})
      if (json.contains(key) && !json.contains("table")) add(key, "belongs to table");
    if (!json.contains("axes")) add("axes", "is missing; allowed: {\"mesh.width\": [4, 8], ...}");
    overlaps();
    if (problems_.empty() && sweep_.points() > kMostPoints)
      add("axes", "make " + std::to_string(sweep_.points()) + " points; allowed: up to " +
                      std::to_string(kMostPoints));
    if (!problems_.empty()) throw InputError(std::move(problems_));
    return std::move(sweep_);
  }

 private:
  Json content() const {
    Json json;
    try {
      json = parse_json(read_text_file(file_));
    } catch (const std::runtime_error& e) {
      throw InputError(file_, "", e.what());
    }
    if (!json.is_object())
      throw InputError(file_, "", "found " + shown(json) + "; allowed: a JSON object, {...}");
    return json;
  }

  void member(const std::string& key, const Json& value) {
    if (key == "base")
      base(value, key, sweep_.base, "the path of a scenario");
    else if (key == "table")
      base(value, key, sweep_.table, "the path of a table");
    else if (key == "rows")
      texts(value, key, "patterns of row ids", sweep_.rows);
    else if (key == "seeds")
      seeds(value);
    else if (key == "readings")
      readings(value);
    else if (key == "one_at_a_time")
      flag(value, key, sweep_.one_at_a_time);
    else if (key == "set")
      settings(value);
    else if (key == "axes")
      axes(value);
    else if (key == "columns")
      texts(value, key, "metrics", sweep_.columns);
    else if (key == "name" || key == "description" || key == "$schema")
      text(key, value);
    else
      unknown(key);
  }

  void unknown(const std::string& key) {
    static const std::vector<std::string> known{"name", "description", "base",     "table",
                                                "rows", "seeds",       "readings", "one_at_a_time",
                                                "set",  "axes",        "columns"};
    const std::string near = nearest_name(key, known);
    std::string list;
    for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
    add(key, near.empty() ? "unknown key; allowed: " + list : "unknown key; did you mean " + near + "?");
  }

  void text(const std::string& key, const Json& value) {
    if (!value.is_string() || (key == "name" && value != name_from(value.get<std::string>() + ".json")))
      add(key,
          "found " + shown(value) + "; allowed: text" + (key == "name" ? " of letters, digits, . _ -" : ""));
    else if (key == "name")
      sweep_.name = value.get<std::string>();
  }

  void base(const Json& value, const std::string& key, std::string& to, const char* allowed) {
    if (!value.is_string() || value == "") return add(key, "found " + shown(value) + "; allowed: " + allowed);
    const fs::path named = value.get<std::string>();
    to = named.is_absolute() ? named.string()
                             : (fs::path(file_).parent_path() / named).lexically_normal().string();
    std::error_code error;
    if (!fs::exists(to, error)) add(key, to + ": no such file");
  }

  void seeds(const Json& value) {
    if (!value.is_array())
      return add("seeds", "found " + shown(value) + "; allowed: a list of whole numbers");
    for (const Json& seed : value) {
      if (!seed.is_number_unsigned())
        return add("seeds", "found " + shown(seed) + "; allowed: a whole number");
      sweep_.seeds.push_back(seed.get<std::uint64_t>());
    }
  }

  void readings(const Json& value) {
    if (!value.is_object())
      return add("readings",
                 "found " + shown(value) + "; allowed: {\"text of formulas\": [\"instead\"], ...}");
    for (const auto& [from, instead] : value.items()) {
      sweep_.readings.emplace_back(from, std::vector<std::string>{});
      if (from.empty()) add("readings", "found an empty key; allowed: a part of the table's formulas");
      texts(instead, "readings." + from, "what is read instead", sweep_.readings.back().second);
    }
  }

  void flag(const Json& value, const std::string& key, bool& to) {
    if (!value.is_boolean()) return add(key, "found " + shown(value) + "; allowed: true or false");
    to = value.get<bool>();
  }

  void settings(const Json& value) {
    if (!value.is_object()) return add("set", "found " + shown(value) + "; allowed: {\"seed\": 3, ...}");
    for (const auto& [path, v] : value.items())
      if (declared(path, "set." + path)) sweep_.settings.push_back(path + "=" + v.dump());
  }

  bool declared(const std::string& path, const std::string& at) {
    if (is_declared(path)) return true;
    const std::string near = nearest_parameter(path);
    add(at, near.empty() || near == path
                ? "is no key of a scenario that can be set here; `vp params` lists them"
                : "unknown key; did you mean " + near + "?");
    return false;
  }

  void axes(const Json& value) {
    if (!value.is_object() || value.empty())
      return add("axes", "found " + shown(value) + "; allowed: {\"mesh.width\": [4, 8], ...}");
    for (const auto& [path, v] : value.items()) {
      const std::string at = "axes." + path;
      if (!declared(path, at)) continue;
      SweepAxis axis{path, {}};
      if (v.is_array())
        axis.values.assign(v.begin(), v.end());
      else if (v.is_object())
        range(axis, v, at);
      else
        add(at, "found " + shown(v) + "; allowed: a list, or {from, to, step} or {from, to, factor}");
      if (v.is_array() && v.empty()) add(at, "found []; allowed: one value or more");
      sweep_.axes.push_back(std::move(axis));
    }
  }

  void range(SweepAxis& axis, const Json& value, const std::string& at) {
    const bool by_factor = value.contains("factor");
    const char* pace_key = by_factor ? "factor" : "step";
    for (const char* key : {"from", "to", pace_key})
      if (!value.contains(key) || !value[key].is_number() || value.size() != 3)
        return add(at, "found " + shown(value) + "; allowed: numbers {from, to, step} or {from, to, factor}");
    const double from = value["from"].get<double>(), to = value["to"].get<double>(),
                 pace = value[pace_key].get<double>();
    const bool sound = by_factor ? from > 0 && pace > 1 && to >= from : pace > 0 && to >= from;
    if (!sound)
      return add(
          at, "found " + shown(value) + "; allowed: to no less than from, a step above 0, a factor above 1");
    const double last = to * (1 + 1e-9) + 1e-12;
    for (std::size_t i = 0; i <= kMostPoints; ++i) {
      const double v =
          by_factor ? from * std::pow(pace, static_cast<double>(i)) : from + static_cast<double>(i) * pace;
      if (v > last) break;
      axis.values.push_back(rounded(v));
    }
  }

  /// A key that is set twice would silently have one of the values.
  void overlaps() {
    const auto lies_in = [](const std::string& path, const std::string& other) {
      return path == other || path.rfind(other + ".", 0) == 0;
    };
    for (const SweepAxis& axis : sweep_.axes) {
      for (const SweepAxis& other : sweep_.axes)
        if (&axis != &other && lies_in(axis.path, other.path))
          add("axes." + axis.path, "is part of axes." + other.path + "; allowed: each key in one axis");
      for (const std::string& setting : sweep_.settings) {
        const std::string path = setting.substr(0, setting.find('='));
        if (lies_in(axis.path, path) || lies_in(path, axis.path))
          add("set." + path, "overlaps axes." + axis.path + "; allowed: each key in one of them");
      }
    }
  }

  void texts(const Json& value, const std::string& key, const std::string& what,
             std::vector<std::string>& to) {
    if (!value.is_array()) return add(key, "found " + shown(value) + "; allowed: a list of " + what);
    for (const Json& one : value) {
      if (!one.is_string()) return add(key, "found " + shown(one) + "; allowed: text");
      to.push_back(one.get<std::string>());
    }
  }

  void add(const std::string& path, const std::string& text) { problems_.push_back({file_, path, text}); }

  std::string file_;
  Sweep sweep_;
  std::vector<Problem> problems_;
};

}  // namespace

std::size_t Sweep::points() const {
  std::size_t count = 1;
  if (one_at_a_time) {
    for (const SweepAxis& axis : axes) count += axis.values.size();
    return count;
  }
  for (const SweepAxis& axis : axes) {
    if (axis.values.empty()) return 0;
    if (count > kMostPoints) return count;  // what is more cannot be counted
    count *= axis.values.size();
  }
  return count;
}

std::vector<Json> Sweep::values_at(std::size_t point) const {
  std::vector<Json> values(axes.size());
  if (one_at_a_time) {
    std::size_t before = 1;  // the base itself
    for (std::size_t i = 0; i < axes.size(); before += axes[i++].values.size())
      if (point >= before && point < before + axes[i].values.size())
        values[i] = axes[i].values[point - before];
    return values;
  }
  for (std::size_t i = axes.size(); i-- > 0;) {
    values[i] = axes[i].values[point % axes[i].values.size()];
    point /= axes[i].values.size();
  }
  return values;
}

std::vector<std::string> Sweep::settings_at(std::size_t point) const {
  std::vector<std::string> all = settings;
  const std::vector<Json> values = values_at(point);
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (!one_at_a_time || !values[i].is_null()) all.push_back(axes[i].path + "=" + values[i].dump());
  return all;
}

Sweep read_sweep(const std::string& file) {
  return Reader(file).read();
}

}  // namespace meshkv::platform
