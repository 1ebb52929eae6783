"""Small panels that stand in for the Bench's two sides, for tests of the frame alone."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from keybench.core.keys.key import SecurityKey
from keybench.ui.bench.keys_panel import KeysPanel
from keybench.ui.bench.page import BenchPage
from keybench.ui.bench.sale_panel import SalePanel
from keybench.ui.shell.window import PAGES


class Side(QFrame):
    """Either side of the Bench; remembers what it was asked for."""

    key_chosen = Signal(object)
    loaded = Signal()
    first_added = Signal()
    first_step_changed = Signal(int)
    key_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.asked: list[str] = []
        self.keys: list[SecurityKey] = []
        self.selection = SimpleNamespace(reference="")  # no sale is shown
        self.form = self

    def add_new_key(self) -> None:
        self.asked.append("add_new_key")

    def send(self) -> None:
        self.asked.append("send")

    def refresh_devices(self) -> None:
        self.asked.append("refresh_devices")

    def use_key(self, key: SecurityKey) -> None:
        self.keys.append(key)

    def show_first_step(self, step: int) -> None:
        """Only the panel itself shows it."""


class BenchOfSides(BenchPage):
    """The Bench with nothing but its frame."""

    def make_keys(self, parent: QWidget) -> KeysPanel:
        return cast("KeysPanel", Side(parent))

    def make_sale(self) -> SalePanel:
        return cast("SalePanel", Side(self))


SMALL_PAGES = (replace(PAGES[0], factory=BenchOfSides), *PAGES[1:])
