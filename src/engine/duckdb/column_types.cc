// The classes of all values of a column decide its type.
#include "engine/duckdb/column_types.h"

#include <initializer_list>
#include <numeric>
#include <utility>

#include "engine/duckdb/value_encoder.h"

namespace candor::engine::duckdb {
namespace {

using enum TextClass;

std::uint64_t sum(const ClassCounts& counts, std::initializer_list<TextClass> classes) {
  std::uint64_t total = 0;
  for (const TextClass one : classes) total += counts[static_cast<std::size_t>(one)];
  return total;
}

std::uint64_t sum(const ClassCounts& counts) { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }

void count_chunk(duckdb_data_chunk chunk, std::vector<ClassCounts>& counts) {
  const idx_t rows = duckdb_data_chunk_get_size(chunk);
  for (std::size_t column = 0; column < counts.size(); ++column) {
    const duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, column);
    const auto* texts = static_cast<const duckdb_string_t*>(duckdb_vector_get_data(vector));
    const std::uint64_t* validity = duckdb_vector_get_validity(vector);
    for (idx_t row = 0; row < rows; ++row) {
      if (validity != nullptr && (validity[row / 64] >> (row % 64) & 1U) == 0) continue;
      ++counts[column][static_cast<std::size_t>(classify(internal::string_at(texts[row])))];
    }
  }
}

std::string kept(std::uint64_t count, std::uint64_t all, const std::string& what) {
  return "kept as text: " + std::to_string(count) + " of " + std::to_string(all) + " values " + what;
}

std::string number_note(const ClassCounts& counts, std::uint64_t all) {
  const std::uint64_t numbers = sum(counts, {kInteger, kLongInteger, kReal, kZeros, kPlus, kLong});
  if (numbers * 2 <= all) return {};
  if (const auto zeros = sum(counts, {kZeros})) return kept(zeros, all, "have leading zeros");
  if (const auto plus = sum(counts, {kPlus})) return kept(plus, all, "start with a plus sign");
  if (numbers < all) return kept(all - numbers, all, "are not numbers");
  return kept(sum(counts, {kLong, kLongInteger}), all, "have more digits than a number keeps");
}

std::string date_note(const ClassCounts& counts, std::uint64_t all) {
  const std::uint64_t in_an_order = sum(counts, {kDayFirst, kMonthFirst, kEitherFirst});
  const std::uint64_t dates = in_an_order + sum(counts, {kDate, kTimestamp, kInstant, kYearFirst, kTime});
  if (dates * 2 <= all) return {};
  if (dates < all) return kept(all - dates, all, "are not dates");
  if (sum(counts, {kEitherFirst}) == all)
    return "kept as text: day and month can't be told apart in any of " + std::to_string(all) + " values";
  return "kept as text: its " + std::to_string(all) + " values are dates or times in more than one form";
}

}  // namespace

ColumnType decide_type(const ClassCounts& counts, const std::string& column) {
  const std::uint64_t all = sum(counts);
  const auto only = [&](std::initializer_list<TextClass> classes) { return all > 0 && sum(counts, classes) == all; };
  const auto as = [&](const std::string& type, std::string note = {}) {
    return ColumnType{
        .type = type, .note = std::move(note), .expression = "CAST(trim(" + column + ") AS " + type + ")"};
  };
  const auto parsed = [&](const std::string& format, std::string note) {
    return ColumnType{
        .type = "DATE",
        .note = std::move(note),
        .expression = "CAST(strptime(translate(trim(" + column + "), '.-', '//'), '" + format + "') AS DATE)"};
  };
  if (only({kInteger, kLongInteger})) return as("BIGINT");
  if (only({kInteger, kReal})) return as("DOUBLE");
  if (only({kTruth})) return as("BOOLEAN");
  if (only({kDate})) return as("DATE");
  if (only({kDate, kTimestamp})) return as("TIMESTAMP");
  if (only({kInstant})) return as("TIMESTAMPTZ");
  if (only({kTime})) return as("TIME");
  if (only({kDate, kYearFirst})) return parsed("%Y/%m/%d", "read as year/month/day");
  if (only({kEitherFirst, kDayFirst}) && sum(counts, {kDayFirst}) > 0)
    return parsed("%d/%m/%Y", "read as day/month/year: no other order fits");
  if (only({kEitherFirst, kMonthFirst}) && sum(counts, {kMonthFirst}) > 0)
    return parsed("%m/%d/%Y", "read as month/day/year: no other order fits");
  ColumnType text{.type = "VARCHAR", .note = number_note(counts, all), .expression = column};
  if (text.note.empty()) text.note = date_note(counts, all);
  return text;
}

Result<std::vector<ColumnType>> decide_types(ImportSession& session, const std::string& table,
                                             const std::vector<std::string>& columns) {
  std::string list;
  for (const std::string& column : columns) list += (list.empty() ? "" : ", ") + column;
  std::vector<ClassCounts> counts(columns.size(), ClassCounts{});
  CANDOR_TRY(
      session.scan("SELECT " + list + " FROM " + table, [&](duckdb_data_chunk chunk) { count_chunk(chunk, counts); }));
  std::vector<ColumnType> types;
  for (std::size_t i = 0; i < columns.size(); ++i) types.push_back(decide_type(counts[i], columns[i]));
  return types;
}

}  // namespace candor::engine::duckdb
