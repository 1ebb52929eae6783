"""The tables of a rotation: its applications, the same-permission proof, sales with a compromised key."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QResizeEvent

from keybench.core.proof import ProofRow
from keybench.core.rotation import ApplicationStep, Rotation
from keybench.core.sale import Sale
from keybench.ui.rotations.parts import WIDEST_PX, RowsTable
from keybench.ui.sale.sales_model import outcome_text, outcome_tone
from keybench.ui.theme import scaled
from keybench.ui.widgets.pill import PillDelegate
from keybench.ui.widgets.rows_model import Column, Look, RowsModel
from keybench.words.formats import day_and_time
from keybench.words.rotations import (
    changed_by_words,
    changed_words,
    proof_call,
    proof_result,
    seen_by_words,
    seen_words,
)

NO_APPLICATIONS: Final = (
    "No application is listed for this key. Add those that use it at stage 2, or they break unnoticed."
)
_NO_PROOF: Final = "Not compared yet."
_OWNER, _WHERE, _CHANGED, _SEEN = 1, 2, 3, 4
#: From this width on, at 13 px text, every column has room.
_ALL_PX: Final = 540
_FEW_PX: Final = 400


def _changed_tone(step: ApplicationStep) -> str:
    return "" if step.changed_at else "warning"


def _seen_tone(step: ApplicationStep) -> str:
    if step.is_seen_working:
        return "good"
    return "warning" if step.changed_at else "dim"


_APPLICATIONS: Final = (
    Column[ApplicationStep]("Application", lambda step: step.name, Look(bold=True)),
    Column[ApplicationStep]("Owner", lambda step: step.owner or "nobody named"),
    Column[ApplicationStep]("Where the key is set", lambda step: step.place, Look(mono=True)),
    Column[ApplicationStep]("Changed", changed_words, Look(tone=_changed_tone, hint=changed_by_words)),
    Column[ApplicationStep]("Seen working", seen_words, Look(tone=_seen_tone, hint=seen_by_words)),
)


class ApplicationsTable(RowsTable):
    """A rotation's applications; the chosen one stays chosen while they go on.

    Signals:
        picked: Another application is chosen, or what is known of it changed (an `ApplicationStep` or None).
    """

    picked = Signal(object)

    def __init__(self) -> None:
        super().__init__(
            "Applications that use this key", stretch=_WHERE, empty_text=NO_APPLICATIONS, least=2
        )
        self._model = RowsModel[ApplicationStep](_APPLICATIONS, self)
        self.setModel(self._model)
        self._pills = PillDelegate(self)
        for number in (_CHANGED, _SEEN):
            self.setItemDelegateForColumn(number, self._pills)
        self.selectionModel().currentRowChanged.connect(self._on_row)

    @property
    def step(self) -> ApplicationStep | None:
        """The chosen application."""
        row = self.current_row()
        return self._model.row(row) if row >= 0 else None

    def show_rotation(self, rotation: Rotation) -> None:
        """List the rotation's applications; one is always chosen if there are any."""
        before = self.step.application_id if self.step else ""
        self._model.renew_rows(rotation.applications, _application_id)
        ids = [step.application_id for step in rotation.applications]
        if ids:
            self.choose_row(ids.index(before) if before in ids else 0)
        self.fit_rows()
        self.picked.emit(self.step)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the owners out where there is little room; the chosen application's is told below."""
        super().resizeEvent(event)
        self.setColumnHidden(_OWNER, self.width() < scaled(_ALL_PX))
        self.setColumnHidden(_WHERE, self.width() < scaled(_FEW_PX))

    def choose(self, application_id: str) -> None:
        """Choose an application by id, if it is listed."""
        for number, step in enumerate(self._model.rows):
            if step.application_id == application_id:
                self.choose_row(number)

    def _on_row(self, _current: QModelIndex, _before: QModelIndex) -> None:
        self.picked.emit(self.step)


def _application_id(step: ApplicationStep) -> str:
    return step.application_id


def _proof_tone(row: ProofRow) -> str:
    return "good" if row.same else "bad"


_PROOF: Final = (
    Column[ProofRow]("Call", proof_call),
    Column[ProofRow]("Old key", lambda row: str(row.old_status)),
    Column[ProofRow]("New key", lambda row: str(row.new_status)),
    Column[ProofRow]("Result", proof_result, Look(tone=_proof_tone)),
)


class ProofTable(RowsTable):
    """The same-permission proof: each call with the status that either key met."""

    def __init__(self) -> None:
        super().__init__("Same permission", stretch=0, empty_text=_NO_PROOF, least=1)
        self._model = RowsModel[ProofRow](_PROOF, self)
        self.setModel(self._model)
        self.setItemDelegateForColumn(3, PillDelegate(self))
        self.setMaximumWidth(scaled(WIDEST_PX))

    def show_rotation(self, rotation: Rotation) -> None:
        """Show the rotation's last proof; nothing where there is none."""
        self.setVisible(rotation.proof is not None)
        self._model.show_rows(rotation.proof.rows if rotation.proof else ())
        self.fit_rows()


_SALES: Final = (
    Column[Sale]("Sold", lambda sale: day_and_time(sale.noted_at)),
    Column[Sale]("Device", lambda sale: sale.device),
    Column[Sale]("Amount", lambda sale: str(sale.money), Look(right=True)),
    Column[Sale]("Reference", lambda sale: sale.reference, Look(mono=True)),
    Column[Sale]("Outcome", outcome_text, Look(tone=outcome_tone)),
)


class SalesTable(RowsTable):
    """Sales that were sent with the old key."""

    def __init__(self) -> None:
        super().__init__("Sales with the old key", stretch=1, empty_text="Not looked for yet.", least=2)
        self._model = RowsModel[Sale](_SALES, self)
        self.setModel(self._model)
        self.setItemDelegateForColumn(4, PillDelegate(self))

    def show_sales(self, sales: list[Sale], empty_text: str) -> None:
        """List sales, or say that there is none."""
        self.empty_text = empty_text
        self._model.show_rows(sales)
        self.fit_rows()
