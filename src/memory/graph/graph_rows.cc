// What binds memories and entities, and names of entities within a text.
#include "memory/graph/graph_rows.h"

#include <algorithm>

#include "memory/store/names.h"
#include "memory/text/analysis.h"

namespace candor::memory {
namespace {

constexpr std::size_t kNameWords = 5, kNameCharacters = 8, kWordsLookedAt = 200;

Result<std::vector<std::int64_t>> ids(Store& store, std::string_view sql, std::int64_t parameter) {
  std::vector<std::int64_t> found;
  CANDOR_ASSIGN(sqlite::Run run, store.sql().start(sql, parameter));
  while (true) {
    CANDOR_ASSIGN(const bool row, run.step());
    if (!row) return found;
    found.push_back(run.integer(0));
  }
}

// Runs of the text that could be a name.
std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  std::vector<Word> words;
  for_each_word(text, [&](Word& word) {
    words.push_back(std::move(word));
    return words.size() < kWordsLookedAt;
  });
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].units.empty()) {
      const auto& units = words[i].units;
      for (std::size_t from = 0; from < units.size(); ++from) {
        std::string name;
        for (std::size_t n = 0; n < kNameCharacters && from + n < units.size(); ++n) {
          name += units[from + n];
          if (n > 0 || units.size() == 1) names.push_back(name);
        }
      }
    }
    for (std::size_t n = 0; n < kNameWords && i + n < words.size(); ++n) {
      names.emplace_back(text.substr(words[i].start, words[i + n].end - words[i].start));
    }
  }
  return names;
}

}  // namespace

Result<std::vector<std::int64_t>> entities_of(Store& store, std::int64_t memory) {
  return ids(store, "SELECT entity_id FROM memory_entities WHERE memory_id = ?1 ORDER BY entity_id", memory);
}

Result<std::vector<std::int64_t>> memories_of(Store& store, std::int64_t entity) {
  return ids(store, "SELECT memory_id FROM memory_entities WHERE entity_id = ?1 ORDER BY memory_id", entity);
}

Result<std::string> entity_label(Store& store, std::int64_t entity) {
  CANDOR_ASSIGN(sqlite::Run run, store.sql().start("SELECT name FROM entities WHERE id = ?1", entity));
  CANDOR_ASSIGN(const bool row, run.step());
  return row ? run.text(0) : std::string();
}

Result<std::vector<NearMemory>> memories_near(Store& store, const std::vector<Reached>& reached,
                                              const Eligible& eligible,
                                              const std::unordered_set<std::int64_t>& left_out) {
  std::vector<NearMemory> near;
  std::unordered_set<std::int64_t> seen(left_out);
  for (const auto& by : reached) {
    CANDOR_ASSIGN(const auto memories, memories_of(store, by.entity));
    for (const auto memory : memories) {
      if (eligible.has(memory) && seen.insert(memory).second) near.push_back({.memory = memory, .by = by});
    }
  }
  return near;
}

Result<std::vector<std::int64_t>> entities_named_in(Store& store, const Scope& scope, std::string_view text) {
  std::vector<std::int64_t> found;
  std::unordered_set<std::string> asked;
  for (const auto& candidate : names_in(text)) {
    const auto name = entity_name(candidate);
    if (!name.ok() || !asked.insert(name->key).second) continue;
    CANDOR_ASSIGN(sqlite::Run run,
                  store.sql().start("SELECT id FROM entities WHERE key = ?1 AND (?3 OR namespace = ?2) "
                                    "AND namespace IN (SELECT DISTINCT namespace FROM entity_counts) "
                                    "ORDER BY id",
                                    name->key, scope.name_space, scope.all_namespaces));
    while (true) {
      CANDOR_ASSIGN(const bool row, run.step());
      if (!row) break;
      if (std::ranges::find(found, run.integer(0)) == found.end()) found.push_back(run.integer(0));
    }
  }
  return found;
}

}  // namespace candor::memory
