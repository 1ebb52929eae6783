"""A real PostgreSQL for tests: one server a process, a database of its own for each test."""

from __future__ import annotations

import atexit
import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from contracts.journal_samples import NOW
from keybench.core.team.desk import Desk
from keybench.journal.postgres.engine import TeamStore
from keybench.journal.postgres.opening import open_team

#: PostgreSQL refuses to run as root.
_USER = {"user": "nobody"} if hasattr(os, "getuid") and os.getuid() == 0 else {}
_PLACES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
PATH = os.pathsep.join([os.environ.get("PATH", ""), *map(str, _PLACES)])
#: Each is a role that logs in, too.
ROLES = ("administrator", "agent", "trainer")
_NUMBERS = itertools.count(1)


@dataclass
class Server:
    """A server in a temporary folder, at a Unix socket and, for proxies, at a port of 127.0.0.1."""

    folder: Path
    #: Whether a commit is on the disk when it returns, as with anybody's server; quick without.
    is_durable: bool = False
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    port: int = field(default=0, init=False)

    def start(self) -> None:
        if not (self.folder / "data").exists():
            if _USER:
                shutil.chown(self.folder, _USER["user"])
            made = ["initdb", "--pgdata", "data", "--username", "owner", "--auth", "trust", "--no-sync"]
            self._run([*made, "--encoding", "UTF8", "--locale", "C.UTF-8"])
            rules = self.folder / "data" / "pg_hba.conf"
            rules.write_text("local all locked scram-sha-256\n" + rules.read_text())
            with socket.create_server(("127.0.0.1", 0)) as free:
                self.port = free.getsockname()[1]
        quick = (
            [] if self.is_durable else ["-cfsync=off", "-csynchronous_commit=off", "-cfull_page_writes=off"]
        )
        ours = [
            "-cunix_socket_directories=" + str(self.folder),
            f"-cport={self.port}",
            "-cmax_connections=200",
        ]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [self._program("postgres"), "-D", "data", *ours, "-clisten_addresses=127.0.0.1", *quick],
                cwd=self.folder,
                stdout=subprocess.DEVNULL,
                stderr=log,
                **_USER,
            )
        for _ in range(600):
            with suppress(psycopg.OperationalError), psycopg.connect(self.dsn("postgres")):
                return
            if self.process.poll() is not None:
                break
            subprocess.run(["sleep", "0.05"], check=True)
        raise RuntimeError((self.folder / "log").read_text()[-2000:])

    def kill(self) -> None:
        """End it as a power cut does, with all its processes."""
        assert self.process
        family = psutil.Process(self.process.pid).children()
        self.process.kill()
        self.process.wait()
        for one in family:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        psutil.wait_procs(family)

    def stop(self) -> None:
        assert self.process
        self.process.send_signal(signal.SIGINT)
        self.process.wait()

    def dsn(self, database: str, role: str = "owner") -> str:
        return f"host={self.folder} port={self.port} dbname={database} user={role}"

    def url(self, database: str, role: str = "owner") -> str:
        return f"postgresql://{role}@/{database}?host={self.folder}&port={self.port}"

    def execute(self, statement: str, database: str = "postgres", role: str = "owner") -> list[Any]:
        with psycopg.connect(self.dsn(database, role), autocommit=True) as connection:
            done = connection.execute(statement)
            return done.fetchall() if done.description else []

    def database(self, template: str = "template1") -> str:
        name = f"journal_{next(_NUMBERS)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        return name

    def drop(self, database: str) -> None:
        self.execute(f"DROP DATABASE {database} WITH (FORCE)")

    def _program(self, name: str) -> str:
        found = shutil.which(name, path=PATH)
        assert found, name
        return found

    def _run(self, command: list[str]) -> None:
        done = subprocess.run(
            [self._program(command[0]), *command[1:]],
            cwd=self.folder,
            capture_output=True,
            check=False,
            **_USER,
        )
        assert done.returncode == 0, done.stderr


def server_here(*, is_durable: bool = False) -> Server:
    """Start a server, which ends with this process; skips where none is installed."""
    if shutil.which("initdb", path=PATH) is None:
        pytest.skip("PostgreSQL isn't installed (Debian: postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="kb-pg-", dir="/tmp"))  # a socket's path is short
    folder.chmod(0o755)
    server = Server(folder, is_durable)

    def end() -> None:
        with suppress(AssertionError):
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    server.start()
    return server


@cache
def the_server() -> Server:
    """The process's server with an empty journal in the database `empty`, which others are made from."""
    server = server_here()
    server.execute("CREATE DATABASE empty")
    server.execute("CREATE ROLE boss LOGIN SUPERUSER; CREATE ROLE guest LOGIN")
    server.execute("CREATE ROLE locked LOGIN PASSWORD 'a-made-up-password'")
    open_team(server.url("empty"), None, a_desk(server.url("empty")), lambda: NOW, 5.0).close()
    for role in ROLES:
        server.execute(f"CREATE ROLE {role} LOGIN IN ROLE keybench_{role}")
    return server


def a_desk(url: str, name: str = "front office") -> Desk:
    letter = name[0]
    return Desk(letter * 32, letter.upper() * 32, name, journal=url)


def a_store(url: str, name: str = "front office", wait_s: float = 5.0) -> TeamStore:
    return open_team(url, None, a_desk(url, name), lambda: NOW, wait_s)
