// The rules themselves. One that is added or changed here changes in every format.
#include "contract/rules.h"

#include <algorithm>

#include "config/config.h"
#include "config/source_names.h"

namespace candor::contract {
namespace {

constexpr Rule kRules[] = {
    {"discovery", Topic::kCalls, Where::kAlways,
     "SHOW TABLES lists the resources, DESCRIBE name the columns of one. Each is a call of its own: a batch is "
     "composed "
     "before any of it runs.",
     "SHOW TABLES and DESCRIBE name say what there is, each in a call of its own."},
    {"batch", Topic::kCalls, Where::kAlways,
     "A call holds up to {statements_per_batch} statements with ; between them. Reads and writes don't mix in one "
     "call.",
     "Up to {statements_per_batch} statements a call, ; between them, reads apart from writes."},
    {"spellings", Topic::kCalls, Where::kAlways,
     "The usual spellings of PostgreSQL, SQLite, DuckDB, MySQL and SQL Server are understood. normalized_sql in the "
     "result says how a statement was read, and a warning says where a spelling was repaired (read-as).",
     ""},
    {"warnings", Topic::kCalls, Where::kAlways,
     "Read a result's warnings and its agent_surface, which says what the rows are a part of, before you use a number.",
     ""},
    {"errors", Topic::kCalls, Where::kAlways,
     "An error names all the mistakes of a statement at once, each with its place and what to write instead; fix is "
     "the corrected statement where it is certain.",
     "An error names all mistakes; its fix can be run as it stands."},
    {"scope", Topic::kCalls, Where::kWithScope,
     "Every statement sees and writes the rows of the caller's scope alone, wherever a resource stands in it. Nothing "
     "needs to be written for that, and nothing lifts it.",
     ""},

    {"select", Topic::kReading, Where::kAlways,
     "SELECT takes expressions, CASE, CAST, DISTINCT, aggregates with FILTER, GROUP BY, HAVING, ORDER BY, LIMIT, "
     "OFFSET, "
     "common table expressions, and subqueries as a value, in IN and in EXISTS.",
     ""},
    {"joins", Topic::kReading, Where::kAlways,
     "INNER, LEFT and comma joins of two to four resources on equality of columns. Write RIGHT JOIN as LEFT JOIN, and "
     "another condition in WHERE or EXISTS.",
     ""},
    {"not-there", Topic::kReading, Where::kAlways,
     "What the dialect leaves out, such as set operations, recursive queries, DISTINCT ON and FOR UPDATE, is an error "
     "(unsupported-construct) that says what to write instead.",
     ""},
    {"row-limit", Topic::kReading, Where::kAlways,
     "A SELECT gives at most {rows_per_statement} rows, also where LIMIT is higher or left out; agent_surface has the "
     "number of all rows. Count and sum in SQL, never by counting rows shown.",
     "A SELECT gives at most {rows_per_statement} rows; agent_surface has the number of all: count in SQL."},
    {"result-size", Topic::kReading, Where::kAlways,
     "A read whose rows are over {result_chars} characters is an error that names the widest columns and how many rows "
     "would fit.",
     "Rows over {result_chars} characters are an error: select fewer columns."},
    {"limit", Topic::kReading, Where::kAlways,
     "LIMIT is 1 or more; LIMIT 0 is an error. OFFSET without ORDER BY skips rows that no order names, and is warned "
     "of.",
     ""},
    {"null-order", Topic::kReading, Where::kAlways,
     "NULLs are ordered last, ascending and descending, unless NULLS FIRST is written. Text is ordered by code point.",
     ""},

    {"predicate-depth", Topic::kConditions, Where::kAlways,
     "Conditions nest with AND, OR, NOT and parentheses up to {predicate_depth} levels. A long list is one IN, not "
     "many "
     "ORs.",
     "Conditions nest up to {predicate_depth} levels."},
    {"null-comparison", Topic::kConditions, Where::kAlways,
     "NULL follows SQL's three values. Ask with IS NULL or IS DISTINCT FROM: = NULL, IN (NULL) and NOT IN with a NULL "
     "in "
     "its list or subquery are errors.",
     ""},
    {"like", Topic::kConditions, Where::kAlways,
     "LIKE tells upper from lower case, ILIKE doesn't; neither has an escape character without ESCAPE. Both are for "
     "text "
     "alone: on a number, a date or an array they are errors, not a quiet nothing.",
     "LIKE tells case apart, ILIKE doesn't; both are for text alone."},
    {"case-folding", Topic::kConditions, Where::kAlways,
     "LOWER(column) = 'v' compares without case, and % and _ are plain characters in it. Folding is Unicode's "
     "one-to-one folding, without normalisation.",
     ""},
    {"match", Topic::kConditions, Where::kAlways,
     "MATCH('text') finds the text anywhere in the filterable texts and text arrays of a row, case folded; "
     "MATCH(column, 'text') in one column.",
     "MATCH('text') looks into all text of a row."},
    {"literal-types", Topic::kConditions, Where::kAlways,
     "A value must be of the column's type. A number column takes numeric text, a text column takes no bare number; a "
     "value outside the list of a column is an error that names the nearest.",
     ""},
    {"quotes", Topic::kConditions, Where::kAlways, "'Single quotes' hold a text, \"double quotes\" a name.",
     "'Single quotes' hold text, \"double\" a name."},
    {"not-filterable", Topic::kConditions, Where::kAlways,
     "A column that is not filterable stands in no WHERE, ON, GROUP BY, HAVING, DISTINCT, aggregate or MATCH; one that "
     "is "
     "not sortable stands in no ORDER BY.",
     ""},

    {"array-overlap", Topic::kArrays, Where::kWithArrays,
     "Arrays share an element: {array} OVERLAP ({one}, {two}). Hold all: {array} @> ARRAY[{one}, {two}]. Hold one: "
     "{one} = ANY({array}). IN with a plain list is an error on an array.",
     "Arrays: {array} OVERLAP ({one}, {two}), {one} = ANY({array}), {array} = ()."},
    {"array-equality", Topic::kArrays, Where::kWithArrays,
     "{array} = ({one}, {two}) compares as sets: the order of elements doesn't matter, their case does, and a repeated "
     "one counts.",
     ""},
    {"array-empty", Topic::kArrays, Where::kWithArrays,
     "Ask for empty arrays with {array} = (): an array that is never NULL has no other way to be none. The length of "
     "one "
     "is 0.",
     ""},
    {"unnest", Topic::kArrays, Where::kWithArrays,
     "FROM {array_resource} UNNEST {array} AS element gives one row for each element; its text is searched there, or "
     "with MATCH.",
     ""},

    {"time", Topic::kValues, Where::kAlways,
     "Times are UTC without a zone, printed as 2024-01-31T09:00:00. A literal may have a blank for the T; an offset is "
     "brought to UTC; a bare date is midnight.",
     "Times are UTC."},
    {"division", Topic::kValues, Where::kAlways,
     "/ is exact division, also of integers: 3 / 7 is 0.428…; // and DIV are the integer one. A division by zero is "
     "NULL, "
     "with a warning. An integer that overflows is an error.",
     "/ is exact division."},
    {"decimals", Topic::kValues, Where::kAlways,
     "Decimals are texts in a result, with their scale kept: \"12.50\". So are integers beyond 2^53.", ""},
    {"concatenation", Topic::kValues, Where::kAlways, "|| with a NULL is NULL; CONCAT skips NULLs.", ""},

    {"write-limit", Topic::kWriting, Where::kWithWrites,
     "A write that matches more than {rows_per_statement} rows writes nothing and says how many match. Split it by the "
     "key: WHERE {key} IN (…).",
     "A write that matches more than {rows_per_statement} rows writes nothing and says how many: split it by key."},
    {"write-where", Topic::kWriting, Where::kWithWrites,
     "UPDATE and DELETE need a WHERE. One that is true of every row, such as WHERE TRUE, is an error with the number "
     "of "
     "rows it would touch.",
     "UPDATE and DELETE need a WHERE that is not always true."},
    {"write-batch", Topic::kWriting, Where::kWithWrites,
     "The writes of one call are one transaction, all of them or nothing; each sees what those before it wrote. The "
     "error names the statement that failed.",
     "One call is one transaction."},
    {"dry-run", Topic::kWriting, Where::kWithWrites,
     "dry_run: true gives the number of rows and the first of them, and writes nothing.",
     "dry_run: true counts and writes nothing."},
    {"returning", Topic::kWriting, Where::kWithWrites,
     "RETURNING gives * or columns; DELETE gives rows as they were. Without it INSERT and UPDATE give the key, DELETE "
     "nothing.",
     ""},
    {"insert", Topic::kWriting, Where::kWithWrites,
     "INSERT takes several rows, DEFAULT, and ON CONFLICT (key) DO NOTHING or DO UPDATE. A column left out gets what "
     "is "
     "generated for it, else the table's default, else NULL, else the error null-not-allowed.",
     ""},
    {"write-forms", Topic::kWriting, Where::kWithWrites,
     "INSERT … SELECT, UPDATE … FROM, DELETE … USING, and writes with LIMIT are not there: read the keys first, then "
     "write by key.",
     ""},
    {"write-result-size", Topic::kWriting, Where::kWithWrites,
     "Rows that a write returns are left out where they are over {result_chars} characters (rows_omitted); the write "
     "stands and its counts are right.",
     ""},
    {"concurrent-change", Topic::kWriting, Where::kWithWrites,
     "concurrent-change says that somebody else wrote to the same rows meanwhile. Nothing was kept: read again, then "
     "write again.",
     ""},
};

struct ArrayColumn {
  const Resource* resource = nullptr;
  const Column* column = nullptr;
};

// An array for the examples: one of texts, else one of numbers, else none.
ArrayColumn first_array(const Contract& contract) {
  for (const Type type : {Type::kStringArray, Type::kIntegerArray}) {
    for (const Resource& resource : contract.resources) {
      const auto column = std::ranges::find(resource.columns, type, &Column::type);
      if (column != resource.columns.end()) return {&resource, &*column};
    }
  }
  return {};
}

std::string key_of_writes(const Contract& contract) {
  const auto resource = std::ranges::find_if(contract.resources, &Resource::takes_writes);
  return resource == contract.resources.end() ? "" : name_in_sql(resource->key);
}

void replace_all(std::string& text, const std::string& place, const std::string& with) {
  for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at + with.size())) {
    text.replace(at, place.size(), with);
  }
}

}  // namespace

std::string_view to_string(Topic topic) {
  switch (topic) {
    case Topic::kCalls:
      return "Calls";
    case Topic::kReading:
      return "Reading";
    case Topic::kConditions:
      return "Conditions";
    case Topic::kArrays:
      return "Arrays";
    case Topic::kValues:
      return "Values";
    case Topic::kWriting:
      return "Writing";
  }
  return "";
}

std::span<const Rule> rules() { return kRules; }

bool holds_for(const Rule& rule, const Contract& contract) {
  switch (rule.where) {
    case Where::kAlways:
      return true;
    case Where::kWithArrays:
      return first_array(contract).column != nullptr;
    case Where::kWithScope:
      return contract.scope.has_value();
    case Where::kWithWrites:
      return contract.takes_writes();
  }
  return true;
}

std::string filled(std::string_view text, const Contract& contract) {
  std::string out(text);
  for (const LimitField& field : limit_fields()) {
    replace_all(out, "{" + std::string(field.name) + "}", std::to_string(contract.*(field.value)));
  }
  if (const ArrayColumn array = first_array(contract); array.column != nullptr) {
    const bool texts = array.column->type == Type::kStringArray;
    replace_all(out, "{array}", name_in_sql(array.column->name));
    replace_all(out, "{array_resource}", name_in_sql(array.resource->name));
    replace_all(out, "{one}", texts ? "'a'" : "1");
    replace_all(out, "{two}", texts ? "'b'" : "2");
  }
  replace_all(out, "{key}", key_of_writes(contract));
  return out;
}

std::string name_in_sql(std::string_view name) {
  return config::source_name_fault(name).empty() ? std::string(name) : "\"" + std::string(name) + "\"";
}

std::vector<LimitShown> limits_shown(const Contract& contract) {
  std::vector<LimitShown> shown;
  for (const LimitField& field : limit_fields()) {
    const auto limit = std::ranges::find(config::limits(), field.name, &config::Limit::name);
    shown.push_back({limit->name, limit->unit, limit->meaning, contract.*(field.value)});
  }
  return shown;
}

}  // namespace candor::contract
