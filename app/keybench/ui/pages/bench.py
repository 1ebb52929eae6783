"""The Bench: Security Keys beside Sale test with an edge that can be moved; one above the other if narrow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QSize, Qt, QTimer, SignalInstance
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QSplitter, QVBoxLayout, QWidget

from keybench.core.security_key import SecurityKey
from keybench.ui.page_frame import PageFrame
from keybench.ui.pages.starting import LEFT, RIGHT, empty_panel
from keybench.ui.preferences import Preferences
from keybench.ui.session import Session
from keybench.ui.widgets.labels import label

_SPLITTER = "bench/splitter"
_AFTER_THE_KEYS_MS = 20
_NARROWEST = 320
_MARGIN = 16
_LOWEST = 300
"""How low the keys' panel becomes where it stands above the sale's."""


class KeysSide(Protocol):
    """What the Bench needs of the Security Keys panel, which is a QWidget."""

    @property
    def key_chosen(self) -> SignalInstance:
        """Another key is chosen, or what is known of it changed (a `SecurityKey` or None)."""

    @property
    def loaded(self) -> SignalInstance:
        """The keys are listed, or it is said why they can't be."""

    def add_new_key(self) -> None:
        """Begin Add a New Key."""


class SaleSide(Protocol):
    """What the Bench needs of the Sale test panel, which is a QWidget."""

    def use_key(self, key: SecurityKey) -> None:
        """Sell with this key from now on, if it is one that can."""

    def send(self) -> None:
        """Send the sale, as its button does."""

    def refresh_devices(self) -> None:
        """Ask the gateway for the devices again."""


@dataclass(frozen=True, slots=True)
class Sides:
    """How the two panels are made; each maker returns a QWidget that belongs to the one it is given."""

    keys: Callable[[Session, QWidget], KeysSide]
    sale: Callable[[Session, QWidget], SaleSide]


def real_sides() -> Sides:
    """Return the makers of the real panels; each is imported when it is made, after the first frame."""

    def keys(session: Session, parent: QWidget) -> KeysSide:
        from keybench.ui.keys.panel import KeysPanel  # noqa: PLC0415 - see above

        return KeysPanel(session, parent)

    def sale(session: Session, parent: QWidget) -> SaleSide:
        from keybench.ui.sale.panel import SalePanel  # noqa: PLC0415 - see above

        return SalePanel(session, parent)

    return Sides(keys, sale)


def _widget(side: KeysSide | SaleSide) -> QWidget:
    """Return a panel as the widget it is."""
    if not isinstance(side, QWidget):
        raise TypeError(f"{type(side).__name__} is no widget")
    side.setMinimumWidth(_NARROWEST)
    return side


def _field_in_use() -> QWidget | None:
    """Return the field that has the keyboard, or None if what has it takes no text."""
    at: QWidget | None = QApplication.focusWidget()
    return at if at and at.testAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled) else None


class BenchPage(QWidget):
    """Both panels side by side; the keys come first, and the sale's panel once they are listed.

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
        self._session = session
        self._makers = sides or real_sides()
        # From the outside in: each time a widget gets another parent, Qt looks up the style of all within it.
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(16)
        left = self._left = PageFrame(self.splitter)
        self.keys = self._makers.keys(session, left.viewport())
        left.hold(_widget(self.keys))
        left.setMinimumWidth(_NARROWEST)
        left.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._sale: SaleSide | None = None
        self._key: SecurityKey | None = None
        self.keys.key_chosen.connect(self._on_key_chosen)
        # A moment for the list to be painted; making the other panel takes as long as a list of keys.
        self._sale_soon = QTimer(self, singleShot=True, interval=_AFTER_THE_KEYS_MS)
        self._sale_soon.timeout.connect(self._make_sale)
        self.keys.loaded.connect(self._sale_soon.start)
        title = label("Sale test", "title")
        self._right: QWidget = empty_panel(title)
        for side, share in ((left, LEFT), (self._right, RIGHT)):
            self.splitter.addWidget(side)
            self.splitter.setStretchFactor(self.splitter.count() - 1, share)
        self.splitter.setSizes([LEFT * 100, RIGHT * 100])
        self.splitter.restoreState(preferences.state(_SPLITTER))
        self.splitter.splitterMoved.connect(self._on_moved)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        layout.addWidget(self.splitter)

    @property
    def sale(self) -> SaleSide:
        """The Sale test panel; it is made when it is first asked for, at the latest."""
        return self._sale or self._make_sale()

    def add_new_key(self) -> None:
        """Begin Add a New Key."""
        self.keys.add_new_key()

    def send(self) -> None:
        """Send the sale, unless somebody is writing in a field of something else."""
        writing_at = _field_in_use()
        if self._sale and (writing_at is None or _widget(self._sale).isAncestorOf(writing_at)):
            self._sale.send()

    def refresh_devices(self) -> None:
        """Ask the gateway for the devices again."""
        self.sale.refresh_devices()

    def minimumSizeHint(self) -> QSize:
        """Be as narrow as one panel: the two then stand one above the other."""
        return QSize(_NARROWEST + 2 * _MARGIN, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the panels beside one another where there is room, else one above the other."""
        super().resizeEvent(event)
        self._arrange()

    def _make_sale(self) -> SaleSide:
        self._sale_soon.stop()
        self.keys.loaded.disconnect(self._sale_soon.start)
        sizes = self.splitter.sizes()
        sale = self._sale = self._makers.sale(self._session, self)
        empty, self._right = self._right, _widget(sale)
        self.splitter.replaceWidget(1, self._right)
        empty.deleteLater()
        self.splitter.setStretchFactor(1, RIGHT)
        self.splitter.setSizes(sizes)
        self._arrange()
        if self._key:
            sale.use_key(self._key)
        return sale

    def _arrange(self) -> None:
        sides = [self._left, self._right]
        needed = sum(max(side.minimumWidth(), side.minimumSizeHint().width()) for side in sides)
        room = self.contentsRect().width() - 2 * _MARGIN - self.splitter.handleWidth()
        beside = needed <= room
        orientation = Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical
        if self.splitter.orientation() is orientation:
            return
        self._left.setMinimumHeight(0 if beside else _LOWEST)
        self.splitter.setOrientation(orientation)
        if beside:
            self.splitter.restoreState(self._preferences.state(_SPLITTER))
        self.updateGeometry()

    def _on_key_chosen(self, key: SecurityKey | None) -> None:
        # What became known of the same key is no reason to take another back that was chosen for the sale.
        before, self._key = self._key, key
        if self._sale and key is not None and (before is None or key.id != before.id):
            self._sale.use_key(key)

    def _on_moved(self, _position: int, _index: int) -> None:
        if self.splitter.orientation() is Qt.Orientation.Horizontal:
            self._preferences.set_state(_SPLITTER, self.splitter.saveState())
