// Resources and columns by their names, and what is true about a name that is not there.
#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/near_names.h"
#include "bind/binding.h"

namespace candor::bind {
namespace {

// The first near name, where it is near enough that nothing else can be meant.
std::string certain(const std::string& wanted, const std::vector<std::string>& near) {
  if (near.empty()) return {};
  const std::size_t longer = std::max(wanted.size(), near.front().size());
  const std::size_t shorter = std::min(wanted.size(), near.front().size());
  if (longer - shorter > 2 && longer - shorter > longer / 3) return {};
  return near.front();
}

// Letters and digits alone, in lower case: what two spellings of one name share.
std::string core_of(std::string_view name) {
  std::string core;
  for (const char c : name) {
    if ((c >= '0' && c <= '9') || (lower_ascii(c) >= 'a' && lower_ascii(c) <= 'z')) core += lower_ascii(c);
  }
  return core;
}

std::string quoted_if_needed(const std::string& name) {
  const bool plain = !name.empty() && name != "order" && name != "group" && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  return plain ? name : "\"" + name + "\"";
}

}  // namespace

const contract::Resource* Binding::resource(const std::vector<dialect::Name>& names, Span span) {
  if (names.empty()) return nullptr;
  const contract::Contract& contract = *context_.contract;
  const std::string& wanted = names.back().text;
  const auto is_qualifier = [&](const dialect::Name& name) {
    return same_name(name.text, contract.source) || same_name(name.text, contract.name) ||
           same_name(name.text, "main") || same_name(name.text, "public");
  };
  const bool qualified = std::all_of(names.begin(), names.end() - 1, is_qualifier);
  if (const contract::Resource* found = contract.find(wanted); found != nullptr && qualified) return found;
  std::vector<std::string> known;
  for (const contract::Resource& one : contract.resources) known.push_back(one.name);
  std::vector<std::string> near = near_names(wanted, known, known.size());
  const std::string replacement = certain(wanted, near);
  for (const std::string& name : known) {
    if (std::ranges::find(near, name) == near.end()) near.push_back(name);
  }
  const std::size_t errors = bound_.errors.size();
  std::optional<Edit> edit;
  if (!replacement.empty()) edit = Edit{{names.front().span.start, span.end}, quoted_if_needed(replacement)};
  error("unknown-resource", "there is no resource '" + wanted + "'", span,
        replacement.empty() ? "SHOW TABLES lists the resources" : "did you mean " + replacement + "?",
        "the resources are " + list_of(near), std::move(edit));
  if (bound_.errors.size() > errors) bound_.errors.back().resource = wanted;
  return nullptr;
}

BoundPtr Binding::column(const Ast& ast) {
  const std::string& name = ast.names.back().text;
  const std::string* qualifier = ast.names.size() > 1 ? &ast.names[ast.names.size() - 2].text : nullptr;
  for (Level* level = level_; level != nullptr; level = level->outer) {
    std::vector<std::pair<Relation*, std::size_t>> matches;
    bool relation_known = false;
    for (Relation* relation : level->relations) {
      const bool by_alias = qualifier != nullptr && same_name(relation->alias, *qualifier);
      const bool by_name =
          qualifier != nullptr && relation->resource != nullptr && same_name(relation->resource->name, *qualifier);
      if (qualifier != nullptr && !by_alias && !by_name) continue;
      relation_known = relation_known || qualifier != nullptr;
      for (std::size_t i = 0; i < relation->columns.size(); ++i) {
        if (!same_name(relation->columns[i].name, name)) continue;
        const bool merged = qualifier == nullptr && relation->merged.contains(lower_ascii(name));
        if (!merged) matches.emplace_back(relation, i);
      }
    }
    if (matches.size() > 1) {
      std::vector<std::string> forms;
      for (const auto& [relation, position] : matches)
        forms.push_back(relation->alias + "." + relation->columns[position].name);
      return error("ambiguous-column", "'" + name + "' is a column of several resources here: " + list_of(forms),
                   ast.span, "write " + forms.front() + " or " + forms.back());
    }
    if (matches.size() == 1) return found_column(*level, *matches.front().first, matches.front().second, ast);
    if (relation_known) break;
  }
  if (BoundPtr alias = alias_reference(ast)) return alias;
  return unknown_column(ast);
}

// For statistics: which column of which resource is looked for and not there. A text in the wrong quotes is no column, and
// a subquery's columns are the statement's own.
void Binding::note_missing(const Ast& ast, Diagnostic& error) const {
  const std::string& name = ast.names.back().text;
  if (!edits_.empty() && edits_.back() && edits_.back()->text.starts_with('\'')) return;
  const std::string* qualifier = ast.names.size() > 1 ? &ast.names[ast.names.size() - 2].text : nullptr;
  std::vector<const Relation*> meant;
  for (const Relation* relation : level_->relations) {
    const bool named = qualifier == nullptr || same_name(relation->alias, *qualifier) ||
                       (relation->resource != nullptr && same_name(relation->resource->name, *qualifier));
    if (named) meant.push_back(relation);
  }
  if (std::ranges::none_of(meant, [](const Relation* one) { return one->resource != nullptr; })) {
    if (!meant.empty() || qualifier == nullptr) return;
    error.resource = *qualifier;
  }
  error.column = name;
  if (meant.size() > 1) {
    std::erase_if(meant, [&](const Relation* one) {
      return one->resource == nullptr || one->resource->find_absent(name) == nullptr;
    });
  }
  if (meant.size() == 1) error.resource = meant.front()->resource->name;
}

BoundPtr Binding::found_column(Level& level, Relation& relation, std::size_t position, const Ast& ast) {
  RelationColumn& column = relation.columns[position];
  for (Level* inner = level_; inner != &level; inner = inner->outer) inner->correlated = true;
  if (!may_use(relation, column, ast.span)) return nullptr;
  relation.used.insert(position);
  BoundPtr made = make_bound(BoundKind::kColumn, column.type, ast.span, column.nullable);
  made->relation = relation.id;
  made->column = position;
  return made;
}

bool Binding::may_use(const Relation& relation, const RelationColumn& column, Span span) {
  (void)relation;
  const bool renamed = column.published != nullptr && !same_name(column.published->name, column.name);
  const std::string name = "'" + column.name + "'" + (renamed ? " (the column " + column.published->name + ")" : "");
  if (use_ == Use::kOrder) {
    if (column.sortable) return true;
    error("not-sortable", "the contract keeps " + name + " from ORDER BY", span, "order by another column");
    return false;
  }
  if (use_ == Use::kRead || column.filterable) return true;
  const std::string where = use_ == Use::kGroup       ? "GROUP BY"
                            : use_ == Use::kAggregate ? "aggregates"
                            : use_ == Use::kDistinct  ? "DISTINCT"
                                                      : "conditions";
  error("not-filterable", "the contract keeps " + name + " from " + where, span,
        "read the column with SELECT, and choose rows by another one");
  return false;
}

// Outside of WHERE an alias of the SELECT list can stand for its expression.
BoundPtr Binding::alias_reference(const Ast& ast) {
  if (ast.names.size() != 1 || level_ == nullptr || level_->aliases == nullptr) return nullptr;
  for (std::size_t i = 0; i < level_->aliases->size(); ++i) {
    const BoundItem& item = (*level_->aliases)[i];
    if (item.expr == nullptr || !same_name(item.name, ast.names.front().text)) continue;
    if (level_->alias_exprs[i] == nullptr) return nullptr;
    const std::vector<BoundItem>* aliases = std::exchange(level_->aliases, nullptr);
    BoundPtr made = expr(*level_->alias_exprs[i]);
    level_->aliases = aliases;
    return made;
  }
  return nullptr;
}

std::string Binding::describe_columns(const Level& level) const {
  std::string text;
  for (const Relation* relation : level.relations) {
    std::vector<std::string> names;
    for (const RelationColumn& column : relation->columns) names.push_back(column.name);
    text += (text.empty() ? "" : "; ") + relation->alias + " has " + list_of(names);
  }
  return text;
}

std::string Binding::elsewhere(const std::string& name) const {
  std::vector<std::string> others;
  for (const contract::Resource& resource : context_.contract->resources) {
    if (resource.find(name) != nullptr) others.push_back(resource.name);
  }
  return others.empty() ? std::string() : "'" + name + "' is a column of " + list_of(others);
}

BoundPtr Binding::element_without_unnest(const Ast& ast, const std::string& name) {
  for (const Relation* relation : level_->relations) {
    for (const RelationColumn& column : relation->columns) {
      const bool plural = column.type && contract::is_array(*column.type) &&
                          (same_name(column.name, name + "s") || same_name(column.name, name + "es"));
      if (!plural || relation->kind != RelationKind::kScan) continue;
      std::string text;
      for (const contract::Absent& absent : relation->resource->absent) {
        if (same_name(absent.name, name)) text = absent.text;
      }
      return error("unknown-column", "there is no column '" + name + "' here", ast.span,
                   "FROM " + relation->resource->name + " UNNEST " + column.name + " AS " + name + " gives one row a " +
                       name + "; '…' = ANY(" + column.name + ") asks for one",
                   text.empty() ? column.name + " is an array" : text);
    }
  }
  return nullptr;
}

BoundPtr Binding::unknown_column(const Ast& ast) {
  const std::size_t errors = bound_.errors.size();
  BoundPtr none = tell_unknown_column(ast);
  if (bound_.errors.size() > errors) note_missing(ast, bound_.errors.back());
  return none;
}

BoundPtr Binding::tell_unknown_column(const Ast& ast) {
  if (told_enough()) return error("unknown-column", {}, ast.span);
  const dialect::Name& written = ast.names.back();
  const std::string& name = written.text;
  std::vector<std::string> known;
  std::string absent;
  const std::size_t faults = faults_;
  const std::string* qualifier = ast.names.size() > 1 ? &ast.names[ast.names.size() - 2].text : nullptr;
  for (const Relation* relation : level_->relations) {
    if (qualifier != nullptr && !same_name(relation->alias, *qualifier)) continue;
    for (const RelationColumn& column : relation->columns) known.push_back(column.name);
    if (relation->resource == nullptr) continue;
    for (const contract::Absent& one : relation->resource->absent) {
      if (same_name(one.name, name)) absent = one.text;
    }
  }
  const std::vector<std::string> near = near_names(name, known);
  if (qualifier != nullptr && known.empty()) {
    std::vector<std::string> aliases;
    for (const Relation* relation : level_->relations) aliases.push_back(relation->alias);
    return error("unknown-column", "there is no '" + *qualifier + "' in FROM to have a column '" + name + "'", ast.span,
                 aliases.empty() ? "name a resource in FROM" : "FROM has " + list_of(aliases), elsewhere(name));
  }
  element_without_unnest(ast, name);
  if (faults_ > faults) return nullptr;
  if (written.double_quoted && absent.empty() && (near.empty() || core_of(near.front()) != core_of(name))) {
    std::string text = "'";
    for (const char c : name) text += c == '\'' ? std::string("''") : std::string(1, c);
    text += '\'';
    return error("unknown-column", "there is no column '" + name + "': double quotes stand around names", ast.span,
                 "write " + text + " for a text", describe_columns(*level_), Edit{ast.span, text});
  }
  const std::string replacement = absent.empty() ? certain(name, near) : std::string();
  std::string detail = absent;
  if (const std::string others = elsewhere(name); !others.empty()) detail += (detail.empty() ? "" : " ") + others + ".";
  if (const std::string columns = describe_columns(*level_); !columns.empty())
    detail += (detail.empty() ? "" : " ") + columns;
  std::string hint = near.empty() ? "DESCRIBE lists the columns of a resource" : "did you mean " + list_of(near) + "?";
  if (!absent.empty()) hint = absent;
  std::optional<Edit> edit;
  if (!replacement.empty()) {
    edit = Edit{written.span, quoted_if_needed(replacement)};
  }
  return error("unknown-column", "there is no column '" + name + "' here", ast.span, std::move(hint), std::move(detail),
               std::move(edit));
}

}  // namespace candor::bind
