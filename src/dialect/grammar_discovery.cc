// SHOW, DESCRIBE and what other systems and their clients write for the same; and statements that are not in the dialect.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "dialect/grammar.h"

namespace candor::dialect {
namespace {

struct OtherStatement {
  std::string_view word, instead;
};

constexpr std::string_view kNoDefinition = "tables and views are the operator's; SHOW TABLES lists what there is";
constexpr std::string_view kNoTransaction = "leave it out: the writes of one call are one transaction";
constexpr std::string_view kNoSetting = "there are no settings to change; leave it out";

constexpr std::array<OtherStatement, 36> kOthers = {{
    {"alter", kNoDefinition},
    {"analyze", "leave it out"},
    {"attach", kNoDefinition},
    {"begin", kNoTransaction},
    {"call", "write SELECT, INSERT, UPDATE or DELETE"},
    {"checkpoint", "leave it out"},
    {"commit", kNoTransaction},
    {"copy", "read rows with SELECT, write them with INSERT"},
    {"create", kNoDefinition},
    {"declare", "leave it out"},
    {"detach", kNoDefinition},
    {"do", "write SELECT, INSERT, UPDATE or DELETE"},
    {"drop", kNoDefinition},
    {"exec", "write SELECT, INSERT, UPDATE or DELETE"},
    {"execute", "write SELECT, INSERT, UPDATE or DELETE"},
    {"explain", "leave EXPLAIN out; a result has the statement that was understood as normalized_sql"},
    {"export", "read rows with SELECT"},
    {"grant", "who may do what stands in the contract"},
    {"import", "write rows with INSERT"},
    {"install", "leave it out"},
    {"load", "leave it out"},
    {"lock", kNoTransaction},
    {"merge", "write INSERT … ON CONFLICT (key) DO UPDATE SET …"},
    {"pivot", "write COUNT(*) FILTER (WHERE …) AS … for each column"},
    {"prepare", "write the statement with its values"},
    {"reindex", "leave it out"},
    {"rename", kNoDefinition},
    {"replace", "write INSERT … ON CONFLICT (key) DO UPDATE SET …"},
    {"revoke", "who may do what stands in the contract"},
    {"rollback", kNoTransaction},
    {"savepoint", kNoTransaction},
    {"set", kNoSetting},
    {"start", kNoTransaction},
    {"truncate", "write DELETE FROM … WHERE … with a condition that names the rows"},
    {"use", kNoSetting},
    {"vacuum", "leave it out"},
}};

}  // namespace

bool Grammar::other_statement() {
  const std::string word = lower_ascii(peek().text);
  const auto* known = std::ranges::find(kOthers, word, &OtherStatement::word);
  std::string upper = word;
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  if (known != kOthers.end()) return unsupported_here(upper, known->instead);
  if (at_word("values") || at_word("table")) return unsupported_here(upper, "write SELECT … FROM resource");
  return expected("SELECT, INSERT, UPDATE, DELETE, SHOW TABLES or DESCRIBE");
}

std::unique_ptr<Discovery> Grammar::discovery() {
  const std::size_t first = position_;
  std::unique_ptr<Discovery> made;
  if (accept_word("show")) {
    made = show();
  } else if (accept_word("describe") || accept_word("desc")) {
    made = describe();
  } else if (accept_word("pragma")) {
    made = pragma();
  } else if (at_symbol("\\") || at_symbol(".")) {
    made = client_command();
  } else {
    (void)other_statement();
  }
  if (made != nullptr) made->span = span_from(first);
  return made;
}

bool Grammar::pattern(Discovery& made) {
  if (!accept_word("like") && !accept_word("ilike")) return true;
  made.pattern = take_text("a pattern in single quotes");
  return made.pattern.has_value();
}

std::unique_ptr<Discovery> Grammar::show() {
  auto made = std::make_unique<Discovery>();
  (void)(accept_word("all") || accept_word("full"));
  if (accept_word("tables") || accept_word("views")) {
    std::vector<Name> database;
    if ((accept_word("from") || accept_word("in")) && !take_names(database, "a name")) return nullptr;
    return pattern(*made) ? std::move(made) : nullptr;
  }
  if (accept_word("columns") || accept_word("fields")) {
    made->kind = Discovery::Kind::kColumns;
    if (!accept_word("in") && !expect_word("from", "and a resource")) return nullptr;
    if (!take_names(made->resource, "a resource") || !pattern(*made)) return nullptr;
    return made;
  }
  (void)unsupported_here("SHOW " + std::string(peek().text.substr(0, 40)), "write SHOW TABLES or DESCRIBE resource");
  return nullptr;
}

std::unique_ptr<Discovery> Grammar::describe() {
  auto made = std::make_unique<Discovery>();
  (void)accept_word("table");
  if (at_end()) return made;  // DuckDB's DESCRIBE alone lists the tables
  made->kind = Discovery::Kind::kColumns;
  if (at_word("select") || at_word("with")) {
    (void)unsupported_here("DESCRIBE of a query", "run the query with LIMIT 1: its columns come with the result");
    return nullptr;
  }
  return take_names(made->resource, "a resource") ? std::move(made) : nullptr;
}

// PRAGMA table_info(r), table_xinfo('r'), table_list.
std::unique_ptr<Discovery> Grammar::pragma() {
  auto made = std::make_unique<Discovery>();
  if (accept_word("table_list") || accept_word("show_tables")) return made;
  if (!accept_word("table_info") && !accept_word("table_xinfo") && !accept_word("show")) {
    (void)unsupported_here("this PRAGMA", "write SHOW TABLES or DESCRIBE resource");
    return nullptr;
  }
  made->kind = Discovery::Kind::kColumns;
  if (!accept_symbol("=") && !expect_symbol("(", "and a resource")) return nullptr;
  if (peek().kind == sql::TokenKind::kString) {
    const sql::Token& token = take();
    made->resource.push_back({sql::identifier(token), token.span, false});
  } else if (!take_names(made->resource, "a resource")) {
    return nullptr;
  }
  (void)accept_symbol(")");
  return made;
}

// psql's \d, \d r, \dt and the SQLite shell's .tables, .schema r.
std::unique_ptr<Discovery> Grammar::client_command() {
  const std::size_t first = position_;
  auto made = std::make_unique<Discovery>();
  const bool psql = take().text == "\\";
  std::string word;
  if (peek().kind == sql::TokenKind::kWord) word = lower_ascii(take().text);
  while (psql && accept_symbol("+")) word += '+';
  const bool lists = psql ? word == "dt" || word == "dt+" || word == "l" : word == "tables";
  const bool describes = psql ? word == "d" || word == "d+" : word == "schema";
  if (!lists && !describes) {
    (void)unsupported(span_from(first), "a command of a database's own shell",
                      "write SHOW TABLES or DESCRIBE resource");
    return nullptr;
  }
  if (at_end()) return made;
  std::vector<Name> names;
  if (!take_names(names, "a resource")) return nullptr;
  if (lists) {
    made->pattern = names.back().text;
  } else {
    made->kind = Discovery::Kind::kColumns;
    made->resource = std::move(names);
  }
  return made;
}

}  // namespace candor::dialect
