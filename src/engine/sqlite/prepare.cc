// Preparing and binding.
#include "engine/sqlite/prepare.h"

#include <charconv>
#include <cstddef>
#include <string>
#include <utility>

#include "base/render_json.h"
#include "engine/sqlite/errors.h"
#include "engine/sqlite/statement.h"

namespace candor::engine::sqlite {
namespace {

namespace sql = candor::sqlite;

// The number of a parameter ?, ?7, $7 or :7; 0 for a name. For SQLite the second form is a number and the later two are
// names, counted as they come: out of order, $1 and ?1 would be two different parameters.
int parameter_number(std::string_view name, int index) {
  if (name.empty()) return index;
  int number = 0;
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + 1, end, number);
  return read.ec == std::errc() && read.ptr == end && number == index ? number : 0;
}

}  // namespace

Status check_text(std::string_view text) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    Diagnostic made = make_error("invalid-text", "the statement holds a NUL");
    made.span = Span{nul, nul + 1};
    return made;
  }
  if (!is_utf8(text)) return make_error("invalid-text", "the statement is not valid UTF-8");
  return Ok{};
}

Result<sql::Statement> prepare_one(Connection& connection, std::string_view text, const SourceSpec& source) {
  std::size_t tail = 0;
  // An empty statement before the first is passed over, so that the first is what runs.
  const std::size_t start = skip_blank(text, true);
  auto statement = connection.database().prepare(text.substr(start), &tail);
  if (!statement.ok()) {
    Diagnostic failure = std::move(statement).error();
    if (failure.span) failure.span = Span{failure.span->start + start, failure.span->end + start};
    return statement_error(std::move(failure), connection, connection.database().fault(), source, text);
  }
  const std::size_t rest = start + tail + skip_blank(text.substr(start + tail), true);
  if (rest == text.size()) return statement;
  Diagnostic failure =
      make_error("several-statements", "one statement is expected here", "send the others on their own");
  failure.span = Span{rest, text.size()};
  return failure;
}

// SQLite takes a parameter without a value for NULL, which would answer another question.
Status bind_all(sql::Statement& statement, const std::vector<Value>& values) {
  for (int i = 1; i <= statement.parameter_count(); ++i) {
    const int number = parameter_number(statement.parameter_name(i), i);
    if (number < 1 || static_cast<std::size_t>(number) > values.size()) {
      return make_error("syntax", "the statement has a parameter without a value", "write the value into the statement",
                        std::string(statement.parameter_name(i)));
    }
    CANDOR_TRY(statement.bind(i, values[static_cast<std::size_t>(number) - 1]));
  }
  return Ok{};
}

}  // namespace candor::engine::sqlite
