"""The tables of a rotation: applications, both keys, the same-permission proof."""

from __future__ import annotations

from typing import Final

from keybench.core.rotations.rotation import ApplicationStep, ProofRow, Rotation
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import keep_size
from keybench.ui.rotations.stage_view import WIDEST_PX
from keybench.words.language import _
from keybench.words.rotations.stages import (
    KeyRow,
    changed_by_words,
    changed_words,
    key_rows,
    proof_call,
    proof_result,
    seen_by_words,
    seen_words,
)

NO_APPLICATIONS: Final = _(
    "No application is listed for this key. Add those that use it at stage 2, or they break unnoticed."
)
#: From which width of the table on, in pixels at 13 px text, a column has room.
_SHOWN_FROM: Final = {"owner": 540, "where": 400}


def _seen_tone(step: ApplicationStep) -> str:
    if step.is_seen_working:
        return "good"
    return "warning" if step.changed_at else "dim"


_APPLICATIONS: Final[tuple[Column[ApplicationStep], ...]] = (
    Column("name", _("Application"), lambda step: step.name, bold=True),
    Column("owner", _("Owner"), lambda step: step.owner or _("nobody named")),
    Column("where", _("Where the key is set"), lambda step: step.place, mono=True, stretch=True),
    Column(
        "changed",
        _("Changed"),
        changed_words,
        tone=lambda step: "" if step.changed_at else "warning",
        hint=changed_by_words,
    ),
    Column("seen", _("Seen working"), seen_words, tone=_seen_tone, hint=seen_by_words),
)


class ApplicationsTable(Table[ApplicationStep]):
    """A rotation's applications; one is always selected if there are any."""

    def __init__(self) -> None:
        model = TableModel(_APPLICATIONS, lambda step: step.application_id)
        super().__init__(
            _("Applications that use this key"), model, empty_text=NO_APPLICATIONS, height_in_rows=(2, 8)
        )
        self.columns.show_from(_SHOWN_FROM)

    def show_rotation(self, rotation: Rotation) -> None:
        self.model().show(rotation.applications)
        if rotation.applications and self.selected is None:
            self.select_row(0)


_FACTS: Final[tuple[Column[KeyRow], ...]] = (
    Column("name", "", lambda row: row.name, ink=lambda _row: "dim"),
    Column("old", _("Old key"), lambda row: row.old),
    Column("new", _("New key"), lambda row: row.new, stretch=True),
    Column(
        "verdict",
        "",
        lambda row: row.verdict,
        tone=lambda row: {"": "", _("same"): "good"}.get(row.verdict, "warning"),
    ),
)


class FactsTable(Table[KeyRow]):
    """The old key and the new one, attribute by attribute, with what differs."""

    def __init__(self) -> None:
        super().__init__(
            _("Both keys"), TableModel(_FACTS, lambda row: row.name), sortable=False, height_in_rows=(1, 8)
        )
        self.setSelectionMode(self.SelectionMode.NoSelection)
        keep_size(self, most_width=WIDEST_PX)

    def show_rotation(self, rotation: Rotation) -> None:
        planned = rotation.making.draft if rotation.making else None
        self.model().show(key_rows(rotation.old, rotation.replacement or planned))


_PROOF: Final[tuple[Column[ProofRow], ...]] = (
    Column("call", _("Call"), proof_call, stretch=True),
    Column("old", _("Old key"), lambda row: str(row.old_status)),
    Column("new", _("New key"), lambda row: str(row.new_status)),
    Column("result", _("Result"), proof_result, tone=lambda row: "good" if row.same else "bad"),
)


class ProofTable(Table[ProofRow]):
    """The same-permission proof: each call with the status that either key met."""

    def __init__(self) -> None:
        super().__init__(
            _("Same permission"),
            TableModel(_PROOF),
            sortable=False,
            empty_text=_("Not compared yet."),
            height_in_rows=(1, 8),
        )
        keep_size(self, most_width=WIDEST_PX)

    def show_rotation(self, rotation: Rotation) -> None:
        self.model().show(rotation.proof.rows if rotation.proof else ())
