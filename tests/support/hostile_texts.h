// Texts made to exhaust a parser or a binder, and what parsing and binding one takes. Header alone: the tests and the
// benchmark share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <malloc.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "bind/binder.h"
#include "bind/plan_text.h"
#include "contract/contract.h"
#include "dialect/parser.h"
#include "dialect/printer.h"
#include "exec/exec.h"
#include "exec/sought_values.h"
#include "lower/lower.h"

namespace candor::test {

inline constexpr std::string_view kHostileContract = R"(contract: hostile
source: app
scope: {column: tenant, value: "${claim.tenant}"}
resources:
  cards:
    table: cards
    key: card_no
    writes: [insert, update, delete]
    columns:
      card_no: integer
      tenant: string
      front_text: string
      card_type: {type: string, enum: [basic, cloze, image]}
      tags: "string[]"
      reps: {type: integer, nullable: true}
      due_at: {type: datetime, nullable: true}
  decks:
    table: decks
    key: deck_no
    columns: {deck_no: integer, name: string, tags: "string[]"}
)";

struct HostileText {
  std::string_view name;  // of a batch with its number of statements: "50 …"; the bound in time is a statement's
  std::function<std::string()> make;
};

inline std::string times(std::size_t count, std::string_view text) {
  std::string made;
  made.reserve(count * text.size());
  for (; count > 0; --count) made += text;
  return made;
}

// `make` of the numbers from 0, put together.
inline std::string numbered(std::size_t count, const std::function<std::string(const std::string&)>& make) {
  std::string made;
  for (std::size_t i = 0; i < count; ++i) made += make(std::to_string(i));
  return made;
}

inline constexpr std::size_t kMany = 100'000;
inline constexpr std::size_t kLong = 10'000'000;
inline constexpr std::size_t kFits = 3'900'000;  // below what is read at all
inline const std::string kSelect = "SELECT card_no FROM cards WHERE ";

// Of one long token, or of many short ones.
inline std::vector<HostileText> hostile_bytes() {
  return {
      {"10 MB of blanks", [] { return times(kLong, " ") + "SELECT 1"; }},
      {"4 MB of blanks", [] { return times(kFits, " ") + "SELECT 1"; }},
      {"10 MB of one text", [] { return "SELECT '" + times(kLong, "x") + "'"; }},
      {"4 MB of one text", [] { return "SELECT '" + times(kFits, "x") + "'"; }},
      {"4 MB of one text of quotes", [] { return "SELECT '" + times(kFits / 2, "''") + "'"; }},
      {"4 MB of an unclosed text", [] { return "SELECT '" + times(kFits, "x"); }},
      {"10 MB of one comment", [] { return "SELECT 1 /* " + times(kLong, "x") + " */"; }},
      {"4 MB of one comment", [] { return "SELECT 1 /* " + times(kFits, "x") + " */"; }},
      {"4 MB of comments in comments", [] { return times(kFits / 2, "/*"); }},
      {"4 MB of line comments", [] { return times(kFits / 3, "--\n") + "SELECT 1"; }},
      {"10 MB of parentheses", [] { return times(kLong, "("); }},
      {"4 MB of parentheses", [] { return times(kFits, "("); }},
      {"4 MB of brackets", [] { return "SELECT " + times(kFits, "["); }},
      {"4 MB of semicolons", [] { return times(kFits, ";") + "SELECT 1"; }},
      {"a name of 1 MB", [] { return "SELECT " + times(1'000'000, "x") + " FROM cards"; }},
      {"a quoted name of 1 MB", [] { return "SELECT \"" + times(1'000'000, "x") + "\" FROM cards"; }},
      {"a resource of 1 MB", [] { return "SELECT 1 FROM " + times(1'000'000, "x"); }},
      {"an alias of 1 MB", [] { return "SELECT 1 AS " + times(1'000'000, "x") + " FROM cards"; }},
      {"a number of 1 MB", [] { return "SELECT " + times(1'000'000, "1"); }},
  };
}

// Long lists of conditions, values, columns and statements.
inline std::vector<HostileText> hostile_lists() {
  return {
      {"100,000 ORs", [] { return kSelect + "reps = 1" + times(kMany, " OR reps = 1"); }},
      {"4,900 ORs",
       [] { return kSelect + "reps = 0" + numbered(4'900, [](const auto& i) { return " OR reps = " + i; }); }},
      {"4,900 ANDs",
       [] { return kSelect + "reps > 0" + numbered(4'900, [](const auto& i) { return " AND reps > " + i; }); }},
      {"100,000 values in IN", [] { return kSelect + "reps IN (1" + times(kMany, ", 1") + ")"; }},
      {"19,000 values in IN",
       [] { return kSelect + "reps IN (1" + numbered(19'000, [](const auto& i) { return ", " + i; }) + ")"; }},
      {"19,000 texts in IN",
       [] {
         return kSelect + "front_text IN ('x'" + numbered(19'000, [](const auto& i) { return ", '" + i + "'"; }) + ")";
       }},
      {"19,000 elements in OVERLAP",
       [] {
         return kSelect + "tags OVERLAP ('x'" + numbered(19'000, [](const auto& i) { return ", '" + i + "'"; }) + ")";
       }},
      {"19,000 values of other scopes",
       [] {
         return kSelect + "tenant IN ('x'" + numbered(19'000, [](const auto& i) { return ", '" + i + "'"; }) + ")";
       }},
      {"100,000 columns", [] { return "SELECT reps" + times(kMany, ", reps") + " FROM cards"; }},
      {"19,000 columns", [] { return "SELECT reps" + times(19'000, ", reps") + " FROM cards"; }},
      {"19,000 stars", [] { return "SELECT *" + times(19'000, ", *") + " FROM cards"; }},
      {"50 statements of 1,000 stars", [] { return times(50, "SELECT *" + times(1'000, ", *") + " FROM cards;"); }},
      {"19,000 columns in order", [] { return "SELECT reps FROM cards ORDER BY reps" + times(19'000, ", reps"); }},
      {"3,000 groups",
       [] {
         return "SELECT 1" + numbered(3'000, [](const auto& i) { return ", reps + " + i; }) +
                " FROM cards GROUP BY reps" + numbered(3'000, [](const auto& i) { return ", reps + " + i; });
       }},
      {"9,000 different things in order",
       [] {
         return "SELECT DISTINCT reps" + numbered(4'500, [](const auto& i) { return ", " + i + " AS c" + i; }) +
                " FROM cards ORDER BY reps" + numbered(4'500, [](const auto& i) { return ", c" + i; });
       }},
      {"100,000 statements", [] { return times(kMany, "SELECT 1;"); }},
      {"50 long statements", [] { return times(50, "SELECT reps" + times(1'900, ", reps") + " FROM cards;"); }},
      {"50 statements of many bytes", [] { return times(50, "SELECT '" + times(70'000, "x") + "';"); }},
  };
}

// Trees that are high, or that stand for more than is written.
inline std::vector<HostileText> hostile_nests() {
  return {
      {"CASE in CASE", [] { return "SELECT " + times(kMany, "CASE WHEN ") + "1"; }},
      {"9,000 branches",
       [] {
         return "SELECT CASE reps" + numbered(6'000, [](const auto& i) { return " WHEN " + i + " THEN " + i; }) +
                " END FROM cards";
       }},
      {"functions in functions", [] { return "SELECT " + times(kMany, "LOWER("); }},
      {"63 functions in functions",
       [] { return "SELECT " + times(62, "LOWER(") + "front_text" + times(62, ")") + " FROM cards"; }},
      {"an alias of 9,000 values, 1,000 times",
       [] {
         return "SELECT reps IN (1" + numbered(9'000, [](const auto& i) { return ", " + i; }) +
                ") AS a FROM cards ORDER BY a" + times(1'000, ", a");
       }},
      {"a position of 9,000 values, 1,000 times",
       [] {
         return "SELECT reps IN (1" + numbered(9'000, [](const auto& i) { return ", " + i; }) +
                ") AS a FROM cards ORDER BY 1" + times(1'000, ", 1");
       }},
      {"63 lengths in lengths",
       [] { return "SELECT " + times(62, "LENGTH(") + "front_text" + times(62, ")") + " FROM cards"; }},
      {"subqueries in subqueries", [] { return times(kMany, "SELECT * FROM ("); }},
      {"30 subqueries in subqueries",
       [] { return times(30, "SELECT * FROM (") + "SELECT * FROM cards" + times(30, ")"); }},
      {"30 EXISTS in EXISTS",
       [] { return kSelect + times(30, "EXISTS (SELECT 1 FROM cards WHERE ") + "1 = 1" + times(30, ")"); }},
      {"a chain of 3,000 common tables",
       [] {
         return "WITH c AS (SELECT * FROM decks)" +
                numbered(3'000,
                         [](const auto& i) {
                           return ", c" + i + " AS (SELECT * FROM c" +
                                  (i == "0" ? "" : std::to_string(std::stoul(i) - 1)) + ")";
                         }) +
                " SELECT * FROM c2999";
       }},
      {"60 common tables, each twice the one before",
       [] {
         return "WITH c AS (SELECT name FROM decks)" +
                numbered(60,
                         [](const auto& i) {
                           const std::string last = i == "0" ? "c" : "c" + std::to_string(std::stoul(i) - 1);
                           return ", c" + i + " AS (SELECT a.name FROM " + last + " a JOIN " + last +
                                  " b ON a.name = b.name)";
                         }) +
                " SELECT * FROM c59";
       }},
      {"columns doubled by each common table",
       [] {
         return "WITH c AS (SELECT * FROM cards)" +
                numbered(30,
                         [](const auto& i) {
                           const std::string last = i == "0" ? "c" : "c" + std::to_string(std::stoul(i) - 1);
                           return ", c" + i + " AS (SELECT *, * FROM " + last + ")";
                         }) +
                " SELECT COUNT(*) FROM c29";
       }},
  };
}

// Many relations, rows and columns.
inline std::vector<HostileText> hostile_relations() {
  return {
      {"1,000 joins",
       [] {
         return "SELECT 1 FROM cards c" + numbered(1'000, [](const auto& i) {
                  return " JOIN cards c" + i + " ON c" + i + ".card_no = c.card_no";
                });
       }},
      {"19,000 resources", [] { return "SELECT 1 FROM cards" + times(19'000, ", cards"); }},
      {"1,000 unnests",
       [] {
         return "SELECT 1 FROM cards" +
                numbered(1'000, [](const auto& i) { return " CROSS JOIN UNNEST(tags) AS u" + i + "(t" + i + ")"; });
       }},
      {"a row of 19,000 values", [] { return "INSERT INTO cards (reps) VALUES (1" + times(19'000, ", 1") + ")"; }},
      {"6,000 rows", [] { return "INSERT INTO cards (reps) VALUES (1)" + times(6'000, ", (1)"); }},
      {"9,000 columns of an INSERT",
       [] { return "INSERT INTO cards (reps" + times(100'000, ", reps") + ") VALUES (1)"; }},
      {"9,000 assignments",
       [] { return "UPDATE cards SET reps = 1" + times(9'000, ", reps = 1") + " WHERE card_no = 1"; }},
  };
}

// Errors and warnings without number, and literals that are read once more.
inline std::vector<HostileText> hostile_mistakes() {
  return {
      {"19,000 unknown columns",
       [] { return "SELECT x" + numbered(19'000, [](const auto& i) { return ", front_tex" + i; }) + " FROM cards"; }},
      {"3,000 long unknown columns",
       [] {
         const std::string name = times(100, "front_text_");
         return "SELECT x" + numbered(3'000, [&](const auto& i) { return ", " + name + i; }) + " FROM cards";
       }},
      {"9,000 unknown functions",
       [] {
         return "SELECT 1" + numbered(9'000, [](const auto& i) { return ", lowr" + i + "(front_text)"; }) +
                " FROM cards";
       }},
      {"50 unknown resources",
       [] { return numbered(50, [](const auto& i) { return "SELECT * FROM card" + i + ";"; }); }},
      {"9,000 wrong literals",
       [] { return kSelect + "reps IN (1" + numbered(9'000, [](const auto& i) { return ", 'x" + i + "'"; }) + ")"; }},
      {"9,000 values beside an enumeration",
       [] {
         return kSelect + "card_type IN ('basic'" + numbered(9'000, [](const auto& i) { return ", 'basi" + i + "'"; }) +
                ")";
       }},
      {"50 statements of 1,000 stars of many columns",
       [] {
         return times(50,
                      "WITH c AS (SELECT *, *, *, *, *, *, *, * FROM cards) SELECT *" + times(100, ", *") + " FROM c;");
       }},
      {"50 errors of syntax", [] { return times(50, "SELEC 1;"); }},
      {"20,000 errors of syntax in clauses",
       [] { return "SELECT 1 FROM cards WHERE" + times(20'000, " + GROUP BY HAVING ORDER LIMIT"); }},
      {"4,900 conditions that say nothing",
       [] { return kSelect + "reps > 0" + numbered(4'900, [](const auto& i) { return " AND " + i + " = " + i; }); }},
      {"4,900 pairs of conditions",
       [] { return kSelect + "reps = 0" + numbered(4'900, [](const auto& i) { return " AND reps <> " + i; }); }},
      {"NOT of a NOT", [] { return kSelect + times(62, "NOT ") + "reps IS NULL"; }},
      {"a pattern of 3 MB", [] { return kSelect + "front_text LIKE '" + times(3'000'000, "%") + "'"; }},
      {"an array of braces of 3 MB", [] { return kSelect + "tags = '{" + times(1'000'000, "a, ") + "a}'"; }},
      {"a format of 3 MB", [] { return "SELECT STRFTIME('" + times(1'000'000, "%Y ") + "', due_at) FROM cards"; }},
  };
}

inline std::vector<HostileText> hostile_texts() {
  std::vector<HostileText> all;
  for (const auto& part :
       {hostile_bytes(), hostile_lists(), hostile_nests(), hostile_relations(), hostile_mistakes()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

struct Taken {
  double milliseconds = 0;          // of the processor, for parsing and binding
  double lowered_milliseconds = 0;  // and for all that is made of the plan: outline, print, SQL
  double megabytes = 0;             // at the most, of both
  bool refused = false;
  std::string said;  // the first error
};

// The most memory that the process has had, and has now, in kilobytes.
inline std::size_t status_kilobytes(std::string_view key) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  char line[256];
  std::size_t found = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::string_view(line).starts_with(key)) found = std::strtoul(line + key.size(), nullptr, 10);
  }
  (void)std::fclose(file);
  return found;
}

inline double milliseconds_since(std::clock_t began) {
  return 1000.0 * static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
}

inline lower::Storage hostile_storage(const contract::Contract& contract) {
  lower::Storage storage;
  storage.scope_column = "tenant";
  storage.scope_value = "A";
  for (const contract::Resource& resource : contract.resources) {
    lower::StoredTable table;
    table.schema = "main";
    table.name = resource.table;
    for (const contract::Column& column : resource.columns) {
      table.columns.push_back(column.stored);
      table.types.emplace(column.stored, contract::is_array(column.type) ? "varchar[]" : "varchar");
    }
    storage.tables.emplace(&resource, std::move(table));
  }
  return storage;
}

// Works in a child process, whose memory is its own; a child that dies says so.
inline Taken in_child(const std::function<void(Taken&)>& work) {
  Taken died{0, 0, 0, false, "the process ended"};
  int ends[2];
  if (pipe(ends) != 0) return died;
  const pid_t child = fork();
  if (child == 0) {
    (void)malloc_trim(0);
    if (std::FILE* reset = std::fopen("/proc/self/clear_refs", "w"); reset != nullptr) {
      (void)std::fputs("5", reset);
      (void)std::fclose(reset);
    }
    const std::size_t before = status_kilobytes("VmRSS:");
    Taken taken;
    work(taken);
    const std::size_t peak = status_kilobytes("VmHWM:");
    char text[400];
    const int length = std::snprintf(
        text, sizeof text, "%.3f %.3f %.3f %d %.200s", taken.milliseconds, taken.lowered_milliseconds,
        static_cast<double>(peak > before ? peak - before : 0) / 1024.0, taken.refused ? 1 : 0, taken.said.c_str());
    const ssize_t written = write(ends[1], text, static_cast<std::size_t>(length));
    _exit(written == length ? 0 : 1);
  }
  (void)close(ends[1]);
  std::string text(400, '\0');
  const ssize_t size = read(ends[0], text.data(), text.size());
  (void)close(ends[0]);
  int status = 0;
  (void)waitpid(child, &status, 0);
  if (size <= 0 || status != 0) return died;
  text.resize(static_cast<std::size_t>(size));
  Taken taken;
  int refused = 0;
  int at = 0;
  const int parts = std::sscanf(text.c_str(), "%lf %lf %lf %d %n", &taken.milliseconds, &taken.lowered_milliseconds,
                                &taken.megabytes, &refused, &at);
  if (parts < 4) return died;
  taken.refused = refused != 0;
  taken.said = text.substr(static_cast<std::size_t>(at));
  return taken;
}

// Parses and binds; then makes all that is made of the plan.
inline Taken take(const std::string& sql, const contract::Contract& contract) {
  const lower::Storage storage = hostile_storage(contract);
  return in_child([&](Taken& taken) {
    const std::clock_t began = std::clock();
    const dialect::Parsed parsed = dialect::parse(sql);
    const bind::Bound bound = bind::bind(sql, parsed, {&contract, "A"});
    taken.milliseconds = milliseconds_since(began);
    if (!bound.errors.empty()) taken.said = bound.errors.front().message;
    if (!parsed.errors.empty()) taken.said = parsed.errors.front().message;
    taken.refused = !taken.said.empty();
    const bool lost = !taken.refused && bound.statements.size() != parsed.count;
    if (lost) taken.said = "a statement is lost";
    const std::clock_t later = std::clock();
    for (std::size_t i = 0; taken.said.empty() && i < bound.statements.size(); ++i) {
      const bind::BoundStatement& one = bound.statements[i];
      const bool empty = bind::outline_of(one).node.empty() || dialect::print(parsed.statements[i]).empty() ||
                         exec::steps_of(one, contract, storage).empty();
      if (one.select != nullptr) (void)exec::sought_values(*one.select);
      if (empty) taken.said = "nothing was made of a statement";
    }
    taken.lowered_milliseconds = milliseconds_since(later);
  });
}

}  // namespace candor::test
