"""The list for a compromised key: three points with what was found, and the sales that were sent with it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

from PySide6.QtWidgets import QCheckBox, QFrame, QWidget

from keybench.core.errors import KeybenchError
from keybench.core.rotations.rotation import CompromiseCheck, CompromiseStep, Rotation
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.form import Field, Form, text_field
from keybench.ui.kit.labels import ElidedLabel, prose
from keybench.ui.kit.theme import keep_size
from keybench.ui.rotations.controller import RotationController
from keybench.ui.rotations.planning import FORM_HINT, MomentEdit
from keybench.ui.rotations.stage_view import Button, Content, StageText, StageView, Well
from keybench.ui.rotations.tables import SalesTable
from keybench.words.formats import day_and_time
from keybench.words.language import _
from keybench.words.rotations.details import REVOKE_TEXT
from keybench.words.rotations.progress import COMPROMISE_HINTS, COMPROMISE_TITLES, sales_found

_LIMIT: Final = 500
_SINCE_PX: Final = 320
_BACK: Final = timedelta(days=7)


class _Point(QFrame):
    """One point: a tick, what to do, who did it, and what was found."""

    def __init__(self, step: CompromiseStep, stage: CompromiseStage) -> None:
        super().__init__()
        self.setProperty("role", "well")
        self.step = step
        name = COMPROMISE_TITLES[step].lower()
        self.tick = QCheckBox(COMPROMISE_TITLES[step])
        self.tick.clicked.connect(partial(stage.note, self))
        self.who = ElidedLabel("", "dim", least=1)
        self.findings = text_field(_("Findings: {name}").format(name=name), lines=3, required=False)
        self.form = Form(self.findings)
        save = Button(
            _("Save findings: {name}").format(name=name), partial(stage.note, self), short=_("Save findings")
        )
        in_column(
            in_row(self.tick, self.who),
            prose(COMPROMISE_HINTS[step], "dim"),
            self.form,
            in_row(None, stage.button(save)),
            within=self,
            margins=(14, 10, 14, 10),
        )
        self._rotation_id = ""
        self._kept = ""
        self._sent = ""

    def send(self) -> str:
        self._sent = self.findings.text
        return self._sent

    def check_of(self, rotation: Rotation) -> CompromiseCheck:
        return next(
            (check for check in rotation.checks if check.step is self.step), CompromiseCheck(self.step)
        )

    def show_rotation(self, rotation: Rotation) -> None:
        """Show what is kept; what is being typed stays until it is saved or another rotation is shown."""
        check = self.check_of(rotation)
        self.tick.setChecked(check.done_at is not None)
        self.who.setText(f"{day_and_time(check.done_at)}, {check.by}" if check.done_at else "")
        is_other = rotation.id != self._rotation_id
        if is_other or (check.findings != self._kept and self.findings.text in {self._kept, self._sent}):
            self.findings.reset(check.findings)
        self._rotation_id, self._kept = rotation.id, check.findings


class CompromiseStage(StageView):
    """The way to revoke the key at once, the three points, then the sales to look through."""

    def __init__(
        self, controller: RotationController, revoke: Callable[[Rotation], Coroutine[Any, Any, Any]]
    ) -> None:
        super().__init__(controller)
        self._rotation_id = ""
        self._turn = 0
        self.points = {step: _Point(step, self) for step in CompromiseStep}
        self.since = MomentEdit(_("Since"))
        self._since = Field(_("Since"), self.since, FORM_HINT)
        keep_size(self._since, most_width=_SINCE_PX)
        self.sales = SalesTable()
        self.sales.columns.keep(controller.session.preferences, "rotations/sales columns")
        self.status = prose(role="dim")
        listing = QWidget()
        in_row(self.button(Button(_("List the sales"), self._list)), (self.status, 1), within=listing)
        self.build(
            StageText(_("What to do about a compromised key"), "heading"),
            Well(
                (
                    StageText(REVOKE_TEXT),
                    (Button(_("Revoke now…"), ask=revoke, tone="danger", signed=True),),
                ),
                when=lambda rotation: rotation.is_open and rotation.deletion is None,
            ),
            *(Content(point, point.show_rotation) for point in self.points.values()),
            None,
            StageText(_("Sales sent with the old key from this computer"), "heading"),
            Content(self._since, self._show_since),
            Content(listing),
            Content(self.sales),
        )

    def note(self, point: _Point, *_clicked: object) -> None:
        c = self.controller
        if not c.signed() or point.form.first_fault():
            point.tick.setChecked(point.check_of(c.rotation).done_at is not None)
            return
        done, findings = point.tick.isChecked(), point.send()
        c.step(_("Recording…"), c.rotations.check, point.step, done, c.person, findings)

    def _show_since(self, rotation: Rotation) -> None:
        if rotation.id != self._rotation_id:
            self._rotation_id = rotation.id
            self.since.put(rotation.started_at - _BACK)
            self.sales.show_sales([], _("Not looked for yet."))
            self.status.clear()

    def _list(self) -> None:
        since = self.since.local
        if since is None:
            self._since.show_message(f"{FORM_HINT}.")
            return
        self._since.clear_message()
        self.status.setText(_("Looking through the sales…"))
        self._turn += 1
        self.controller.run(f"sales {self._turn}", self._read(self._turn, since))

    async def _read(self, turn: int, since: datetime) -> None:
        c, rotation_id = self.controller, self.controller.id
        try:
            sales = await c.rotations.sales_since(rotation_id, since.astimezone(UTC), _LIMIT)
        except KeybenchError:
            self.status.clear()
            raise
        if turn == self._turn and rotation_id == c.id:
            self.sales.show_sales(list(sales), _("No sale was sent with the old key from here since then."))
            self.status.setText(sales_found(len(sales), _LIMIT))
