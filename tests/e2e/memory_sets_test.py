"""That searches of the memory answer about the set that was asked for: memories and entities do not change places, a type and a
namespace hold in every leg, vectors of another model are told, and a write is not a checkpoint.
"""

import json
import sys

from cases import run_cases

EMBEDDER = """python3 -c '
import json, sys
for line in sys.stdin:
    values = [0.0] * 16
    for word in json.loads(line)["text"].lower().split(): values[sum(word.encode()) %% 16] += 1.0
    print(json.dumps((values if any(values) else [1.0] * 16) + [0.0] * %d))'"""


def memory(place, *words, given=None, **more):
    return place.run("memory", *words, given=given, **more)


def store(place, rows, *flags):
    lines = "".join(json.dumps({"type": "note", **row}) + "\n" for row in rows)
    reply = memory(place, "remember-batch", *flags, given=lines.encode())
    assert reply.code == 0, reply.said


def names(rows):
    return [row["name"] for row in rows]


def edge(source, target):
    return {"source": source, "target": target, "relation": "uses", "weight": 0.9}


def test_memories_and_entities_have_numbers_of_their_own(place):
    # Entities 1 to 3 are those of the trap, whose numbers are the seed's and its neighbours' as memories.
    memory(place, "link", "--from", "trap one", "--to", "trap two", "--relation", "uses", "--weight", "0.9", "--create-missing")
    memory(place, "link", "--from", "trap two", "--to", "trap three", "--relation", "uses", "--weight", "0.9", "--create-missing")
    store(place, [{"name": "seed", "body": "obsidian kiln", "entities": [{"name": "start"}], "relationships": [edge("start", "goal")]},
                  {"name": "right", "body": "x", "entities": [{"name": "goal"}]},
                  {"name": "wrong", "body": "y", "entities": [{"name": "trap one"}, {"name": "trap two"}, {"name": "trap three"}]}])
    seed = memory(place, "read", "seed", "--with-graph").document
    if seed["memory_id"] != 1 or len(seed["graph"]["entities"]) != 2:
        yield f"the numbers do not meet: this shows nothing {seed}"
    found = memory(place, "hybrid-search", "obsidian", "--with-graph").document
    if (names(found["results"]), names(found["graph_matches"])) != (["seed"], ["right"]):
        yield f"hybrid-search: {names(found['results'])} {names(found['graph_matches'])}"
    if names(memory(place, "recall", "obsidian").document["results"]) != ["seed", "right"]:
        yield "recall leads elsewhere"
    if set(names(memory(place, "deep-research", "obsidian").document["results"])) != {"seed", "right"}:
        yield "deep-research leads elsewhere"
    # An entity that the query names is a seed too, though no memory of the list is bound to it.
    named = memory(place, "hybrid-search", "trap one", "--with-graph").document
    if "wrong" not in names(named["results"] + named["graph_matches"]):
        yield f"an entity that the query names leads nowhere: {named}"


def test_a_type_holds_in_the_graph_too(place):
    store(place, [{"name": "seed", "body": "obsidian", "entities": [{"name": "start"}], "relationships": [edge("start", "goal")]},
                  {"name": "a-note", "body": "x", "entities": [{"name": "goal"}]},
                  {"name": "a-skill", "body": "y", "type": "skill", "entities": [{"name": "goal"}]}])
    for verb, flags in (("recall", []), ("hybrid-search", ["--with-graph"]), ("deep-research", [])):
        document = memory(place, verb, "obsidian", "--type", "note", *flags).document
        rows = document["results"] + document.get("graph_matches", [])
        if sorted(names(rows)) != ["a-note", "seed"]:
            yield f"{verb} --type note: {names(rows)}"


def test_all_namespaces_are_all_in_every_leg(place):
    for space in ("global", "atlas"):
        store(place, [{"name": f"{space}-seed", "body": "obsidian", "entities": [{"name": "start"}],
                       "relationships": [edge("start", "goal")]},
                      {"name": f"{space}-near", "body": "x", "entities": [{"name": "goal"}]}], "--namespace", space)
    every = ["atlas-near", "atlas-seed", "global-near", "global-seed"]
    for flags in ([], ["--fallback-fts-only"]):
        if sorted(names(memory(place, "recall", "obsidian", "--all-namespaces", *flags).document["results"])) != every:
            yield f"recall --all-namespaces {flags} is not all"
        if sorted(names(memory(place, "recall", "obsidian", *flags).document["results"])) != every[2:]:
            yield f"recall {flags} is not of global alone"
    if names(memory(place, "recall", "obsidian", "--namespace", "none-such").document["results"]):
        yield "another namespace leaks"


def test_vectors_of_another_size_are_told(place):
    memory(place, "init", "--model", "command:" + EMBEDDER % 0)
    store(place, [{"name": "old", "body": "obsidian kiln"}])
    memory(place, "init", "--model", "command:" + EMBEDDER % 8)
    store(place, [{"name": "new", "body": "amber mill"}])
    for verb in ("hybrid-search", "recall"):
        coverage = memory(place, verb, "amber").document["vector_coverage"]
        if coverage != {"memories": 2, "with_vector": 1, "of_other_models": 1, "without": 0}:
            yield f"{verb}: {coverage}"
    if "old" not in names(memory(place, "hybrid-search", "obsidian").document["results"]):
        yield "what has no vector is not found by its words"
    if memory(place, "embed", "backfill").document["embedded"] != 1:
        yield "a vector of another size counts as one"


def test_equal_scores_have_one_order_in_every_process(place):
    store(place, [{"name": f"n{n:02d}", "body": "the same obsidian text"} for n in range(30)])
    ten = names(memory(place, "hybrid-search", "obsidian", "-k", "10").document["results"])
    if ten != [f"n{n:02d}" for n in range(29, 19, -1)]:
        yield f"not the newest first: {ten}"
    for verb in ("hybrid-search", "recall", "deep-research"):
        limit = "--max-results" if verb == "deep-research" else "-k"
        answers = {tuple(names(memory(place, verb, "obsidian", limit, "5").document["results"])) for _ in range(8)}
        whole = names(memory(place, verb, "obsidian", limit, "30").document["results"])
        if answers != {tuple(whole[:5])}:
            yield f"{verb}: {answers} of {whole}"


def test_a_write_is_no_checkpoint(place):
    log = place.home / "memory.sqlite-wal"
    memory(place, "remember", "--name", "a", "--type", "note", "--body", "x")
    sizes = [log.stat().st_size if log.exists() else 0]
    file = (place.home / "memory.sqlite").read_bytes()
    memory(place, "remember", "--name", "b", "--type", "note", "--body", "x")
    sizes.append(log.stat().st_size)
    if not 0 < sizes[0] < sizes[1] or (place.home / "memory.sqlite").read_bytes() != file:
        yield f"a write was written into the file at once: log of {sizes} bytes"
    store(place, [{"name": f"n{n}", "body": "text " * 400} for n in range(3_000)])
    if log.stat().st_size > 8 << 20:
        yield f"the log has {log.stat().st_size} bytes"


if __name__ == "__main__":
    sys.exit(run_cases(globals(), __file__))
