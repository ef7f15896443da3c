// A contract held against its source: what isn't there, what can't be stored so, and rows that say otherwise, counted.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/render_json.h"
#include "candor/contract_source.h"
#include "candor/contract_storage.h"
#include "candor/service.h"
#include "contract/describe.h"
#include "exec/exec.h"

namespace candor {
namespace {

constexpr std::size_t kColumnsAtOnce = 100;
constexpr std::size_t kExampleChars = 60;

// One question to the rows of a column, and what it means when a row says yes.
struct Question {
  const contract::Column* column = nullptr;
  std::string kind;
  std::string condition;
  std::vector<Value> parameters;  // where there are any, the condition is that the value is none of them
  std::string meaning;            // "have NULL, which the contract says they never have"

  // The condition, with its parameters counted from `before` + 1 on.
  [[nodiscard]] std::string sql(const ContractSource& source, std::size_t before) const {
    if (parameters.empty()) return condition;
    std::string list;
    for (std::size_t i = 1; i <= parameters.size(); ++i) list += (i > 1 ? ", " : "") + source.placeholder(before + i);
    return condition + " NOT IN (" + list + ")";
  }
};

std::string rows_text(std::uint64_t count) { return count == 1 ? "1 row" : std::to_string(count) + " rows"; }

class Checker {
 public:
  Checker(const contract::Contract& contract, ContractSource& source, ContractCheck& into)
      : contract_(contract), source_(source), into_(into) {}

  Status check() {
    into_.notes = source_.catalog().warnings;
    check_scope();
    for (const contract::Resource& resource : contract_.resources) {
      into_.resources.push_back({resource.name, resource.table, std::nullopt});
      const engine::CatalogTable* table = exec::find_table(source_.catalog(), resource.table);
      if (table == nullptr) {
        fault("missing-table", resource, "", "source '" + source_.name() + "' has no table " + resource.table);
        continue;
      }
      CANDOR_TRY(check_resource(resource, *table));
    }
    return Ok{};
  }

 private:
  ContractCheck::Fault& fault(std::string kind, const contract::Resource& resource, std::string column,
                              std::string message) {
    return into_.faults.emplace_back(
        ContractCheck::Fault{std::move(kind), resource.name, std::move(column), std::nullopt, std::move(message), {}});
  }

  static const engine::CatalogColumn* find_column(const engine::CatalogTable& table, std::string_view name) {
    const auto found = std::ranges::find_if(
        table.columns, [&](const engine::CatalogColumn& column) { return same_name(column.name, name); });
    return found == table.columns.end() ? nullptr : &*found;
  }

  // A scope that no table has hides nothing from anybody.
  void check_scope() {
    if (!contract_.scope) return;
    std::vector<std::string> without;
    std::size_t with = 0;
    for (const contract::Resource& resource : contract_.resources) {
      const engine::CatalogTable* table = exec::find_table(source_.catalog(), resource.table);
      if (table == nullptr) continue;
      if (find_column(*table, contract_.scope->column) != nullptr) {
        ++with;
      } else {
        without.push_back(resource.name);
      }
    }
    if (with == 0 && !without.empty()) {
      into_.faults.push_back({"missing-scope",
                              "",
                              "",
                              std::nullopt,
                              "no table has the column " + contract_.scope->column +
                                  ", so the scope hides nothing: every caller sees every row",
                              {}});
      return;
    }
    for (const std::string& name : without) {
      into_.notes.push_back("the table of " + name + " has no " + contract_.scope->column +
                            ": every caller sees all of its rows");
    }
  }

  Status check_resource(const contract::Resource& resource, const engine::CatalogTable& table) {
    CANDOR_ASSIGN(const std::vector<Affinity> affinities, affinities_of(source_, table));
    std::vector<Question> questions;
    for (const contract::Column& column : resource.columns) {
      const engine::CatalogColumn* stored = find_column(table, column.stored);
      if (stored == nullptr) {
        fault("missing-column", resource, column.name, "table " + resource.table + " has no column " + column.stored);
        continue;
      }
      const Affinity affinity = affinities[static_cast<std::size_t>(stored - table.columns.data())];
      if (!column.nullable) {
        questions.push_back({&column,
                             "null-values",
                             in_double_quotes(column.stored) + " IS NULL",
                             {},
                             "hold NULL, and the contract says that none does: nullable: true"});
      }
      const std::string why = storage_fault(column.type, stored->type, affinity);
      if (!why.empty()) {
        fault("wrong-type", resource, column.name,
              "a " + std::string(contract::to_string(column.type)) + " can't be stored so: " + why);
        continue;
      }
      add_value_questions(column, *stored, questions);
    }
    CANDOR_TRY(ask_all(resource, table, questions));
    return check_key(resource, table);
  }

  [[nodiscard]] std::string storage_fault(contract::Type type, const std::string& stored, Affinity affinity) const {
    if (source_.sqlite()) return sqlite_storage_fault(type, stored, affinity);
    return source_.postgres() ? postgres_storage_fault(type, stored) : duckdb_storage_fault(type, stored);
  }

  [[nodiscard]] std::string fits(contract::Type type, const std::string& sql, const std::string& stored) const {
    if (source_.sqlite()) return fits_in_sqlite(type, sql);
    return source_.postgres() ? fits_in_postgres(type, sql, stored) : fits_in_duckdb(type, sql, stored);
  }

  void add_value_questions(const contract::Column& column, const engine::CatalogColumn& stored,
                           std::vector<Question>& questions) const {
    const std::string sql = in_double_quotes(column.stored);
    const std::string readable = fits(column.type, sql, lower_ascii(stored.type));
    const std::string type(contract::to_string(column.type));
    if (readable != "true") {
      questions.push_back({&column,
                           "unreadable-values",
                           sql + " IS NOT NULL AND NOT coalesce(" + readable + ", false)",
                           {},
                           "hold what can't be read as " + type});
    }
    if (column.allowed.empty()) return;
    Question outside{&column, "enum-values", {}, {}, "hold a value that is not of the enum"};
    for (const std::string& allowed : column.allowed) outside.parameters.push_back(text_value(allowed));
    outside.condition = source_.sqlite() ? sql + " COLLATE BINARY" : "CAST(" + sql + " AS VARCHAR)";
    questions.push_back(std::move(outside));
  }

  Status ask_all(const contract::Resource& resource, const engine::CatalogTable& table,
                 const std::vector<Question>& questions) {
    for (std::size_t at = 0; at == 0 || at < questions.size(); at += kColumnsAtOnce) {
      const std::size_t count = std::min(kColumnsAtOnce, questions.size() - at);
      CANDOR_TRY(ask_some(resource, table, std::span(questions).subspan(at, count)));
    }
    return Ok{};
  }

  // All of them in one pass over the table. When the engine can't answer that, each is asked alone, so that one column
  // does not hide the others.
  Status ask_some(const contract::Resource& resource, const engine::CatalogTable& table,
                  std::span<const Question> questions) {
    std::string sql = "SELECT count(*)";
    std::vector<Value> parameters;
    for (const Question& question : questions) {
      sql += ", count(*) FILTER (WHERE " + question.sql(source_, parameters.size()) + ")";
      parameters.insert(parameters.end(), question.parameters.begin(), question.parameters.end());
    }
    Result<ContractSource::Row> counts = source_.ask_one(sql + " FROM " + source_.in_sql(table), parameters);
    if (!counts.ok()) {
      if (ends_all(counts.error())) return std::move(counts).error();
      if (questions.size() > 1) {
        for (const Question& question : questions) CANDOR_TRY(ask_some(resource, table, std::span(&question, 1)));
        return Ok{};
      }
      fault("unreadable-values", resource, questions.empty() ? "" : questions.front().column->name,
            "can't be looked at: " + counts.error().message);
      return Ok{};
    }
    into_.resources.back().rows = static_cast<std::uint64_t>((*counts)[0].integer);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const auto count = static_cast<std::uint64_t>((*counts)[i + 1].integer);
      if (count == 0) continue;
      const Question& question = questions[i];
      ContractCheck::Fault& found =
          fault(question.kind, resource, question.column->name,
                rows_text(count) + (count == 1 ? " " + singular(question.meaning) : " " + question.meaning));
      found.count = count;
      if (question.kind != "null-values") found.examples = examples(table, question);
    }
    return Ok{};
  }

  static std::string singular(const std::string& meaning) {
    return meaning.starts_with("hold ") ? "holds " + meaning.substr(5) : meaning;
  }

  // A value that can't be shown is none: the count stands without it.
  std::vector<std::string> examples(const engine::CatalogTable& table, const Question& question) {
    const std::string column = in_double_quotes(question.column->stored);
    const std::string shown = source_.sqlite() ? "CASE typeof(" + column + ") WHEN 'blob' THEN '(bytes)' ELSE CAST(" +
                                                     column + " AS TEXT) END"
                                               : "CAST(" + column + " AS VARCHAR)";
    std::vector<std::string> texts;
    const Result<std::vector<ContractSource::Row>> rows =
        source_.ask("SELECT DISTINCT " + shown + " AS v FROM " + source_.in_sql(table) + " WHERE " +
                        question.sql(source_, 0) + " ORDER BY 1 LIMIT 3",
                    question.parameters);
    if (!rows.ok()) return texts;
    for (const ContractSource::Row& row : *rows) {
      const std::string_view text = utf8_prefix(row[0].text, kExampleChars);
      texts.push_back(std::string(text) + (text.size() < row[0].text.size() ? "…" : ""));
    }
    return texts;
  }

  // Where nothing is written, one value of the key may stand once for each value of the scope.
  Status check_key(const contract::Resource& resource, const engine::CatalogTable& table) {
    const contract::Column* key = resource.find(resource.key);
    const engine::CatalogColumn* stored = key == nullptr ? nullptr : find_column(table, key->stored);
    if (stored == nullptr) return Ok{};
    const auto keys = std::ranges::count_if(table.columns, &engine::CatalogColumn::primary_key);
    if (keys == 1 && stored->primary_key) return Ok{};
    const std::string column = in_double_quotes(key->stored) + (source_.sqlite() ? " COLLATE BINARY" : "");
    std::string group = column;
    if (contract_.scope && !resource.takes_writes() && find_column(table, contract_.scope->column) != nullptr)
      group += ", " + in_double_quotes(contract_.scope->column);
    const std::string twice = " FROM " + source_.in_sql(table) + " WHERE " + in_double_quotes(key->stored) +
                              " IS NOT NULL GROUP BY " + group + " HAVING count(*) > 1";
    const Result<ContractSource::Row> count = source_.ask_one("SELECT count(*) FROM (SELECT 1" + twice + ") AS keys");
    if (!count.ok()) {
      if (ends_all(count.error())) return count.error();
      fault("duplicate-keys", resource, key->name, "can't be looked at: " + count.error().message);
      return Ok{};
    }
    const auto values = static_cast<std::uint64_t>((*count)[0].integer);
    if (values == 0) return Ok{};
    ContractCheck::Fault& found =
        fault("duplicate-keys", resource, key->name,
              (values == 1 ? "1 value of the key stands" : std::to_string(values) + " values of the key stand") +
                  " in several rows, and a key names one");
    found.count = values;
    const std::string text =
        std::string("CAST(") + in_double_quotes(key->stored) + (source_.sqlite() ? " AS TEXT)" : " AS VARCHAR)");
    const Result<std::vector<ContractSource::Row>> shown =
        source_.ask("SELECT v FROM (SELECT min(" + text + ") AS v" + twice + ") AS keys ORDER BY 1 LIMIT 3");
    if (!shown.ok()) return Ok{};
    for (const ContractSource::Row& row : *shown) found.examples.emplace_back(utf8_prefix(row[0].text, kExampleChars));
    return Ok{};
  }

  const contract::Contract& contract_;
  ContractSource& source_;
  ContractCheck& into_;
};

}  // namespace

Result<ContractCheck> Service::check_contract(const Caller& caller, const std::string& file, const std::string& source,
                                              CancelToken cancel) {
  CANDOR_ASSIGN(const contract::Contract contract, contract::load(file, configuration_));
  const bool named = std::ranges::any_of(
      configuration_.sources, [&](const config::Source& one) { return same_name(one.name, contract.source); });
  CANDOR_ASSIGN(const config::Source meant,
                source_for_contract(configuration_, source.empty() && named ? contract.source : source));
  CANDOR_ASSIGN(const Prepared prepared, prepare(caller));
  CANDOR_ASSIGN(ContractSource opened, ContractSource::open(*prepared.session, meant, std::move(cancel)));
  ContractCheck check;
  check.contract = contract.name;
  check.file = file;
  check.source = meant.name;
  CANDOR_TRY(Checker(contract, opened, check).check());
  return check;
}

}  // namespace candor
