"""Saves the exchanges of the sale in focus to a file a person chooses."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from keybench.ui.sale.focus import SaleFocus
from keybench.ui.save_file import ask_where
from keybench.ui.session import Notice, Session
from keybench.workflows.export_sale import ExportSale


class Saver(QObject):
    """The panel's way to the file."""

    def __init__(self, session: Session, focus: SaleFocus, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._focus = focus
        self._window = window

    def save(self) -> None:
        """Ask where to, and save there; a second press while it is asked does nothing."""
        if self._focus.reference:
            self._session.run("save exchanges", self._save(self._focus.reference))

    async def _save(self, reference: str) -> None:
        title = f"Save the exchanges of {reference}"
        path = await ask_where(self._window, title=title, name=f"{reference}.har", kind="HTTP archive")
        if path is None:
            return
        await ExportSale(self._session.console.world).save_har(reference, path)
        words = "Keys and other secrets are masked in it."
        self._session.notify(Notice("good", f"Saved {path}", words, topic="saved"))
