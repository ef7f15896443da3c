// The table of verbs.
#include "cli/memory_verbs.h"

namespace candor::cli {
namespace {

constexpr MemoryFlag kName = {"--name", "NAME", "the memory, where no word names it"};
constexpr MemoryFlag kLock = {"--expected-updated-at", "TIME",
                              "only if it was last changed then: seconds since 1970, or RFC 3339"};
constexpr MemoryFlag kRevLock = {"--expected-rev", "N", "only if it is still at this rev"};
constexpr MemoryFlag kSession = {"--session-id", "NAME", "the conversation that this comes from"};
constexpr MemoryFlag kTypeUniverse = {"--type,--memory-type", "TYPE", "memories of this type alone"};
constexpr MemoryFlag kOffset = {"--offset", "N", "pass over so many"};
constexpr MemoryFlag kDryRun = {"--dry-run", nullptr, "say what would be done, and do nothing"};
constexpr MemoryFlag kYes = {"--yes,-y", nullptr, "do it without being asked"};

std::vector<MemoryVerb> memory_part() {
  return {
      {"init", "", "make the memory's file, and choose the embedder", true,
       {{"--model", "MODEL", "none: text search alone"}, {"--force", nullptr, "kept for scripts; nothing is ever overwritten"}},
       &memory_init, "candor memory init"},
      {"remember", "", "store a memory", true,
       {{"--name", "NAME", "letters a to z, digits and -; unique in its namespace"},
        {"--type,--memory-type", "TYPE", "user, feedback, project, reference, decision, incident, skill, document, note"},
        {"--description", "TEXT", "one line"},
        {"--body", "TEXT", "the text itself"},
        {"--body-file", "FILE", "read the text from this file"},
        {"--body-stdin", nullptr, "read the text from standard input"},
        {"--metadata", "JSON", "an object"},
        {"--metadata-file", "FILE", "read the object from this file"},
        {"--entities-file", "FILE", "a JSON array of {name, entity_type, description}"},
        {"--relationships-file", "FILE", "a JSON array of {source, target, relation, weight}"},
        {"--graph-file", "FILE", "a JSON object of body, entities and relationships"},
        {"--graph-stdin", nullptr, "read that object from standard input"},
        {"--force-merge", nullptr, "change the memory of that name, or revive it"},
        {"--replace-graph", nullptr, "with --force-merge: bound to nothing but what is given"},
        {"--clear-body", nullptr, "with --force-merge: empty the text"},
        {"--strict-name", nullptr, "refuse a name that would have to be changed"},
        {"--strict-relations", nullptr, "refuse relations that are none of the canonical ones"},
        {"--source", "SOURCE", "agent, user, system, import or sync (default: agent)"},
        kLock, kRevLock, kSession, kDryRun},
       &memory_remember,
       "candor memory remember --name release-day --type decision --description \"when we release\" --body \"On Tuesdays.\"\n"
       "candor memory remember --name plan --type project --body-file plan.md --force-merge --expected-rev 17"},
      {"remember-batch", "", "store memories, one JSON object a line of standard input; exit code 13 when some failed", true,
       {{"--transaction", nullptr, "all lines or none"},
        {"--fail-fast", nullptr, "end at the first line that fails"},
        {"--force-merge", nullptr, "change memories that are there"}, kDryRun},
       &memory_remember_batch, "candor memory remember-batch < notes.ndjson"},
      {"read", "[NAME]", "one memory, whole", false,
       {kName, {"--id", "N", "by its number"}, {"--with-graph", nullptr, "with its entities and relations"}},
       &memory_read, "candor memory read release-day\ncandor memory read --id 17 --json | jq -r .body"},
      {"edit", "[NAME]", "change parts of a memory, as a new version", true,
       {kName, {"--id", "N", "by its number"},
        {"--type,--memory-type", "TYPE", "its new type"},
        {"--description", "TEXT", "its new description"},
        {"--body", "TEXT", "its new text"},
        {"--body-file", "FILE", "read the text from this file"},
        {"--body-stdin", nullptr, "read the text from standard input"},
        {"--metadata", "JSON", "its new metadata, an object"},
        {"--metadata-file", "FILE", "read the object from this file"},
        {"--force-reembed", nullptr, "make its vectors anew"}, kLock, kRevLock, kSession},
       &memory_edit, "candor memory edit release-day --body \"On Wednesdays.\" --expected-rev 17"},
      {"rename", "[NAME] [NEW]", "give a memory another name", true,
       {{"--name,--old,--from", "NAME", "the memory"}, {"--new-name,--new,--to", "NAME", "its new name"}, kLock, kRevLock, kSession},
       &memory_rename, "candor memory rename release-day release-weekday"},
      {"forget", "[NAME]", "take a memory out of everything; restore brings it back until it is purged", true, {kName},
       &memory_forget, "candor memory forget release-day"},
      {"restore", "[NAME]", "bring a forgotten memory, or an older version, back", true,
       {kName, {"--version", "N", "this version (default: the newest that is no restore)"}, kLock, kRevLock},
       &memory_restore, "candor memory restore release-day --version 2"},
      {"purge", "", "delete forgotten memories for good: no byte of them stays in the file", true,
       {{"--name", "NAME", "this one alone"},
        {"--retention-days,--days,--max-age-days", "N", "those forgotten so long ago (default: 90)"},
        {"--older-than-seconds", "N", "the same in seconds"},
        {"--now", nullptr, "all that are forgotten"}, kYes, kDryRun},
       &memory_purge, "candor memory purge --now --yes"},
      {"history", "[NAME]", "the versions of a memory", false,
       {kName, {"--no-body", nullptr, "without the texts"}, {"--diff", nullptr, "with what changed, line by line"}},
       &memory_history, "candor memory history release-day --diff"},
      {"list", "", "memories, the newest first", false,
       {kTypeUniverse, {"--limit", "N", "at most so many (default: all; 50 on a terminal)"}, kOffset,
        {"--include-deleted", nullptr, "forgotten ones too"}},
       &memory_list, "candor memory list --type decision\ncandor memory list --filter metadata.owner=ops --count-only"},
  };
}

std::vector<MemoryVerb> graph_part() {
  return {
      {"link", "", "store a relation between two entities", true,
       {{"--from,--source", "ENTITY", "where it begins"}, {"--from-id", "N", "the same by number"},
        {"--to,--target", "ENTITY", "where it ends"}, {"--to-id", "N", "the same by number"},
        {"--relation", "RELATION", "applies_to, uses, depends_on, causes, fixes, …"},
        {"--weight", "W", "0 to 1 (default: 0.5); given again it replaces the one stored"},
        {"--create-missing", nullptr, "make entities that are not there"},
        {"--entity-type", "TYPE", "of those (default: concept)"},
        {"--strict-relations", nullptr, "refuse relations that are none of the canonical ones"}},
       &memory_link, "candor memory link --from billing --to ledger-db --relation depends_on --weight 0.9 --create-missing"},
      {"unlink", "", "delete relations, or take an entity out of a memory", true,
       {{"--from,--source,--name", "ENTITY", "where it begins"}, {"--to,--target", "ENTITY", "where it ends"},
        {"--relation", "RELATION", "this one alone"}, {"--entity", "ENTITY", "with --memory or --all"},
        {"--memory", "NAME", "take the entity out of this memory"},
        {"--all", nullptr, "each relation between the two, or of the entity"}},
       &memory_unlink, "candor memory unlink --from billing --to ledger-db --relation depends_on"},
      {"memory-entities", "[NAME]", "the entities of a memory, or the memories of an entity", false,
       {kName, {"--entity", "ENTITY", "the memories that are bound to it"}},
       &memory_memory_entities, "candor memory memory-entities release-day\ncandor memory memory-entities --entity billing"},
      {"delete-entity", "[ENTITY]", "delete an entity", true,
       {{"--name", "ENTITY", "the entity"}, {"--cascade", nullptr, "with its relations, and out of its memories"}},
       &memory_delete_entity, "candor memory delete-entity --name billing --cascade"},
      {"rename-entity", "[ENTITY] [NEW]", "give an entity another name", true,
       {{"--name", "ENTITY", "the entity"}, {"--id", "N", "by its number"}, {"--new-name", "ENTITY", "its new name"}},
       &memory_rename_entity, "candor memory rename-entity --name billing --new-name invoicing"},
      {"merge-entities", "", "make one entity of several", true,
       {{"--names", "A,B", "those that go; repeatable"}, {"--ids", "N,N", "the same by number"},
        {"--into", "ENTITY", "the one that stays"}, {"--into-id", "N", "the same by number"},
        {"--cross-namespace", nullptr, "out of other namespaces too"}},
       &memory_merge_entities, "candor memory merge-entities --names bill,bills --into billing"},
      {"cleanup-orphans", "", "delete entities without a memory and without a relation", true, {kYes, kDryRun},
       &memory_cleanup_orphans, "candor memory cleanup-orphans --dry-run"},
      {"graph", "", "all entities and relations", false, {{"--output,-o", "FILE", "write them to this file"}},
       &memory_graph, "candor memory graph --json > graph.json"},
      {"graph entities", "", "entities", false,
       {{"--entity-type,--type", "TYPE", "of this type alone"}, {"--limit", "N", "at most so many (default: 50)"}, kOffset,
        {"--sort-by", "KEY", "name, degree or created_at (default: name)"},
        {"--order", "ORDER", "asc or desc (default: asc)"}},
       &memory_graph_entities, "candor memory graph entities --sort-by degree --order desc --limit 10"},
      {"graph stats", "", "how many nodes and edges", false, {}, &memory_graph_stats, "candor memory graph stats"},
      {"graph recompute-degree", "", "count the relations of each entity anew", true, {kDryRun},
       &memory_graph_recompute_degree, "candor memory graph recompute-degree --dry-run"},
  };
}

std::vector<MemoryVerb> file_part() {
  return {
      {"export", "", "memories as lines of JSON with a last line that says what they are a part of", false,
       {kTypeUniverse, {"--limit", "N", "at most so many (default: 100000)"}, kOffset,
        {"--include-deleted", nullptr, "forgotten ones too"}},
       &memory_export, "candor memory export > notes.ndjson\ncandor memory export --json --type decision"},
      {"import", "", "take over a memory of sqlite-graphrag, or the JSONL graph of the MCP memory server", true,
       {{"--from", "FILE", "the file, which is only read"}, {"--skip-existing", nullptr, "pass over names that are there"},
        kDryRun},
       &memory_import, "candor memory import --from graphrag.sqlite\ncandor memory import --from memory.jsonl --namespace notes"},
      {"ingest", "[DIR]", "store the text files of a folder, one memory a file; run again, it stores what changed", true,
       {{"--dir", "DIR", "the folder, where no word names it"},
        {"--type,--memory-type", "TYPE", "of the memories (default: document)"},
        {"--pattern", "GLOB", "names of files; with a / paths below the folder (default: *.md)"},
        {"--recursive,-r", nullptr, "the folders in it too; links to folders are not followed"},
        {"--fail-fast", nullptr, "end at the first file that fails"},
        {"--max-files", "N", "refuse more files than this (default: 10000)"},
        {"--ingest-parallelism", "N", "threads that read files (default: one a processor, 4 at most)"},
        {"--max-name-length", "N", "bytes of a memory's name, 20 to 80 (default: 60)"},
        {"--name-prefix", "TEXT", "before each name"},
        {"--force-merge", nullptr, "take over memories that have a file's name, and revive forgotten ones"}, kDryRun},
       &memory_ingest,
       "candor memory ingest docs --recursive\ncandor memory ingest notes --pattern '*.txt' --type note --dry-run"},
      {"backup", "", "copy the memory's file while others write", false,
       {{"--output,-o", "FILE", "the new file"},
        {"--backup-step-size", "N", "kept for scripts; the copy is made in one piece"},
        {"--backup-step-sleep-ms", "N", "kept for scripts"}, {"--backup-no-sleep", nullptr, "kept for scripts"},
        {"--backup-progress", "N", "kept for scripts"}},
       &memory_backup, "candor memory backup --output memory-backup.sqlite"},
      {"health", "", "whether the file is whole; exit code 10 when it is not", false, {}, &memory_health, "candor memory health"},
      {"stats", "", "how much there is of what", false, {}, &memory_stats, "candor memory stats"},
      {"vacuum", "", "write the file anew without what was deleted", true,
       {{"--checkpoint", nullptr, "kept for scripts; the log is always emptied"}}, &memory_vacuum, "candor memory vacuum"},
      {"namespace-detect", "", "the namespace that commands use here, and why", false, {}, &memory_namespace_detect,
       "candor memory namespace-detect"},
  };
}

std::vector<MemoryVerb> all_verbs() {
  std::vector<MemoryVerb> verbs = memory_part();
  for (std::vector<MemoryVerb> part : {graph_part(), file_part()}) {
    for (MemoryVerb& verb : part) verbs.push_back(std::move(verb));
  }
  return verbs;
}

}  // namespace

const std::vector<MemoryVerb>& memory_verbs() {
  static const std::vector<MemoryVerb> verbs = all_verbs();
  return verbs;
}

}  // namespace candor::cli
