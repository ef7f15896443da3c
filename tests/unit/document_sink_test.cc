// The document of a run: its parts, its order, and what it says when a statement fails half-way.
#include <gtest/gtest.h>
#include <string>

#include "json/json.h"
#include "wire/wire.h"

namespace candor::wire {
namespace {

StatementStart a_select(std::size_t index = 0, std::size_t count = 1) {
  StatementStart start;
  start.index = index;
  start.count = count;
  start.sql = "SELECT 1";
  start.header.columns = {{"id", "BIGINT"}, {"id", "VARCHAR"}};
  return start;
}

RowBatch rows_of(std::initializer_list<std::pair<std::int64_t, std::string>> rows) {
  RowBatch batch;
  CellWriter writer(batch.cells);
  for (const auto& [number, text] : rows) {
    writer.integer(number);
    writer.text(CellKind::kText, text);
    ++batch.rows;
  }
  return batch;
}

StatementEnd end_of(std::uint64_t rows) {
  StatementEnd end;
  end.query_id = "q1";
  end.statement_type = "select";
  end.row_count = rows;
  end.surface = scope::describe({}, rows, rows, "");
  return end;
}

class DocumentSinkTest : public testing::Test {
 protected:
  json::Node document() {
    Result<json::Node> parsed = json::parse(text_);
    EXPECT_TRUE(parsed.ok()) << text_;
    return parsed.ok() ? *parsed : json::Node();
  }

  std::string text_;
  DocumentSink sink_{[this](std::string_view part) {
    text_ += part;
    return true;
  }};
};

TEST_F(DocumentSinkTest, ColumnsComeBeforeRowsAndKeepEqualNames) {
  sink_.start(a_select());
  sink_.rows(rows_of({{1, "a"}, {2, "b"}}));
  sink_.end(end_of(2));
  EXPECT_EQ(sink_.finish(Ok{}), ExitCode::kDone);
  EXPECT_LT(text_.find("\"columns\""), text_.find("\"rows\""));
  const json::Node whole = document();
  EXPECT_EQ(json::dump(whole["rows"]), R"([[1,"a"],[2,"b"]])");
  EXPECT_EQ(whole["columns"].items().size(), 2U);
  EXPECT_EQ(whole["columns"].items()[1].string_or("id", ""), "c1");
  EXPECT_EQ(whole["row_count"].integer(), 2);
}

TEST_F(DocumentSinkTest, AColumnThatNeededAStringSaysSo) {
  sink_.start(a_select());
  sink_.rows(rows_of({{1, "a"}, {std::int64_t{1} << 53, "b"}}));
  sink_.end(end_of(2));
  (void)sink_.finish(Ok{});
  const json::Node whole = document();
  EXPECT_EQ(whole["columns"].items()[0].string_or("encoding", ""), "mixed-string");
  EXPECT_EQ(whole["columns"].items()[1].find("encoding"), nullptr);
  EXPECT_EQ(json::dump(whole["rows"]), R"([[1,"a"],["9007199254740992","b"]])");
}

TEST_F(DocumentSinkTest, ZeroRowsKeepTheirColumns) {
  sink_.start(a_select());
  sink_.end(end_of(0));
  (void)sink_.finish(Ok{});
  const json::Node whole = document();
  EXPECT_EQ(whole["columns"].items().size(), 2U);
  EXPECT_TRUE(whole["rows"].is_array());
}

TEST_F(DocumentSinkTest, AFailureBeforeRowsLeftIsOnlyAnError) {
  sink_.start(a_select());
  sink_.rows(rows_of({{1, "a"}}));
  sink_.failed(a_select(), make_error("statement-timeout", "stopped after 30 s"));
  EXPECT_EQ(sink_.finish(Ok{}), ExitCode::kEngine);
  const json::Node whole = document();
  EXPECT_TRUE(whole["error"].truth());
  EXPECT_EQ(whole.find("rows"), nullptr);
  EXPECT_TRUE(whole["retryable"].truth());
}

TEST_F(DocumentSinkTest, AFailureAfterRowsLeftStillSaysError) {
  sink_.start(a_select());
  for (int i = 0; i < 200; ++i) sink_.rows(rows_of({{i, std::string(1000, 'x')}}));
  EXPECT_FALSE(text_.empty()) << "a long result leaves before its end";
  sink_.failed(a_select(), make_error("engine-error", "division by zero"));
  EXPECT_EQ(sink_.finish(Ok{}), ExitCode::kEngine);
  const json::Node whole = document();
  EXPECT_TRUE(whole["error"].truth());
  EXPECT_EQ(whole.string_or("code", ""), "engine-error");
  EXPECT_EQ(whole["rows"].items().size(), 200U);
}

TEST_F(DocumentSinkTest, ALateStringIsToldBehindTheRows) {
  sink_.start(a_select());
  for (int i = 0; i < 200; ++i) sink_.rows(rows_of({{i, std::string(1000, 'x')}}));
  sink_.rows(rows_of({{std::int64_t{1} << 60, "late"}}));
  sink_.end(end_of(201));
  (void)sink_.finish(Ok{});
  EXPECT_EQ(document()["column_encodings"].string_or("c0", ""), "mixed-string");
}

TEST_F(DocumentSinkTest, ABatchHoldsEachStatementAndTheFailure) {
  sink_.start(a_select(0, 2));
  sink_.end(end_of(0));
  sink_.failed(a_select(1, 2), make_error("unknown-table", "no table named 'x'"));
  EXPECT_EQ(sink_.finish(Ok{}), ExitCode::kRejected);
  const json::Node whole = document();
  EXPECT_EQ(whole.string_or("statement_type", ""), "batch");
  ASSERT_EQ(whole["statements"].items().size(), 2U);
  EXPECT_EQ(whole["statements"].items()[0].string_or("query_id", ""), "q1");
  EXPECT_TRUE(whole["statements"].items()[1]["error"].truth());
  EXPECT_TRUE(whole["error"].truth()) << "the batch as a whole failed too";
}

TEST_F(DocumentSinkTest, ARefusalOfTheWholeIsTheDocument) {
  EXPECT_EQ(sink_.finish(make_error("over-limit", "too long")), ExitCode::kOverLimit);
  EXPECT_EQ(document().string_or("code", ""), "over-limit");
}

TEST(DocumentSinkObjects, EqualNamesAreMadeUnique) {
  std::string text;
  DocumentSink sink([&](std::string_view part) { return text += part, true; }, RowShape::kObjects);
  sink.start(a_select());
  sink.rows(rows_of({{1, "a"}}));
  sink.end(end_of(1));
  (void)sink.finish(Ok{});
  const Result<json::Node> whole = json::parse(text);
  ASSERT_TRUE(whole.ok()) << text;
  EXPECT_EQ(json::dump((*whole)["rows"]), R"([{"id":1,"id_2":"a"}])");
}

TEST(DocumentSinkObjects, AReaderThatLeftCancels) {
  DocumentSink sink([](std::string_view) { return false; });
  sink.start(a_select());
  bool going_on = true;
  for (int i = 0; i < 500 && going_on; ++i) going_on = sink.rows(rows_of({{i, std::string(1000, 'x')}}));
  EXPECT_FALSE(going_on);
}

TEST(UniqueNames, NeverCollideWithARealName) {
  EXPECT_EQ(unique_names({{"a", ""}, {"a", ""}, {"a_2", ""}}), (std::vector<std::string>{"a", "a_3", "a_2"}));
}

}  // namespace
}  // namespace candor::wire
