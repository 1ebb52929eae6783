"""The bundle works where it is unpacked, with nothing of Python's on the system's path."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

# Making the bundle takes half a minute of both processors, and more where others have them.
pytestmark = [pytest.mark.sweep, pytest.mark.timeout(900)]


def test_its_self_test_is_ok_wherever_it_is_and_leaves_nothing(made: Path, tmp_path: Path) -> None:
    place, temporary, empty = (tmp_path / name for name in ("Ключи und Spaß", "temporary", "empty"))
    shutil.copytree(made, place, symlinks=True, copy_function=os.link)
    temporary.mkdir()
    empty.mkdir()
    left_out = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "PYTHONPATH", "PATH"}
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    done = subprocess.run(
        [place / "keybench", "--self-test", "--json"],
        env=kept | {"TMPDIR": str(temporary), "PATH": str(empty)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    *checks, verdict = [json.loads(line) for line in done.stdout.splitlines()]
    assert {one["check"]: one["message"] for one in checks if one["result"] != "ok"} == {}
    assert (done.returncode, verdict["verdict"]) == (0, "ok")
    assert list(temporary.iterdir()) == []
