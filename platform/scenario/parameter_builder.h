// How a line of the parameter table is written. A field is a lambda from RunConfig to the member it names, so
// that one expression serves for storing, reading back and the default.
#pragma once

#include <type_traits>
#include <utility>

#include "platform/scenario/parameter.h"

/// A field of RunConfig: FIELD(noc.mesh.width).
#define MESHKV_FIELD(member)  \
  [](auto& config) -> auto& { \
    return config.member;     \
  }

namespace meshkv::platform::declare {

struct Text {
  const char* meaning;
  const char* source;
};

template <typename Field>
Parameter base(const char* path, ParameterType type, const char* unit, Field field, Text text) {
  Parameter p;
  p.path = path;
  p.type = type;
  p.unit = unit;
  p.meaning = text.meaning;
  p.source = text.source;
  p.get = [field](const RunConfig& config) { return Json(field(config)); };
  using Value = std::decay_t<decltype(field(std::declval<RunConfig&>()))>;
  p.set = [field](RunConfig& config, const Json& value) {
    if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
      // 1e6 is an integer to JSON Schema and to people; check() has made sure that it is one.
      field(config) = value.is_number_float() ? static_cast<Value>(value.template get<double>())
                                              : value.template get<Value>();
    } else {
      field(config) = value.template get<Value>();
    }
  };
  return p;
}

template <typename Field>
Parameter integer(const char* path, const char* unit, double minimum, double maximum, Field field,
                  Text text) {
  Parameter p = base(path, ParameterType::kInteger, unit, field, text);
  p.minimum = minimum;
  p.maximum = maximum;
  return p;
}

template <typename Field>
Parameter real(const char* path, const char* unit, double minimum, double maximum, Field field, Text text) {
  Parameter p = base(path, ParameterType::kReal, unit, field, text);
  p.minimum = minimum;
  p.maximum = maximum;
  return p;
}

template <typename Field>
Parameter boolean(const char* path, Field field, Text text) {
  return base(path, ParameterType::kBoolean, "", field, text);
}

/// A switch whose `true` belongs to a later version.
template <typename Field>
Parameter boolean_later(const char* path, Field field, Text text) {
  Parameter p = base(path, ParameterType::kChoice, "", field, text);
  p.choices = {{false, true}, {true, false}};
  return p;
}

template <typename Field>
Parameter text(const char* path, ParameterType type, Field field, Text description) {
  return base(path, type, "", field, description);
}

template <typename Value>
struct Option {
  Json name;
  Value value;
  bool available = true;
};

template <typename Value, typename Field>
Parameter choice(const char* path, Field field, std::vector<Option<Value>> options, Text description) {
  Parameter p;
  p.path = path;
  p.type = ParameterType::kChoice;
  p.meaning = description.meaning;
  p.source = description.source;
  for (const auto& option : options) p.choices.push_back({option.name, option.available});
  p.get = [field, options](const RunConfig& config) {
    for (const auto& option : options)
      if (option.value == field(config)) return option.name;
    return Json(nullptr);
  };
  p.set = [field, options](RunConfig& config, const Json& value) {
    for (const auto& option : options)
      if (option.name == value) field(config) = option.value;
  };
  return p;
}

/// A key that the loader consumes itself.
inline Parameter structural(const char* path, ParameterType type, Text text) {
  Parameter p;
  p.path = path;
  p.type = type;
  p.meaning = text.meaning;
  p.source = text.source;
  return p;
}

inline Parameter only_for(WorkloadKind kind, Parameter p) {
  p.only_for = kind;
  return p;
}

inline Parameter with_default_note(const char* note, Parameter p) {
  p.default_note = note;
  return p;
}

}  // namespace meshkv::platform::declare
