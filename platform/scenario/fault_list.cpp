#include "platform/scenario/fault_list.h"

#include <cmath>
#include <regex>

namespace meshkv::platform {
namespace {

using check::Fault;
using check::FaultKind;

struct KindName {
  const char* name;
  FaultKind kind;
  const char* place;  ///< what `at` names
};
constexpr KindName kKinds[] = {
    {"lose_flit", FaultKind::kLoseFlit, "chip.tile_X_Y.router.port_P or chip.tile_X_Y.network_interface"},
    {"misroute", FaultKind::kMisroute, "chip.tile_X_Y.router.port_P or chip.tile_X_Y.network_interface"},
    {"suppress_first", FaultKind::kSuppressFirst, "chip.tile_X_Y.router"},
    {"stale_block", FaultKind::kStaleBlock, "chip.tile_X_Y.home"},
    {"lose_descriptor", FaultKind::kLoseDescriptor, "chip.control_bus_X"}};

std::string tile_name(const MeshShape& mesh, NodeId node) {
  const Coord c = mesh.coord(node);
  return "chip.tile_" + std::to_string(c.x) + "_" + std::to_string(c.y);
}

class FaultList {
 public:
  FaultList(const Scenario& scenario, std::vector<Problem>& problems)
      : scenario_(scenario), mesh_(scenario.config.noc.mesh), problems_(problems) {}

  std::vector<Fault> read() {
    std::vector<Fault> faults;
    const Json* list = scenario_.merged.find("faults");
    if (!list || !list->is_array()) return faults;
    for (std::size_t i = 0; i < list->size(); ++i) {
      path_ = "faults[" + std::to_string(i) + "]";
      faults.push_back(entry((*list)[i]));
    }
    return faults;
  }

 private:
  Fault entry(const Json& value) {
    Fault fault;
    if (!value.is_object()) {
      add(path_, "found " + shown(value) + "; allowed: {kind, at, packet?, flit?, to?}");
      return fault;
    }
    for (const auto& [key, v] : value.items()) {
      if (key == "kind" || key == "at" || key == "packet" || key == "flit" || key == "to") continue;
      const std::string near = nearest_name(key, {"kind", "at", "packet", "flit", "to"});
      add(path_ + "." + key, near.empty() ? "unknown key; allowed: kind, at, packet, flit, to"
                                          : "unknown key; did you mean " + near + "?");
    }
    const KindName* kind = kind_of(value);
    if (kind == nullptr) return fault;
    fault.kind = kind->kind;
    if (!place(value, *kind, fault))
      add(path_ + ".at",
          "found " + shown(value.value("at", Json())) + "; allowed: " + kind->place + " of the mesh" +
              (kind->kind == FaultKind::kLoseDescriptor ? ""
                                                        : ", where P is east, west, south, north or tile"));
    fault.effect.packet = count(value, "packet", 1e12);
    fault.effect.flit = static_cast<unsigned>(count(value, "flit", 1023));
    if (fault.kind == FaultKind::kLoseFlit) fault.effect.kind = noc::LinkFault::Kind::kLoseFlit;
    if (fault.kind == FaultKind::kMisroute) {
      fault.effect.kind = noc::LinkFault::Kind::kMisroute;
      Coord to;
      if (tile(value.value("to", Json()), "", to).empty())
        add(path_ + ".to",
            "found " + shown(value.value("to", Json())) + "; allowed: chip.tile_X_Y of the mesh");
      else
        fault.effect.to = mesh_.node(to);
    } else if (value.contains("to")) {
      add(path_ + ".to", "belongs to kind \"misroute\"");
    }
    if (fault.kind != FaultKind::kLoseFlit && value.contains("flit"))
      add(path_ + ".flit", "belongs to kind \"lose_flit\"");
    check_mechanism(fault.kind);
    return fault;
  }

  void check_mechanism(FaultKind kind) {
    const RunConfig& c = scenario_.config;
    if (kind == FaultKind::kStaleBlock && c.decode.steps < 2)
      add(path_ + ".kind", "\"stale_block\" needs workload.steps of 2 or more: one step writes nothing");
    if (kind == FaultKind::kLoseDescriptor && c.controllers.kind == controller::ControllerKind::kSequencer)
      add(path_ + ".kind",
          "\"lose_descriptor\" needs controllers.kind \"rv32\" or \"native\": the sequencer trusts its bus");
    const bool filters = c.mare.multicast && c.mare.duplicate_suppression;
    if (kind == FaultKind::kSuppressFirst && (c.mode != TimingMode::kAt || !filters) &&
        scenario_.compare.empty())
      add(path_ + ".kind",
          "\"suppress_first\" needs routers that filter: mode \"at\", fabric.multicast and "
          "fabric.duplicate_suppression");
  }

  const KindName* kind_of(const Json& value) {
    const Json kind = value.value("kind", Json());
    for (const KindName& k : kKinds)
      if (kind == k.name) return &k;
    add(path_ + ".kind", "found " + shown(kind) +
                             "; allowed: \"lose_flit\", \"misroute\", \"suppress_first\", \"stale_block\", "
                             "\"lose_descriptor\"");
    return nullptr;
  }

  /// The rest of a name behind a tile of the mesh; empty if it is no such name. `rest`: a pattern, "" for
  /// nothing.
  std::string tile(const Json& name, const std::string& rest, Coord& at) const {
    if (!name.is_string()) return {};
    const std::string text = name.get<std::string>();
    std::smatch match;
    if (!std::regex_match(text, match, std::regex("chip\\.tile_(\\d{1,2})_(\\d{1,2})(" + rest + ")")))
      return {};
    at = {std::stoi(match[1]), std::stoi(match[2])};
    return mesh_.contains(at) ? "." + match[3].str() : std::string();
  }

  bool place(const Json& value, const KindName& kind, Fault& fault) const {
    const Json name = value.value("at", Json());
    Coord at;
    std::string rest;
    noc::LinkId& link = fault.link;
    switch (kind.kind) {
      case FaultKind::kLoseDescriptor:
        return column(name, fault.column);
      case FaultKind::kSuppressFirst:
        rest = tile(name, "\\.router", at);
        break;
      case FaultKind::kStaleBlock:
        rest = tile(name, "\\.home", at);
        break;
      case FaultKind::kLoseFlit:
      case FaultKind::kMisroute:
        rest = tile(name, "\\.router\\.port_(?:east|west|south|north|tile)|\\.network_interface", at);
        break;
    }
    if (rest.empty()) return false;
    link.node = mesh_.node(at);
    link.port = noc::LinkId::kInjection;
    for (int p = 0; p < kPorts; ++p) {
      const auto port = static_cast<Port>(p);
      if (rest != std::string("..router.port_") + port_name(port)) continue;
      link.port = static_cast<std::uint8_t>(p);
      return port == Port::kTile || mesh_.neighbour(link.node, port) != kNoNode;
    }
    return true;
  }

  bool column(const Json& name, int& x) const {
    for (x = 0; x < mesh_.width; ++x)
      if (name == "chip.control_bus_" + std::to_string(x)) return true;
    return false;
  }

  std::uint64_t count(const Json& value, const char* key, double most) {
    const Json number = value.value(key, Json(0));
    if (number.is_number() && number.get<double>() >= 0 && number.get<double>() <= most &&
        std::floor(number.get<double>()) == number.get<double>())
      return static_cast<std::uint64_t>(number.get<double>());
    add(path_ + "." + key, "found " + shown(number) + "; allowed: integer 0 to " +
                               std::to_string(static_cast<std::uint64_t>(most)));
    return 0;
  }

  void add(const std::string& path, const std::string& text) {
    problems_.push_back({scenario_.merged.origin("faults"), path, text});
  }

  const Scenario& scenario_;
  const MeshShape mesh_;
  std::vector<Problem>& problems_;
  std::string path_;
};

}  // namespace

std::vector<Fault> read_faults(const Scenario& scenario, std::vector<Problem>& problems) {
  return FaultList(scenario, problems).read();
}

Json faults_as_json(const RunConfig& config) {
  Json list = Json::array();
  for (const Fault& fault : config.faults) {
    const std::string tile = tile_name(config.noc.mesh, fault.link.node);
    Json one;
    for (const KindName& k : kKinds)
      if (k.kind == fault.kind) one["kind"] = k.name;
    switch (fault.kind) {
      case FaultKind::kSuppressFirst:
        one["at"] = tile + ".router";
        break;
      case FaultKind::kStaleBlock:
        one["at"] = tile + ".home";
        break;
      case FaultKind::kLoseDescriptor:
        one["at"] = "chip.control_bus_" + std::to_string(fault.column);
        break;
      case FaultKind::kLoseFlit:
      case FaultKind::kMisroute:
        one["at"] = fault.link.port == noc::LinkId::kInjection
                        ? tile + ".network_interface"
                        : tile + ".router.port_" + port_name(static_cast<Port>(fault.link.port));
        break;
    }
    one["packet"] = fault.effect.packet;
    if (fault.kind == FaultKind::kLoseFlit) one["flit"] = fault.effect.flit;
    if (fault.kind == FaultKind::kMisroute) one["to"] = tile_name(config.noc.mesh, fault.effect.to);
    list.push_back(one);
  }
  return list;
}

Json faults_schema() {
  Json kinds = Json::array();
  for (const KindName& k : kKinds) kinds.push_back(k.name);
  const Json count{{"type", "integer"}, {"minimum", 0}};
  const Json name{{"type", "string"}, {"minLength", 1}};
  const Json fault{
      {"type", "object"},
      {"properties",
       Json{{"kind", Json{{"enum", kinds}}}, {"at", name}, {"packet", count}, {"flit", count}, {"to", name}}},
      {"required", Json::array({"kind", "at"})},
      {"additionalProperties", false}};
  return Json{{"type", Json::array({"array", "null"})}, {"items", fault}};
}

}  // namespace meshkv::platform
