// What is explained is what runs: the statements that an engine is given stand among the steps, word for word.
#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bind/binder.h"
#include "dialect/parser.h"
#include "exec/exec.h"
#include "support/contract_source.h"

namespace candor::test {
namespace {

using Texts = std::vector<std::string>;

class RecordingTransaction final : public engine::Transaction {
 public:
  RecordingTransaction(std::unique_ptr<engine::Transaction> inner, Texts& said)
      : inner_(std::move(inner)), said_(said) {}
  Result<std::unique_ptr<engine::RowStream>> run(const engine::RunRequest& request, CancelToken cancel) override {
    said_.push_back(request.sql);
    return inner_->run(request, std::move(cancel));
  }
  Status commit() override { return inner_->commit(); }

 private:
  std::unique_ptr<engine::Transaction> inner_;
  Texts& said_;
};

// The engine itself, with a note of each statement.
class RecordingEngine final : public engine::Engine {
 public:
  explicit RecordingEngine(engine::Engine& inner) : inner_(inner) {}
  Result<std::unique_ptr<engine::RowStream>> run(const engine::RunRequest& request, CancelToken cancel) override {
    said.push_back(request.sql);
    return inner_.run(request, std::move(cancel));
  }
  Result<std::unique_ptr<engine::Transaction>> begin(std::int64_t wait_ms, CancelToken cancel) override {
    auto begun = inner_.begin(wait_ms, std::move(cancel));
    if (!begun.ok()) return begun.error();
    return std::unique_ptr<engine::Transaction>(std::make_unique<RecordingTransaction>(*std::move(begun), said));
  }
  Result<engine::Catalog> catalog() override { return inner_.catalog(); }
  Result<std::string> syntax_tree(std::string_view sql) override { return inner_.syntax_tree(sql); }
  Result<std::string> print_tree(std::string_view tree) override { return inner_.print_tree(tree); }
  Result<engine::TableFacts> table_facts(const engine::TableName& name, const Texts& columns) override {
    return inner_.table_facts(name, columns);
  }
  Result<std::vector<engine::FunctionFacts>> function_facts(const Texts& names) override {
    return inner_.function_facts(names);
  }
  Result<std::uint64_t> append(const std::string& table, const std::vector<Column>& columns, bool replace,
                               engine::RowStream& rows, CancelToken cancel) override {
    return inner_.append(table, columns, replace, rows, std::move(cancel));
  }

  Texts said;

 private:
  engine::Engine& inner_;
};

constexpr std::string_view kContract = R"(contract: steps
source: app
limits: {rows_per_statement: 2}
resources:
  cards:
    table: cards
    key: card_id
    writes: [insert, update, delete]
    columns: {card_id: string, n: integer, note: {type: string, nullable: true}}
)";

class Steps : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    Result<contract::Contract> read = contract::parse(kContract, "steps.yaml");
    ASSERT_TRUE(read.ok()) << read.error().message;
    contract_ = *std::move(read);
    engine_ = source_.open();
    recording_ = std::make_unique<RecordingEngine>(*engine_);
    const auto catalog = engine_->catalog();
    ASSERT_TRUE(catalog.ok());
    const lower::Target target = GetParam() == Kind::kSqlite ? lower::Target::kSqlite : lower::Target::kDuckdb;
    Result<lower::Storage> storage = exec::find_storage(contract_, *catalog, target);
    ASSERT_TRUE(storage.ok()) << storage.error().message;
    environment_.engine = recording_.get();
    environment_.contract = &contract_;
    environment_.storage = *std::move(storage);
    environment_.storage.now = "2024-06-01T12:00:00";
  }

  // Names of the steps, those that ran first, the others with a minus; what ran and is no step stands with a plus.
  Texts played(const std::string& sql) {
    const dialect::Parsed parsed = dialect::parse(sql);
    const bind::Bound bound = bind::bind(sql, parsed, {&contract_, ""});
    if (bound.statements.size() != 1) return {"not bound"};
    const std::vector<exec::Step> steps = exec::steps_of(bound.statements[0], contract_, environment_.storage);
    recording_->said.clear();
    std::size_t failed = 0;
    if (bound.statements[0].write != nullptr) {
      const auto written = exec::write(bound.statements, environment_, {}, failed);
      if (!written.ok() && written.error().code != "too-many-rows") return {written.error().message};
    } else {
      const auto rows = exec::read(*bound.statements[0].select, environment_, {});
      if (!rows.ok()) return {rows.error().message};
    }
    Texts names;
    for (const std::string& said : recording_->said) {
      const auto step = std::ranges::find_if(steps, [&](const exec::Step& one) { return one.lowered.sql == said; });
      names.push_back(step == steps.end() ? "+ " + said : step->name);
    }
    for (const exec::Step& step : steps) {
      if (std::ranges::find(recording_->said, step.lowered.sql) == recording_->said.end())
        names.push_back("- " + step.name);
    }
    return names;
  }

  ContractSource source_{GetParam()};
  contract::Contract contract_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<RecordingEngine> recording_;
  exec::Environment environment_;
};

TEST_P(Steps, OfReads) {
  EXPECT_EQ(played("SELECT n FROM cards WHERE n < 3"), (Texts{"read", "- count"}));
  EXPECT_EQ(played("SELECT n FROM cards ORDER BY card_id LIMIT 1"), (Texts{"read", "count"}));
  // The row behind the page is another one under the ORDER BY; it ties with the page's last; it ties on both sides.
  EXPECT_EQ(played("SELECT n FROM cards ORDER BY note"), (Texts{"read", "count", "- ties", "- places"}));
  EXPECT_EQ(played("SELECT n FROM cards ORDER BY n > 0 LIMIT 1"), (Texts{"read", "ties", "- count", "- places"}));
  EXPECT_EQ(played("SELECT DISTINCT note, n > 0 AS p FROM cards ORDER BY p LIMIT 1 OFFSET 1"),
            (Texts{"read", "count", "places", "- ties"}));
}

TEST_P(Steps, OfWrites) {
  EXPECT_EQ(played("UPDATE cards SET n = n + 1 WHERE card_id = 'a' RETURNING n"),
            (Texts{"resolve", "change", "returning", "look again", "- count"}));
  EXPECT_EQ(played("UPDATE cards SET n = 5 WHERE n > 0 OR note = 'x'"),
            (Texts{"resolve", "count", "- change", "- look again"}));
  EXPECT_EQ(played("INSERT INTO cards (card_id, n, note) VALUES ('d', 4, LOWER('X')) RETURNING note"),
            (Texts{"values", "known keys", "insert", "returning", "look again"}));
  EXPECT_EQ(played("INSERT INTO cards (card_id, n) VALUES ('d', 9) ON CONFLICT (card_id) DO UPDATE SET n = excluded.n "
                   "+ cards.n"),
            (Texts{"known keys", "conflict", "remember", "change", "remember", "- insert"}));
  EXPECT_EQ(played("DELETE FROM cards WHERE LENGTH('ab') = 2 AND card_id = 'd' RETURNING n"),
            (Texts{"condition", "resolve", "returning", "change", "- count"}));
}

INSTANTIATE_TEST_SUITE_P(Engines, Steps, testing::Values(Kind::kSqlite, Kind::kDuckdb),
                         [](const auto& one) { return std::string(one.param == Kind::kSqlite ? "Sqlite" : "Duckdb"); });

}  // namespace
}  // namespace candor::test
