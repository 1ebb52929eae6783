"""The Bench: Security Keys at the left and Sale test at the right, with an edge that can be moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from keybench.core.security_key import SecurityKey
from keybench.ui.pages.starting import LEFT, RIGHT
from keybench.ui.preferences import Preferences
from keybench.ui.session import Session

_SPLITTER = "bench/splitter"


class KeysSide(Protocol):
    """What the Bench needs of the Security Keys panel, which is a QWidget."""

    @property
    def key_chosen(self) -> SignalInstance:
        """Another key is chosen, or what is known of it changed (a `SecurityKey` or None)."""

    def add_new_key(self) -> None:
        """Begin Add a New Key."""

    def close_down(self) -> None:
        """Stop listening."""


class SaleSide(Protocol):
    """What the Bench needs of the Sale test panel, which is a QWidget."""

    def use_key(self, key: SecurityKey) -> None:
        """Sell with this key from now on, if it is one that can."""

    def send(self) -> None:
        """Send the sale, as its button does."""

    def refresh_devices(self) -> None:
        """Ask the gateway for the devices again."""

    def close_down(self) -> None:
        """Stop listening."""


@dataclass(frozen=True, slots=True)
class Sides:
    """How the two panels are made; each maker returns a QWidget."""

    keys: Callable[[Session], KeysSide]
    sale: Callable[[Session], SaleSide]


def real_sides() -> Sides:
    """Return the makers of the real panels; they are imported here, after the first frame."""
    from keybench.ui.keys.panel import KeysPanel  # noqa: PLC0415 - see above
    from keybench.ui.sale.panel import SalePanel  # noqa: PLC0415 - see above

    return Sides(KeysPanel, SalePanel)


class BenchPage(QWidget):
    """Both panels side by side.

    Args:
        session: What they share.
        preferences: Remembers where the edge between them was.
        sides: Other makers of the panels; None for the real ones.
    """

    def __init__(
        self,
        session: Session,
        preferences: Preferences,
        sides: Sides | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._preferences = preferences
        makers = sides or real_sides()
        self.keys = makers.keys(session)
        self.sale = makers.sale(session)
        self._key_id = ""
        self.keys.key_chosen.connect(self._on_key_chosen)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(16)
        for side, share in ((self.keys, LEFT), (self.sale, RIGHT)):
            if not isinstance(side, QWidget):
                raise TypeError(f"{type(side).__name__} is no widget")
            side.setMinimumWidth(320)
            self.splitter.addWidget(side)
            self.splitter.setStretchFactor(self.splitter.count() - 1, share)
        self.splitter.setSizes([LEFT * 100, RIGHT * 100])
        self.splitter.restoreState(preferences.state(_SPLITTER))
        self.splitter.splitterMoved.connect(self._on_moved)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.addWidget(self.splitter)

    def add_new_key(self) -> None:
        """Begin Add a New Key."""
        self.keys.add_new_key()

    def send(self) -> None:
        """Send the sale."""
        self.sale.send()

    def refresh_devices(self) -> None:
        """Ask the gateway for the devices again."""
        self.sale.refresh_devices()

    def close_down(self) -> None:
        """Have both panels stop listening; safe to call twice."""
        self.keys.close_down()
        self.sale.close_down()

    def _on_key_chosen(self, key: SecurityKey | None) -> None:
        # What became known of the same key is no reason to take another back that was chosen for the sale.
        if key is not None and key.id != self._key_id:
            self.sale.use_key(key)
        self._key_id = key.id if key else ""

    def _on_moved(self, _position: int, _index: int) -> None:
        self._preferences.set_state(_SPLITTER, self.splitter.saveState())
