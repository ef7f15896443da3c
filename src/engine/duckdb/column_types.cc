// Each value gets a class, by the engine; the classes of a column decide its type.
#include "engine/duckdb/column_types.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "engine/duckdb/engine_text.h"

namespace candor::engine::duckdb {
namespace {

constexpr std::uint64_t kSampleRows = 5'000;
constexpr std::size_t kColumnsAtOnce = 100;

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

// SQL: the class of a text, NULL for NULL. Blanks around a value do not count. Cheap tests come first.
//   int    an integer as it is written in its shortest form, at most 15 digits     longint  the same, up to 64 bits
//   real   a number that DOUBLE keeps with all the digits that are written         zeros, plus, long: numbers that lose
//   dmy, mdy, both: a date that can be read in that order of day and month only, or in both
// "wide" and "order" stand for what only refined_class_of tells apart.
constexpr std::string_view kClass = R"(
CASE WHEN $v IS NULL THEN NULL
  WHEN TRY_CAST($t AS BIGINT)::VARCHAR = $t THEN CASE WHEN length($t) <= 15 THEN 'int' ELSE 'longint' END
  WHEN regexp_full_match($t, '[+-]?0[0-9]+([.][0-9]*)?') THEN 'zeros'
  WHEN regexp_full_match($t, '[+][0-9][0-9 ()./-]*') THEN 'plus'
  WHEN regexp_full_match($t, '-?[0-9]+') THEN 'long'
  WHEN regexp_full_match($t, '-?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?') THEN
    CASE WHEN NOT coalesce(isfinite(TRY_CAST($t AS DOUBLE)), false) THEN 'long' WHEN length($t) <= 15 THEN 'real' ELSE 'wide' END
  WHEN lower($t) IN ('true', 'false') THEN 'truth'
  WHEN NOT regexp_full_match($t, '[0-9].*[0-9Z]') THEN 'other'
  WHEN regexp_full_match($t, '[0-9]{4}-[0-9]{2}-[0-9]{2}') AND TRY_CAST($t AS DATE) IS NOT NULL THEN 'date'
  WHEN regexp_full_match($t, '[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?')
    AND TRY_CAST($t AS TIMESTAMP) IS NOT NULL THEN 'timestamp'
  WHEN regexp_full_match($t, '[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)')
    AND TRY_CAST($t AS TIMESTAMPTZ) IS NOT NULL THEN 'instant'
  WHEN regexp_full_match($t, '[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?') AND TRY_CAST($t AS TIME) IS NOT NULL THEN 'time'
  WHEN regexp_full_match($t, '[0-9]{4}[/.][0-9]{1,2}[/.][0-9]{1,2}') AND try_strptime($d, '%Y/%m/%d') IS NOT NULL THEN 'ymd'
  WHEN regexp_full_match($t, '[0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{4}') THEN 'order'
  ELSE 'other' END)";

// $m: the digits that count, without point, sign, exponent and the zeros around them.
constexpr std::string_view kRefined = R"(
CASE WHEN $c = 'wide' THEN
    CASE WHEN length($m) <= 15 THEN 'real'
      WHEN length($m) > 17 THEN 'long'
      WHEN $m = rtrim(replace(split_part(format('{:.{}e}', abs(TRY_CAST($t AS DOUBLE)), length($m) - 1), 'e', 1), '.', ''), '0')
        THEN 'real'
      ELSE 'long' END
  WHEN $c = 'order' THEN
    CASE WHEN try_strptime($d, '%d/%m/%Y') IS NULL AND try_strptime($d, '%m/%d/%Y') IS NULL THEN 'other'
      WHEN try_strptime($d, '%m/%d/%Y') IS NULL THEN 'dmy'
      WHEN try_strptime($d, '%d/%m/%Y') IS NULL THEN 'mdy'
      ELSE 'both' END
  ELSE $c END)";

std::string for_column(std::string_view pattern, const std::string& column, const std::string& inner = {}) {
  std::string sql(pattern);
  sql = replace_all(std::move(sql), "$c", inner);
  sql = replace_all(std::move(sql), "$m", "rtrim(ltrim(regexp_replace(regexp_replace($t, '[eE].*', ''), '[-.]', '', 'g'), '0'), '0')");
  sql = replace_all(std::move(sql), "$d", "translate($t, '.-', '//')");
  sql = replace_all(std::move(sql), "$t", "trim($v)");
  return replace_all(std::move(sql), "$v", column);
}

std::uint64_t sum(const ClassCounts& counts, std::initializer_list<std::string_view> classes) {
  std::uint64_t total = 0;
  for (const std::string_view name : classes) {
    if (const auto found = counts.find(name); found != counts.end()) total += found->second;
  }
  return total;
}

std::uint64_t sum(const ClassCounts& counts) {
  std::uint64_t total = 0;
  for (const auto& [name, count] : counts) total += count;
  return total;
}

// Reads "{int=3, other=1}", a histogram cast to text: the names of the classes are plain words.
ClassCounts read_counts(std::string_view entries) {
  ClassCounts counts;
  if (entries.size() < 2) return counts;
  entries = entries.substr(1, entries.size() - 2);
  while (!entries.empty()) {
    const std::size_t end = std::min(entries.find(','), entries.size());
    const std::size_t equals = entries.find('=');
    std::uint64_t count = 0;
    std::from_chars(entries.data() + equals + 1, entries.data() + end, count);
    counts[std::string(entries.substr(0, equals))] = count;
    entries.remove_prefix(std::min(end + 2, entries.size()));
  }
  return counts;
}

constexpr std::string_view kEntries = "histogram($c)::VARCHAR";

// The exact classes of one column in place of "wide" and "order".
Status refine(ImportSession& session, const std::string& from, const std::string& column, ClassCounts& counts) {
  if (!counts.contains("wide") && !counts.contains("order")) return Ok{};
  const std::string base = for_column(kClass, column);
  CANDOR_ASSIGN(auto rows, session.rows("SELECT " + replace_all(std::string(kEntries), "$c", "refined") + " AS entries FROM (SELECT " +
                                        for_column(kRefined, column, "class") + " AS refined FROM (SELECT " + column + ", " + base +
                                        " AS class FROM " + from + "))"));
  if (rows.size() != 1) return make_error("internal", "the classes of a column were not counted");
  counts = read_counts(rows[0][0]);
  return Ok{};
}

Result<std::vector<ClassCounts>> count_classes(ImportSession& session, const std::string& from, const std::vector<std::string>& columns) {
  std::vector<ClassCounts> out;
  for (std::size_t first = 0; first < columns.size(); first += kColumnsAtOnce) {
    const std::size_t last = std::min(first + kColumnsAtOnce, columns.size());
    std::string entries;
    std::string classes;
    for (std::size_t i = first; i < last; ++i) {
      const std::string name = "k" + std::to_string(i - first);
      // Without names of ours the engine names each column by its whole expression, which takes minutes.
      entries += (i > first ? ", " : "") + replace_all(std::string(kEntries), "$c", name) + " AS e" + std::to_string(i - first);
      classes += (i > first ? ", " : "") + for_column(kClass, columns[i]) + " AS " + name;
    }
    CANDOR_ASSIGN(auto rows, session.rows("SELECT " + entries + " FROM (SELECT " + classes + " FROM " + from + ")"));
    if (rows.size() != 1 || rows[0].size() != last - first) return make_error("internal", "the classes of a column were not counted");
    for (std::size_t i = first; i < last; ++i) {
      out.push_back(read_counts(rows[0][i - first]));
      CANDOR_TRY(refine(session, from, columns[i], out.back()));
    }
  }
  return out;
}

std::string kept(std::uint64_t count, std::uint64_t all, const std::string& what) {
  return "kept as text: " + std::to_string(count) + " of " + std::to_string(all) + " values " + what;
}

std::string number_note(const ClassCounts& counts, std::uint64_t all) {
  const std::uint64_t numbers = sum(counts, {"int", "longint", "real", "zeros", "plus", "long"});
  if (numbers * 2 <= all) return {};
  if (const auto zeros = sum(counts, {"zeros"})) return kept(zeros, all, "have leading zeros");
  if (const auto plus = sum(counts, {"plus"})) return kept(plus, all, "start with a plus sign");
  if (numbers < all) return kept(all - numbers, all, "are not numbers");
  return kept(sum(counts, {"long", "longint"}), all, "have more digits than a number keeps");
}

std::string date_note(const ClassCounts& counts, std::uint64_t all) {
  const std::uint64_t in_an_order = sum(counts, {"dmy", "mdy", "both"});
  const std::uint64_t dates = in_an_order + sum(counts, {"date", "timestamp", "instant", "ymd", "time"});
  if (dates * 2 <= all) return {};
  if (dates < all) return kept(all - dates, all, "are not dates");
  if (sum(counts, {"both"}) == all) return "kept as text: day and month can't be told apart in any of " + std::to_string(all) + " values";
  return "kept as text: its " + std::to_string(all) + " values are dates or times in more than one form";
}

}  // namespace

ColumnType decide_type(const ClassCounts& counts, const std::string& column) {
  const std::uint64_t all = sum(counts);
  const auto only = [&](std::initializer_list<std::string_view> classes) { return all > 0 && sum(counts, classes) == all; };
  const auto as = [&](const std::string& type, std::string note = {}) {
    return ColumnType{.type = type, .note = std::move(note), .expression = "CAST(trim(" + column + ") AS " + type + ")"};
  };
  const auto parsed = [&](const std::string& format, std::string note) {
    return ColumnType{.type = "DATE",
                      .note = std::move(note),
                      .expression = "CAST(strptime(translate(trim(" + column + "), '.-', '//'), '" + format + "') AS DATE)"};
  };
  if (only({"int", "longint"})) return as("BIGINT");
  if (only({"int", "real"})) return as("DOUBLE");
  if (only({"truth"})) return as("BOOLEAN");
  if (only({"date"})) return as("DATE");
  if (only({"date", "timestamp"})) return as("TIMESTAMP");
  if (only({"instant"})) return as("TIMESTAMPTZ");
  if (only({"time"})) return as("TIME");
  if (only({"date", "ymd"})) return parsed("%Y/%m/%d", "read as year/month/day");
  if (only({"both", "dmy"}) && sum(counts, {"dmy"}) > 0) return parsed("%d/%m/%Y", "read as day/month/year: no other order fits");
  if (only({"both", "mdy"}) && sum(counts, {"mdy"}) > 0) return parsed("%m/%d/%Y", "read as month/day/year: no other order fits");
  ColumnType text{.type = "VARCHAR", .note = number_note(counts, all), .expression = column};
  if (text.note.empty()) text.note = date_note(counts, all);
  return text;
}

Result<std::vector<ColumnType>> decide_types(ImportSession& session, const std::string& table, const std::vector<std::string>& columns) {
  CANDOR_ASSIGN(const std::uint64_t rows, session.count("SELECT count(*) FROM " + table));
  CANDOR_ASSIGN(std::vector<ClassCounts> counts,
                count_classes(session, "(FROM " + table + " LIMIT " + std::to_string(kSampleRows) + ")", columns));
  if (rows > kSampleRows) {
    // Columns that are mostly prose stay text whatever the rest holds; only the others are counted to the end.
    std::vector<std::string> open;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (sum(counts[i], {"other"}) * 2 > sum(counts[i])) continue;
      open.push_back(columns[i]);
      places.push_back(i);
    }
    CANDOR_ASSIGN(std::vector<ClassCounts> whole, count_classes(session, table, open));
    for (std::size_t i = 0; i < places.size(); ++i) counts[places[i]] = std::move(whole[i]);
  }
  std::vector<ColumnType> types;
  for (std::size_t i = 0; i < columns.size(); ++i) types.push_back(decide_type(counts[i], columns[i]));
  for (std::size_t i = 0; rows > kSampleRows && i < columns.size(); ++i) {
    // A note's counts must be of all values; those of a sample are not told.
    if (sum(counts[i], {"other"}) * 2 > sum(counts[i])) types[i].note.clear();
  }
  return types;
}

}  // namespace candor::engine::duckdb
