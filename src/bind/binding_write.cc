// INSERT, UPDATE and DELETE: what may be written, and whether the values can be stored.
#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "bind/binding.h"
#include "bind/literals.h"

namespace candor::bind {

using dialect::ExprKind;
using dialect::LiteralKind;
using WriteKind = dialect::Write::Kind;

namespace {

std::string_view word_of(WriteKind kind) {
  switch (kind) {
    case WriteKind::kInsert:
      return "INSERT";
    case WriteKind::kUpdate:
      return "UPDATE";
    case WriteKind::kDelete:
      return "DELETE";
  }
  return "";
}

}  // namespace

std::unique_ptr<BoundWrite> Binding::write(const dialect::Write& parsed) {
  const contract::Resource* found = resource(parsed.resource, parsed.resource.back().span);
  if (found == nullptr) return nullptr;
  const std::size_t faults = faults_;
  const bool allowed = parsed.kind == WriteKind::kInsert   ? found->insert
                       : parsed.kind == WriteKind::kUpdate ? found->update
                                                           : found->remove;
  if (!allowed) {
    std::vector<std::string> takes;
    if (found->insert) takes.emplace_back("INSERT");
    if (found->update) takes.emplace_back("UPDATE");
    if (found->remove) takes.emplace_back("DELETE");
    error("read-only-resource", "'" + found->name + "' takes no " + std::string(word_of(parsed.kind)),
          parsed.resource.back().span, takes.empty() ? "it can be read with SELECT" : "it takes " + list_of(takes));
    return nullptr;
  }
  auto made = std::make_unique<BoundWrite>();
  made->kind = parsed.kind;
  made->resource = found;
  made->target = scan_of(*found, next_relation_++);
  if (parsed.alias) made->target->alias = parsed.alias->text;
  remember(*made->target);
  BoundSelect holder;
  Level level;
  level.select = &holder;
  level.relations.push_back(made->target.get());
  level_ = &level;
  if (parsed.kind == WriteKind::kInsert) {
    (void)insert(parsed, *made);
    if (parsed.conflict) (void)conflict(parsed, *made, level);
  } else {
    (void)change(parsed, *made, level);
  }
  (void)returning(parsed.returning, level, made->returning);
  level_ = nullptr;
  if (faults_ > faults) return nullptr;
  return made;
}

// A column that may be written to; its errors are told.
bool Binding::writable(const contract::Resource& resource, const dialect::Name& name, std::size_t& position) {
  const contract::Column* found = resource.find(name.text);
  if (found == nullptr) {
    Ast ast;
    ast.kind = ExprKind::kColumn;
    ast.span = name.span;
    ast.names = {name};
    (void)unknown_column(ast);
    return false;
  }
  position = static_cast<std::size_t>(found - resource.columns.data());
  if (!found->read_only) return true;
  std::vector<std::string> names;
  for (const contract::Column& column : resource.columns) {
    if (!column.read_only) names.push_back(column.name);
  }
  error("read-only-column", "'" + found->name + "' takes no writes", name.span,
        names.empty() ? "leave it out" : "leave it out; columns that can be written are " + list_of(names));
  return false;
}

// A value for the column; NULL and DEFAULT give a null literal and a null pointer without an error.
BoundPtr Binding::stored_value(const Ast& ast, const contract::Column& column) {
  const std::string form = contract::is_array(column.type)
                               ? "write () for an empty array"
                               : "give it a value such as " + std::string(example_of(column.type));
  if (ast.kind == ExprKind::kLiteral && ast.literal == LiteralKind::kNull) {
    if (!column.nullable) return error("null-not-allowed", "'" + column.name + "' can't be NULL", ast.span, form);
    return literal(ast);
  }
  BoundExpr beside;
  beside.type = column.type;
  if (contract::is_array(column.type)) {
    const std::size_t faults = faults_;
    BoundPtr array;
    if (ast.kind == ExprKind::kList || ast.kind == ExprKind::kLiteral) {
      array = array_value(ast, column.type, beside);
    } else {
      array = expr(ast);
      if (array != nullptr && array->type == column.type) return array;
    }
    if (array != nullptr && array->type == column.type) return array;
    if (faults_ > faults) return nullptr;
    return error("bad-literal-type",
                 "'" + column.name + "' is a " + std::string(contract::to_string(column.type)) + ", and " +
                     text_of(ast.span) + " is none",
                 ast.span, "write " + std::string(example_of(column.type)));
  }
  BoundPtr value = expr(ast);
  if (value == nullptr) return nullptr;
  const auto bad = [&]() -> BoundPtr {
    const std::string given = value->kind == BoundKind::kLiteral ? as_sql(value->value) : "'" + text_of(ast.span) + "'";
    return error("bad-literal-type",
                 "'" + column.name + "' is of type " + std::string(contract::to_string(column.type)) + ", and " +
                     given + " is none",
                 ast.span, "write a value such as " + std::string(example_of(column.type)));
  };
  if (value->kind == BoundKind::kLiteral) {
    const std::size_t errors = bound_.errors.size();
    const Value written = value->value;
    if (!coerce(*value, column.type, nullptr, true)) {
      if (bound_.errors.size() > errors) {
        bound_.errors.resize(errors);
        edits_.resize(edits_.size() - 1);
      }
      value->value = written;
      return bad();
    }
    if (!column.allowed.empty() && std::ranges::find(column.allowed, value->value.text) == column.allowed.end()) {
      return error(
          "bad-literal-type",
          "'" + column.name + "' is never '" + value->value.text + "': it is one of " + list_of(column.allowed),
          ast.span, "write one of them");
    }
    return value;
  }
  const bool fits = !value->type || *value->type == column.type ||
                    (is_number(value->type) && (column.type == Type::kNumber || column.type == Type::kDecimal)) ||
                    (value->type == Type::kDate && column.type == Type::kDatetime);
  if (!fits) return bad();
  return value;
}

bool Binding::insert_columns(const dialect::Write& parsed, BoundWrite& made) {
  const contract::Resource& resource = *made.resource;
  bool fine = true;
  if (parsed.columns.empty()) {
    for (std::size_t i = 0; i < resource.columns.size(); ++i) {
      if (!resource.columns[i].read_only) made.columns.push_back(i);
    }
    return true;
  }
  for (const dialect::Name& name : parsed.columns) {
    std::size_t position = resource.columns.size();  // stands for a column with an error
    fine = writable(resource, name, position) && fine;
    if (position < resource.columns.size() && std::ranges::find(made.columns, position) != made.columns.end()) {
      error("duplicate-column", "'" + name.text + "' is listed twice", name.span, "list each column once");
      fine = false;
    }
    made.columns.push_back(position);
  }
  return fine;
}

bool Binding::insert_rows(const dialect::Write& parsed, BoundWrite& made) {
  const contract::Resource& resource = *made.resource;
  bool fine = true;
  for (std::size_t r = 0; r < parsed.rows.size(); ++r) {
    const auto& row = parsed.rows[r];
    const bool defaults = row.empty() && parsed.columns.empty() && parsed.rows.size() == 1;
    if (row.size() != made.columns.size() && !defaults) {
      error("value-count-mismatch",
            "row " + std::to_string(r + 1) + " has " + std::to_string(row.size()) + " values for " +
                std::to_string(made.columns.size()) + " columns",
            parsed.row_spans[r], "give each column one value");
      fine = false;
      continue;
    }
    std::vector<BoundPtr> values;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i]->kind == ExprKind::kDefault || made.columns[i] == resource.columns.size()) {
        values.push_back(nullptr);
        continue;
      }
      BoundPtr value = stored_value(*row[i], resource.columns[made.columns[i]]);
      fine = fine && value != nullptr;
      values.push_back(std::move(value));
    }
    if (defaults) values.resize(made.columns.size());
    made.rows.push_back(std::move(values));
  }
  return fine;
}

bool Binding::insert(const dialect::Write& parsed, BoundWrite& made) {
  const bool columns = insert_columns(parsed, made);
  // The values can't read a row: there is none yet.
  Level level;
  BoundSelect holder;
  level.select = &holder;
  Level* outer = std::exchange(level_, &level);
  const bool rows = insert_rows(parsed, made);
  level_ = outer;
  return columns && rows;
}

bool Binding::set(const std::vector<dialect::Assignment>& parsed, const contract::Resource& resource,
                  std::vector<BoundAssignment>& made) {
  bool fine = true;
  for (const dialect::Assignment& one : parsed) {
    BoundAssignment assignment;
    bool known = writable(resource, one.column, assignment.column);
    if (known && std::ranges::any_of(made, [&](const auto& other) { return other.column == assignment.column; })) {
      error("duplicate-column", "'" + one.column.text + "' is set twice", one.column.span, "set each column once");
      known = false;
    }
    if (known && one.value->kind == ExprKind::kDefault) {
      error("unsupported-construct", "SET … = DEFAULT is not part of the dialect", one.value->span, "write the value");
      known = false;
    } else if (known) {
      assignment.value = stored_value(*one.value, resource.columns[assignment.column]);
    } else if (one.value->kind != ExprKind::kDefault) {
      (void)expr(*one.value);  // its own errors are told too
    }
    fine = fine && known && assignment.value != nullptr;
    made.push_back(std::move(assignment));
  }
  return fine;
}

bool Binding::conflict(const dialect::Write& parsed, BoundWrite& made, Level& level) {
  const contract::Resource& resource = *made.resource;
  const dialect::Conflict& conflict = *parsed.conflict;
  made.on_conflict = true;
  for (const dialect::Name& name : conflict.key) {
    if (same_name(name.text, resource.key) && conflict.key.size() == 1) continue;
    error("unsupported-construct", "ON CONFLICT takes the key of the resource, and '" + name.text + "' is not it",
          name.span, "write ON CONFLICT (" + resource.key + ")");
    return false;
  }
  if (conflict.set.empty()) return true;
  made.excluded = scan_of(resource, next_relation_++);
  made.excluded->alias = "excluded";
  made.excluded->resource = nullptr;
  remember(*made.excluded);
  // A bare name means the row that is there; the other one is asked for by `excluded`.
  for (const RelationColumn& column : made.excluded->columns) made.excluded->merged.insert(lower_ascii(column.name));
  level.relations.push_back(made.excluded.get());
  bool fine = set(conflict.set, resource, made.conflict_set);
  if (conflict.where != nullptr) {
    made.conflict_where = with_use(Use::kFilter, [&] { return condition(*conflict.where); });
    fine = fine && made.conflict_where != nullptr;
  }
  level.relations.pop_back();
  return fine;
}

bool Binding::write_condition(const dialect::Write& parsed, BoundWrite& made) {
  const std::string word(word_of(parsed.kind));
  const std::size_t told = bound_.errors.size();
  if (parsed.where == nullptr) {
    error("write-without-where", word + " without WHERE would write each row of '" + made.resource->name + "'",
          parsed.span, "name the rows: WHERE " + made.resource->key + " IN (…)");
    if (bound_.errors.size() > told) bound_.unbounded_writes.emplace_back(told, made.resource);
    return false;
  }
  made.where = with_use(Use::kFilter, [&] { return condition(*parsed.where); });
  if (made.where == nullptr) return false;
  const std::size_t before = bound_.errors.size();
  if (constant_truth(*made.where) == true) {
    error("write-without-where",
          "the condition of this " + word + " is true for each row of '" + made.resource->name + "'",
          parsed.where->span, "name the rows: WHERE " + made.resource->key + " IN (…)");
    if (bound_.errors.size() > before) bound_.unbounded_writes.emplace_back(before, made.resource);
    return false;
  }
  warn_vacuous(*made.where);
  return true;
}

bool Binding::change(const dialect::Write& parsed, BoundWrite& made, Level& level) {
  (void)level;
  const bool values = parsed.kind != WriteKind::kUpdate || set(parsed.set, *made.resource, made.set);
  return write_condition(parsed, made) && values;
}

}  // namespace candor::bind
