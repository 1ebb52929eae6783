"""A disk that is full as soon as a sale has left: what became of the sale is kept all the same.

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


@pytest.mark.parametrize(("sales", "room"), [(1, "4m"), (20, "8m")])
def test_request_id_and_outcome_are_kept_and_nothing_else_takes_the_room(
    tmp_path: Path, sales: int, room: str
) -> None:
    words = (str(tmp_path), room, sys.executable, str(PROGRAM), str(sales))
    command = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", MOUNTED, "sh", *words)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert sorted(told["kept"]) == sorted(
        ["finished", "approved", f"PR-{number}"] for number in range(1, sales + 1)
    )
    assert (told["unkept"], told["exchanges"]) == (0, sales)
    assert (told["another"], told["posts"]) == ("disk full", sales)
    assert told["after"] == "approved"
    assert "journal.sqlite3.reserve" not in told["files"]
