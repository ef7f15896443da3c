// Unicode by utf8proc's tables.
#include "memory/store/names.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <utf8proc.h>
#include <vector>

#include "base/ascii.h"
#include "base/digest.h"
#include "base/near_names.h"
#include "base/render_json.h"
#include "base/shorten.h"

namespace candor::memory {
namespace {

constexpr std::array<std::string_view, 9> kMemoryTypes = {"user",     "feedback", "project",  "reference", "decision",
                                                          "incident", "skill",    "document", "note"};
constexpr std::array<std::string_view, 13> kEntityTypes = {
    "project", "tool",      "person",        "file",         "concept",  "incident", "decision",
    "memory",  "dashboard", "issue_tracker", "organization", "location", "date"};
constexpr std::array<std::string_view, 12> kRelations = {"applies_to", "uses",        "depends_on", "causes",
                                                         "fixes",      "contradicts", "supports",   "follows",
                                                         "related",    "mentions",    "replaces",   "tracked_in"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string quoted(std::string_view text) { return "'" + short_line(std::string(text)) + "'"; }

Result<std::string> one_of(std::string_view given, std::span<const std::string_view> known, std::string_view what) {
  const std::string wanted = lower_ascii(given);
  if (std::ranges::find(known, wanted) != known.end()) return wanted;
  const std::vector<std::string> names(known.begin(), known.end());
  const std::vector<std::string> near = near_names(given, names);
  std::string listed;
  for (const std::string& name : near.empty() ? names : near) listed += (listed.empty() ? "" : ", ") + name;
  return make_error("usage", "no " + std::string(what) + " " + quoted(given),
                    (near.empty() ? "one of " : "did you mean ") + listed);
}

bool is_slug(std::string_view name) {
  if (name.size() == 1) return is_lower(name[0]) || is_digit(name[0]);
  const auto fits = [](char c) { return is_lower(c) || is_digit(c) || c == '-'; };
  return !name.empty() && is_lower(name.front()) && name.back() != '-' && std::ranges::all_of(name, fits);
}

Result<std::string> mapped(std::string_view text, int options) {
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &made, static_cast<utf8proc_option_t>(options));
  if (length < 0) return make_error("invalid-text", std::string("a name is no text: ") + utf8proc_errmsg(length));
  std::string out(reinterpret_cast<const char*>(made), static_cast<std::size_t>(length));
  std::free(made);
  return out;
}

bool is_blank(utf8proc_int32_t code) {
  return code == ' ' || code == 0x00A0 || utf8proc_category(code) == UTF8PROC_CATEGORY_ZS;
}

bool is_control(utf8proc_int32_t code) {
  const utf8proc_category_t category = utf8proc_category(code);
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

// The text with each run of separators as one `separator`, none at the ends. `joins`: what separates besides blanks.
std::string collapsed(std::string_view text, char separator, std::string_view joins) {
  std::string out;
  bool waiting = false;
  for (std::size_t at = 0; at < text.size();) {
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                                                    static_cast<utf8proc_ssize_t>(text.size() - at), &code);
    if (bytes <= 0) return out;  // not reached: the text was looked at before
    const bool joint = bytes == 1 && joins.find(text[at]) != std::string_view::npos;
    if (joint || is_blank(code)) {
      waiting = !out.empty();
    } else {
      if (waiting) out += separator;
      waiting = false;
      out += text.substr(at, static_cast<std::size_t>(bytes));
    }
    at += static_cast<std::size_t>(bytes);
  }
  return out;
}

bool holds_control(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                                                    static_cast<utf8proc_ssize_t>(text.size() - at), &code);
    if (bytes <= 0 || is_control(code)) return true;
    at += static_cast<std::size_t>(bytes);
  }
  return false;
}

}  // namespace

std::span<const std::string_view> memory_types() { return kMemoryTypes; }
std::span<const std::string_view> entity_types() { return kEntityTypes; }
std::span<const std::string_view> canonical_relations() { return kRelations; }

Result<std::string> memory_type(std::string_view given) { return one_of(given, kMemoryTypes, "memory type"); }
Result<std::string> entity_type(std::string_view given) { return one_of(given, kEntityTypes, "entity type"); }

Result<Name> memory_name(std::string_view given, bool strict) {
  if (given.starts_with("__")) {
    return make_error("invalid-name", "names that begin with __ are kept for candor",
                      "another name than " + quoted(given));
  }
  Name name;
  for (const char c : given) name.text += c == '_' || c == ' ' ? '-' : lower_ascii(c);
  const std::size_t first = name.text.find_first_not_of('-');
  name.text = first == std::string::npos ? "" : name.text.substr(first, name.text.find_last_not_of('-') - first + 1);
  name.changed = name.text != given;
  if (name.text.size() > kNameBytes) {
    return make_error("over-limit",
                      "a memory's name has at most " + std::to_string(kNameBytes) + " bytes, this one " +
                          std::to_string(name.text.size()),
                      "a shorter --name; what it is about fits into --description");
  }
  if (!is_slug(name.text)) {
    return make_error("invalid-name", quoted(given) + " is no name for a memory",
                      "letters a to z, digits and -, beginning with a letter: --name release-notes-7");
  }
  if (strict && name.changed) {
    return make_error("invalid-name", quoted(given) + " would have to be changed", "--name " + name.text);
  }
  return name;
}

std::string slug_of(std::string_view text, std::size_t bytes, std::string_view word) {
  std::string slug;
  constexpr int kWithoutMarks = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_STRIPMARK;
  const Result<std::string> plain = mapped(text, kWithoutMarks);
  for (const char given : plain.ok() ? *plain : std::string(text)) {
    const char c = lower_ascii(given);
    if (is_lower(c) || is_digit(c)) {
      slug += c;
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  const bool nameless = slug.empty();
  if (nameless) slug = sha256_hex(text).substr(0, 12);
  if (nameless || !is_lower(slug.front())) slug = std::string(word) + "-" + slug;
  slug.resize(std::min(slug.size(), bytes));
  while (slug.ends_with('-')) slug.pop_back();
  return slug;
}

Result<EntityName> entity_name(std::string_view given) {
  if (!is_utf8(given)) return make_error("invalid-text", "an entity's name is not valid UTF-8");
  if (given.size() > kEntityNameBytes) {
    return make_error("over-limit", "an entity's name has at most " + std::to_string(kEntityNameBytes) +
                                        " bytes, this one " + std::to_string(given.size()));
  }
  if (holds_control(given))
    return make_error("invalid-name", "an entity's name can't hold control characters or lines");
  EntityName name;
  CANDOR_ASSIGN(const std::string shown, mapped(given, UTF8PROC_COMPOSE | UTF8PROC_STABLE));
  name.text = collapsed(shown, ' ', "");
  CANDOR_ASSIGN(const std::string folded,
                mapped(name.text, UTF8PROC_COMPOSE | UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD));
  name.key = collapsed(folded, '-', "-_");
  const bool one_letter = is_ascii(name.key) && name.key.size() < 2;
  if (name.key.empty() || one_letter || (std::ranges::all_of(name.key, is_digit))) {
    return make_error("invalid-name", quoted(given) + " is no name for an entity",
                      "two characters or more, and not digits alone");
  }
  return name;
}

Result<std::string> relation_name(std::string_view given, bool strict) {
  std::string name;
  for (const char c : given) name += c == '-' || c == ' ' ? '_' : lower_ascii(c);
  const bool fits = std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
  if (name.empty() || !fits || !is_lower(name.front()) || name.size() > kNameBytes) {
    return make_error("invalid-name", quoted(given) + " is no name for a relation",
                      "letters a to z, digits and _, beginning with a letter: --relation depends_on");
  }
  if (!strict || is_canonical(name)) return name;
  std::string known;
  for (const std::string_view one : kRelations) known += (known.empty() ? "" : ", ") + std::string(one);
  return make_error("invalid-name", "no canonical relation " + quoted(name), "one of " + known);
}

bool is_canonical(std::string_view relation) { return std::ranges::find(kRelations, relation) != kRelations.end(); }

Result<std::string> namespace_name(std::string_view given) {
  const auto fits = [](char c) { return is_lower(lower_ascii(c)) || is_digit(c) || c == '-' || c == '_' || c == '.'; };
  if (given.empty() || given.size() > kNameBytes || !std::ranges::all_of(given, fits)) {
    return make_error("invalid-namespace", quoted(given) + " is no name for a namespace",
                      "letters, digits, - _ and . alone: --namespace team-a");
  }
  return std::string(given);
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  while (at < text.size()) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
    if (begins && count-- == 0) break;
    ++at;
  }
  return text.substr(0, at);
}

}  // namespace candor::memory
