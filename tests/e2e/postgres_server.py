"""A PostgreSQL server of Debian's package for one test script: in a folder of its own, on a free port of the loopback
interface, under a user without rights, and gone with the script however that ends.

There are the roles admin (a superuser), reader and writer; the password of each is its name and "-secret".
"""

import ctypes
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PR_SET_PDEATHSIG = 1
DATABASE = "app"


def find_programs():
    """Debian keeps the server's programs beside each other by version, away from PATH."""
    found = sorted(path.parent for path in pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        raise RuntimeError("PostgreSQL is not installed: tools/install_dependencies test")
    return found[-1]


def unprivileged():
    """How a child becomes somebody else; postgres refuses to run as root."""
    if os.getuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise RuntimeError("there is no user to run PostgreSQL as")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def end_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)


class Server:
    def __init__(self):
        self.programs = find_programs()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="candor-postgres-"))
        self.user = unprivileged()
        if self.user:
            os.chown(self.folder, self.user["user"], self.user["group"])
        self.port = free_port()
        self.process = None

    def __enter__(self):
        (self.folder / "password").write_text("admin-secret\n")
        (self.folder / "password").chmod(0o644)
        self.call("initdb", "-D", self.folder / "data", "-U", "admin", "--pwfile", self.folder / "password", "-A",
                  "scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")
        self.start(attempts=5)
        self.run("CREATE ROLE reader LOGIN PASSWORD 'reader-secret'", "postgres")
        self.run("CREATE ROLE writer LOGIN PASSWORD 'writer-secret'", "postgres")
        self.run(f"CREATE DATABASE {DATABASE}", "postgres")
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, program, *words):
        done = subprocess.run([str(self.programs / program), *map(str, words)], capture_output=True, text=True,
                              cwd=self.folder, check=False, **self.user)
        if done.returncode != 0:
            raise RuntimeError(f"{program}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def start(self, attempts=1):
        """On the port that it had; with more attempts on another, where somebody took the free one meanwhile."""
        settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "full_page_writes=off",
                    "shared_buffers=16MB", "autovacuum=off", "log_statement=all"]
        words = [word for setting in settings for word in ("-c", setting)]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [str(self.programs / "postgres"), "-D", str(self.folder / "data"), "-p", str(self.port), *words],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, preexec_fn=end_with_parent,
                **self.user)
        until = time.monotonic() + 60
        while not self.ready():
            if self.process.poll() is not None and attempts > 1:
                self.port = free_port()
                return self.start(attempts - 1)
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("PostgreSQL does not start: " + (self.folder / "log").read_text())
            time.sleep(0.05)
        return None

    def ready(self):
        """By its own word: whoever answers at the port may be another server."""
        try:
            lines = (self.folder / "data" / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) > 7 and lines[0] == str(self.process.pid) and lines[7].strip() == "ready"

    def stop(self):
        """As a crash would."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()
        self.process = None

    def url(self, role, password=None, database=DATABASE):
        secret = f"{role}-secret" if password is None else password
        return f"postgresql://{role}{':' + secret if secret else ''}@127.0.0.1:{self.port}/{database}"

    def run(self, sql, database=DATABASE):
        """Statements as admin; what they print, a line a row."""
        return self.call("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d",
                         self.url("admin", database=database), "-c", sql)

    def log(self):
        return (self.folder / "log").read_text(errors="replace")
