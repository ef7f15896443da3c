"""The command line from outside: documents, exit codes, tables on a terminal, Ctrl-C, completions, the manual."""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

BIN = os.environ["CANDOR_BIN"]
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SLOW = "SELECT count(*) FROM range(100000000000) t(i) WHERE hash(i) % 7 = 3"


def environment(home, **changed):
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "CANDOR_HOME": str(home), "LC_ALL": "C.UTF-8", "TERM": "xterm"}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH"):
        if name in os.environ:
            env[name] = os.environ[name]
    env.update(changed)
    return env


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="candor-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.home = self.folder / "home"
        self.data = self.folder / "clinic"
        self.data.mkdir()
        patients = ["patient_id,site"] + [f"P{i:04},{'Bergen' if i % 2 else 'Oslo'}" for i in range(513)]
        visits = ["patient_id,cost"] + [f"P{i:04},{i}.50" for i in range(23)] + [f"X{i:04},1.00" for i in range(100)]
        (self.data / "patients.csv").write_text("\n".join(patients) + "\n")
        (self.data / "visits.csv").write_text("\n".join(visits) + "\n")

    def candor(self, *arguments, stdin="", env=None, text=True):
        return subprocess.run([BIN, *arguments], input=stdin if text else stdin.encode(), capture_output=True, text=text,
                              cwd=self.folder, env=env or environment(self.home), timeout=120)

    def document(self, *arguments, exit=0, **how):
        done = self.candor(*arguments, **how)
        self.assertEqual(done.returncode, exit, done.stdout + done.stderr)
        self.assertTrue(done.stdout.endswith("\n"))
        return json.loads(done.stdout)

    def on_terminal(self, *arguments, columns=100, keys=(), **changed):
        """Runs on a pseudo-terminal. `keys`: (text to wait for, what to type). What was shown, and the exit code."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(BIN, [BIN, *arguments], environment(self.home, **changed))
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        shown, keys, deadline, waited_for = b"", list(keys), time.monotonic() + 120, bool(keys)
        while time.monotonic() < deadline:
            ready, _, _ = select.select([terminal], [], [], 0.2)
            if ready:
                try:
                    got = os.read(terminal, 65536)
                except OSError:
                    break
                if not got:
                    break
                shown += got
            if keys and keys[0][0].encode() in shown:
                os.write(terminal, keys.pop(0)[1])
        else:
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
        text = shown.decode().replace("\r\n", "\n")
        if not waited_for:  # a slow machine shows its progress, and takes it away again
            text = re.sub(r"(?:\r\x1b\[K[^\r\n]*)*\r\x1b\[K", "", text)
        return text, os.waitstatus_to_exitcode(status)


class Statements(Case):
    def test_argument_file_and_standard_input_give_the_same_document(self):
        sql = "SELECT count(*) AS n FROM patients"
        (self.folder / "q.sql").write_text("\ufeff" + sql + ";\n")
        documents = [
            self.document("sql", sql, "clinic"),
            self.document("sql", "-f", "q.sql", "clinic"),
            self.document("sql", "clinic", stdin=sql),
            self.document("sql", "-", "--source", "clinic=clinic", stdin=sql),
        ]
        for document in documents:
            self.assertEqual(document["rows"], [[513]])
            self.assertEqual(document["columns"][0]["name"], "n")
            self.assertIn("agent_surface", document)

    def test_rows_as_objects_and_fewer_rows(self):
        document = self.document("sql", "FROM patients ORDER BY patient_id", "clinic", "--rows", "objects", "--max-rows", "2")
        self.assertEqual(document["rows"][0], {"patient_id": "P0000", "site": "Oslo"})
        self.assertEqual(document["row_count"], 2)
        self.assertEqual(document["agent_surface"]["universe_total"], 513)
        self.assertEqual(document["agent_surface"]["query_limit_source"], "flag")

    def test_a_batch_is_one_document(self):
        document = self.document("sql", "CREATE TABLE t AS SELECT 1 AS a; INSERT INTO t VALUES (2), (3); FROM t")
        self.assertEqual(document["statement_type"], "batch")
        self.assertEqual(document["statement_count"], 3)
        self.assertEqual(document["affected_count_total"] >= 2, True)
        self.assertEqual([row[0] for row in document["statements"][2]["rows"]], [1, 2, 3])
        again = self.document("sql", "SELECT count(*) FROM t")
        self.assertEqual(again["rows"], [[3]], "the scratch database lasts over calls of the command")

    def test_an_error_is_a_document_and_a_message_with_its_place(self):
        done = self.candor("sql", "SELECT *\nFROM pateints", "clinic")
        self.assertEqual(done.returncode, 1)
        document = json.loads(done.stdout)
        self.assertEqual(document["code"], "unknown-table")
        self.assertIn("patients", document["hint"])
        self.assertIn("error[unknown-table]", done.stderr)
        self.assertIn("FROM pateints", done.stderr)
        caret = [line for line in done.stderr.splitlines() if "^" in line]
        self.assertEqual(len(caret), 1)
        self.assertEqual(caret[0].count("^"), len("pateints"))

    def test_keep_going(self):
        stopped = json.loads(self.candor("sql", "SELECT 1; SELECT nope; SELECT 3").stdout)
        self.assertEqual(len(stopped["statements"]), 2)
        going = self.candor("sql", "--keep-going", "SELECT 1; SELECT nope; SELECT 3")
        self.assertEqual(len(json.loads(going.stdout)["statements"]), 3)
        self.assertEqual(going.returncode, 1)

    def test_bad_input(self):
        self.assertEqual(self.document("sql", "-f", "missing.sql", exit=14)["code"], "unreadable-input")
        self.assertEqual(self.document("sql", "-f", ".", exit=14)["code"], "unreadable-input")
        self.assertEqual(self.document("sql", "SELECT 1", "no-such-folder", exit=2)["code"], "usage")
        self.assertEqual(self.document("sql", stdin="", exit=1)["code"], "syntax")
        self.assertEqual(self.document("sql", "-- only a comment", exit=1)["code"], "syntax")
        done = self.candor("sql", "-f", "-", stdin="", text=False)
        self.assertEqual(done.returncode, 1)
        (self.folder / "bad.sql").write_bytes(b"SELECT '\xff'")
        self.assertEqual(self.document("sql", "-f", "bad.sql", exit=1)["code"], "invalid-text")
        (self.folder / "candor.yaml").write_text("sources: [1, 2\n")
        self.assertEqual(self.document("sql", "SELECT 1", exit=78)["code"], "configuration")

    def test_a_reader_that_goes_away_ends_it(self):
        program = subprocess.Popen([BIN, "sql", "SELECT repeat('x', 5000) FROM range(900)"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment(self.home))
        program.stdout.close()
        program.stderr.read()
        program.stderr.close()
        self.assertNotIn(program.wait(60), (-signal.SIGPIPE, -signal.SIGABRT, -signal.SIGSEGV))

    def test_ctrl_c_stops_the_query_in_the_engine(self):
        program = subprocess.Popen([BIN, "sql", SLOW], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment(self.home), text=True)
        time.sleep(1.5)
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
        self.assertEqual(program.returncode, 19, out + err)
        self.assertEqual(json.loads(out)["code"], "cancelled")
        self.assertEqual(self.document("sql", "SELECT 1")["rows"], [[1]], "the session is free again")


class Terminal(Case):
    def test_tables(self):
        shown, exit = self.on_terminal("sql", "SELECT site, count(*) AS n, NULL AS x FROM patients GROUP BY site ORDER BY site",
                                       "clinic", NO_COLOR="1")
        self.assertEqual(exit, 0, shown)
        lines = shown.splitlines()
        self.assertEqual(lines[:4], [" site   │   n │ x", "────────┼─────┼──────", " Bergen │ 256 │ NULL", " Oslo   │ 257 │ NULL"])
        self.assertRegex(lines[4], r"^2 rows  \(q\d+, ")
        self.assertNotIn("\x1b", shown)

    def test_colours_only_where_they_are_wanted(self):
        statement = ("sql", "SELECT NULL AS x")
        self.assertIn("\x1b[2mNULL", self.on_terminal(*statement)[0])
        self.assertNotIn("\x1b", self.on_terminal(*statement, NO_COLOR="1")[0])
        self.assertNotIn("\x1b", self.on_terminal(*statement, TERM="dumb")[0])
        self.assertNotIn("\x1b", self.on_terminal(*statement, "--no-color")[0])

    def test_data_can_not_steer_the_terminal(self):
        shown, _ = self.on_terminal("sql", "SELECT chr(27) || '[31mred' AS a", NO_COLOR="1")
        self.assertNotIn("\x1b", shown)
        self.assertIn("\\u001B[31mred", shown)

    def test_scope_lines_and_warnings(self):
        shown, _ = self.on_terminal("sql", "FROM patients LIMIT 12", "clinic", NO_COLOR="1")
        self.assertIn("12 of 513 rows; LIMIT in the statement, no ORDER BY: which 12 is not defined", shown)
        shown, _ = self.on_terminal("sql", "FROM patients", "clinic", "--max-rows", "3", NO_COLOR="1")
        self.assertIn("3 of 513 rows; --max-rows cut the rest", shown)

    def test_errors_have_a_caret(self):
        shown, exit = self.on_terminal("sql", "SELECT sitee FROM patients", "clinic", NO_COLOR="1")
        self.assertEqual(exit, 1)
        self.assertRegex(shown, r"error\[unknown-column\][^\n]*\n 1 │ SELECT sitee FROM patients\n   │        \^")
        self.assertIn("hint:", shown)

    def test_json_on_a_terminal(self):
        shown, _ = self.on_terminal("sql", "SELECT 1 AS a", "--json")
        self.assertEqual(json.loads(shown)["rows"], [[1]])

    def test_the_bar_and_ctrl_c(self):
        shown, exit = self.on_terminal("sql", SLOW, keys=[("Ctrl-C stops it", b"\x03")])
        self.assertEqual(exit, 19, shown)
        self.assertIn("error[cancelled]", re.sub(r"\x1b\[[0-9;]*[mK]", "", shown))


class Answers(Case):
    SPARSE = ("SELECT site, count(*) AS n FROM patients JOIN visits USING (patient_id) GROUP BY site ORDER BY site")

    def commit(self, answer, *flags, exit=0):
        return self.document("commit", "--source", "clinic=clinic", *flags, stdin=json.dumps(answer), exit=exit)

    def test_held_once_then_accepted_with_its_receipt(self):
        rows = self.document("sql", self.SPARSE, "clinic")["rows"]
        answer = {"question": "How many visits a site?", "rows": {"columns": ["site", "n"], "values": rows}, "basis": "visits joined"}
        held = self.commit(answer, exit=7)
        self.assertEqual(held["title"], "Answer not committed")
        self.assertTrue(any(finding["check"] == "join-coverage" for finding in held["findings"]))
        committed = self.commit(answer)
        self.assertEqual(committed["status"], "committed")
        shown = self.document("answers", committed["answer_id"])
        self.assertEqual(shown["answer"]["question"], "How many visits a site?")
        self.assertTrue(shown["receipt"]["acknowledged"])
        self.assertEqual(shown["query"]["rows"], rows)
        verified = self.document("answers", committed["answer_id"], "clinic", "--verify")
        self.assertTrue(verified["same"])
        self.assertEqual(verified["counted"], 1)
        listed = self.document("answers")
        self.assertEqual(listed["agent_surface"]["universe_total"], 1)
        shown, exit = self.on_terminal("answers", committed["answer_id"], NO_COLOR="1")
        self.assertEqual(exit, 0)
        for part in ("How many visits a site?", "join-coverage  finding", "23 of 513 rows matched, 4.5 %", "acknowledged"):
            self.assertIn(part, shown)
        (self.data / "visits.csv").write_text("patient_id,cost\nP0001,1.00\n")
        changed = self.document("answers", committed["answer_id"], "clinic", "--verify", exit=1)
        self.assertFalse(changed["same"])
        self.assertEqual(changed["counts"][0]["now"]["left_matched"], 1)
        lost = self.document("answers", committed["answer_id"], "--verify", exit=4)
        self.assertIn("failure", lost["counts"][0], "what can't be counted is no agreement")
        shown, _ = self.on_terminal("answers", committed["answer_id"], "clinic", "--verify", NO_COLOR="1")
        self.assertIn("then 23 of 513, 23 of 123; now 1 of 513, 1 of 1", shown)

    def test_check_finds_the_same_without_a_commit(self):
        checked = self.document("check", self.SPARSE, "clinic", exit=7)
        self.assertEqual(checked["finding_count"], 1)
        clean = self.document("check", "SELECT count(*) FROM patients", "clinic")
        self.assertEqual(clean["finding_count"], 0)
        shown, exit = self.on_terminal("check", self.SPARSE, "clinic", NO_COLOR="1")
        self.assertEqual(exit, 7)
        self.assertIn("23 of 513 rows matched", shown)

    def test_bad_answers(self):
        self.assertEqual(self.document("commit", stdin="{", exit=2)["code"], "bad-request")
        self.assertEqual(self.document("commit", "[]", exit=2)["code"], "bad-request")
        self.assertEqual(self.document("commit", '{"unresolved":"no common key"}', "clinic")["state"], "unresolved")
        self.assertEqual(self.document("answers", "a99", exit=4)["error"], True)
        self.assertEqual(self.document("answers", "--verify", exit=2)["code"], "usage")

    def test_queries(self):
        asked = self.document("sql", "SELECT 42 AS n")
        self.document("sql", "SELECT nope", exit=1)
        listed = self.document("queries")
        self.assertEqual(listed["agent_surface"]["universe_total"], 2)
        self.assertFalse(listed["queries"][0]["succeeded"])
        one = self.document("queries", asked["query_id"])
        self.assertEqual(one["rows"], [[42]])
        page = self.document("queries", "--limit", "1")
        self.assertEqual(len(page["queries"]), 1)
        shown, _ = self.on_terminal("queries", "--limit", "1", NO_COLOR="1")
        self.assertIn("1 of 2 queries; --offset 1 shows the next", shown)


class Others(Case):
    def test_schema(self):
        document = self.document("schema", "clinic")
        self.assertEqual({table["resource"] for table in document["resources"]}, {"clinic.patients", "clinic.visits"})
        one = self.document("schema", "patients", "--source", "clinic=clinic")
        self.assertEqual([column["name"] for column in one["resources"][0]["columns"]], ["patient_id", "site"])
        missing = self.document("schema", "clinic.patience", "--source", "clinic=clinic", exit=1)
        self.assertIn("clinic.patients", missing["hint"])
        shown, _ = self.on_terminal("schema", "clinic.patients", "--source", "clinic=clinic", NO_COLOR="1")
        self.assertIn("clinic.patients  table, 513 rows", shown)
        self.assertIn("patients.csv", shown)

    def test_explain(self):
        page = self.document("explain", "unknown-column")
        self.assertEqual(page["exit_code"], 1)
        self.assertTrue(page["explanation"])
        near = self.document("explain", "unknown-colum", exit=4)
        self.assertIn("unknown-column", near["hint"])
        listed = self.document("explain")
        self.assertEqual(listed["code_count"], len(listed["codes"]))
        self.assertFalse(self.home.exists(), "a page needs no ledger")

    def test_words_that_are_not_there(self):
        failure = self.document("quries", exit=2)
        self.assertEqual(failure["code"], "usage")
        self.assertIn("did you mean queries", failure["hint"])
        self.assertIn("commands are demo, sql", self.document("frobnicate", exit=2)["hint"])
        self.assertIn("sql", self.document("sqll", exit=2)["hint"])
        self.assertIn("--source", self.document("sql", "SELECT 1", "--soruce", "x", exit=2)["hint"])
        self.assertEqual(self.document(exit=2)["code"], "usage")
        self.assertEqual(self.document("sql", "--max-rows", "many", "SELECT 1", exit=2)["code"], "usage")
        self.assertEqual(self.document("schema", "queries", exit=1)["code"], "unknown-table", "a word may be named like a command")

    def test_help_and_version(self):
        self.assertRegex(self.candor("--version").stdout, r"^candor \d+\.\d+\.\d+\n$")
        listed = self.candor("--help").stdout
        for command in ("sql", "schema", "check", "commit", "answers", "queries", "explain", "doctor", "mcp", "completion", "demo"):
            self.assertIn(f"\n  {command}", listed)
            page = self.candor(command, "--help")
            self.assertEqual(page.returncode, 0)
            self.assertIn("Usage: candor " + command, page.stdout)
            self.assertIn("Examples:", page.stdout)

    def test_doctor(self):
        document = self.document("doctor", "clinic")
        names = {finding["name"]: finding for finding in document["findings"]}
        self.assertTrue(all(finding["ok"] for finding in names.values()), names)
        self.assertIn("1.5", names["duckdb"]["text"])
        self.assertIn("2 tables", names["source clinic"]["text"])
        self.assertEqual(document["limits"]["rows_per_result"], 1000)

    def test_doctor_names_what_is_wrong_with_a_source(self):
        (self.folder / "bad.duckdb").write_bytes(b"\0" * 8 + b"DUCK" + b"\x55" * 5000)
        document = self.document("doctor", "--source", "bad=bad.duckdb", "--source", "clinic=clinic", exit=14)
        names = {finding["name"]: finding for finding in document["findings"]}
        self.assertFalse(names["source bad"]["ok"])
        self.assertIn("bad.duckdb", names["source bad"]["failure"]["message"])
        self.assertTrue(names["source clinic"]["ok"], "the others are open")

    def test_doctor_attacks(self):
        document = self.document("doctor", "--attack", "clinic")
        self.assertGreater(document["held_count"], 20)
        self.assertEqual(document["got_through_count"], 0)
        self.assertEqual(document["not_known_count"], 0, [a for a in document["attacks"] if a["outcome"] != "held"])

    def test_mcp_speaks_the_protocol_before_it_opens_anything(self):
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
        done = self.candor("mcp", "clinic", stdin=json.dumps(request) + "\n")
        self.assertEqual(json.loads(done.stdout.splitlines()[0])["result"]["serverInfo"]["name"], "candor")
        self.assertEqual(self.candor("mcp", "no-such-folder").stdout, "")


class Shells(Case):
    def complete(self, *words):
        script = f"source <({BIN} completion bash); COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _candor; " \
                 "printf '%s\\n' \"${COMPREPLY[@]}\""
        env = environment(self.home, PATH=str(pathlib.Path(BIN).parent) + ":" + os.environ["PATH"])
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=self.folder, env=env, timeout=60)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash(self):
        self.assertEqual(self.complete("candor", "sc"), ["schema"])
        self.assertIn("--max-rows", self.complete("candor", "sql", "--m"))
        self.assertNotIn("--max-rows", self.complete("candor", "schema", "--"))
        self.assertEqual(self.complete("candor", "sql", "--rows", ""), ["arrays", "objects"])
        self.assertEqual(self.complete("candor", "explain", "unknown-col"), ["unknown-column"])
        (self.folder / "candor.yaml").write_text("sources: {clinic: clinic}\n")
        self.assertEqual(self.complete("candor", "sql", "--in", ""), ["clinic"])

    def test_scripts_are_sound(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.candor("completion", shell).stdout
            self.assertIn("candor", script)
            if shutil.which(shell):
                checked = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True)
                self.assertEqual(checked.returncode, 0, shell + checked.stderr)
        self.assertEqual(self.candor("completion", "tcsh").returncode, 2)

    def test_the_manual_is_up_to_date(self):
        page = self.candor("completion", "man").stdout
        self.assertEqual(page, (ROOT / "docs" / "candor.1").read_text(), "candor completion man > docs/candor.1")
        if shutil.which("man"):
            checked = subprocess.run(["man", "--warnings", "-l", "-"], input=page, capture_output=True, text=True, env=environment(self.home))
            self.assertEqual(checked.stderr, "")


if __name__ == "__main__":
    unittest.main()
