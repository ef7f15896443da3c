// What a batch of writes says to its source, in few exchanges: statements whose answer decides nothing are put off, and go
// along with the next question. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "exec/rows.h"

namespace candor::exec {

class Exchange {
 public:
  Exchange(const Environment& environment, engine::Transaction& transaction, const CancelToken& cancel)
      : environment_(environment), transaction_(transaction), cancel_(cancel) {}

  // Which statement of the batch all that follows belongs to.
  void begin_statement(std::size_t number) { statement_ = number; }
  // The statement that what failed belongs to.
  [[nodiscard]] std::size_t failed_statement() const { return failed_ ? failed_statement_ : statement_; }

  // Puts a statement off. `judge` looks at what it gave, after all that was put off before it was judged.
  [[nodiscard]] Status later(lower::Lowered lowered, std::function<Status(const Rows&)> judge);
  // Puts off something that is done here, in its turn; at once where nothing waits.
  [[nodiscard]] Status in_turn(std::function<Status()> action);
  // Runs what was put off. Once that has failed, everything fails with the same.
  [[nodiscard]] Status settle();

  // Runs what was put off, and the question after it. Its answer comes when all before it was judged good.
  [[nodiscard]] Result<Rows> ask(const lower::Lowered& question);
  [[nodiscard]] Result<std::uint64_t> ask_count(const lower::Lowered& question);
  // Several questions together; nothing for those whose answer was too long to come with the others.
  [[nodiscard]] Result<std::vector<std::optional<Rows>>> ask_all(const std::vector<lower::Lowered>& questions);

 private:
  struct Waiting {
    std::optional<lower::Lowered> lowered;  // nothing: it is done here
    std::function<Status(const Rows&)> judge;
    std::size_t statement = 0;
  };
  [[nodiscard]] Result<std::optional<Rows>> settle_with(const lower::Lowered* question);
  [[nodiscard]] Diagnostic fail(std::size_t statement, Diagnostic why);

  const Environment& environment_;
  engine::Transaction& transaction_;
  const CancelToken& cancel_;
  std::vector<Waiting> waiting_;
  std::size_t bytes_ = 0;  // of those, about
  std::size_t statement_ = 0;
  std::optional<Diagnostic> failed_;
  std::size_t failed_statement_ = 0;
};

}  // namespace candor::exec
