"""What the loader says of a missing library, and the command that brings it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from keybench.runtime import system_libraries
from keybench.runtime.system_libraries import FONTS, installing, missing_for, missing_library


@pytest.mark.parametrize(
    ("words", "library"),
    [
        ("libEGL.so.1: cannot open shared object file: No such file or directory", "libEGL.so.1"),
        ("/lib/x86_64-linux-gnu/libglib-2.0.so.0: file too short", "libglib-2.0.so.0"),
        ("/lib/libX11-xcb.so.1: invalid ELF header", "libX11-xcb.so.1"),
        ("No module named 'PySide6'", ""),
        ("cannot import name 'Banana' from 'PySide6.QtGui' (/x/PySide6/QtGui.abi3.so)", ""),
    ],
)
def test_the_loaders_words_name_the_library(words: str, library: str) -> None:
    assert missing_library(words) == library


def test_a_file_that_lacks_nothing_lacks_nothing(tmp_path: Path) -> None:
    assert missing_for(Path("libc.so.6")) == ""
    broken = tmp_path / "libbroken.so.3"
    broken.touch()
    assert missing_for(broken) == "libbroken.so.3"


@pytest.mark.parametrize(
    ("manager", "command"),
    [
        ("apt-get", "sudo apt-get install libegl1 libxcb-cursor0"),
        ("dnf", "sudo dnf install libglvnd-egl xcb-util-cursor"),
        ("zypper", "sudo zypper install libglvnd libxcb-cursor0"),
        ("pacman", "sudo pacman -S libglvnd xcb-util-cursor"),
        ("pkg", ""),
    ],
)
def test_one_command_brings_all_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, manager: str, command: str
) -> None:
    lacking = {"libEGL.so.1", "libxcb-cursor.so.0"}
    monkeypatch.setattr(shutil, "which", lambda name: name if name == manager else None)
    monkeypatch.setattr(system_libraries, "missing_for", lambda name: name if name in lacking else "")
    assert installing("libxcb-cursor.so.0") == command


def test_fonts_come_with_a_package_too_and_what_is_not_listed_with_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: name if name == "apt-get" else None)
    monkeypatch.setattr(system_libraries, "missing_for", lambda _name: "")
    assert installing(FONTS) == "sudo apt-get install fonts-dejavu-core"
    assert installing("libunheard.so.1") == ""
