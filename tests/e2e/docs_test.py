"""The documentation, held to what is there: files, commands, flags, limits, and examples that really run.

A ```console block below a line `<!-- run -->` is played on a terminal: each `$ command` in the repository's root, with a home
of its own for the block. Its output must be what stands there; `…` stands for any text, a line `…` for any lines.
"""

import fcntl
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios

from cases import Skip, run_cases
from program import BIN

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/**/README.md")])
OWN_FOLDERS = ("src", "docs", "tests", "tools", "bench", "examples", "cmake", ".ci")
COLUMNS = 100


def each_page():
    for page in PAGES:
        yield page, page.read_text(encoding="utf-8")


def name_of(page):
    return str(page.relative_to(ROOT))


def test_links_lead_somewhere(_):
    for page, text in each_page():
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            path = target.partition("#")[0]
            if path and "://" not in path and not (page.parent / path).exists():
                yield f"{name_of(page)}: {target} leads nowhere"


def test_named_files_exist(_):
    pattern = re.compile(r"`((?:%s)/[\w./-]+?)/?`" % "|".join(map(re.escape, OWN_FOLDERS)))
    for page, text in each_page():
        if "decisions/0000" in name_of(page):
            continue
        for path in set(pattern.findall(text)):
            if "NAME" not in path and not (ROOT / path).exists():
                yield f"{name_of(page)}: there is no {path}"


def test_architecture_names_what_is_there(_):
    """Files below src/ may be written without it, and functions as Class::name; both must exist."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    code = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("src/**/*") if path.suffix in (".cc", ".h"))
    for path in re.findall(r"`([\w]+/[\w/.]+\.(?:cc|h|inc))`", text):
        if not (ROOT / "src" / path).exists() and not (ROOT / path).exists():
            yield f"there is no src/{path}"
    for holder, name in re.findall(r"`(\w+)::(\w+)`", text):
        if not re.search(r"\b%s\b" % holder, code) or not re.search(r"\b%s\(|\bclass %s\b" % (name, name), code):
            yield f"there is no {holder}::{name}"


def help_of(*words):
    return subprocess.run([BIN, *words, "--help"], capture_output=True, text=True).stdout


def candor_lines():
    """(page, line) of each `candor …` in a code block or a code span."""
    for page, text in each_page():
        if "decisions/" in name_of(page):
            continue
        code = re.findall(r"```[^\n]*\n(.*?)```", text, re.S) + re.findall(r"(?<!`)`([^`\n]+)`", text)
        code += re.findall(r"(?m)^    (.*)$", text)
        for block in code:
            for line in block.splitlines():
                if found := re.match(r"(?:\$ )?(?:\w+=\S+ )*candor (.*)", line.strip()):
                    yield page, found[1]


def test_commands_and_flags_exist(_):
    commands = set(re.findall(r"(?m)^  (\w+)", help_of()))
    if "sql" not in commands:
        yield f"the commands were not found in the help: {sorted(commands)}"
        return
    flags = {}
    for page, line in candor_lines():
        line = line.partition(" | ")[0]
        verb = re.match(r"[a-z]+", line)
        if verb is None:
            continue
        if verb[0] not in commands:
            yield f"{name_of(page)}: there is no command: candor {line}"
            continue
        # Further words name a verb of the command, or are arguments, which --help passes over.
        words = tuple(re.match(r"[a-z-]+(?: [a-z][a-z-]*)*", line)[0].split())
        if words not in flags:
            flags[words] = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", help_of(*words)))
        for flag in re.findall(r"(?<=\s)--?[a-z][\w-]*", re.sub(r"'[^']*'|\"[^\"]*\"", "", line)):
            if flag not in flags[words]:
                yield f"{name_of(page)}: candor {' '.join(words)} has no {flag}: {line}"


def test_make_targets_exist(_):
    targets = set(re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8")))
    for page, text in each_page():
        code = re.findall(r"```[^\n]*\n(.*?)```", text, re.S) + re.findall(r"(?<!`)`([^`\n]+)`", text)
        for block in code:
            for target in re.findall(r"(?m)^(?:\$ )?make ([a-z]+)", block):
                if target not in targets:
                    yield f"{name_of(page)}: there is no make {target}"


def test_limits_are_those_of_the_code(place):
    text = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    told = {name: int(value.replace(",", "")) for name, value in re.findall(r"(?m)^\| `(\w+)` \| ([\d,]+) \|", text)}
    source = (ROOT / "src" / "config" / "limits.cc").read_text(encoding="utf-8")
    real = {name: int(value.replace("'", "")) for name, value in re.findall(r'\{"(\w+)", ([\d\']+),', source)}
    if told != real:
        yield f"docs/sources.md and the table in the code differ: {sorted(set(told.items()) ^ set(real.items()))}"


def test_the_page_for_agents_is_what_candor_says(_):
    done = subprocess.run([ROOT / "tools" / "document_agents", "--check"], capture_output=True, text=True,
                          env=os.environ | {"CANDOR_BIN": BIN})
    if done.returncode != 0:
        yield done.stderr


def test_publishing_in_ten_minutes_works_as_it_is_told(place):
    """Each command of the section, one after the other, in a folder with a copy of the examples."""
    text = (ROOT / "docs" / "contract.md").read_text(encoding="utf-8")
    section = text.partition("## Publish in ten minutes")[2].partition("\n## ")[0]
    shutil.copytree(ROOT / "examples", place.work / "examples")
    commands = [line.strip() for block in re.findall(r"```sh\n(.*?)```", section, re.S)
                for line in block.replace("\\\n", " ").splitlines()]
    if len(commands) < 8:
        yield f"only {len(commands)} commands were found"
    environment = place.environment() | {"PATH": f"{pathlib.Path(BIN).parent}:{os.environ['PATH']}", "CANDOR_HOME": str(place.home)}
    for command in commands:
        done = subprocess.run(["bash", "-c", command], cwd=place.work, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            yield f"{command}: exit code {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}"
    if "repetitions > 9" not in section or '"suspended"' in section:
        yield "the section was rewritten: look at this test"


def test_the_clinic_is_made_by_its_script(place):
    copy = place.work / "make_clinic.py"
    shutil.copy(ROOT / "examples" / "make_clinic.py", copy)
    (place.work / "clinic").mkdir()
    subprocess.run([sys.executable, copy], check=True)
    made = {path.name: path.read_bytes() for path in (place.work / "clinic").iterdir()}
    if made != {path.name: path.read_bytes() for path in (ROOT / "examples" / "clinic").iterdir()}:
        yield "examples/clinic is not what make_clinic.py writes"


# ---- examples ----

def on_terminal(command, environment):
    """What the command prints on a terminal, and its exit code."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    process = subprocess.Popen(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, cwd=ROOT,
                               env=environment)
    os.close(slave)
    out = b""
    while True:
        try:
            piece = os.read(master, 1 << 16)
        except OSError:     # the last writer is gone
            break
        if not piece:
            break
        out += piece
    os.close(master)
    return out.decode("utf-8", "replace").replace("\r\n", "\n"), process.wait()


def pattern_of(expected):
    """A pattern of the lines: a line `…` is any lines, `…` in a line any text."""
    pattern = ""
    for line in expected:
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part.rstrip() if i == line.count("…") else part)
                                 for i, part in enumerate(line.split("…"))) + r" *\n"
    return pattern


def demo_data():
    found = subprocess.run([ROOT / "tools" / "fetch_demo_data"], capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else ""


def play(page, block, place):
    lines = block.rstrip("\n").split("\n")
    environment = place.environment() | {
        "PATH": f"{pathlib.Path(BIN).resolve().parent}:{os.environ['PATH']}", "CANDOR_HOME": str(place.home),
        "TERM": "dumb", "CANDOR_DEMO_DATA": demo_data()}
    while lines:
        command, expected = lines.pop(0), []
        while lines and not lines[0].startswith("$ "):
            expected.append(lines.pop(0))
        while command.endswith("\\"):
            command = command[:-1] + expected.pop(0).strip()
        shown, _ = on_terminal(command.removeprefix("$ "), environment)
        if not re.fullmatch(pattern_of(expected), re.sub(r"(?m)[ \t]+$", "", shown)):
            yield f"{name_of(page)}: {command}\n--- must print\n" + "\n".join(expected) + f"\n--- prints\n{shown}"


def test_examples_run(place):
    played = 0
    for page, text in each_page():
        for block in re.findall(r"<!-- run -->\n```console\n(.*?)```", text, re.S):
            played += 1
            shutil.rmtree(place.home)
            place.home.mkdir()
            yield from play(page, block, place)
    if played == 0:
        raise Skip("no page has an example to run")


if __name__ == "__main__":
    sys.exit(run_cases(globals(), __file__))
