"""The program that speaks the protocols must not load DuckDB (it costs start-up time and memory)."""

import os
import subprocess
import sys


def needed_libraries(program):
    dynamic = subprocess.run(["readelf", "-d", program], check=True, capture_output=True, text=True)
    return [line.split("[")[1].rstrip("]") for line in dynamic.stdout.splitlines() if "(NEEDED)" in line]


def main():
    failures = []
    in_candor = needed_libraries(os.environ["CANDOR_BIN"])
    if any("duckdb" in name for name in in_candor):
        failures.append("candor links libduckdb: let only candor-worker use engine/duckdb")
    # The same look at the worker shows that this test can fail.
    in_worker = needed_libraries(os.environ["CANDOR_WORKER"])
    if not any("duckdb" in name for name in in_worker):
        failures.append(f"candor-worker does not link libduckdb; it needs {in_worker}")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
