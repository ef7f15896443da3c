// Results on a terminal: a table a statement, then what it is a part of, warnings, and errors with their place.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/codes.h"
#include "candor/candor.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/terminal.h"

namespace candor::cli {

// The cell as a person reads it. NULL is dimmed; the text NULL has quotes, so that the two differ without colours too.
[[nodiscard]] TableCell table_cell(CellReader& reader);

class TableSink final : public ResultSink {
 public:
  TableSink(const Stream& out, const Stream& err, Progress& progress) : out_(&out), err_(&err), progress_(&progress) {}

  void start(const StatementStart& start) override;
  bool rows(const RowBatch& batch) override;
  void end(const StatementEnd& end) override;
  void failed(const StatementStart& start, const Diagnostic& failure) override;

  // The first failure's, or kDone.
  [[nodiscard]] ExitCode exit() const { return exit_; }

 private:
  const Stream* out_;
  const Stream* err_;
  Progress* progress_;
  std::optional<Table> table_;
  std::size_t columns_ = 0;
  std::string sql_;
  bool last_ = true;      // of its batch
  bool printed_ = false;  // something before this statement
  ExitCode exit_ = ExitCode::kDone;
};

}  // namespace candor::cli
