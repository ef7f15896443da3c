"""An installed prefix works after it was moved, and loads only what lies inside it or in the system."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ["CANDOR_BUILD_DIR"])
SOURCE = pathlib.Path(os.environ["CANDOR_SOURCE_DIR"])


def run(*command):
    # A plain environment: nothing of the build may be needed at run time.
    return subprocess.run(command, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"})


def libraries(program):
    """{name: path or None} as the loader finds them."""
    found = {}
    for line in run("ldd", str(program)).stdout.splitlines():
        match = re.match(r"\s*(\S+) => (\S+)", line)
        if match:
            found[match[1]] = None if match[2] == "not" else match[2]
    return found


def check_prefix(prefix):
    for name in ("bin/candor", "libexec/candor/candor-worker", "lib/libduckdb.so",
                 "share/doc/candor/LICENSE", "share/doc/candor/THIRD_PARTY.md"):
        if not (prefix / name).is_file():
            yield f"{name} is not in the prefix"
    worker = libraries(prefix / "libexec/candor/candor-worker")
    duckdb = worker.get("libduckdb.so")
    if duckdb is None or pathlib.Path(duckdb).resolve().parent != prefix / "lib":
        yield f"the worker loads libduckdb.so from {duckdb}, not from the prefix"
    for program, found in (("worker", worker), ("candor", libraries(prefix / "bin/candor"))):
        for name, path in found.items():
            if path is None:
                yield f"{program}: {name} is not found"
    for program in ("bin/candor", "libexec/candor/candor-worker"):
        path = re.search(r"\(RUNPATH\).*\[(.*)\]", run("readelf", "-d", str(prefix / program)).stdout)
        if path and any(not part.startswith("$ORIGIN") for part in path[1].split(":")):
            yield f"{program}: RUNPATH {path[1]} names a folder of the build"
    if (SOURCE / "docs/candor.1").is_file() and not (prefix / "share/man/man1/candor.1").is_file():
        yield "the man page is not in the prefix"
    for name in ("bash-completion/completions/candor", "zsh/site-functions/_candor",
                 "fish/vendor_completions.d/candor.fish"):
        if not (prefix / "share" / name).is_file():
            yield f"share/{name} is not in the prefix"
    said = run(str(prefix / "bin/candor"), "--help")
    if said.returncode != 0:
        yield f"candor --help gave {said.returncode}: {said.stderr}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        installed = subprocess.run(["cmake", "--install", str(BUILD), "--prefix", str(folder / "first")],
                                   capture_output=True, text=True)
        if installed.returncode != 0:
            print(installed.stdout, installed.stderr)
            return 1
        (folder / "first").rename(folder / "moved")
        failures = list(check_prefix(folder / "moved"))
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
