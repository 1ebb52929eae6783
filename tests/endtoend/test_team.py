"""A team of desks, each a program with a folder and keyring entries of its own, on one PostgreSQL."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import secretstorage

from endtoend.conftest import Keybench

pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(
        not list(Path("/usr/lib/postgresql").glob("*/bin/initdb")), reason="PostgreSQL isn't installed"
    ),
]

WHERE_PSYCOPG = """
import sys
from keybench.__main__ import main
try:
    status = main()
finally:
    print(int("psycopg" in sys.modules or "sqlalchemy.dialects.postgresql" in sys.modules), file=sys.stderr)
"""


def entries() -> int:
    with closing(secretstorage.dbus_init()) as connection:
        return len(list(secretstorage.get_default_collection(connection).get_all_items()))


def imports_postgresql(folder: Path) -> bool:
    command = [sys.executable, "-c", WHERE_PSYCOPG, "key", "list", "--data-dir", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stderr.splitlines()[-1] == "1"


def test_the_demo_has_three_desks_on_one_journal_and_leaves_nothing(keybench: Keybench) -> None:
    before = entries()
    words = keybench.arguments("journal", "demo")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as demo:
        assert demo.stdout
        assert demo.stderr
        told = [json.loads(demo.stdout.readline()) for _ in range(3)]
        try:
            assert "Ctrl+C" in demo.stderr.readline()
            desks = {one["desk"]: Keybench(Path(one["data_dir"])) for one in told}
            assert list(desks) == ["front office", "stock room", "Ana"]
            assert entries() > before
            listed = {name: desk.run_program("key", "list").lines for name, desk in desks.items()}
            names = {name: [key["name"] for key in keys] for name, keys in listed.items()}
            assert names["Ana"] == names["stock room"] == names["front office"]
            assert {"Till 1", "Till 2", "Web shop"} < set(names["Ana"])
            (rotation,) = desks["Ana"].run_program("rotation", "list").lines
            assert "Till 1" in rotation.values()
            where = desks["stock room"].run_program("journal", "where").last
            assert (where["journal"], where["desk"]) == ("team", "stock room")
            tested = desks["stock room"].run_program(
                *("key", "test", "--environment", "practice", "--name", "Till 2")
            )
            assert tested.last["state"] == "working"
            lines = desks["Ana"].run_program("activity").lines
            assert "stock_room" in {line["who"] for line in lines}
            assert imports_postgresql(desks["Ana"].folder)
        finally:
            demo.send_signal(signal.SIGINT)
            said = demo.communicate(timeout=60)[1]
    assert demo.returncode == 0, said
    folder = Path(told[0]["data_dir"]).parent
    assert not folder.exists()
    assert entries() == before
    assert (
        str(folder)
        not in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    )


def test_a_desk_of_its_own_imports_nothing_of_a_team(keybench: Keybench) -> None:
    keybench.run("key", "list")
    assert not imports_postgresql(keybench.folder)
