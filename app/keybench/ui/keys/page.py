"""The Keys page: views of every environment's keys, one at a time, each created when it is first visited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, runtime_checkable

from PySide6.QtWidgets import QWidget

from keybench.core.keys.key import SecurityKey
from keybench.ui.shared.attention import KEYS, AttentionButton
from keybench.ui.shared.session import Session
from keybench.ui.shared.views_page import Views, ViewsPage, later
from keybench.words.keys.states import COMPROMISED
from keybench.words.language import _

_CHOSEN: Final = "keys/view"


@runtime_checkable
class ShowsKeys(Protocol):
    """A view that can be wanted for one or several keys."""

    def show_keys(self, keys: Sequence[SecurityKey]) -> None:
        """Show what the view has about them."""


#: The views by what each is remembered and wanted by, see `keybench.ui.shared.session`.
VIEWS: Final[Views] = {
    "inventory": (_("Inventory"), later("keys.inventory", "InventoryView")),
    "applications": (_("Applications"), later("keys.applications", "ApplicationsView")),
    "review": (_("Review"), later("keys.review", "ReviewView")),
    "activity": (_("Activity"), later("keys.activity", "ActivityView")),
}


class KeysPage(ViewsPage):
    """All views, one at a time; which it was is remembered."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, VIEWS, title=_("Keys"), choice=_("View of the keys"), parent=parent)
        self.head.addWidget(AttentionButton(session, KEYS, self.show_compromised))
        remembered = session.preferences.text(_CHOSEN).casefold()  # it was the title once
        self.show_view(remembered if remembered in VIEWS else self.segments.value)

    def show_view(self, view_id: str, keys: Sequence[SecurityKey] = ()) -> QWidget:
        view = super().show_view(view_id)
        if keys and isinstance(view, ShowsKeys):
            view.show_keys(keys)
        self._session.preferences.set_text(_CHOSEN, view_id)
        return view

    def show_compromised(self) -> None:
        from keybench.ui.keys.inventory import InventoryView  # noqa: PLC0415 - views are imported when they are visited

        inventory = self.show_view("inventory")
        if isinstance(inventory, InventoryView):
            inventory.search.setText(COMPROMISED)
            inventory.table.setFocus()
