#include "platform/table/row_table.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "platform/scenario/input_error.h"
#include "platform/scenario/json_file.h"
#include "platform/scenario/scenario_paths.h"
#include "platform/table/expression.h"

namespace meshkv::platform {
namespace fs = std::filesystem;
namespace {

class Reader {
 public:
  explicit Reader(const std::string& file) { table_.file = file; }

  RowTable read() {
    const fs::path folder = fs::path(table_.file).parent_path();
    table_.folder = folder.empty() ? "." : folder.string();
    const Json json = content();
    table_.name = table_.folder == "." ? name_from(table_.file) : fs::path(table_.folder).filename().string();
    members(json, "",
            {{"title", text_into(table_.title)},
             {"description", [](const Json&, const std::string&) {}},
             {"seeds", [this](const Json& v, const std::string& at) { seeds(v, at); }},
             {"rows", [this](const Json& v, const std::string& at) { rows(v, at); }},
             {"figures", [this](const Json& v, const std::string& at) { figures(v, at); }}});
    if (table_.seeds.empty()) table_.seeds = {1};
    if (!problems_.empty()) throw InputError(std::move(problems_));
    return std::move(table_);
  }

 private:
  using Set = std::function<void(const Json&, const std::string&)>;

  Json content() const {
    try {
      return parse_json(read_text_file(table_.file));
    } catch (const std::runtime_error& e) {
      throw InputError(table_.file, "", e.what());
    }
  }

  void add(const std::string& path, const std::string& text) {
    problems_.push_back({table_.file, path, text});
  }

  void members(const Json& json, const std::string& path, const std::map<std::string, Set>& known) {
    if (!json.is_object()) return add(path, "found " + shown(json) + "; allowed: an object");
    std::vector<std::string> names;
    std::string list;
    for (const auto& [name, set] : known) {
      names.push_back(name);
      list += (list.empty() ? "" : ", ") + name;
    }
    for (const auto& [key, value] : json.items()) {
      const std::string at = path.empty() ? key : path + "." + key;
      const auto member = known.find(key);
      if (member != known.end()) {
        member->second(value, at);
        continue;
      }
      const std::string near = nearest_name(key, names);
      add(at, near.empty() ? "unknown key; allowed: " + list : "unknown key; did you mean " + near + "?");
    }
  }

  Set text_into(std::string& to) {
    return [this, &to](const Json& v, const std::string& at) {
      if (v.is_string())
        to = v.get<std::string>();
      else
        add(at, "found " + shown(v) + "; allowed: text");
    };
  }

  Set number_into(double& to) {
    return [this, &to](const Json& v, const std::string& at) {
      if (v.is_number())
        to = v.get<double>();
      else
        add(at, "found " + shown(v) + "; allowed: a number");
    };
  }

  Set formula_into(std::string& to) {
    return [this, &to](const Json& v, const std::string& at) {
      if (!v.is_string() && !v.is_number())
        return add(at, "found " + shown(v) + "; allowed: a formula, as text, or a number");
      to = v.is_string() ? v.get<std::string>() : v.dump();
      try {
        double value = 1;  // no two names alike, so that no difference is 0
        evaluate(to, [&](const std::string& name) {
          check_name(name, at);
          return value *= 1.37;
        });
      } catch (const ExpressionError& e) {
        add(at, e.what());
      }
    };
  }

  void check_name(const std::string& name, const std::string& at) {
    const std::size_t colon = name.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == name.size())
      return add(at, "found [" + name + "]; allowed: [SCENARIO:metric] or [SCENARIO:preset.metric]");
    const fs::path file = fs::path(table_.folder) / (name.substr(0, colon) + ".json");
    std::error_code error;
    if (!fs::exists(file, error) && unknown_.insert(file.string()).second)
      add(at, file.string() + ": no such file");
  }

  template <typename Each>
  void list(const Json& value, const std::string& at, Each each) {
    if (!value.is_array()) return add(at, "found " + shown(value) + "; allowed: a list");
    for (std::size_t i = 0; i < value.size(); ++i) each(value[i], at + "[" + std::to_string(i) + "]");
  }

  void seeds(const Json& value, const std::string& path) {
    list(value, path, [this](const Json& seed, const std::string& at) {
      if (!seed.is_number_unsigned()) return add(at, "found " + shown(seed) + "; allowed: a whole number");
      table_.seeds.push_back(seed.get<std::uint64_t>());
    });
  }

  void rows(const Json& value, const std::string& path) {
    std::set<std::string> ids;
    if (value == Json::array()) add(path, "found []; allowed: one row or more");
    list(value, path, [&](const Json& json, const std::string& at) {
      TableRow row;
      members(
          json, at,
          {{"id", [&](const Json& v, const std::string& a) { id(row, v, a); }},
           {"where", text_into(row.where)},
           {"quantity", text_into(row.quantity)},
           {"unit", text_into(row.unit)},
           {"published", [&](const Json& v, const std::string& a) { published(row, v, a); }},
           {"at_least",
            [&](const Json& v, const std::string& a) {
              if (!v.is_boolean()) return add(a, "found " + shown(v) + "; allowed: true or false");
              row.at_least = v.get<bool>();
            }},
           {"ours", formula_into(row.ours)},
           {"neutral", [&](const Json& v, const std::string& a) { neutral(row, v, a); }},
           {"bound",
            [&](const Json& v, const std::string& a) {
              members(v, a, {{"at_most", formula_into(row.at_most)}, {"text", text_into(row.bound_text)}});
            }},
           {"causes", [&](const Json& v, const std::string& a) { causes(row, v, a); }},
           {"note", text_into(row.note)}});
      if (json.is_object())
        for (const char* key : {"id", "published", "ours"})
          if (!json.contains(key)) add(at, std::string(key) + " is missing");
      if (!row.id.empty() && !ids.insert(row.id).second) add(at + ".id", "found " + shown(row.id) + " twice");
      table_.rows.push_back(std::move(row));
    });
  }

  void id(TableRow& row, const Json& v, const std::string& at) {
    if (v.is_string() && v != "" && v == name_from(v.get<std::string>() + ".json"))
      row.id = v.get<std::string>();
    else
      add(at, "found " + shown(v) + "; allowed: text of letters, digits, . _ -");
  }

  void published(TableRow& row, const Json& v, const std::string& at) {
    if (v.is_array() && v.size() == 2 && v[0].is_number() && v[1].is_number() && v[0] <= v[1]) {
      row.low = v[0].get<double>();
      row.high = v[1].get<double>();
    } else if (v.is_number()) {
      row.low = row.high = v.get<double>();
    } else {
      add(at, "found " + shown(v) + "; allowed: a number, or [lowest, highest]");
    }
  }

  void neutral(TableRow& row, const Json& v, const std::string& at) {
    if (v.is_number()) {
      row.neutral_published = v.get<double>();
      row.neutral_ours = v.dump();
    } else {
      members(v, at,
              {{"published", number_into(row.neutral_published)}, {"ours", formula_into(row.neutral_ours)}});
    }
  }

  void causes(TableRow& row, const Json& value, const std::string& path) {
    list(value, path, [&](const Json& json, const std::string& at) {
      RowCause cause;
      members(json, at,
              {{"ours", formula_into(cause.ours)},
               {"text", text_into(cause.text)},
               {"claim", [&](const Json& v, const std::string& a) { claim(cause, v, a); }}});
      if (json.is_object())
        for (const char* key : {"ours", "text", "claim"})
          if (!json.contains(key)) add(at, std::string(key) + " is missing");
      row.causes.push_back(std::move(cause));
    });
  }

  void claim(RowCause& cause, const Json& v, const std::string& at) {
    if (v == "within 10 %")
      cause.claim = Reach::kWithin;
    else if (v == "half of the way")
      cause.claim = Reach::kHalf;
    else
      add(at, "found " + shown(v) + "; allowed: within 10 %, half of the way");
  }

  void figures(const Json& value, const std::string& path) {
    list(value, path, [this](const Json& json, const std::string& at) {
      TableFigure figure;
      members(json, at,
              {{"title", text_into(figure.title)},
               {"kind", text_into(figure.kind)},
               {"y", text_into(figure.y_label)},
               {"x",
                [&](const Json& v, const std::string& a) {
                  list(v, a, [&](const Json& x, const std::string& each) {
                    figure.x.emplace_back();
                    text_into(figure.x.back())(x, each);
                  });
                }},
               {"series", [&](const Json& v, const std::string& a) { all_series(figure, v, a); }}});
      if (figure.kind != "lines" && figure.kind != "bars" && figure.kind != "stacks")
        add(at + ".kind", "found " + shown(figure.kind) + "; allowed: lines, bars, stacks");
      for (const auto& s : figure.series)
        if (s.ours.size() != figure.x.size() ||
            (!s.published.empty() && s.published.size() != figure.x.size()))
          add(at + ".series", "\"" + s.name + "\" does not have one value for each of the " +
                                  std::to_string(figure.x.size()) + " x");
      table_.figures.push_back(std::move(figure));
    });
  }

  void all_series(TableFigure& figure, const Json& value, const std::string& path) {
    list(value, path, [&](const Json& json, const std::string& at) {
      TableFigure::Series series;
      members(json, at,
              {{"name", text_into(series.name)},
               {"ours",
                [&](const Json& v, const std::string& a) {
                  list(v, a, [&](const Json& x, const std::string& each) {
                    std::string formula;
                    formula_into(formula)(x, each);
                    series.ours.push_back(formula);
                  });
                }},
               {"published", [&](const Json& v, const std::string& a) {
                  list(v, a, [&](const Json& x, const std::string& each) {
                    series.published.push_back(std::numeric_limits<double>::quiet_NaN());
                    if (!x.is_null()) number_into(series.published.back())(x, each);
                  });
                }}});
      figure.series.push_back(std::move(series));
    });
  }

  RowTable table_;
  std::set<std::string> unknown_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<std::string> RowTable::scenarios() const {
  std::vector<std::string> found;
  const auto take = [&found](const std::string& formula) {
    for (const std::string& reference : names_in(formula)) {
      const std::string scenario = reference.substr(0, reference.find(':'));
      if (std::find(found.begin(), found.end(), scenario) == found.end()) found.push_back(scenario);
    }
  };
  for (const TableRow& row : rows) {
    for (const std::string& formula : {row.ours, row.neutral_ours, row.at_most}) take(formula);
    for (const RowCause& cause : row.causes) take(cause.ours);
  }
  for (const TableFigure& figure : figures)
    for (const auto& series : figure.series)
      for (const std::string& formula : series.ours) take(formula);
  return found;
}

RowTable read_row_table(const std::string& file) {
  return Reader(file).read();
}

}  // namespace meshkv::platform
