"""Takes exchanges out of the window: to a file a person chooses; and says what a copied request does."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from keybench.core.exchange_formats import VARIABLE
from keybench.ui.sale.exchanges import Exchanges
from keybench.ui.sale.focus import SaleFocus
from keybench.ui.session import Notice, Session
from keybench.ui.widgets.dialog import ask_where


class Saver(QObject):
    """Obeys the buttons below the exchanges."""

    def __init__(self, session: Session, focus: SaleFocus, exchanges: Exchanges, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._focus = focus
        self._exchanges = exchanges
        self._window = window
        exchanges.copied.connect(self._on_copied)
        exchanges.save_asked.connect(self.save)

    def save(self) -> None:
        """Ask where to, and save there; a second press while it is asked does nothing."""
        if self._focus.reference:
            self._session.run("save exchanges", self._save(self._focus.reference))

    def _on_copied(self, name: str) -> None:
        exchange = self._exchanges.chosen()
        sells = exchange is not None and exchange.method != "GET"
        words = f"The key isn't in it: set {VARIABLE} to its value first."
        words += " Whoever runs it makes another sale." if sells else ""
        tone = "warning" if sells else "info"
        self._session.notify(Notice(tone, name.replace("Copy", "Copied"), words, topic="copied"))

    async def _save(self, reference: str) -> None:
        title = f"Save the exchanges of {reference}"
        path = await ask_where(self._window, title=title, name=f"{reference}.har", kind="HTTP archive")
        if path is None:
            return
        await self._session.console.history.save_har(reference, path)
        words = "Keys and other secrets are masked in it."
        self._session.notify(Notice("good", f"Saved {path}", words, topic="saved"))
