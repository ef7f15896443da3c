// INSERT, UPDATE, DELETE.
#include <utility>

#include "base/ascii.h"
#include "dialect/grammar.h"

namespace candor::dialect {

bool Grammar::where_clause(ExprPtr& where) {
  (void)take();
  if (at_word("current") && at_word("of", 1)) return unsupported_here("WHERE CURRENT OF", "name the rows by their key");
  where = expression();
  return where != nullptr;
}

bool Grammar::write_target(Write& write, std::string_view after) {
  if (!take_names(write.resource, "a resource after " + std::string(after))) return false;
  const bool as = accept_word("as");
  if (as || at_alias()) {
    write.alias = take_name("an alias");
    return write.alias.has_value();
  }
  return true;
}

bool Grammar::returning(Write& write) {
  if (!accept_word("returning")) return true;
  return item_list(write.returning);
}

std::unique_ptr<Write> Grammar::insert() {
  const std::size_t first = position_;
  auto write = std::make_unique<Write>();
  (void)take();
  if (at_word("or")) {
    (void)unsupported_here("INSERT OR …", "write ON CONFLICT (key) DO NOTHING or DO UPDATE SET …");
    return nullptr;
  }
  if (at_word("ignore")) {
    (void)unsupported_here("INSERT IGNORE", "write ON CONFLICT (key) DO NOTHING");
    return nullptr;
  }
  if (!expect_word("into", "after INSERT") || !take_names(write->resource, "a resource")) return nullptr;
  if (accept_word("as")) {
    write->alias = take_name("an alias");
    if (!write->alias) return nullptr;
  }
  if (accept_symbol("(") && !take_name_list(write->columns, "a column")) return nullptr;
  if (accept_word("default")) {
    if (!expect_word("values", "after DEFAULT")) return nullptr;
    write->rows.emplace_back();
    write->row_spans.push_back(span_from(first));
  } else if (at_word("select") || at_word("with") || at_word("table") || at_symbol("(")) {
    (void)unsupported_here("INSERT … SELECT", "read the rows first, then write them with INSERT … VALUES");
    return nullptr;
  } else if (at_word("set")) {
    (void)unsupported_here("INSERT … SET", "write INSERT INTO resource (columns) VALUES (values)");
    return nullptr;
  } else if (!values(*write)) {
    return nullptr;
  }
  if (at_word("on") && !conflict(*write)) return nullptr;
  if (!returning(*write)) return nullptr;
  write->span = span_from(first);
  return write;
}

bool Grammar::values(Write& write) {
  if (!accept_word("value") && !expect_word("values", "and the rows")) return false;
  do {
    if (!values_row(write)) return false;
  } while (accept_symbol(","));
  return true;
}

bool Grammar::values_row(Write& write) {
  const std::size_t first = position_;
  if (!expect_symbol("(", "before a row of values")) return false;
  std::vector<ExprPtr> row;
  if (!accept_symbol(")")) {
    do {
      ExprPtr value;
      if (at_word("default")) {
        value = make(ExprKind::kDefault, position_);
        (void)take();
      } else {
        value = expression();
      }
      if (value == nullptr) return false;
      row.push_back(std::move(value));
    } while (accept_symbol(","));
    if (!expect_symbol(")", "after a row of values")) return false;
  }
  write.rows.push_back(std::move(row));
  write.row_spans.push_back(span_from(first));
  return true;
}

bool Grammar::conflict(Write& write) {
  const std::size_t first = position_;
  (void)take();
  if (at_word("duplicate")) {
    return unsupported_here("ON DUPLICATE KEY UPDATE", "write ON CONFLICT (key) DO UPDATE SET …");
  }
  Conflict made;
  if (!expect_word("conflict", "after ON")) return false;
  if (at_word("on") && at_word("constraint", 1)) {
    return unsupported_here("ON CONFLICT ON CONSTRAINT", "name the key: ON CONFLICT (key)");
  }
  if (accept_symbol("(") && !take_name_list(made.key, "the key")) return false;
  if (!expect_word("do", "after ON CONFLICT")) return false;
  if (!accept_word("nothing")) {
    if (!expect_word("update", "or NOTHING after DO") || !expect_word("set", "after DO UPDATE")) return false;
    if (!assignments(made.set)) return false;
    if (at_word("where") && !where_clause(made.where)) return false;
  }
  made.span = span_from(first);
  write.conflict = std::move(made);
  return true;
}

bool Grammar::assignments(std::vector<Assignment>& set) {
  do {
    Assignment assignment;
    if (at_symbol("(")) return unsupported_here("SET of several columns at once", "write SET a = 1, b = 2");
    std::vector<Name> names;
    if (!take_names(names, "a column")) return false;
    assignment.column = std::move(names.back());
    if (!expect_symbol("=", "after the column")) return false;
    if (at_word("default")) {
      assignment.value = make(ExprKind::kDefault, position_);
      (void)take();
    } else {
      assignment.value = expression();
    }
    if (assignment.value == nullptr) return false;
    set.push_back(std::move(assignment));
  } while (accept_symbol(","));
  return true;
}

std::unique_ptr<Write> Grammar::update() {
  const std::size_t first = position_;
  auto write = std::make_unique<Write>();
  write->kind = Write::Kind::kUpdate;
  (void)take();
  if (at_word("or")) {
    (void)unsupported_here("UPDATE OR …", "leave it out: a write that fails changes nothing");
    return nullptr;
  }
  if (!write_target(*write, "UPDATE")) return nullptr;
  if (!expect_word("set", "and the columns to write") || !assignments(write->set)) return nullptr;
  if (at_word("from")) {
    (void)unsupported_here("UPDATE … FROM", "choose the rows with WHERE key IN (SELECT …)");
    return nullptr;
  }
  if (at_word("where") && !where_clause(write->where)) return nullptr;
  if (at_word("limit") || at_word("order")) {
    (void)unsupported_here("UPDATE … LIMIT", "name the rows by their key: WHERE key IN (…)");
    return nullptr;
  }
  if (!returning(*write)) return nullptr;
  write->span = span_from(first);
  return write;
}

std::unique_ptr<Write> Grammar::remove() {
  const std::size_t first = position_;
  auto write = std::make_unique<Write>();
  write->kind = Write::Kind::kDelete;
  (void)take();
  if (!expect_word("from", "after DELETE") || !write_target(*write, "DELETE FROM")) return nullptr;
  if (at_word("using")) {
    (void)unsupported_here("DELETE … USING", "choose the rows with WHERE key IN (SELECT …)");
    return nullptr;
  }
  if (at_word("where") && !where_clause(write->where)) return nullptr;
  if (at_word("limit") || at_word("order")) {
    (void)unsupported_here("DELETE … LIMIT", "name the rows by their key: WHERE key IN (…)");
    return nullptr;
  }
  if (!returning(*write)) return nullptr;
  write->span = span_from(first);
  return write;
}

}  // namespace candor::dialect
