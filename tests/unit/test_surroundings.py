"""What a run takes from its surroundings, and gives back to what it starts."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from keybench.runtime import packed
from keybench.runtime.data_folder import restore_environment

BUNDLE = "/opt/keybench/_internal"
#: As PyInstaller's launcher and its hook for PySide6 leave it.
CHANGED = {
    "LD_LIBRARY_PATH": f"{BUNDLE}:/opt/mine/lib",
    "LD_LIBRARY_PATH_ORIG": "/opt/mine/lib",
    "QT_PLUGIN_PATH": f"{BUNDLE}/PySide6/Qt/plugins",
    "QML2_IMPORT_PATH": f"{BUNDLE}/PySide6/Qt/qml",
    "_PYI_ARCHIVE_FILE": "/opt/keybench/keybench",
    "_PYI_PARENT_PROCESS_LEVEL": "1",
    "PATH": f"{BUNDLE}:/usr/bin",
}


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name, value in CHANGED.items():
        monkeypatch.setenv(name, value)
    return monkeypatch


def left() -> dict[str, str]:
    return {name: os.environ[name] for name in CHANGED if name in os.environ}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the launcher sets no paths for libraries")
def test_a_bundle_hands_none_of_its_paths_on(changed: pytest.MonkeyPatch) -> None:
    changed.setattr(sys, "_MEIPASS", BUNDLE, raising=False)
    restore_environment()
    assert left() == {"LD_LIBRARY_PATH": "/opt/mine/lib", "PATH": CHANGED["PATH"]}


@pytest.mark.skipif(sys.platform != "linux", reason="see above")
def test_a_variable_that_only_the_bundle_set_is_gone_and_a_persons_own_stays(
    changed: pytest.MonkeyPatch,
) -> None:
    changed.setattr(sys, "_MEIPASS", BUNDLE, raising=False)
    changed.delenv("LD_LIBRARY_PATH_ORIG")
    changed.setenv("QT_PLUGIN_PATH", "/opt/mine/plugins")
    restore_environment()
    assert left() == {"QT_PLUGIN_PATH": "/opt/mine/plugins", "PATH": CHANGED["PATH"]}


def test_from_a_checkout_nothing_is_changed(changed: pytest.MonkeyPatch) -> None:
    restore_environment()
    assert left() == CHANGED


# --- files that are replaced while the program runs -------------------------------------------------


def test_the_archive_is_the_running_files_whoever_has_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    archive = SimpleNamespace(_filename="/opt/keybench/keybench")
    monkeypatch.setattr(packed, "__spec__", SimpleNamespace(loader=SimpleNamespace(_pyz_archive=archive)))
    monkeypatch.setattr(packed, "_RUNNING", Path(sys.executable))
    packed.hold_archive()
    assert archive._filename == sys.executable


def test_a_checkout_has_none_and_is_never_replaced() -> None:
    packed.hold_archive()
    assert not packed.was_replaced()


def test_a_bundle_that_was_replaced_or_taken_away_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, running = tmp_path / "keybench", tmp_path / "running"
    program.touch()
    running.hardlink_to(program)
    monkeypatch.setattr(packed, "_RUNNING", running)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert not packed.was_replaced()
    program.unlink()
    assert packed.was_replaced()
    program.write_text("another version")
    assert packed.was_replaced()
