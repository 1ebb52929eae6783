"""A disk that fills up as soon as a sale has left: its outcome is told, held, and written once there is room.

The disk is a small one in memory, in a namespace of the program that sells.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("full_disk_program.py")
MOUNTED = 'mount -t tmpfs -o size="$2" none "$1" && exec "$3" "$4" "$1" "$5"'


@pytest.mark.parametrize(("sales", "room"), [(1, "4m"), pytest.param(20, "8m", marks=pytest.mark.sweep)])
def test_an_outcome_is_told_and_held_until_there_is_room_and_nothing_else_is_sent(
    tmp_path: Path, sales: int, room: str
) -> None:
    words = (str(tmp_path), room, sys.executable, str(PROGRAM), str(sales))
    command = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", MOUNTED, "sh", *words)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    request_ids = sorted(f"PR-{number}" for number in range(1, sales + 1))
    assert sorted(told["outcomes"]) == sorted(["approved", one] for one in request_ids)
    assert (told["held"], told["announced"]) == (sales, sales)
    assert (told["another"], told["posts"]) == ("disk full", sales)
    assert sorted(told["kept"]) == sorted(["finished", "approved", one] for one in request_ids)
    assert told["exchanges"] == sales
    assert told["after"] == "approved"
