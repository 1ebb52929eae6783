"""Finds the dialog that is in sight, and answers it."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QApplication, QDialog, QPushButton

from fakes.waiting import until


def question() -> Any:
    """Return the dialog in sight, if there is one."""
    shown = (one for one in QApplication.topLevelWidgets() if isinstance(one, QDialog) and one.isVisible())
    return next(shown, None)


async def asked() -> Any:
    """Wait for a dialog."""
    await until(question)
    return question()


async def press(text: str) -> Any:
    """Wait for a dialog, press its button with that text and return the dialog."""
    dialog = await asked()
    next(one for one in dialog.findChildren(QPushButton) if one.text() == text).click()
    return dialog
