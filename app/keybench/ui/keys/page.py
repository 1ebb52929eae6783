"""The Keys page: views of every environment's keys, one at a time, each created when it is first visited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, runtime_checkable

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


#: The views by what each is remembered and wanted by, see `keybench.ui.shared.requests`.
VIEWS: Final = {
    "inventory": _("Inventory"),
    "applications": _("Applications"),
    "review": _("Review"),
    "activity": _("Activity"),
}


def _made(view_id: str, session: Session) -> QWidget:
    """Return a view; views are imported when they are visited."""
    match view_id:
        case "inventory":
            from keybench.ui.keys.inventory import InventoryView  # noqa: PLC0415 - see above

            return InventoryView(session)
        case "applications":
            from keybench.ui.keys.applications import ApplicationsView  # noqa: PLC0415 - see above

            return ApplicationsView(session)
        case "review":
            from keybench.ui.keys.review import ReviewView  # noqa: PLC0415 - see above

            return ReviewView(session)
        case _:
            from keybench.ui.keys.activity import ActivityView  # noqa: PLC0415 - see above

            return ActivityView(session)


class KeysPage(QWidget):
    """All views, one at a time; which it was is remembered."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._session = session
        self._views: dict[str, QWidget] = {}
        self.segments = Segments(list(VIEWS.items()), _("View of the keys"))
        self.stack = QStackedWidget()
        compromised = AttentionButton(session, KEYS, self.show_compromised)
        head = in_row(label(_("Keys"), "title"), self.segments, None, compromised, spacing=16)
        head.setContentsMargins(16, 15, 16, 0)  # its title stands where those of the other pages do
        in_column(head, (self.stack, 1), within=self, margins=(16, 16, 16, 16), spacing=12)
        remembered = session.preferences.text(_CHOSEN).casefold()  # it was the title once
        if remembered in VIEWS:
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
            self._views[view_id] = _made(view_id, self._session)
            self.stack.addWidget(self._views[view_id])
        self.stack.setCurrentWidget(self._views[view_id])
        self._session.preferences.set_text(_CHOSEN, view_id)
