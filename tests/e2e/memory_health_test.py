"""`memory health` and `memory reindex` through the real program: each fault that health knows is planted in the file, and what
it did not look at is null with a reason. Faults are planted by another SQLite, since the program makes none.
"""

import contextlib
import json
import sqlite3
import sys

from cases import run_cases

EMBEDDER = """python3 -c '
import json, sys
for line in sys.stdin:
    values = [0.0] * 16
    for word in json.loads(line)["text"].lower().split(): values[sum(word.encode()) % 16] += 1.0
    print(json.dumps(values if any(values) else [1.0] * 16))'"""


def memory(place, *words, given=None, **more):
    return place.run("memory", *words, given=given, **more)


def fill(place, count=30):
    lines = "".join(json.dumps({"name": f"n{n}", "type": "note", "body": f"words of {n}. " * (1 if n else 200),
                                "entities": [{"name": f"thing {n}"}, {"name": "hub"}],
                                "relationships": [{"source": f"thing {n}", "target": "hub", "relation": "uses"}]}) + "\n"
                    for n in range(count))
    reply = memory(place, "remember-batch", given=lines.encode())
    assert reply.code == 0, reply.said


def plant(place, *statements):
    with contextlib.closing(sqlite3.connect(place.home / "memory.sqlite", timeout=30)) as database, database:
        for statement in statements:
            database.execute(statement)


def differs(document, **wanted):
    for name, value in wanted.items():
        if document.get(name) != value:
            yield f"{name} is {document.get(name)!r}, not {value!r}"


def check_of(document, name):
    return next((check for check in document["checks"] if check["name"] == name), {"detail": None})


def test_what_was_not_looked_at_is_null_with_a_reason(place):
    document = memory(place, "health").document
    yield from differs(document, status="ok", fts_ok=True, fts_query_ok=None, model_ok=None, vec_memories_ok=None,
                       vec_memories_missing=None, vec_memories_coverage_pct=None, vec_chunks_ok=None, vec_entities_ok=None,
                       vec_memories_orphaned=0, missing_entities=[], top_hub_entity=None, schema_ok=True)
    fill(place)
    document = memory(place, "health").document
    yield from differs(document, status="ok", fts_ok=True, fts_query_ok=True, model_ok=None, vec_memories_ok=None,
                       vec_chunks_ok=None, vec_entities_ok=None, integrity_ok=True, schema_ok=True)
    for check in document["checks"]:
        if check["ok"] is not True and not check["detail"]:
            yield f"no reason: {check}"
    for kind in ("memories", "chunks", "entities"):
        if not document[f"vec_{kind}_reason"]:
            yield f"no reason for vec_{kind}"


def test_vectors_are_counted_of_the_embedder_in_use(place):
    fill(place, 3)
    memory(place, "init", "--model", "command:" + EMBEDDER)
    yield from differs(memory(place, "health").document, status="degraded", model_ok=True, vec_memories_ok=False,
                       vec_memories_missing=3, vec_memories_coverage_pct=0.0)
    memory(place, "embed", "backfill")
    yield from differs(memory(place, "health").document, status="ok", vec_memories_ok=True, vec_memories_missing=0,
                       vec_memories_coverage_pct=100.0, vec_memories_orphaned=0)
    memory(place, "forget", "n0")
    plant(place, "UPDATE memory_embeddings SET embedding = x'00000000' WHERE memory_id = 2",
          "INSERT INTO memory_embeddings SELECT 1, embedder, embedding FROM memory_embeddings WHERE memory_id = 3")
    yield from differs(memory(place, "health").document, status="degraded", vec_memories_ok=False, vec_memories_missing=1,
                       vec_memories_orphaned=1)
    memory(place, "init", "--model", "command:false", "--dim", 16)
    reply = memory(place, "health")
    yield from differs(reply.document, status="degraded", model_ok=False, vec_memories_missing=2)
    if reply.code != 0 or not check_of(reply.document, "model")["detail"]:
        yield f"an embedder that fails: {reply.code} {reply.document}"


def test_init_again_names_the_embedder_in_use(place):
    first = memory(place, "init", "--model", "command:" + EMBEDDER).document
    again = memory(place, "init").document
    yield from differs(again, model=first["model"], dim=16, status="already_exists")


def test_a_damaged_text_index_is_told_and_made_anew(place):
    for statement in ("DELETE FROM fts_memories_docsize WHERE id = 30", "DELETE FROM fts_memories_data WHERE id > 10",
                      "DELETE FROM fts_chunks_data WHERE id > 10"):
        fill(place)
        plant(place, statement)
        reply = memory(place, "health")
        if reply.code != 10 or reply.document["status"] != "error" or reply.document["fts_ok"] is not False:
            yield f"{statement}: {reply.code} {reply.document or reply.said}"
        if not check_of(reply.document, "text_index")["detail"]:
            yield f"{statement}: no detail"
        done = memory(place, "reindex")
        yield from differs(done.document, action="reindexed", rows_indexed=30)
        if not done.document["chunks_indexed"] or not isinstance(done.document["elapsed_ms"], int):
            yield f"reindex says {done.document}"
        yield from differs(memory(place, "health").document, status="ok", fts_ok=True, fts_query_ok=True)
        (place.home / "memory.sqlite").unlink()
        for end in ("-wal", "-shm"):
            (place.home / f"memory.sqlite{end}").unlink(missing_ok=True)


def test_an_index_that_finds_nothing_is_told(place):
    fill(place)
    plant(place, "DELETE FROM fts_memories_data WHERE id > 10", "DELETE FROM fts_memories_idx")
    reply = memory(place, "health")
    yield from differs(reply.document, status="error", fts_query_ok=False)


def test_a_check_that_could_not_run_is_no_good_news(place):
    fill(place)
    with contextlib.closing(sqlite3.connect(place.home / "memory.sqlite", timeout=30, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        document = memory(place, "health").document
        database.execute("ROLLBACK")
    yield from differs(document, status="ok", fts_ok=None, fts_query_ok=True)
    if not check_of(document, "text_index")["detail"]:
        yield "no reason"


def test_the_graph_is_measured(place):
    fill(place, 120)
    document = memory(place, "health").document
    yield from differs(document, top_hub_entity="hub", top_hub_degree=120, super_hub_count=1, top_relation="uses",
                       top_relation_ratio=1.0, mentions_ratio=0.0, applies_to_ratio=0.0, mentions_warning=None,
                       non_normalized_count=0, normalization_warning=None, degree_drift=0)
    for warning in ("hub_warning", "super_hub_warning", "relation_concentration_warning"):
        if not document[warning]:
            yield f"no {warning}"
    yield from differs(memory(place, "health", "--namespace", "other").document, top_hub_entity=None, super_hub_count=0)
    # One too many here and one too few there must not make up for each other.
    plant(place, "UPDATE entities SET degree = degree + 1 WHERE id = 1", "UPDATE entities SET degree = degree - 1 WHERE id = 3")
    yield from differs(memory(place, "health").document, status="error", degree_drift=2)
    memory(place, "graph", "recompute-degree")
    plant(place, "UPDATE entities SET key = 'another' WHERE id = 1")
    yield from differs(memory(place, "health").document, status="error", degree_drift=0, non_normalized_count=1)
    plant(place, "UPDATE entities SET key = 'thing-0' WHERE id = 1")
    yield from differs(memory(place, "health").document, status="ok")
    plant(place, "DELETE FROM entities WHERE name = 'thing 7'")
    document = memory(place, "health").document
    yield from differs(document, status="error", integrity_ok=False)
    if len(document["missing_entities"]) != 1:
        yield f"missing entities: {document['missing_entities']}"


def test_another_schema_is_told(place):
    fill(place, 2)
    plant(place, "DROP TRIGGER memories_counted_in")
    document = memory(place, "health").document
    yield from differs(document, status="error", schema_ok=False)
    if "memories_counted_in" not in check_of(document, "schema")["detail"]:
        yield f"which one is not said: {document['checks']}"


if __name__ == "__main__":
    sys.exit(run_cases(globals(), __file__))
