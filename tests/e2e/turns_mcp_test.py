"""The turn scripts in which processes and concurrency matter, through one MCP process."""

import sys

from turns_test import main

SCRIPTS = ["01-", "12-", "15-", "35-", "36-", "37-", "41-", "44-", "45-", "46-", "47-", "48-"]

if __name__ == "__main__":
    sys.exit(main(["--mcp", "--only", ",".join(SCRIPTS)], "e2e_turns_mcp_tests.xml"))
