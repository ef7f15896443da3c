"""The rules of this project's style that a program can see, each with the way out.

Before the tree is looked at, every rule is tried on a planted fault (see plant_faults), so that a rule
which no longer sees anything fails the test. Exceptions stand in tidy_exceptions.txt, each with a reason;
one that is no longer needed is a failure too.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

from tidy_functions import code_lines, functions, without_comments

ROOT = pathlib.Path(__file__).resolve().parent.parent
FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 500

CPP = {".cc", ".h"}
TEXT = CPP | {".inc", ".py", ".mjs", ".js", ".ts", ".sh", ".cmake", ".txt", ".md", ".json", ".yaml", ".yml",
              ".html", ".css", ".sql", ".test", ".1", ""}

# A third-party header, and the one module that wraps it (of yaml-cpp, `config` and the other reader of YAML).
WRAPPED = {
    r"nlohmann/": ("json",),
    r"sqlite3(ext)?\.h": ("sqlite",),
    r"duckdb\.h(pp)?": ("engine/duckdb",),
    r"libpq-fe\.h": ("engine/postgres",),
    r"yaml-cpp/": ("config", "contract"),
    r"CLI/": ("cli",),
    r"sha2\.h": ("base",),
}


class Tree:
    """The files below a root that belong to the project."""

    def __init__(self, root):
        self.root = root
        listed = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"],
                                capture_output=True, text=True)
        if listed.returncode == 0 and listed.stdout:
            names = listed.stdout.splitlines()
        else:
            names = [str(path.relative_to(root)) for path in root.rglob("*")
                     if not {"build", ".git"} & set(path.relative_to(root).parts)]
        self.names = sorted(name for name in names if (root / name).is_file())
        self.cached = {}

    def text(self, name):
        if name not in self.cached:
            self.cached[name] = (self.root / name).read_text(encoding="utf-8", errors="replace")
        return self.cached[name]

    def cpp(self, *folders):
        return [name for name in self.names
                if pathlib.PurePath(name).suffix in CPP and name.split("/")[0] in folders]

    def prose(self):
        """Every file written by hand."""
        return [name for name in self.names if pathlib.PurePath(name).suffix in TEXT]


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def function_length(tree):
    for name in tree.cpp("src", "tests", "bench"):
        for function in functions(tree.text(name)):
            if function.lines > FUNCTION_LINES_MAX:
                yield name, function.line, (
                    f"{function.name} has {function.lines} code lines, {FUNCTION_LINES_MAX} at most: give a step "
                    "of it a name and a function of its own"), function.name


def file_length(tree):
    for name in tree.cpp("src", "tests", "bench"):
        lines = code_lines(tree.text(name))
        if lines > FILE_LINES_MAX:
            yield name, 1, (f"{lines} code lines, {FILE_LINES_MAX} at most: move what belongs together into a "
                            "file that is named for it")


def file_names(tree):
    for name in tree.names:
        for part in pathlib.PurePath(name).parts:
            if re.fullmatch(r"(.*[_-])?(utils?|helpers?|common|misc)", part.split(".")[0], re.I):
                yield name, 1, "name it for what it holds; everything ends up in a file called that"
                break


def opening_comment(tree):
    for name in tree.names:
        if name.startswith("src/") and name.endswith((".cc", ".h", ".inc")):
            if not tree.text(name).startswith("//"):
                yield name, 1, "open with one to three comment lines: what lives here, and what does not"


def includes(tree):
    for name in tree.cpp("src"):
        module = "/".join(name.split("/")[1:-1])
        for match in re.finditer(r'^\s*#\s*include\s+(["<])([^">]+)[">]', tree.text(name), re.M):
            kind, header = match.groups()
            line = line_of(tree.text(name), match.start())
            wrappers = next((modules for pattern, modules in WRAPPED.items() if re.match(pattern, header)), ())
            if wrappers and not (module + "/").startswith(tuple(wrapper + "/" for wrapper in wrappers)):
                yield name, line, f"<{header}> stays inside src/{wrappers[0]}: use that module's own interface"
            elif wrappers and kind == '"':
                yield name, line, f"write <{header}>: quotes are for Candor's own headers"
            elif kind == '"' and not (tree.root / "src" / header).is_file():
                yield name, line, (f'"{header}": name an own header by its whole path below src/, as in '
                                   '"base/result.h"; a relative one goes round the fence')


def pragma_once(tree):
    for name in tree.cpp("src", "tests", "bench"):
        if name.endswith(".h") and "#pragma once" not in tree.text(name):
            yield name, 1, "a header says #pragma once"


def review_checks(tree):
    folder = "src/review/checks/"
    registry = tree.text(folder + "all_checks.cc") if folder + "all_checks.cc" in tree.names else ""
    for name in tree.names:
        stem = pathlib.PurePath(name).stem
        if not name.startswith(folder) or not name.endswith(".cc") or stem == "all_checks":
            continue
        flat = stem.replace("_", "")
        if flat not in re.sub(r"[-_]", "", registry).lower():
            yield name, 1, "is not registered: add its line to src/review/checks/all_checks.cc"
        golden = [other for other in tree.names
                  if pathlib.PurePath(other).stem == stem and pathlib.PurePath(other).suffix not in CPP
                  and other.startswith((folder, "tests/golden/")) and tree.text(other).strip()]
        if not golden:
            yield name, 1, f"has no golden test: write {folder}{stem}.test beside it"


def tests_are_run(tree):
    """A file that looks like a test and that no build or run picks up."""
    places = {
        "_test.cc": ("tests/unit/", "tests/property/", "tests/golden/"),
        "_test.py": ("tests/e2e/", "tests/tidy_test.py"),
        "_test.mjs": ("tests/e2e/",),
        "_fuzz.cc": ("tests/fuzz/",),
    }
    for name in tree.names:
        for ending, folders in places.items():
            if name.endswith(ending) and not name.startswith(folders):
                yield name, 1, f"nothing runs it here: a *{ending} belongs in {' or '.join(folders)}"
        if name.startswith("tests/fuzz/") and name.endswith("_fuzz.cc"):
            corpus = f"tests/fuzz/corpus/{pathlib.PurePath(name).stem.removesuffix('_fuzz')}/"
            if not any(other.startswith(corpus) for other in tree.names):
                yield name, 1, f"has no corpus: put at least one input into {corpus}"


def places_of_this_machine(tree):
    for name in tree.prose():
        for match in re.finditer(r"(?<![\w.$}~-])/(?:work|root)(?=/[\w.])", tree.text(name)):
            yield name, line_of(tree.text(name), match.start()), (
                "a path of one machine: use a path below the repository, $HOME, or a temporary folder")


def registry_hosts(tree):
    hosts = (r"\b(?:npmjs\.(?:org|com)|pypi\.org|pythonhosted\.org|crates\.io|proxy\.golang\.org|"
             r"maven\.org|deb\.debian\.org)\b")
    for name in tree.prose():
        for match in re.finditer(hosts, tree.text(name)):
            yield name, line_of(tree.text(name), match.start()), (
                "a registry's host: name the package, and leave the registry to the client's own settings")


def open_ends(tree):
    for name in tree.prose():
        if name.endswith(".md"):
            continue
        for match in re.finditer(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b", tree.text(name)):
            yield name, line_of(tree.text(name), match.start()), "do it now, or open an issue and leave no mark here"


def disabled_tests(tree):
    for name in tree.cpp("tests"):
        for match in re.finditer(r"\bDISABLED_\w+", without_comments(tree.text(name))):
            yield name, line_of(tree.text(name), match.start()), (
                "a test that never runs: repair it, or remove it with the reason in the commit")


RULES = [function_length, file_length, file_names, opening_comment, includes, pragma_once, review_checks,
         tests_are_run, places_of_this_machine, registry_hosts, open_ends, disabled_tests]


def findings(tree):
    """(rule, file, line, message, subject): the subject is what an exception may name."""
    for rule in RULES:
        for finding in rule(tree):
            name, line, message = finding[:3]
            yield rule.__name__, name, line, message, finding[3] if len(finding) > 3 else "*"


def read_exceptions(path):
    """{(rule, file, subject): line number} of `rule file subject: reason`."""
    exceptions, faults = {}, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = re.fullmatch(r"(\w+) (\S+) (.+?): (\S.*)", line)
        if not match:
            faults.append(f"{path.name}:{number}: write `rule file subject: reason`")
        else:
            exceptions[match.group(1, 2, 3)] = number
    return exceptions, faults


def check_tree(tree, path):
    exceptions, failures = read_exceptions(path)
    used = set()
    for rule, name, line, message, subject in findings(tree):
        key = (rule, name, subject)
        if key in exceptions:
            used.add(key)
        else:
            failures.append(f"{name}:{line}: {message} [{rule}]")
    for key, number in exceptions.items():
        if key not in used:
            failures.append(f"tests/{path.name}:{number}: no longer needed, remove it: {' '.join(key)}")
    return failures


def plant_faults(root):
    """One fault for each rule."""
    long_body = "".join(f"  f({i});\n" for i in range(FUNCTION_LINES_MAX))
    long_file = "".join(f"int v{i};\n" for i in range(FILE_LINES_MAX + 1))
    faults = {
        "src/base/long_function.cc": "// A.\nvoid g() {\n" + long_body + "}\n",
        "src/base/long_file.cc": "// A.\n" + long_file,
        "src/base/string_utils.cc": "// A.\n",
        "src/base/no_comment.cc": "int a;\n",
        "src/base/header.h": "// A.\n",
        "src/base/relative.cc": '// A.\n#include "../json/json.h"\n',
        "src/base/third_party.cc": "// A.\n#include <nlohmann/json.hpp>\n",
        "src/base/machine.cc": "// See /ro" "ot/notes.\n",
        "src/base/host.cc": "// From npmjs" ".org.\n",
        "src/base/open_end.cc": "// TO" "DO: think.\n",
        "src/review/checks/fan_out_join.cc": "// A.\n",
        "src/review/checks/all_checks.cc": "// A.\n",
        "tests/stray_test.cc": "// A.\n",
        "tests/fuzz/lexer_fuzz.cc": "// A.\n",
        "tests/unit/off_test.cc": "// A.\nTEST(A, DISABLED_B) {}\n",
    }
    for name, text in faults.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return {"src/base/relative.cc", "src/base/third_party.cc", "src/review/checks/fan_out_join.cc",
            "tests/stray_test.cc", "tests/fuzz/lexer_fuzz.cc"}


def check_rules():
    """Every rule sees the fault that was planted for it."""
    with tempfile.TemporaryDirectory() as folder:
        expected_files = plant_faults(pathlib.Path(folder))
        found = list(findings(Tree(pathlib.Path(folder))))
    failures = [f"the rule {rule.__name__} does not see its planted fault"
                for rule in RULES if rule.__name__ not in {finding[0] for finding in found}]
    failures += [f"the fault planted in {name} is not seen"
                 for name in expected_files - {finding[1] for finding in found}]
    return failures


def main():
    failures = check_rules()
    tree = Tree(ROOT)
    failures += check_tree(tree, ROOT / "tests" / "tidy_exceptions.txt")
    for failure in failures:
        print(failure)
    print(f"{len(RULES)} rules, {len(tree.names)} files, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
