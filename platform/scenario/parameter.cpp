#include "platform/scenario/parameter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace meshkv::platform {
namespace {

/// Integers without a decimal point or exponent, reals in their shortest exact form.
std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e16)
    return std::to_string(static_cast<long long>(value));
  return Json(value).dump();
}

bool is_integral(const Json& value) {
  if (value.is_number_integer()) return true;
  return value.is_number_float() && std::isfinite(value.get<double>()) &&
         value.get<double>() == std::floor(value.get<double>()) && std::abs(value.get<double>()) < 9.1e15;
}

bool is_text_list(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_string() && v != ""; });
}

bool is_preset_list(const Json& value) {
  if (!is_text_list(value)) return false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const auto& names = preset_names();
    if (std::find(names.begin(), names.end(), value[i].get<std::string>()) == names.end()) return false;
    if (std::find(value.begin(), value.begin() + static_cast<std::ptrdiff_t>(i), value[i]) !=
        value.begin() + static_cast<std::ptrdiff_t>(i))
      return false;
  }
  return true;
}

bool is_timing_mode(const Json& value) {
  return value == "lt" || value == "at";
}

bool is_mode(const Json& value) {
  if (!value.is_array()) return is_timing_mode(value);
  for (std::size_t i = 0; i < value.size(); ++i) {
    const Json& phase = value[i];
    if (!phase.is_object() || !phase.contains("mode") || !is_timing_mode(phase["mode"])) return false;
    const bool counted = phase.contains("layers");
    if (phase.size() != (counted ? 2U : 1U)) return false;
    if (!counted && i + 1 != value.size()) return false;
    if (!counted) continue;
    if (!is_integral(phase["layers"])) return false;
    const double layers = phase["layers"].get<double>();
    if (layers < 1 || layers > 100000) return false;
  }
  return !value.empty();
}

std::string choice_list(const std::vector<Choice>& choices) {
  std::string list;
  for (const Choice& c : choices)
    if (c.available) list += (list.empty() ? "" : ", ") + c.value.dump();
  return list;
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string shown(const Json& value) {
  // `replace`: a value may hold bytes that are not UTF-8 when it comes from the command line.
  std::string s = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (s.size() <= 60) return s;
  std::size_t cut = 57;
  while (cut > 0 && (static_cast<unsigned char>(s[cut]) & 0xc0) == 0x80) --cut;
  return s.substr(0, cut) + "...";
}

const char* kind_name(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::kDecode:
      return "decode";
    case WorkloadKind::kSynthetic:
      return "synthetic";
    case WorkloadKind::kMemory:
      return "memory";
  }
  return "";
}

std::string Parameter::type_name() const {
  static constexpr std::array names{
      "boolean",        "integer",       "number",          "text",
      "file",           "choice",        "list of integer", "file or files",
      "list of preset", "list of check", "list of fault",   "choice or list of phases"};
  return names[static_cast<std::size_t>(type)];
}

std::string Parameter::allowed() const {
  switch (type) {
    case ParameterType::kBoolean:
      return "true or false";
    case ParameterType::kInteger:
      return "integer " + number_text(minimum) + " to " + number_text(maximum);
    case ParameterType::kReal:
      return "number " + number_text(minimum) + " to " + number_text(maximum);
    case ParameterType::kText:
      return "text";
    case ParameterType::kFile:
      return "path of a file";
    case ParameterType::kChoice: {
      const std::string list = choice_list(choices);
      return (list.find(',') == std::string::npos ? "" : "one of ") + list;
    }
    case ParameterType::kIntegerList:
      return std::string(repeats ? "list of integers " : "list of distinct integers ") +
             number_text(minimum) + " to " + number_text(maximum);
    case ParameterType::kFileList:
      return "path of a file, or a list of them";
    case ParameterType::kPresetList:
      return "list of distinct presets: \"cent\", \"shared\", \"takv_only\", \"meshkv\"";
    case ParameterType::kChecks:
      return "list of {metric, min?, max?, equals?, within_percent?}";
    case ParameterType::kFaults:
      return "list of {kind, at, packet?, flit?, to?}";
    case ParameterType::kMode:
      return "\"lt\", \"at\", or a list of phases {\"mode\": \"lt\" or \"at\", \"layers\": integer 1 to "
             "100000}, the last "
             "one with or without layers";
  }
  return "";
}

namespace {

bool number_in_range(const Parameter& p, const Json& value) {
  const double d = value.get<double>();
  return d >= p.minimum && d <= p.maximum;
}

bool accepts(const Parameter& p, const Json& value) {
  switch (p.type) {
    case ParameterType::kBoolean:
      return value.is_boolean();
    case ParameterType::kInteger:
      return is_integral(value) && number_in_range(p, value);
    case ParameterType::kReal:
      return value.is_number() && number_in_range(p, value);
    case ParameterType::kText:
      return value.is_string();
    case ParameterType::kFile:
      return value.is_string() && value != "";
    case ParameterType::kChoice:
      return std::any_of(p.choices.begin(), p.choices.end(),
                         [&](const Choice& c) { return c.available && c.value == value; });
    case ParameterType::kIntegerList: {
      if (!value.is_array() || value.empty()) return false;
      std::vector<double> seen;
      for (const Json& v : value) {
        if (!is_integral(v) || !number_in_range(p, v)) return false;
        seen.push_back(v.get<double>());
      }
      std::sort(seen.begin(), seen.end());
      return p.repeats || std::adjacent_find(seen.begin(), seen.end()) == seen.end();
    }
    case ParameterType::kFileList:
      return (value.is_string() && value != "") || is_text_list(value);
    case ParameterType::kPresetList:
      return is_preset_list(value);
    case ParameterType::kChecks:
    case ParameterType::kFaults:
      return value.is_array();
    case ParameterType::kMode:
      return is_mode(value);
  }
  return false;
}

}  // namespace

std::optional<std::string> Parameter::check(const Json& value) const {
  if (accepts(*this, value)) return std::nullopt;
  const auto same = [&](const Choice& c) { return c.value == value; };
  const bool later = std::any_of(choices.begin(), choices.end(), same);
  return "found " + shown(value) + (later ? ", which is not part of this version" : "") +
         "; allowed: " + allowed();
}

Json Parameter::default_value() const {
  if (!get || !default_note.empty()) return nullptr;
  return get(RunConfig{});
}

const std::vector<Parameter>& parameters() {
  static const std::vector<Parameter> table = [] {
    std::vector<Parameter> all;
    for (auto part : {general_parameters, fabric_parameters, memory_parameters, energy_parameters,
                      decode_parameters, synthetic_parameters, memory_workload_parameters}) {
      auto some = part();
      std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return all;
  }();
  return table;
}

const Parameter* find_parameter(const std::string& path, WorkloadKind kind) {
  const Parameter* first = nullptr;
  for (const Parameter& p : parameters()) {
    if (p.path != path) continue;
    if (!p.only_for || *p.only_for == kind) return &p;
    if (!first) first = &p;
  }
  return first;
}

bool is_parameter_group(const std::string& path) {
  const std::string prefix = path + ".";
  return std::any_of(parameters().begin(), parameters().end(),
                     [&](const Parameter& p) { return p.path.rfind(prefix, 0) == 0; });
}

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  if (name.size() > 200) return "";
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string nearest_parameter(const std::string& path) {
  std::vector<std::string> all;
  for (const Parameter& p : parameters()) {
    all.push_back(p.path);
    // A group may be what was meant.
    for (std::size_t dot = p.path.find('.'); dot != std::string::npos; dot = p.path.find('.', dot + 1))
      all.push_back(p.path.substr(0, dot));
  }
  std::string best = nearest_name(path, all);
  if (!best.empty()) return best;
  // ".mesh", "mesh.": a dot too many.
  const std::size_t begin = path.find_first_not_of('.'), end = path.find_last_not_of('.');
  if (begin == std::string::npos) return "";
  if (end - begin + 1 < path.size()) return nearest_parameter(path.substr(begin, end - begin + 1));
  // The right name in the wrong group: "context_tokens" for "workload.context_tokens".
  const std::string leaf = path.substr(path.rfind('.') + 1);
  for (const Parameter& p : parameters())
    if (p.path.substr(p.path.rfind('.') + 1) == leaf) return p.path;
  return "";
}

}  // namespace meshkv::platform
