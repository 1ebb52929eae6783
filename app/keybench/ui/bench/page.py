"""The Bench: Security Keys beside Sale test with an edge that can be moved; one above the other if narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QLineEdit, QWidget

from keybench.ui.kit.boxes import PageFrame, Splitter, framed, in_column, in_row
from keybench.ui.kit.labels import label
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
    return framed(in_column(*labels, None, margins=(16, 14, 16, 16), spacing=12), "panel")


class _Pane(PageFrame):
    """Either side of the Bench: as narrow as what it holds can be; it scrolls unless it is to be `whole`."""

    def __init__(self) -> None:
        super().__init__(sideways=False)
        self._whole = False

    def hold(self, content: QWidget) -> None:
        super().hold(content)
        self._fit()

    def show_whole(self, *, whole: bool) -> None:
        self._whole = whole
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        taken = super().eventFilter(watched, event)
        if event.type() is QEvent.Type.LayoutRequest:
            self._fit()
        return taken

    def _fit(self) -> None:
        content = self.widget()
        if content is None:
            return
        least = content.minimumSizeHint()
        bar = self.verticalScrollBar().sizeHint().width()
        self.setMinimumWidth(max(_NARROWEST, least.width() + bar))
        # What wraps is higher for its width than the least.
        high = max(least.height(), content.heightForWidth(self.viewport().width()), 0)
        self.setMinimumHeight(high if self._whole else 0)


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
        self._panes = _Pane(), _Pane()
        self.splitter.addWidget(self._panes[0])
        self.keys = self.make_keys(self._panes[0].viewport())
        self.keys.show_first_step(1)  # until the sales are read
        self._panes[0].hold(self.keys)
        self.splitter.addWidget(self._panes[1])  # after the keys: with it comes the edge, and Tab follows
        for number, share in enumerate((_LEFT, _RIGHT)):
            self.splitter.setStretchFactor(number, share)
        self._panes[1].hold(_empty_panel(label(_("Sale test"), "title")))
        self._sale: SalePanel | None = None
        self._key: SecurityKey | None = None
        self.keys.find_elsewhere = self._field_beside
        self.keys.key_chosen.connect(self._on_key_chosen)
        self.keys.first_added.connect(self._on_first_added)
        # A moment for the list to be painted; making the other panel takes as long as a list of keys.
        self._sale_soon = QTimer(self, singleShot=True, interval=_AFTER_THE_KEYS_MS)
        self._sale_soon.timeout.connect(self._make_sale)
        self.keys.loaded.connect(self._sale_soon.start)
        self.splitter.setSizes([_LEFT * 100, _RIGHT * 100])
        self.splitter.restoreState(session.preferences.state(_SPLITTER))
        self.splitter.splitterMoved.connect(self._on_moved)
        in_column(self.splitter, within=self, margins=(_MARGIN, _MARGIN, _MARGIN, _MARGIN))

    def make_keys(self, parent: QWidget) -> KeysPanel:
        from keybench.ui.bench.keys_panel import KeysPanel  # noqa: PLC0415 - see above

        return KeysPanel(self._session, parent)

    def make_sale(self) -> SalePanel:
        from keybench.ui.bench.sale_panel import SalePanel  # noqa: PLC0415 - see above

        return SalePanel(self._session, self._panes[1].viewport())

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
        self.sale.form.refresh_devices()

    def minimumSizeHint(self) -> QSize:
        return QSize(_NARROWEST + 2 * _MARGIN, super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        taken = super().event(event)
        if event.type() in {QEvent.Type.Resize, QEvent.Type.LayoutRequest}:
            self._arrange()
        return taken

    def _make_sale(self) -> SalePanel:
        self._sale_soon.stop()
        self.keys.loaded.disconnect(self._sale_soon.start)
        sale = self._sale = self.make_sale()
        self._panes[1].hold(sale)
        sale.first_step_changed.connect(self.keys.show_first_step)
        sale.key_wanted.connect(self.add_new_key)
        if self._key:
            sale.form.use_key(self._key)
        return sale

    def _arrange(self) -> None:
        """Put the panels one above the other, both whole, where they have no room side by side: the page scrolls."""
        needed = sum(pane.minimumWidth() for pane in self._panes)
        room = self.contentsRect().width() - 2 * _MARGIN - self.splitter.handleWidth()
        side_by_side = needed <= room
        orientation = Qt.Orientation.Horizontal if side_by_side else Qt.Orientation.Vertical
        if self.splitter.orientation() is orientation:
            return
        self.splitter.setOrientation(orientation)
        for pane in self._panes:
            pane.show_whole(whole=not side_by_side)
        if side_by_side:
            self.splitter.restoreState(self._session.preferences.state(_SPLITTER))
        self.updateGeometry()

    def _on_key_chosen(self, key: SecurityKey | None) -> None:
        # What became known of the same key is no reason to take another back that was chosen for the sale.
        before, self._key = self._key, key
        if self._sale and key is not None and (before is None or key.id != before.id):
            self._sale.form.use_key(key)

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
