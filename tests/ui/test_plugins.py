"""Qt finds its plugins wherever the program is unpacked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import PySide6
import pytest
import shiboken6

PROGRAM = """
from PySide6.QtCore import QLibraryInfo
from keybench.ui.shell.application import make_application
from keybench.ui.shell.plugins import plugin_folder
app = make_application(["keybench"])
told = QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)
print(app.platformName(), (plugin_folder() / "platforms").is_dir(), told == str(plugin_folder()))
"""


@pytest.mark.parametrize(("name", "is_told"), [("plain", True), ('Müller, "Büro"; 50% \\1', False)])
def test_a_window_opens_from_a_folder_of_any_name(tmp_path: Path, name: str, *, is_told: bool) -> None:
    """The name stands in a file of settings, which Qt doesn't read back as it was."""
    place = tmp_path / name
    place.mkdir()
    for package in (PySide6, shiboken6):
        folder = Path(next(iter(package.__path__)))
        (place / folder.name).symlink_to(folder)
    paths = os.pathsep.join([str(place), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": paths, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["offscreen", "True", str(is_told)], done.stderr
