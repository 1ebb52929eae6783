"""The old key and the new one beside each other, attribute by attribute, with what differs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from keybench.core.rotation import KeyFacts, Rotation
from keybench.core.security_key import KeyDraft
from keybench.ui.rotations.parts import WIDEST_PX, RowsTable
from keybench.ui.theme import scaled
from keybench.ui.widgets.pill import PillDelegate
from keybench.ui.widgets.rows_model import Column, Look, RowsModel
from keybench.words.formats import day_and_time

#: What has to be the same, or be confirmed by a person.
_COMPARED: Final = frozenset({"Username", "Permission", "Kind"})


@dataclass(frozen=True, slots=True)
class FactRow:
    """One attribute of both keys; empty where it isn't known yet."""

    name: str
    old: str
    new: str

    @property
    def verdict(self) -> str:
        """Whether what has to be the same is; empty for what may differ and what isn't known."""
        if self.name not in _COMPARED or not self.new:
            return ""
        return "same" if self.old == self.new else "differs"


def fact_rows(old: KeyFacts, new: KeyFacts | KeyDraft | None) -> tuple[FactRow, ...]:
    """Return both keys' attributes; the new one's as far as they are known."""
    made = new if isinstance(new, KeyFacts) else None
    return (
        FactRow("Name", old.name, new.name if new else ""),
        FactRow("Username", old.username, new.username if new else ""),
        FactRow("Permission", old.permission, new.permission if new else ""),
        FactRow("Kind", str(old.kind), str(new.kind) if new else ""),
        FactRow("Purpose", old.purpose, new.purpose if new else ""),
        FactRow(
            "Fingerprint", old.fingerprint or "no value here", made.fingerprint if made else "not made yet"
        ),
        FactRow("Created", day_and_time(old.created_at), day_and_time(made.created_at) if made else ""),
    )


def _tone(row: FactRow) -> str:
    return {"same": "good", "differs": "warning"}.get(row.verdict, "")


_COLUMNS: Final = (
    Column[FactRow]("", lambda row: row.name, Look(ink=lambda _row: "dim")),
    Column[FactRow]("Old key", lambda row: row.old),
    Column[FactRow]("New key", lambda row: row.new),
    Column[FactRow]("", lambda row: row.verdict, Look(tone=_tone)),
)


class FactsTable(RowsTable):
    """Both keys, attribute by attribute."""

    def __init__(self) -> None:
        super().__init__("Both keys", stretch=2)
        self._model = RowsModel[FactRow](_COLUMNS, self)
        self.setModel(self._model)
        self.setItemDelegateForColumn(3, PillDelegate(self))
        self.setSelectionMode(self.SelectionMode.NoSelection)
        self.setMaximumWidth(scaled(WIDEST_PX))

    def show_rotation(self, rotation: Rotation) -> None:
        """Show the rotation's keys; the planned one until there is a replacement."""
        planned = rotation.making.draft if rotation.making else None
        self._model.show_rows(fact_rows(rotation.old, rotation.replacement or planned))
        self.fit_rows()
