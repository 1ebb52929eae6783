"""What a run takes from its surroundings, and gives back to what it starts."""

from __future__ import annotations

import os
import sys

import pytest

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
