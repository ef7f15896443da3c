"""How well the memory finds: recall@5, recall@10 and nDCG@10 of words, vectors, both fusions, and the graph.

    bench/memory_retrieval_bench.py [FOLDER] [--model MODEL] [--queries N] [--weight-vec W]

FOLDER is laid out like BEIR's sets: corpus.jsonl ({"_id", "title", "text", "entities"?}), queries.jsonl ({"_id", "text"}) and
qrels/*.tsv (query-id, corpus-id, score). Without one, a small set is generated: subjects with near neighbours, asked for by
other words than their texts begin with. MODEL is what `candor memory init --model` takes (`local:NAME` is installed for the run); without one there are no vectors.
"""

import argparse
import glob
import json
import math
import os
import subprocess
import tempfile

from figures import record

CANDOR = os.environ.get("CANDOR_BIN", "build/release/bin/candor")
FIELDS = "recall@5", "recall@10", "nDCG@10"


def generated(folder):
    """240 texts on 60 subjects; each question is about one subject and one of its four aspects."""
    subjects = ["%s %s" % (a, b) for a in ["amber", "cobalt", "ivory", "jade", "ochre", "umber"]
                for b in ["anchor", "bridge", "cellar", "dynamo", "engine", "furnace", "gateway", "hangar", "kiln", "lathe"]]
    aspects = [("is inspected by the harbor team every spring", "who inspects the %s"),
               ("failed twice because its bearing ran dry", "why did the %s fail"),
               ("was moved to the northern yard last winter", "where was the %s moved"),
               ("needs permits before anybody rebuilds it", "what permit does rebuilding the %s need")]
    os.makedirs(folder + "/qrels")
    with open(folder + "/corpus.jsonl", "w") as corpus, open(folder + "/queries.jsonl", "w") as queries, \
            open(folder + "/qrels/test.tsv", "w") as qrels:
        qrels.write("query-id\tcorpus-id\tscore\n")
        for i, subject in enumerate(subjects):
            for j, (fact, question) in enumerate(aspects):
                key = "%d-%d" % (i, j)
                corpus.write(json.dumps({"_id": key, "title": "", "text": "The %s %s." % (subject, fact), "entities": [subject]}) + "\n")
                queries.write(json.dumps({"_id": "q" + key, "text": question % subject}) + "\n")
                qrels.write("q%s\t%s\t1\n" % (key, key))


def lines(path):
    with open(path, encoding="utf-8") as rows:
        return [json.loads(row) for row in rows if row.strip()]


def judged(folder):
    relevant = {}
    for path in sorted(glob.glob(folder + "/qrels/*.tsv")):
        with open(path, encoding="utf-8") as rows:
            for row in rows:
                query, document, score = row.rstrip("\n").split("\t")[:3]
                if score.lstrip("-").isdigit() and int(score) > 0:
                    relevant.setdefault(query, {})[document] = int(score)
    return relevant


def memory(home, *words, text=None):
    done = subprocess.run([CANDOR, "memory", *words, "--json", "--home", home], input=text, text=True, capture_output=True)
    if done.returncode not in (0, 13):
        raise SystemExit(done.stdout[-400:] + done.stderr[-400:])
    return done.stdout


def load(home, folder, model):
    memory(home, "init", "--model", "none")
    names, batch = {}, []
    for i, one in enumerate(lines(folder + "/corpus.jsonl")):
        name = "d%d" % i
        names[name] = one["_id"]
        batch.append(json.dumps({"name": name, "type": "document", "description": one.get("title", "")[:400],
                                 "body": one["text"][:400000],
                                 "entities": [{"name": e, "entity_type": "concept"} for e in one.get("entities", [])]}))
    memory(home, "remember-batch", text="\n".join(batch) + "\n")
    if model:
        if model.startswith("local:"):
            memory(home, "embed", "setup", model[6:], "--yes")
        memory(home, "init", "--model", model)
        memory(home, "embed", "backfill")
    return names


def scores(found, relevant):
    ideal = sum(gain / math.log2(i + 2) for i, gain in enumerate(sorted(relevant.values(), reverse=True)[:10]))
    gained = sum(relevant.get(name, 0) / math.log2(i + 2) for i, name in enumerate(found[:10]))
    within = [sum(1 for name in found[:k] if name in relevant) / len(relevant) for k in (5, 10)]
    return within + [gained / ideal]


WAYS = {
    "words": ["hybrid-search", "-k", "10", "--fallback-fts-only"],
    "vectors": ["recall", "-k", "10", "--no-graph", "--max-distance", "2"],
    "rrf": ["hybrid-search", "-k", "10", "--fusion", "rrf"],
    "convex": ["hybrid-search", "-k", "10", "--fusion", "convex"],
    "graph": ["deep-research", "--max-results", "10"],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--model")
    parser.add_argument("--queries", type=int, default=0)
    parser.add_argument("--weight-vec", action="append", default=[], metavar="W",
                        help="measure the convex fusion with this weight of the vectors too; repeatable")
    arguments = parser.parse_args()
    for weight in arguments.weight_vec:
        WAYS["convex, vectors weigh " + weight] = WAYS["convex"] + ["--weight-vec", weight]
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as made:
        folder = arguments.folder
        if not folder:
            folder = made
            generated(folder)
        names = load(home, folder, arguments.model)
        relevant = judged(folder)
        queries = [query for query in lines(folder + "/queries.jsonl") if query["_id"] in relevant]
        queries = queries[:arguments.queries or None]
        means = {}
        for way, words in WAYS.items():
            if not arguments.model and way not in ("words", "graph"):
                continue
            sums = [0.0, 0.0, 0.0]
            for query in queries:
                rows = json.loads(memory(home, words[0], query["text"], *words[1:], "--select", "name"))["results"]
                for i, value in enumerate(scores([names[row["name"]] for row in rows], relevant[query["_id"]])):
                    sums[i] += value
            means[way] = [value / len(queries) for value in sums]
        for way, values in means.items():
            for field, value, base in zip(FIELDS, values, means["words"]):
                record("memory, %s by %s" % (field, way), round(value, 4), "", "words alone", round(base, 4))


if __name__ == "__main__":
    main()
