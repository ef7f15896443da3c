"""What must not compile: each case of this folder, and every include that the module fence forbids.

A case is a .cc file with `// sees: module…` and `// expect: regular expression of the message`. It must
compile with -DCONTROL and fail without, so that a case which fails for another reason is noticed.
"""

import argparse
import pathlib
import re
import subprocess
import sys

FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror=unused-result", "-x", "c++"]


def compile_text(options, text, fence, defines=()):
    return subprocess.run([options.compiler, *FLAGS, *defines, "-I", str(fence), "-"],
                          input=text, capture_output=True, text=True)


def read_modules(build):
    """{module: (target, modules that it sees)} as CMake wrote it."""
    modules = {}
    for line in (build / "modules.txt").read_text().splitlines():
        names, _, uses = line.partition(":")
        module, target = names.split()
        modules[module] = (target, {module, *uses.split()})
    return modules


def first_header(source, module, modules):
    """A header of the module's own folder, as it is included; None if it has none."""
    for header in sorted((source / "src" / module).glob("*.h")):
        return f"{module}/{header.name}"
    return None


def check_fence(options, modules):
    """Each module, and each other module's header that it may not see."""
    failures, checked = [], 0
    for module, (target, visible) in modules.items():
        fence = options.build / "fence" / target
        if not fence.is_dir():
            continue  # Only headers: nothing is compiled for it alone.
        for other in modules:
            header = first_header(options.source, other, modules)
            if header is None:
                continue
            checked += 1
            found = (fence / header).is_file()
            if found != (other in visible):
                state = "can be seen" if found else "cannot be seen"
                failures.append(f"fence: {header} {state} from {module}; src/CMakeLists.txt says otherwise")
    return failures, checked


def check_forbidden_include(options, modules):
    """The compiler itself, on one forbidden and one allowed include for each module."""
    failures, checked = [], 0
    for module, (target, visible) in modules.items():
        fence = options.build / "fence" / target
        hidden = [first_header(options.source, other, modules) for other in modules if other not in visible]
        hidden = [header for header in hidden if header]
        if not hidden or not fence.is_dir():
            continue
        checked += 1
        run = compile_text(options, f'#include "{hidden[0]}"\n', fence)
        if run.returncode == 0 or "No such file" not in run.stderr and "file not found" not in run.stderr:
            failures.append(f"fence: {module} compiles with #include \"{hidden[0]}\", which it must not see")
    return failures, checked


def check_case(options, modules, path):
    text = path.read_text()
    sees = re.search(r"^// sees: (.+)$", text, re.M)
    expect = re.search(r"^// expect: (.+)$", text, re.M)
    if not sees or not expect:
        return [f"{path}:1: a case needs a line `// sees: module` and a line `// expect: message`"]
    module = sees.group(1).strip()
    if module not in modules:
        return [f"{path}: module {module} is not built"]
    fence = options.build / "fence" / modules[module][0]
    control = compile_text(options, text, fence, ["-DCONTROL"])
    if control.returncode != 0:
        return [f"{path}: must compile with -DCONTROL, and does not:\n{control.stderr}"]
    run = compile_text(options, text, fence)
    if run.returncode == 0:
        return [f"{path}: compiles, and must not"]
    if not re.search(expect.group(1).strip(), run.stderr):
        return [f"{path}: fails, but not with `{expect.group(1)}`:\n{run.stderr}"]
    return []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    options = parser.parse_args()
    modules = read_modules(options.build)
    failures, checked = check_fence(options, modules)
    more, compiled = check_forbidden_include(options, modules)
    failures += more
    cases = sorted((options.source / "tests" / "compile_fail").glob("*.cc"))
    for case in cases:
        failures += check_case(options, modules, case)
    for failure in failures:
        print(failure)
    print(f"{len(cases)} cases, {checked} pairs of modules, {compiled} forbidden includes compiled")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
