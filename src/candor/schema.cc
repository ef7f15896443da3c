// What there is to ask.
#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "base/ascii.h"
#include "candor/names.h"
#include "candor/service.h"
#include "config/source_names.h"

namespace candor {
namespace {

// "table", "source", "source.table", "schema.table" or "source.schema.table".
bool selects(std::string_view resource, const engine::CatalogTable& table) {
  return same_name(resource, table.name) || same_name(resource, table.source) ||
         same_name(resource, table.source + "." + table.name) || same_name(resource, table.schema + "." + table.name) ||
         same_name(resource, table.source + "." + table.schema + "." + table.name);
}

}  // namespace

Result<Schema> Service::schema(const Caller& caller, const std::string& resource) {
  CANDOR_ASSIGN(const Prepared prepared, prepare(caller));
  CANDOR_ASSIGN(const Schema catalog, prepared.session->catalog());
  if (resource.empty()) return catalog;
  std::vector<engine::CatalogTable> wanted;
  std::ranges::copy_if(catalog.tables, std::back_inserter(wanted),
                       [&](const engine::CatalogTable& table) { return selects(resource, table); });
  if (wanted.empty()) {
    // A source that could not be opened has no tables; its reason is what the caller needs.
    for (const std::string& warning : catalog.warnings) {
      if (warning.find("source '" + resource + "'") != std::string::npos ||
          warning.find("source " + resource + ":") != std::string::npos) {
        return make_error("source-error", warning, "candor doctor shows all sources");
      }
    }
    return make_error("unknown-table", "no table or source named '" + config::shown_spec(resource) + "'",
                      near_tables(resource.substr(resource.rfind('.') + 1), catalog));
  }
  Schema shown = catalog;
  shown.tables = std::move(wanted);
  add_known_joins(*prepared.session, catalog, shown);
  return shown;
}

}  // namespace candor
