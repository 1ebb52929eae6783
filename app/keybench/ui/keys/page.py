"""The Keys page: views of every environment's keys, one at a time, each created when it is first visited."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget, QWidget

from keybench.core.keys.key import SecurityKey
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.labels import label
from keybench.ui.kit.segments import Segments
from keybench.ui.shared.attention import KEYS, AttentionButton
from keybench.ui.shared.session import Session
from keybench.words.keys.states import COMPROMISED
from keybench.words.language import _

_CHOSEN: Final = "keys/view"


@runtime_checkable
class ShowsKeys(Protocol):
    """A view that can be wanted for one or several keys."""

    def show_keys(self, keys: Sequence[SecurityKey]) -> None:
        """Show what the view has about them."""


@dataclass(frozen=True, slots=True)
class ViewSpec:
    """A view of the page.

    Attributes:
        id: What it is remembered and wanted by, see `keybench.ui.shared.requests`.
        title: What its segment shows, which is its accessible name, too.
    """

    id: str
    title: str
    factory: Callable[[Session], QWidget]


def _inventory(session: Session) -> QWidget:
    from keybench.ui.keys.inventory import InventoryView  # noqa: PLC0415 - views are imported when they are visited

    return InventoryView(session)


def _applications(session: Session) -> QWidget:
    from keybench.ui.keys.applications import ApplicationsView  # noqa: PLC0415 - same

    return ApplicationsView(session)


def _review(session: Session) -> QWidget:
    from keybench.ui.keys.review import ReviewView  # noqa: PLC0415 - same

    return ReviewView(session)


def _activity(session: Session) -> QWidget:
    from keybench.ui.keys.activity import ActivityView  # noqa: PLC0415 - same

    return ActivityView(session)


VIEWS: Final = (
    ViewSpec("inventory", _("Inventory"), _inventory),
    ViewSpec("applications", _("Applications"), _applications),
    ViewSpec("review", _("Review"), _review),
    ViewSpec("activity", _("Activity"), _activity),
)


class KeysPage(QWidget):
    """All views, one at a time; which it was is remembered."""

    def __init__(
        self, session: Session, views: Sequence[ViewSpec] = VIEWS, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._session = session
        self._specs = {view.id: view for view in views}
        self._views: dict[str, QWidget] = {}
        self.segments = Segments([(view.id, view.title) for view in views], _("View of the keys"))
        self.stack = QStackedWidget()
        compromised = AttentionButton(session, KEYS, self.show_compromised)
        self._row = in_row(label(_("Keys"), "title"), self.segments, None, compromised, spacing=16)
        self._row.setContentsMargins(16, 15, 16, 0)  # its title stands where those of the other pages do
        in_column(self._row, (self.stack, 1), within=self, margins=(16, 16, 16, 16), spacing=12)
        remembered = session.preferences.text(_CHOSEN).casefold()  # it was the title once
        if remembered in self._specs:
            self.segments.choose(remembered)
        self.segments.changed.connect(self._on_segment)
        self._on_segment(self.segments.value)

    def show_view(self, view_id: str, keys: Sequence[SecurityKey] = ()) -> None:
        self.segments.choose(view_id)
        view = self._views[view_id]
        if keys and isinstance(view, ShowsKeys):
            view.show_keys(keys)

    def show_compromised(self) -> None:
        from keybench.ui.keys.inventory import InventoryView  # noqa: PLC0415 - views are imported when they are visited

        self.show_view("inventory")
        inventory = self._views["inventory"]
        if isinstance(inventory, InventoryView):
            inventory.search.setText(COMPROMISED)
            inventory.table.setFocus()

    def view(self, view_id: str) -> QWidget | None:
        return self._views.get(view_id)

    def _on_segment(self, view_id: str) -> None:
        if view_id not in self._views:
            self._views[view_id] = self._specs[view_id].factory(self._session)
            self.stack.addWidget(self._views[view_id])
            self._put_last(self.segments)
        self.stack.setCurrentWidget(self._views[view_id])
        self._session.preferences.set_text(_CHOSEN, view_id)

    def _put_last(self, segments: QWidget) -> None:
        """Have Tab come to a view's search before the choice of views, which stays where it is.

        Tab comes last to what was put in last. `QWidget.setTabOrder` leaves a group of buttons where it is.
        """
        at: QWidget | None = self.focusWidget()
        segments.setParent(None)
        self._row.insertWidget(1, segments)  # behind the title
        segments.show()
        if at is not None and segments.isAncestorOf(at):
            at.setFocus(Qt.FocusReason.OtherFocusReason)
