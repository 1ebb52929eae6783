"""Where there can be no window, it and the tour say why in a sentence; nothing aborts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
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
    told = refusal(tmp_path, command, display)
    assert told[0].startswith(said)
    assert len(told) == 2
    assert not list(tmp_path.glob("keybench-tour-*"))


def test_a_dead_wayland_display_beside_a_living_x11_display_is_passed_over(tmp_path: Path) -> None:
    """Qt asks the next one; the library that X11's way lacks here shows that it got so far."""
    screen = os.environ["DISPLAY"]
    lacking = without(tmp_path, "libxcb-cursor.so.0")
    told = refusal(tmp_path, (), {"WAYLAND_DISPLAY": "nowhere", "DISPLAY": screen, **lacking})
    assert told[0] == "Keybench can't open its window: this system lacks libxcb-cursor.so.0."


def test_a_way_that_qt_does_not_know_is_named(tmp_path: Path) -> None:
    told = refusal(tmp_path, (), {"DISPLAY": os.environ["DISPLAY"], "QT_QPA_PLATFORM": "fog"})
    assert told[0] == (
        "Keybench can't open its window: QT_QPA_PLATFORM asks for “fog”, which Qt doesn't have here."
    )


@pytest.mark.parametrize(
    ("library", "package"), [("libEGL.so.1", "libegl1"), ("libxcb-cursor.so.0", "libxcb-cursor0")]
)
def test_a_missing_library_is_named_with_the_command_that_installs_it(
    tmp_path: Path, library: str, package: str
) -> None:
    told = refusal(tmp_path, (), {"DISPLAY": os.environ["DISPLAY"], **without(tmp_path, library)})
    assert told[0] == f"Keybench can't open its window: this system lacks {library}."
    if shutil.which("apt-get"):
        assert (
            told[1] == f"Install what is missing, then start Keybench again: sudo apt-get install {package}"
        )
    assert told[-1] == "Its commands work without one: keybench --help lists them."


def without(folder: Path, library: str) -> dict[str, str]:
    """Return the variable by which a program doesn't find a library: it finds an empty file first."""
    empty = folder / "libraries"
    empty.mkdir()
    (empty / library).touch()
    return {"LD_LIBRARY_PATH": str(empty)}


def refusal(folder: Path, command: Sequence[str], variables: Mapping[str, str]) -> list[str]:
    """Start the program with the display that the variables name; return what it says when it ends with 1."""
    left_out = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_SESSION_TYPE"}
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    mine = {"KEYBENCH_DATA_DIR": str(folder / "data"), "TMPDIR": str(folder)}
    done = subprocess.run(
        [sys.executable, "-m", "keybench", *command],
        env={**environment, **variables, **mine},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    return done.stderr.splitlines()
