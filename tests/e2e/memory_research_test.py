"""`memory deep-research` through the real program: what each flag does, and what the answer says was cut or not done."""

import json
import sys
import time

from cases import run_cases

SLOW = """python3 -c '
import json, sys, time
for line in sys.stdin:
    text = json.loads(line)["text"]
    if "kiln" in text and "clay" not in text: time.sleep(20)
    print(json.dumps([1.0] * 16))'"""


def memory(place, *words, given=None, **more):
    return place.run("memory", *words, given=given, **more)


def research(place, *words):
    reply = memory(place, "deep-research", *words)
    return reply.document if reply.code == 0 else {"failed": reply.said, "code": reply.code, **(reply.document or {})}


def store(place, rows):
    reply = memory(place, "remember-batch", given="".join(json.dumps({"type": "note", **row}) + "\n" for row in rows).encode())
    assert reply.code == 0, reply.said


def chain(length=5):
    """Memories about one thing each; the first speaks of the kiln, and each thing leads to the next, ever less strongly."""
    for n in range(length):
        yield {"name": f"step-{n}", "body": "The kiln is of clay." if n == 0 else f"Note {n}.",
               "entities": [{"name": f"thing {n}"}, {"name": f"thing {n + 1}"}],
               "relationships": [{"source": f"thing {n}", "target": f"thing {n + 1}", "relation": "uses",
                                  "weight": 0.9 - n / 10}]}


def names(document):
    return [row["name"] for row in document["results"]]


def test_a_deadline_ends_the_search_and_is_told(place):
    store(place, [*chain(), *({"name": f"other-{n}", "body": f"kiln {n} clay " * 40} for n in range(300))])
    whole = research(place, "kiln and clay and other things", "--timeout", "60")
    if whole["stats"]["sub_queries_timed_out"] != 0 or "timed_out" in whole or whole["stats"]["sub_queries_total"] != 4:
        yield f"with enough time: {whole['stats']}"
    late = research(place, "kiln and clay and other things", "--timeout", "0.001")
    stats = late.get("stats", {})
    if not late.get("timed_out") or stats["sub_queries_timed_out"] < 1:
        yield f"without time: {late}"
    if stats["sub_queries_completed"] + stats["sub_queries_timed_out"] != stats["sub_queries_total"]:
        yield f"the sub-queries do not add up: {stats}"
    refused = memory(place, "deep-research", "kiln and clay", "--timeout", "0.001", "--fail-on-degraded")
    if refused.code != 11 or refused.document["code"] != "degraded":
        yield f"--fail-on-degraded: {refused.code} {refused.said}"
    for wrong in ("0", "-1", "soon"):
        if memory(place, "deep-research", "kiln", f"--timeout={wrong}").code != 2:
            yield f"--timeout={wrong} is taken"


def test_a_slow_embedder_has_half_of_the_time(place):
    memory(place, "init", "--model", "command:" + SLOW, "--dim", 16)
    store(place, chain())
    began = time.monotonic()
    document = research(place, "kiln", "--timeout", "4", "--max-sub-queries", "1")
    if time.monotonic() - began > 12:
        yield f"it took {time.monotonic() - began:.1f} s"
    if document["vec_degraded_reason"] != "timeout" or not document["stats"]["vec_degraded"] or "step-0" not in names(document):
        yield f"words alone: {document}"


def test_the_file_of_sub_queries_is_what_is_searched(place):
    store(place, chain())
    for content in ("kiln\r\n\n  clay  \n", json.dumps(["kiln", "", "clay"])):
        document = research(place, "anything", "--sub-queries-file", place.write("parts", content), "--max-sub-queries", "1")
        asked = [(part["id"], part["text"], part["source"]) for part in document["sub_queries"]]
        if asked != [(0, "kiln", "manual"), (1, "clay", "manual")] or document["results"][0]["sub_query_ids"] != [0, 1]:
            yield f"{content!r}: {asked} {document['results'][:1]}"
        if len(document["warnings"]) != 1:
            yield f"what --max-sub-queries means then is not said: {document.get('warnings')}"
    for content, code in (("\n \n", "usage"), ("[1]", "bad-request"), ("part\n" * 65, "over-limit")):
        reply = memory(place, "deep-research", "x", "--sub-queries-file", place.write("parts", content))
        if reply.code == 0 or reply.document["code"] != code:
            yield f"{content[:10]!r}: {reply.code} {reply.said}"
    if memory(place, "deep-research", "x", "--sub-query-strategy", "magic").code != 2:
        yield "a strategy that there is not is taken"


def test_flags_of_the_ranking_change_it(place):
    store(place, chain())
    plain = research(place, "kiln")
    if names(plain)[0] != "step-0" or len(plain["results"]) < 4:
        yield f"the graph leads nowhere: {names(plain)}"
    scores = {row["name"]: row["score"] for row in plain["results"]}
    slow = {row["name"]: row["score"] for row in research(place, "kiln", "--graph-decay", "0.1")["results"]}
    if not slow["step-1"] < scores["step-1"]:
        yield f"--graph-decay: {slow} against {scores}"
    floor = sorted(scores.values())[1] * 0.999
    kept = research(place, "kiln", "--graph-min-score", str(floor))
    if set(names(kept)) != {name for name, score in scores.items() if score >= floor}:
        yield f"--graph-min-score {floor}: {names(kept)} of {scores}"
    if kept["stats"]["unique_memories_found"] != len(kept["results"]):
        yield f"what was left out is counted: {kept['stats']}"
    if research(place, "kiln", "--graph-decay", "1.1").get("code") != "usage":
        yield "--graph-decay 1.1 is taken"


def test_rrf_ranks_hits_by_their_places(place):
    store(place, [{"name": "often", "body": "kiln " * 9}, {"name": "once", "body": "kiln and much else " + "word " * 60}])
    by_score = {row["name"]: row["score"] for row in research(place, "kiln")["results"]}
    by_rank = {row["name"]: row["score"] for row in research(place, "kiln", "--rrf-k", "1")["results"]}
    flat = {row["name"]: row["score"] for row in research(place, "kiln", "--rrf-k", "100000")["results"]}
    if not flat["once"] > by_rank["once"] or by_rank == by_score:
        yield f"--rrf-k: {by_score} {by_rank} {flat}"
    if abs(by_rank["once"] - 2 / 3) > 1e-6:
        yield f"1 / (1 + 2) of 1 / (1 + 1) is not {by_rank['once']}"


def test_neighbours_are_the_heaviest(place):
    store(place, [{"name": "hub", "body": "kiln", "entities": [{"name": "the hub"}]}] + [
        {"name": f"n{n}", "body": "x", "entities": [{"name": f"leaf {n}"}]} for n in range(5)])
    for n in range(5):
        memory(place, "link", "--from", "the hub", "--to", f"leaf {n}", "--relation", "uses", "--weight", 0.4 + n / 10)
    if sorted(names(research(place, "kiln"))) != ["hub", "n0", "n1", "n2", "n3", "n4"]:
        yield "not all neighbours"
    two = research(place, "kiln", "--max-neighbors-per-hop", "2")
    if sorted(names(two)) != ["hub", "n3", "n4"]:
        yield f"--max-neighbors-per-hop 2: {names(two)}"


def test_the_file_of_the_answer_has_what_would_be_printed(place):
    store(place, chain())
    printed = research(place, "kiln")
    for flag in ("--output", "-o"):
        file = place.work / "answer.json"
        said = memory(place, "deep-research", "kiln", flag, file).document
        kept = json.loads(file.read_text())
        for document in (printed, kept):
            document.pop("elapsed_ms", None)
            document["stats"].pop("elapsed_ms", None)
        if kept != printed or said["action"] != "written" or said["output"] != str(file):
            yield f"{flag}: {said} {kept}"
    if memory(place, "deep-research", "kiln", "--output", place.work / "no" / "such").code != 14:
        yield "a file that can't be written"


def test_what_means_nothing_here_is_said(place):
    store(place, chain())
    document = research(place, "kiln", "--max-concurrency", "4")
    if len(document.get("warnings", [])) != 1 or "max-concurrency" not in document["warnings"][0]:
        yield f"--max-concurrency: {document.get('warnings')}"
    if "warnings" in research(place, "kiln"):
        yield "a warning about nothing"


def test_counts_are_of_all_that_was_found(place):
    store(place, [{"name": f"n{n:02d}", "body": "kiln", "entities": [{"name": f"start {n}"}],
                   "relationships": [{"source": f"start {n}", "target": f"middle {n}", "relation": "uses", "weight": 0.9},
                                     {"source": f"middle {n}", "target": f"end {n}", "relation": "uses", "weight": 0.8}]}
                  for n in range(70)])
    parts = place.write("parts", "".join(f"kiln start {n}\n" for n in range(60)))
    document = research(place, "kiln", "--max-results", "3", "-k", "4096", "--sub-queries-file", parts)
    stats = document["stats"]
    if len(document["results"]) != 3 or stats["unique_memories_found"] != 70:
        yield f"found and shown: {len(document['results'])} {stats}"
    if document["agent_surface"]["universe_total"] != 70:
        yield f"universe: {document['agent_surface']}"
    if stats["evidence_chains_found"] != 60 or len(document["evidence_chains"]) != 50:
        yield f"chains: {stats['evidence_chains_found']} {len(document['evidence_chains'])}"
    if document["agent_surface"].get("secondary_capped") != ["evidence_chains"]:
        yield f"that chains were cut is not said: {document['agent_surface']}"
    few = research(place, "kiln start 1", "--max-items", "1", "--sub-queries-file", place.write("parts", "start 1\nstart 2\n"))
    if len(few["evidence_chains"]) != 1 or few["agent_surface"].get("secondary_capped") != ["evidence_chains"]:
        yield f"--max-items: {few['agent_surface']}"
    one = research(place, "start 1", "--max-sub-queries", "1")
    if one["stats"]["evidence_chains_found"] != 1 or one["agent_surface"].get("secondary_capped"):
        yield f"an uncut list is called cut: {one['stats']} {one['agent_surface']}"


if __name__ == "__main__":
    sys.exit(run_cases(globals(), __file__))
