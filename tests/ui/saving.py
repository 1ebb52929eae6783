"""Answers the dialog that asks where to save a file, as a person would."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QLineEdit

from keybench.ui.widgets.dialog import SaveDialog


def save_as(dialog: SaveDialog, path: Path) -> None:
    """Type a file's path and press Save."""
    line = dialog.findChild(QLineEdit, "fileNameEdit")
    assert line is not None
    line.setText(str(path))
    dialog.accept()
