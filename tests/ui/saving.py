"""Answers the dialogs that ask for a file, as a person would."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QLineEdit


def save_as(dialog: QFileDialog, path: Path) -> None:
    """Type a file's path and press Save, or Open."""
    line = dialog.findChild(QLineEdit, "fileNameEdit")
    assert line is not None
    line.setText(str(path))
    dialog.accept()
