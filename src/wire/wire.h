// Facade structures to JSON documents (docs/results.md), the same for the command line, MCP and HTTP.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codes.h"
#include "base/diagnostic.h"
#include "candor/candor.h"
#include "candor/documents.h"
#include "candor/explanation.h"
#include "json/json.h"

namespace candor::wire {

enum class RowShape : std::uint8_t { kArrays, kObjects };

// Writes the document of one `Candor::run` as it goes: a statement's own document, or a batch of them. Nothing is written
// before the first 64 kB of a result are known, so that a short result says everything of its columns before its rows.
class DocumentSink final : public ResultSink {
 public:
  using Write = std::function<bool(std::string_view)>;  // false: the reader is gone, the statement is cancelled
  explicit DocumentSink(Write write, RowShape shape = RowShape::kArrays);
  ~DocumentSink() override;

  void start(const StatementStart& start) override;
  bool rows(const RowBatch& batch) override;
  void end(const StatementEnd& end) override;
  void failed(const StatementStart& start, const Diagnostic& failure) override;

  // Closes the document. `overall` is what Candor::run returned: its failure becomes the document when nothing was written.
  // The exit code of the whole.
  ExitCode finish(const Status& overall);

  // Rows handed over and characters written so far; for telemetry and for deciding about text blocks.
  [[nodiscard]] std::uint64_t characters() const { return characters_; }
  [[nodiscard]] const std::optional<Diagnostic>& failure() const { return failure_; }

 private:
  void put(std::string_view text);
  void flush();
  void open_rows();
  void append_columns(bool with_encoding);
  void end_shaped(const StatementEnd& end);

  Write write_;
  RowShape shape_;
  bool reader_gone_ = false;
  bool opened_ = false;  // the document has begun
  bool batch_ = false;
  bool rows_open_ = false;  // columns and "rows":[ are written
  std::size_t statements_ = 0;
  std::size_t statements_expected_ = 0;
  std::uint64_t affected_total_ = 0;
  std::uint64_t rows_omitted_ = 0;
  std::string batch_id_;
  std::uint64_t characters_ = 0;
  std::string head_;  // rows that wait for the columns
  std::string out_;   // text that waits for a write
  StatementStart current_;
  std::vector<std::string> names_;  // for row objects: unique
  std::vector<bool> mixed_;         // columns with an integer that had to be a string
  std::vector<bool> mixed_told_;    // said in `columns` already
  std::uint64_t rows_seen_ = 0;
  std::optional<Diagnostic> failure_;
};

[[nodiscard]] json::Node warnings_node(const std::vector<Warning>& warnings);
[[nodiscard]] json::Node materialized_document(const Materialized& result);
[[nodiscard]] std::unique_ptr<scope::List> checked_list(const std::vector<Candor::Checked>& checked);
[[nodiscard]] json::Node checked_document(const std::vector<Candor::Checked>& checked, const scope::ShapedList& list);
[[nodiscard]] json::Node explanation_document(const Explanation& explanation);
[[nodiscard]] json::Node verification_document(const Verification& verification);

[[nodiscard]] json::Node undone_document(const Undone& undone);
// One answer whole: the question, the values, the query behind it, the receipt.
[[nodiscard]] json::Node answer_document(const ledger::AnswerRecord& answer, const ledger::QueryRecord* query);
[[nodiscard]] json::Node query_document(const ledger::QueryRecord& query);

// How many rows of each list are shown, and who said so.
struct ListMax {
  std::uint64_t rows = 50;
  scope::LimitSource source = scope::LimitSource::kDefault;
};

// What telemetry adds up to, and what a contract would have said to a log (docs/stats.md). Lists are cut to `list_max`, each
// with its agent_surface.
[[nodiscard]] json::Node statistics_document(const ledger::Statistics& statistics,
                                             const ledger::StatisticsFilter& filter, ListMax list_max);
[[nodiscard]] json::Node replay_document(const ReplayReport& report, ListMax list_max);

using candor::unique_names;

}  // namespace candor::wire
