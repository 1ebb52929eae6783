"""What the lists of the review share: when each is read, and what leads from a row to its key and its rotation."""

from __future__ import annotations

from typing import Any, ClassVar, Final, TypeVar

from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QLineEdit

from keybench.core.events import ApplicationsChanged, EnvironmentsChanged, KeysChanged, RotationChanged
from keybench.core.keys.leaver import LeaverKey
from keybench.core.keys.review import Reminder
from keybench.ui.kit.actions import Action
from keybench.ui.kit.tables.model import Row
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.list_page import ListPage
from keybench.ui.shared.requests import ShowKeys
from keybench.ui.shared.session import Session
from keybench.words.language import _

LOOKING: Final = _("Looking at all keys…")
KeyRow = TypeVar("KeyRow", bound=Reminder | LeaverKey)


class ReviewList(ListPage[Row]):
    """One list of the review; read anew whenever it comes into sight, for limits may be others, and time has passed."""

    stale_after: ClassVar[tuple[type[Any], ...]] = (
        *(KeysChanged, RotationChanged, ApplicationsChanged, EnvironmentsChanged),
    )
    loading_text = LOOKING

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._is_stale = True


class KeysOfReview(ReviewList[KeyRow]):
    """Rows of a key each, with its rotation if there is one."""

    def __init__(self, session: Session, page_id: str, table: Table[KeyRow], search: QLineEdit) -> None:
        super().__init__(session, page_id, table, search)
        self.rotate = Action(self, "key.rotate", self._on_rotate, self.is_chosen)
        self.open = Action(self, "key.show", self._on_open, self.is_chosen)
        table.set_row_actions([self.rotate, self.open])
        table.opened.connect(self.open.trigger)

    def show_row(self, row: KeyRow | None) -> None:
        self.rotate.setText(_("Open the rotation") if row and row.rotation else self.rotate.command.text)
        self.rotate.refresh()
        self.open.refresh()

    def _on_rotate(self) -> None:
        row = self.table.selected
        if row and row.key is not None:
            self.session.show_rotation(row.environment, row.key)

    def _on_open(self) -> None:
        row = self.table.selected
        if row and row.key is not None:
            self.session.ask(ShowKeys("inventory", (row.key,)))
