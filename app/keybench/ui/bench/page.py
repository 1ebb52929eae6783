"""The Bench: Security Keys beside Sale test with an edge that can be moved; one above the other if narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QLineEdit, QWidget

from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.labels import label
from keybench.ui.kit.page_frame import PageFrame
from keybench.ui.kit.splitter import Splitter
from keybench.ui.shared.session import Session
from keybench.words.language import _

if TYPE_CHECKING:  # the window is shown before the panels are imported
    from keybench.core.keys.key import SecurityKey
    from keybench.ui.bench.keys_panel import KeysPanel
    from keybench.ui.bench.sale_panel import SalePanel

_SPLITTER: Final = "bench/splitter"
#: How the room is shared by Security Keys and Sale test.
_LEFT, _RIGHT = 44, 56
_AFTER_THE_KEYS_MS: Final = 20
_NARROWEST: Final = 320
_MARGIN: Final = 16


class StartingPage(QWidget):
    """What stands where the Bench will be until the keys are open: two empty panels and one calm sentence."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("page")
        self.words = label(_("Opening your keys…"), "dim")
        self.words.setWordWrap(True)
        keys = _empty_panel(label(_("Security Keys"), "title"), self.words)
        sale = _empty_panel(label(_("Sale test"), "title"))
        in_row((keys, _LEFT), (sale, _RIGHT), within=self, margins=(16, 16, 16, 16), spacing=16)


def _empty_panel(*labels: QLabel) -> QFrame:
    panel = QFrame()
    panel.setProperty("role", "panel")
    in_column(*labels, None, within=panel, margins=(16, 14, 16, 16), spacing=12)
    return panel


class BenchPage(QWidget):
    """Both panels side by side; the keys come first, and the sale's panel once they are listed."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._session = session
        # From the outside in: each time a widget gets another parent, Qt looks up the style of all within it.
        self.splitter = Splitter(Qt.Orientation.Horizontal, self)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(16)
        left = self._left = PageFrame(self.splitter)
        self.keys = self.make_keys(left.viewport())
        self.keys.show_first_step(1)  # until the sales are read
        self.keys.installEventFilter(self)
        left.hold(self.keys)
        left.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._sale: SalePanel | None = None
        self._key: SecurityKey | None = None
        self.keys.find_elsewhere = self._field_beside
        self.keys.key_chosen.connect(self._on_key_chosen)
        self.keys.first_added.connect(self._on_first_added)
        # A moment for the list to be painted; making the other panel takes as long as a list of keys.
        self._sale_soon = QTimer(self, singleShot=True, interval=_AFTER_THE_KEYS_MS)
        self._sale_soon.timeout.connect(self._make_sale)
        self.keys.loaded.connect(self._sale_soon.start)
        self._right: QWidget = _empty_panel(label(_("Sale test"), "title"))
        for number, (side, share) in enumerate(((left, _LEFT), (self._right, _RIGHT))):
            self.splitter.addWidget(side)
            self.splitter.setStretchFactor(number, share)
        self.splitter.setSizes([_LEFT * 100, _RIGHT * 100])
        self.splitter.restoreState(session.preferences.state(_SPLITTER))
        self.splitter.splitterMoved.connect(self._on_moved)
        in_column(self.splitter, within=self, margins=(_MARGIN, _MARGIN, _MARGIN, _MARGIN))

    def make_keys(self, parent: QWidget) -> KeysPanel:
        from keybench.ui.bench.keys_panel import KeysPanel  # noqa: PLC0415 - see above

        return KeysPanel(self._session, parent)

    def make_sale(self) -> SalePanel:
        from keybench.ui.bench.sale_panel import SalePanel  # noqa: PLC0415 - see above

        return SalePanel(self._session, self)

    @property
    def sale(self) -> SalePanel:
        """The Sale test panel; it is made when it is first asked for, at the latest."""
        return self._sale or self._make_sale()

    def add_new_key(self) -> None:
        self.keys.add_new_key()

    def send(self) -> None:
        """Send the sale, unless somebody is writing in a field of something else."""
        at: QWidget | None = QApplication.focusWidget()
        is_field = at is not None and at.testAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
        if self._sale and (at is None or not is_field or self._sale.isAncestorOf(at)):
            self._sale.send()

    def refresh_devices(self) -> None:
        self.sale.refresh_devices()

    def minimumSizeHint(self) -> QSize:
        return QSize(_NARROWEST + 2 * _MARGIN, super().minimumSizeHint().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self._keep_room()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def event(self, event: QEvent) -> bool:
        taken = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self._arrange()
        return taken

    def _make_sale(self) -> SalePanel:
        self._sale_soon.stop()
        self.keys.loaded.disconnect(self._sale_soon.start)
        sizes = self.splitter.sizes()
        sale = self._sale = self.make_sale()
        sale.setMinimumWidth(_NARROWEST)
        empty, self._right = self._right, sale
        self.splitter.replaceWidget(1, self._right)
        empty.deleteLater()
        self.splitter.setStretchFactor(1, _RIGHT)
        self.splitter.setSizes(sizes)
        sale.first_step_changed.connect(self.keys.show_first_step)
        sale.key_wanted.connect(self.add_new_key)
        self._arrange()
        if self._key:
            sale.use_key(self._key)
        return sale

    def _arrange(self) -> None:
        sides = [self._left, self._right]
        needed = sum(max(side.minimumWidth(), side.minimumSizeHint().width()) for side in sides)
        room = self.contentsRect().width() - 2 * _MARGIN - self.splitter.handleWidth()
        side_by_side = needed <= room
        orientation = Qt.Orientation.Horizontal if side_by_side else Qt.Orientation.Vertical
        if self.splitter.orientation() is orientation:
            return
        self.splitter.setOrientation(orientation)
        self._keep_room()
        if side_by_side:
            self.splitter.restoreState(self._session.preferences.state(_SPLITTER))
        self.updateGeometry()

    def _keep_room(self) -> None:
        """Keep room for the keys; let the page scroll, and not them or the sale, where these stand above one another."""
        bar = self._left.verticalScrollBar().sizeHint().width()
        self._left.setMinimumWidth(max(_NARROWEST, self.keys.minimumSizeHint().width() + bar))
        is_above = self.splitter.orientation() is Qt.Orientation.Vertical
        # A frame scrolls what is lower than the height for its width, which may be more than the least.
        high = self.keys.heightForWidth(self._left.viewport().width())
        self._left.setMinimumHeight(max(self.keys.minimumSizeHint().height(), high) if is_above else 0)
        if self._sale:
            self._sale.show_whole(whole=is_above)

    def _on_key_chosen(self, key: SecurityKey | None) -> None:
        # What became known of the same key is no reason to take another back that was chosen for the sale.
        before, self._key = self._key, key
        if self._sale and key is not None and (before is None or key.id != before.id):
            self._sale.use_key(key)

    def _on_first_added(self) -> None:
        self.sale.lead_on()

    def _field_beside(self) -> QLineEdit | None:
        """Return the field that a sale's exchanges are searched by while somebody works there."""
        at = QApplication.focusWidget()
        if self._sale and at and self._sale.isAncestorOf(at) and self._sale.exchanges.search.isVisible():
            return self._sale.exchanges.search.field
        return None

    def _on_moved(self, _position: int, _index: int) -> None:
        if self.splitter.orientation() is Qt.Orientation.Horizontal:
            self._session.preferences.set_state(_SPLITTER, self.splitter.saveState())
