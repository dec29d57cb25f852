#include "platform/scenario/parameter_texts.h"

namespace meshkv::platform {
namespace {

std::string default_text(const Parameter& p) {
  if (!p.default_note.empty()) return p.default_note;
  const Json value = p.default_value();
  if (value.is_null() || value == "") return "none";
  return value.dump();
}

std::string scope_text(const Parameter& p) {
  return p.only_for ? kind_name(*p.only_for) : "";
}

}  // namespace

std::string parameters_as_text() {
  std::string text;
  for (const Parameter& p : parameters()) {
    text += p.path;
    if (p.only_for) text += "  (workload.kind " + scope_text(p) + ")";
    text += "\n    " + p.meaning + "\n    " + p.allowed() + (p.unit.empty() ? "" : ", in " + p.unit) +
            "; default: " + default_text(p) + "; source: " + p.source + "\n";
  }
  return text;
}

std::string parameters_as_markdown() {
  std::string text =
      "# Parameters\n\nWritten by `./vp params --markdown` from the declarations that validate scenarios; a "
      "test keeps "
      "it up to date.\nA value of `null` takes a key back to its default.\n\n"
      "| path | allowed | unit | default | meaning | source |\n|---|---|---|---|---|---|\n";
  for (const Parameter& p : parameters()) {
    text += "| `" + p.path + "`" + (p.only_for ? " (" + scope_text(p) + ")" : "") + " | " + p.allowed() +
            " | " + p.unit + " | " + default_text(p) + " | " + p.meaning + " | " + p.source + " |\n";
  }
  return text;
}

}  // namespace meshkv::platform
