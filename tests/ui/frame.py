"""Small panels that stand in for the Bench's two sides, for tests of the frame alone."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from keybench.core.security_key import SecurityKey
from keybench.ui.pages.bench import BenchPage, Sides
from keybench.ui.preferences import Preferences
from keybench.ui.rail import PageSpec
from keybench.ui.session import Session
from keybench.ui.window import PAGES


class Side(QFrame):
    """Either side of the Bench; remembers what it was asked for."""

    key_chosen = Signal(object)
    loaded = Signal()

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self.asked: list[str] = []
        self.keys: list[SecurityKey] = []

    def add_new_key(self) -> None:
        self.asked.append("add_new_key")

    def send(self) -> None:
        self.asked.append("send")

    def refresh_devices(self) -> None:
        self.asked.append("refresh_devices")

    def use_key(self, key: SecurityKey) -> None:
        self.keys.append(key)


def bench_of_sides(session: Session, preferences: Preferences, parent: QWidget) -> QWidget:
    return BenchPage(session, preferences, Sides(Side, Side), parent)


SMALL_PAGES = (PageSpec("Bench", "bench", bench_of_sides), *PAGES[1:])
