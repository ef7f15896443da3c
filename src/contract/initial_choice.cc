// Names made possible, types found, keys chosen, and every omission with its reason.
#include "contract/initial_choice.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/render_json.h"
#include "config/source_names.h"
#include "config/yaml_file.h"
#include "contract/type_names.h"

namespace candor::contract {
namespace {

constexpr std::size_t kValuesMax = 50;
constexpr std::size_t kValueCharsMax = 100;

// Parts of names of columns that nobody publishes by accident.
constexpr std::string_view kSecrets[] = {"password",    "passwd",      "passphrase", "secret", "token", "api_key",
                                         "apikey",      "private_key", "credential", "salt",   "otp",   "pin_code",
                                         "credit_card", "card_number", "iban",       "ssn"};

bool is_control(char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F; }

// "_api_key_" of apiKey, API-Key and api_key: words between underscores.
std::string words_of(std::string_view name) {
  std::string words = "_";
  bool small = false;
  for (const char c : name) {
    const bool big = c >= 'A' && c <= 'Z';
    const bool word = big || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if ((big && small) || !word) words += '_';
    if (word) words += lower_ascii(c);
    small = word && !big;
  }
  return words + "_";
}

// Short parts count as whole words alone: a "shipping_pin" isn't in "shipping", nor salt in "assaulted".
bool is_secret(std::string_view name) {
  constexpr std::size_t kLong = 7;
  const std::string words = words_of(name);
  return std::ranges::any_of(kSecrets, [&](std::string_view part) {
    return words.find(part.size() >= kLong ? std::string(part) : "_" + std::string(part) + "_") != std::string::npos;
  });
}

// The values that the column may have, where they are known and few.
void find_allowed(PublishedColumn& column) {
  if (column.type != Type::kString || column.key) return;
  column.allowed = enum_values(column.found->type);
  column.allowed_by_type = !column.allowed.empty();
  if (!column.allowed_by_type) column.allowed = column.found->values;
  std::set<std::string_view> once;
  const bool usable =
      column.allowed.size() <= kValuesMax && std::ranges::all_of(column.allowed, [&](const std::string& v) {
        return is_utf8(v) && v.find('\0') == std::string::npos && utf8_length(v) <= kValueCharsMax &&
               once.insert(v).second;
      });
  if (!usable) column.allowed.clear();
}

bool can_be_key(Type type) {
  return type == Type::kString || type == Type::kInteger || type == Type::kDecimal || type == Type::kDate ||
         type == Type::kDatetime || type == Type::kUuid;
}

void choose_key(PublishedTable& table) {
  std::vector<std::string_view> keys;
  for (const FoundColumn& column : table.found->columns) {
    if (column.primary_key) keys.push_back(column.name);
  }
  if (keys.size() > 1) {
    table.no_key = "the primary key has " + std::to_string(keys.size()) +
                   " columns; a key is one column that names a row, and without one there are no writes";
    return;
  }
  const auto key = std::ranges::find_if(table.columns, [](const PublishedColumn& column) {
    return column.found->primary_key && can_be_key(column.type);
  });
  if (key == table.columns.end()) {
    if (!table.found->view) {
      table.no_key = "no published column is the primary key: writes need one column that names a row";
    }
    return;
  }
  key->key = true;
  table.key = key->name;
}

}  // namespace

std::string IdentifierNames::take(std::string_view found, std::string_view otherwise) {
  std::string name(found);
  if (!config::identifier_fault(name).empty()) name = config::identifier_from(found, otherwise);
  const std::string first = name.substr(0, config::kIdentifierMax - 8);
  int& number = numbers_[lower_ascii(first)];
  while (!taken_.insert(lower_ascii(name)).second) name = first + "_" + std::to_string(++number + 1);
  return name;
}

PublishedTable publish(const FoundTable& found, std::string name) {
  PublishedTable table;
  table.found = &found;
  table.name = std::move(name);
  IdentifierNames names;
  std::set<std::string> stored;
  for (const FoundColumn& column : found.columns) {
    const std::optional<Type> type = column.seen_as ? column.seen_as : type_of_stored(column.type);
    const std::string shown = one_line(column.name);
    if (!can_be_named(column.name)) {
      table.left_out.push_back(shown + ": the name can't stand in a contract");
    } else if (!stored.insert(lower_ascii(column.name)).second) {
      table.left_out.push_back(shown + ": differs from another column in case alone");
    } else if (!type) {
      table.left_out.push_back(shown + ": no type of a contract holds " +
                               (column.type.empty() ? "a column without a type" : config::in_message(column.type)));
    } else if (is_secret(column.name)) {
      table.left_out.push_back(shown + ": " + std::string(to_string(*type)) +
                               ", left out because its name speaks of a secret");
    } else {
      PublishedColumn published;
      published.found = &column;
      published.name = names.take(column.name, "column");
      published.type = *type;
      table.columns.push_back(std::move(published));
    }
  }
  choose_key(table);
  for (PublishedColumn& column : table.columns) find_allowed(column);
  return table;
}

bool can_be_named(std::string_view name) {
  return !name.empty() && is_utf8(name) && std::ranges::none_of(name, is_control);
}

std::string one_line(std::string_view text) {
  if (!is_utf8(text)) return "(not UTF-8)";
  std::string line;
  for (const char byte : text) line += is_control(byte) ? ' ' : byte;
  return line;
}

}  // namespace candor::contract
