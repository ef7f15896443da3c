"""Searching the memory through the real program: words, vectors of a command and of a real HTTP server on loopback."""
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest

CANDOR = os.environ["CANDOR_BIN"]


def vector(text, dim=16):
    """Counts of hashed words, so that texts which share words are near."""
    values = [0.0] * dim
    for word in text.lower().split():
        values[sum(word.encode()) % dim] += 1.0
    return values if any(values) else [1.0] + [0.0] * (dim - 1)


COMMAND = """python3 -c '
import json, sys
for line in sys.stdin:
    values = [0.0] * 16
    for word in json.loads(line)["text"].lower().split(): values[sum(word.encode()) % 16] += 1.0
    if not any(values): values[0] = 1.0
    print(json.dumps({"embedding": values}))'"""


class Server(http.server.BaseHTTPRequestHandler):
    seen = []
    fail = []  # status codes that the next requests get

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Server.seen.append((self.path, self.headers.get("Authorization"), request))
        status = Server.fail.pop(0) if Server.fail else 200
        answer = {"data": [{"index": i, "embedding": vector(t)} for i, t in enumerate(request["input"])]}
        body = json.dumps(answer if status == 200 else {"error": {"message": "not now"}}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class MemorySearch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        Server.seen, Server.fail = [], []

    def tearDown(self):
        self.folder.cleanup()

    def run_memory(self, *words, text=None, code=0, **variables):
        done = subprocess.run([CANDOR, "memory", *words, "--json", "--home", self.folder.name], input=text, text=True,
                              capture_output=True, env={**os.environ, **variables}, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout) if done.stdout.count("\n") == 1 else done.stdout

    def store(self, **bodies):
        lines = [json.dumps({"name": name, "type": "note", "description": "", "body": body}) for name, body in bodies.items()]
        self.run_memory("remember-batch", text="\n".join(lines) + "\n")

    def names(self, answer):
        return [row["name"] for row in answer["results"]]

    def test_five_is_a_prefix_of_ten_in_every_process(self):
        self.run_memory("init", "--model", "command:" + COMMAND)
        self.store(**{"n%d" % i: "amber word%d word%d" % (i % 7, i % 5) for i in range(40)})
        ten = self.run_memory("hybrid-search", "amber word3", "-k", "10")
        five = self.run_memory("hybrid-search", "amber word3", "-k", "5")
        self.assertEqual(five["results"], ten["results"][:5])
        self.assertEqual(self.run_memory("hybrid-search", "amber word3", "-k", "10")["results"], ten["results"])

    def test_a_filter_works_below_k_on_computed_keys(self):
        self.run_memory("init")
        self.store(**{"n%d" % i: "amber " * (i + 1) for i in range(20)})
        whole = self.run_memory("hybrid-search", "amber", "-k", "20")
        border = whole["results"][12]["score"]
        found = self.run_memory("hybrid-search", "amber", "-k", "3", "--filter", "score<=%r" % border, "--filter-scope", "universe")
        self.assertEqual(self.names(found), self.names(whole)[12:15])

    def test_max_distance_removes(self):
        self.run_memory("init", "--model", "command:" + COMMAND)
        self.store(near="cobalt kiln", far="unlike anything else at all here")
        self.assertEqual(self.names(self.run_memory("recall", "cobalt kiln", "--no-graph", "--max-distance", "0.3")), ["near"])

    def test_what_points_away_comes_by_its_distance_and_hides_nothing(self):
        directions = {"sought": [1, 0], "near": [3, 1], "across": [0, 1], "away": [-1, 3], "opposite": [-1, 0]}
        command = """python3 -c '
import json, sys
for line in sys.stdin:
    print(json.dumps(%s.get(json.loads(line)["text"].split()[-1], [1, 0]) + [0] * 6))'""" % json.dumps(directions)
        self.run_memory("init", "--model", "command:" + command)
        self.store(**{name: name for name in list(directions)[1:]})
        asked = ("recall", "sought", "--no-graph", "--max-distance")
        self.assertEqual(self.names(self.run_memory(*asked, "2")), ["near", "across", "away", "opposite"])
        self.assertEqual(self.names(self.run_memory(*asked, "1", "-k", "2")), ["near", "across"])
        self.assertEqual(self.names(self.run_memory(*asked, "2", "-k", "3")), ["near", "across", "away"])

    def test_words_only_of_grammar_have_a_reason(self):
        self.run_memory("init")
        self.store(a="the motto")
        answer = self.run_memory("hybrid-search", "the of and")
        self.assertEqual(answer["results"], [])
        self.assertTrue(answer["reason"])

    def test_an_address_with_a_key_and_retries(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = "http://127.0.0.1:%d/v1" % server.server_address[1]
        try:
            self.run_memory("init", "--model", url + "#small", CANDOR_EMBED_KEY="secret-key")
            Server.fail = [429, 503]
            self.store(a="cobalt kiln", b="amber mill")
            self.assertEqual(self.names(self.run_memory("recall", "amber mill", "--no-graph"))[0], "b")
            self.assertTrue(all(path == "/v1/embeddings" for path, _, _ in Server.seen))
            self.assertEqual(Server.seen[0][1], "Bearer secret-key")
            Server.fail = [500] * 3
            self.run_memory("remember", "--name", "c", "--type", "note", "--body", "x", code=11)
            self.run_memory("read", "c", code=4)
            Server.fail = [500] * 3
            worse = self.run_memory("hybrid-search", "amber")
            self.assertEqual(worse["vec_degraded_reason"], "embedding_failed")
            self.assertEqual(self.names(worse), ["b"])
        finally:
            server.shutdown()

    def test_another_model_is_told_about_and_made_up_for(self):
        self.run_memory("init")
        self.store(a="cobalt kiln", b="amber mill")
        self.run_memory("init", "--model", "command:" + COMMAND)
        coverage = self.run_memory("hybrid-search", "amber")["vector_coverage"]
        self.assertEqual((coverage["with_vector"], coverage["without"]), (0, 2))
        self.assertEqual(self.run_memory("embed", "backfill")["embedded"], 2)
        self.assertEqual(self.run_memory("embed", "status")["missing"], 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
