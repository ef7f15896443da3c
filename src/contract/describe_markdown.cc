// A contract as a page for agents and people.
#include <string>

#include "contract/describe.h"
#include "contract/rules.h"

namespace candor::contract {
namespace {

// An operator's text inside a line of Markdown, or a cell of a table, which a line break or a bar would end.
std::string in_line(std::string_view text, bool cell = false) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      if (!out.empty() && out.back() != ' ') out += ' ';
    } else if (c == '|' && cell) {
      out += "\\|";
    } else {
      out += c;
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string cell(std::string_view text) { return in_line(text, true); }

void append_limits(std::string& out, const Contract& contract) {
  out += "\n## Limits\n\n| Limit | Value | Of what |\n|---|---|---|\n";
  for (const LimitShown& limit : limits_shown(contract)) {
    out +=
        "| `" + std::string(limit.name) + "` | " + std::to_string(limit.value) + " | " + std::string(limit.unit) + " ";
    // The meaning begins with its unit where the words need it.
    const std::string_view meaning = limit.meaning;
    out += std::string(meaning.starts_with(limit.unit) ? meaning.substr(limit.unit.size() + 1) : meaning) + " |\n";
  }
}

void append_resource(std::string& out, const Resource& resource) {
  out += "\n### " + resource.name + "\n\n";
  if (!resource.description.empty()) out += in_line(resource.description) + "\n\n";
  out += resource_notes(resource) + "\n\n| Column | Type | |\n|---|---|---|\n";
  for (const Column& column : resource.columns) {
    std::string notes;
    for (const std::string& note : column_notes(resource, column)) notes += (notes.empty() ? "" : "; ") + note;
    out +=
        "| `" + name_in_sql(column.name) + "` | " + std::string(to_string(column.type)) + " | " + cell(notes) + " |\n";
  }
  if (resource.absent.empty()) return;
  out += "\nNot here:\n\n";
  for (const Absent& absent : resource.absent) out += "- `" + absent.name + "`: " + in_line(absent.text) + "\n";
}

void append_rules(std::string& out, const Contract& contract) {
  out += "\n## Rules\n";
  const Topic* topic = nullptr;
  for (const Rule& rule : rules()) {
    if (!holds_for(rule, contract)) continue;
    if (topic == nullptr || *topic != rule.topic) out += "\n### " + std::string(to_string(rule.topic)) + "\n\n";
    topic = &rule.topic;
    out += "- " + filled(rule.text, contract) + "\n";
  }
}

}  // namespace

std::string describe_markdown(const Contract& contract) {
  std::string out = "# " + contract.name + "\n";
  if (!contract.notes.empty()) out += "\n";
  for (const std::string& note : contract.notes) out += "- " + in_line(note) + "\n";
  out += "\n## Resources\n";
  for (const Resource& resource : contract.resources) append_resource(out, resource);
  append_limits(out, contract);
  append_rules(out, contract);
  return out;
}

}  // namespace candor::contract
