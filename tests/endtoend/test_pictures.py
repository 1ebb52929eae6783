"""The pictures of the pages are taken with real data, by a program that a person starts now and then."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

TESTS = Path(__file__).resolve().parent.parent


@pytest.mark.sweep
def test_a_page_is_pictured_in_both_looks_at_its_size(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pictures", os.fspath(tmp_path), "1024x700", "bench"],
        env={**os.environ, "PYTHONPATH": os.fspath(TESTS), "QT_SCALE_FACTOR": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    taken = {path.name: QImage(os.fspath(path)) for path in tmp_path.iterdir()}
    assert set(taken) == {"bench-light.png", "bench-dark.png"}
    assert {(one.width(), one.height()) for one in taken.values()} == {(1024, 700)}
    assert taken["bench-light.png"] != taken["bench-dark.png"]
