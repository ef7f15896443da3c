// Sources that are published through a contract: which one a statement is for, and reading a contract that changed.
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/ascii.h"
#include "candor/session.h"
#include "candor/sources.h"
#include "contract/describe.h"
#include "exec/exec.h"
#include "sql/lexer.h"

namespace candor {
namespace {

std::string version_of(const std::string& file) {
  std::error_code failure;
  const auto time = std::filesystem::last_write_time(file, failure);
  const auto size = failure ? 0 : std::filesystem::file_size(file, failure);
  return failure ? "missing" : std::to_string(time.time_since_epoch().count()) + "/" + std::to_string(size);
}

lower::Target target_of(engine::SourceKind kind) {
  switch (kind) {
    case engine::SourceKind::kSqlite:
      return lower::Target::kSqlite;
    case engine::SourceKind::kPostgres:
      return lower::Target::kPostgres;
    default:
      return lower::Target::kDuckdb;
  }
}

}  // namespace

Result<Session::Looked> Session::open_for_contract(const config::Source& source) const {
  Looked looked;
  CANDOR_ASSIGN(looked.spec, recognise_source(source));
  if (looked.spec.kind == engine::SourceKind::kFiles) {
    return make_error(
        "configuration",
        "source '" + looked.spec.name + "' is a folder or file of rows, and a contract publishes a database",
        "publish it without a contract, for reading");
  }
  engine::Policy policy = policy_of({looked.spec}, false);
  policy.contract = true;
  looked.engine = std::make_unique<engine::worker::WorkerEngine>(worker_, std::move(policy));
  return looked;
}

Result<std::shared_ptr<const Published>> Session::read_contract(Contracted& contracted) {
  CANDOR_ASSIGN(contract::Contract contract, contract::load(contracted.source.contract, configuration_));
  contract.source = contracted.source.name;
  CANDOR_ASSIGN(Looked looked, open_for_contract(contracted.source));
  const engine::SourceSpec spec = std::move(looked.spec);
  // The engine starts its process when it is first asked.
  if (!contracted.engine) contracted.engine = std::move(looked.engine);
  CANDOR_ASSIGN(const engine::Catalog catalog, contracted.engine->catalog());
  auto made = std::make_shared<Published>();
  made->contract = std::move(contract);
  CANDOR_ASSIGN(made->storage, exec::find_storage(made->contract, catalog, target_of(spec.kind)));
  made->engine = contracted.engine.get();
  return std::shared_ptr<const Published>(std::move(made));
}

// A contract that was changed while the server runs is taken, or the old one is kept and every result says so.
Result<std::shared_ptr<const Published>> Session::publish(Contracted& contracted) {
  std::string version = version_of(contracted.source.contract);
  if (contracted.current != nullptr && version == contracted.version) return contracted.current;
  Result<std::shared_ptr<const Published>> made = read_contract(contracted);
  if (made.ok()) {
    contracted.current = *made;
  } else if (contracted.current == nullptr) {
    return std::move(made).error();
  } else {
    auto kept = std::make_shared<Published>(*contracted.current);
    kept->kept = made.error().message;
    // The tables are found by the address of their resources, which are others in a copy.
    kept->storage.tables.clear();
    for (std::size_t i = 0; i < kept->contract.resources.size(); ++i) {
      kept->storage.tables.emplace(&kept->contract.resources[i],
                                   contracted.current->storage.tables.at(&contracted.current->contract.resources[i]));
    }
    contracted.current = std::move(kept);
  }
  contracted.version = std::move(version);
  return contracted.current;
}

void Session::look_anew(const std::string& source) {
  const std::lock_guard hold(mutex_);
  for (Contracted& contracted : contracted_) {
    if (contracted.source.name == source) contracted.version.clear();
  }
}

Result<std::shared_ptr<const Published>> Session::published(std::string_view sql, const std::string& wanted_source) {
  const std::lock_guard hold(mutex_);
  recognise();
  if (contracted_.empty()) return std::shared_ptr<const Published>();
  if (!wanted_source.empty()) {
    for (Contracted& contracted : contracted_) {
      if (same_name(contracted.source.name, wanted_source)) return publish(contracted);
    }
    return std::shared_ptr<const Published>();
  }
  const std::vector<sql::TableMention> mentions = sql::table_mentions(sql);
  for (Contracted& contracted : contracted_) {
    CANDOR_ASSIGN(const auto one, publish(contracted));
    const bool meant = std::ranges::any_of(mentions, [&](const sql::TableMention& mention) {
      const bool here = mention.parts.size() == 1 || same_name(mention.parts.front(), contracted.source.name);
      return here && one->contract.find(mention.parts.back()) != nullptr;
    });
    if (meant) return one;
  }
  // A table of the scratch database or of another source is asked of its own engine.
  const bool others = !lite_.empty() || !failed_.empty() || !duckdb_sources_.empty();
  if (others) return std::shared_ptr<const Published>();
  if (has_duckdb()) {
    for (const sql::TableMention& mention : mentions) {
      CANDOR_ASSIGN(const std::vector<std::string> owners, owners_of(mention.parts.back()));
      if (!owners.empty()) return std::shared_ptr<const Published>();
    }
  }
  return publish(contracted_.front());
}

namespace {

engine::CatalogTable table_of(const contract::Contract& contract, const contract::Resource& resource) {
  engine::CatalogTable table;
  table.source = contract.source;
  table.name = resource.name;
  table.comment = resource.description + (resource.description.empty() ? "" : " ") + contract::resource_notes(resource);
  for (const contract::Column& column : resource.columns) {
    engine::CatalogColumn shown;
    shown.name = column.name;
    shown.type = contract::to_string(column.type);
    shown.nullable = column.nullable;
    shown.primary_key = same_name(column.name, resource.key);
    for (const std::string& note : contract::column_notes(resource, column)) {
      // Those two have members of their own.
      if (note != "key" && note != "may be NULL") shown.note += (shown.note.empty() ? "" : ", ") + note;
    }
    table.columns.push_back(std::move(shown));
  }
  return table;
}

}  // namespace

// What a contract does not publish is in no list.
void Session::add_resources(Schema& all) {
  for (Contracted& contracted : contracted_) {
    const Result<std::shared_ptr<const Published>> one = publish(contracted);
    if (!one.ok()) {
      all.warnings.push_back("source '" + contracted.source.name + "': " + one.error().message);
      continue;
    }
    const contract::Contract& contract = (*one)->contract;
    for (const contract::Resource& resource : contract.resources) all.tables.push_back(table_of(contract, resource));
    all.notes.insert(all.notes.end(), contract.notes.begin(), contract.notes.end());
    if (!(*one)->kept.empty()) {
      all.warnings.push_back(
          "source '" + contracted.source.name +
          "': the contract's file was changed and can't be read, so the old one is in force: " + (*one)->kept);
    }
  }
}

}  // namespace candor
