// See lineage.h.
#include "candor/lineage.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "engine/engine.h"

namespace candor {
namespace {

// A name with a source before it is of the scratch database only where it says so.
bool may_be_scratch(const sql::TableMention& mention) {
  if (mention.parts.size() == 1) return true;
  constexpr std::string_view kOwn[] = {engine::kScratch, "main", "temp"};
  return std::ranges::any_of(kOwn, [&](std::string_view own) { return same_name(mention.parts.front(), own); });
}

// Objects of the scratch database that a statement reads or calls.
std::set<std::string> names_read(std::string_view statement) {
  std::set<std::string> names;
  for (const sql::TableMention& mention : sql::table_mentions(statement)) {
    if (may_be_scratch(mention)) names.insert(lower_ascii(mention.parts.back()));
  }
  const std::vector<sql::Token> tokens = sql::tokenize(statement);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const bool name = tokens[i].kind == sql::TokenKind::kWord || tokens[i].kind == sql::TokenKind::kQuoted;
    if (name && tokens[i + 1].text == "(") names.insert(lower_ascii(sql::identifier(tokens[i])));
  }
  return names;
}

// What a write reads: of a CREATE what follows AS, for its target is no table that it reads; of an INSERT its query.
std::string_view read_part(const ledger::QueryRecord& write) {
  const std::string_view text = write.sql;
  if (write.kind == "create") {
    for (const sql::Token& token : sql::tokenize(text)) {
      if (sql::is_word(token, "as")) return text.substr(token.span.end);
    }
    return {};
  }
  if (write.kind == "insert") {
    for (const sql::Token& token : sql::tokenize(text)) {
      const bool begins = sql::is_word(token, "select") || sql::is_word(token, "with") || sql::is_word(token, "from") ||
                          sql::is_word(token, "values");
      if (begins) return text.substr(token.span.start);
    }
  }
  return text;
}

}  // namespace

Lineage::Lineage(const std::vector<ledger::QueryRecord>& writes, const MarksOf& marks_of) {
  for (std::size_t position = 0; position < writes.size(); ++position) {
    const ledger::QueryRecord& write = writes[position];
    Marks marks;
    if (write.kind != "drop") {
      const std::string_view read = read_part(write);
      marks = of(read);
      marks.merge(marks_of(position, read));
    }
    Marks& known = objects_[lower_ascii(write.target)];
    const bool adds = write.kind == "insert" || write.kind == "update" || write.kind == "delete";
    if (!adds) known.clear();
    known.merge(marks);
  }
}

Marks Lineage::of(std::string_view statement) const {
  Marks marks;
  if (objects_.empty() || statement.empty()) return marks;
  for (const std::string& name : names_read(statement)) {
    if (const auto found = objects_.find(name); found != objects_.end())
      marks.insert(found->second.begin(), found->second.end());
  }
  return marks;
}

}  // namespace candor
