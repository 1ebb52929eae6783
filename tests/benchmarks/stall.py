"""The window stays quick while many sales are under way."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROBE = Path(__file__).parent / "probes" / "twenty_sales.py"


@pytest.mark.benchmark
def test_twenty_sales_never_hold_the_window_up(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(PROBE), str(tmp_path / "data")],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    print(f"\n{seen}")
    assert (seen["sales"], seen["outcomes"]) == (20, ["approved"])
    assert seen["most_under_way"] == 20
    assert seen["worst_ms"] < 50
