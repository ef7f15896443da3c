// What is remembered of a table's joins, and whether it still holds.
#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/ascii.h"
#include "candor/lessons.h"
#include "memory/facts.h"

namespace candor::lessons {
namespace {

using json::Node;

std::uint64_t count_of(const Node& node, std::string_view name) {
  const std::int64_t value = node[name].integer().value_or(0);
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

std::optional<Side> read_side(const Node& node) {
  Side side;
  side.source = node.string_or("source", "");
  side.schema = node.string_or("schema", "");
  side.table = node.string_or("table", "");
  side.place = node.string_or("place", "");
  side.version = node.string_or("version", "");
  side.key = node.string_or("key", "");
  for (const Node& column : node["columns"].items()) side.columns.push_back(column.text());
  side.plain = node["plain"].truth() && side.columns.size() == 1;
  side.rows = count_of(node, "rows");
  side.matched = count_of(node, "matched");
  side.one_in = std::max<std::uint64_t>(count_of(node, "one_in"), 1);
  side.filtered = node["filtered"].truth();
  if (node["table_rows"].integer()) side.counted = count_of(node, "table_rows");
  if (side.table.empty() || side.columns.empty() || side.rows == 0 || side.matched > side.rows) return std::nullopt;
  return side;
}

bool is_table(const Side& side, const engine::CatalogTable& table) {
  return same_name(side.source, table.source) && same_name(side.table, table.name) &&
         (side.schema.empty() || same_name(side.schema, table.schema));
}

// What is known today of a side's table.
struct Today {
  bool published = false;  // the same database under the same name
  const engine::CatalogTable* table = nullptr;
  std::string version;
};

class Reader {
 public:
  Reader(const engine::Catalog& all, const Sources& sources) : all_(&all), sources_(&sources) {}

  // The joins of one table, from the metadata of a memory.
  void add(const Node& metadata, const std::string& memory, const engine::CatalogTable& table) {
    const std::optional<Side> left = read_side(metadata["left"]);
    const std::optional<Side> right = read_side(metadata["right"]);
    if (!left || !right || metadata.string_or("kind", "") != "join") return;
    if (is_table(*left, table)) {
      add(*left, *right, metadata, memory);
    } else if (is_table(*right, table)) {
      add(*right, *left, metadata, memory);
    }
  }

  std::vector<KnownJoin> take() {
    std::ranges::sort(joins_, [](const KnownJoin& a, const KnownJoin& b) {
      return std::tuple(-a.coverage, -a.here.rows, b.measured_at, a.memory) <
             std::tuple(-b.coverage, -b.here.rows, a.measured_at, b.memory);
    });
    return std::move(joins_);
  }

 private:
  [[nodiscard]] Today today(const Side& side) const {
    Today today;
    const auto place = sources_->places.find(side.source);
    today.published = place != sources_->places.end() && place->second == side.place;
    const auto version = sources_->versions.find(side.source);
    if (version != sources_->versions.end()) today.version = version->second;
    for (const engine::CatalogTable& table : all_->tables) {
      if (is_table(side, table)) today.table = &table;
    }
    return today;
  }

  // Sets whether the fact is out of date, by one of its sides.
  void compare(const Side& side, KnownJoin& join) const {
    const Today now = today(side);
    const std::string name = table_text(side, sources_->qualified);
    const bool counts = side.counted && now.table != nullptr && now.table->rows_exact && now.table->rows_estimated;
    std::string changed;
    std::string unknown;
    if (now.table == nullptr) {
      changed = name + " is no longer there";
    } else if (counts && *now.table->rows_estimated != *side.counted) {
      changed = name + " had " + std::to_string(*side.counted) + " rows and has " +
                std::to_string(*now.table->rows_estimated);
    } else if (side.version.empty() || now.version.empty()) {
      unknown = name + ": its server does not say whether rows changed since";
    } else if (side.version != now.version) {
      changed = "the files of " + name_text(side.source) + " have changed since";
    }
    if (!changed.empty()) {
      join.stale_reason = join.stale.value_or(false) ? join.stale_reason : "";
      if (join.stale_reason.find(changed) == std::string::npos) {
        join.stale_reason += (join.stale_reason.empty() ? "" : "; ") + changed;
      }
      join.stale = true;
    } else if (!unknown.empty() && !join.stale.value_or(false)) {
      join.stale_reason = "not compared: " + unknown;
      join.stale.reset();
    }
  }

  void add(const Side& here, const Side& there, const Node& metadata, const std::string& memory) {
    // Another database under this name has other rows.
    if (!today(here).published || !today(there).published) return;
    KnownJoin join;
    join.memory = memory;
    join.here = {table_text(here, sources_->qualified), key_text(here, sources_->qualified), here.rows, here.matched};
    join.there = {table_text(there, sources_->qualified), key_text(there, sources_->qualified), there.rows,
                  there.matched};
    join.coverage = here.coverage();
    join.filtered = here.filtered || there.filtered;
    join.sample = here.one_in > 1 || there.one_in > 1;
    join.measured_at = metadata.string_or("measured_at", "").substr(0, 20);
    join.stale = false;
    compare(here, join);
    compare(there, join);
    join.text = join.here.key + " joins " + join.there.key + ": " + percent(here.matched, here.rows) + " measured on " +
                join.measured_at.substr(0, 10);
    if (join.sample) join.text += ", of a sample";
    if (join.filtered) join.text += ", under the query's filter";
    if (!join.stale_reason.empty()) join.text += (join.stale.value_or(false) ? "; stale: " : "; ") + join.stale_reason;
    joins_.push_back(std::move(join));
  }

  const engine::Catalog* all_;
  const Sources* sources_;
  std::vector<KnownJoin> joins_;
};

// The memories that were made of measurements of the table. What somebody else wrote is no measurement.
Status read_table(memory::Memory& memory, const engine::CatalogTable& table, Reader& reader) {
  Side side;
  side.source = table.source;
  side.schema = table.schema;
  side.table = table.name;
  CANDOR_ASSIGN(const std::vector<memory::StoredFact> facts,
                memory::facts_about(memory, std::string(kSpace), entity_text(table_text(side, true))));
  for (const memory::StoredFact& fact : facts) reader.add(fact.metadata, fact.name, table);
  return Ok{};
}

}  // namespace

Result<Known> known_joins(const std::string& home, const engine::Catalog& all,
                          const std::vector<engine::CatalogTable>& tables, const Sources& sources, std::uint64_t most) {
  Known known;
  std::error_code ignored;
  if (!std::filesystem::exists(home + "/memory.sqlite", ignored)) return known;
  CANDOR_ASSIGN(memory::Memory memory, memory::Memory::open(home, memory::Access::kRead));
  Reader reader(all, sources);
  for (const engine::CatalogTable& table : tables) {
    if (Status read = read_table(memory, table, reader); !read.ok()) return memory.named(read.error());
  }
  known.joins = reader.take();
  known.total = known.joins.size();
  if (known.joins.size() > most) known.joins.resize(most);
  return known;
}

}  // namespace candor::lessons
