"""Where there is no display, the window and the tour say so in a sentence; nothing aborts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("command", [(), ("tour",)])
@pytest.mark.parametrize(
    ("display", "said"),
    [
        ({}, "Keybench can't open its window: there is no display here"),
        ({"DISPLAY": ":9999"}, "Keybench can't open its window: the display :9999 doesn't answer"),
        (
            {"WAYLAND_DISPLAY": "nowhere"},
            "Keybench can't open its window: the display nowhere doesn't answer",
        ),
    ],
)
def test_a_missing_display_is_told_in_a_sentence(
    tmp_path: Path, command: tuple[str, ...], display: dict[str, str], said: str
) -> None:
    left_out = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_SESSION_TYPE"}
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    mine = {"KEYBENCH_DATA_DIR": str(tmp_path / "data"), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "keybench", *command],
        env={**environment, **display, **mine},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 2
    assert not list(tmp_path.glob("keybench-tour-*"))
