"""The list for a compromised key: three points with what was found, and the sales that were sent with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from PySide6.QtWidgets import QCheckBox, QFrame, QPushButton

from keybench.core.errors import KeybenchError
from keybench.core.rotation import Check, CompromiseStep, Rotation
from keybench.ui.refresh import Refresh
from keybench.ui.rotations.desk import Desk
from keybench.ui.rotations.overlap_field import FORM_HINT, MomentEdit
from keybench.ui.rotations.parts import column, row_of
from keybench.ui.rotations.stage_body import StageBody
from keybench.ui.rotations.tables import SalesTable
from keybench.ui.theme import scaled
from keybench.ui.widgets.form import Field, text_field
from keybench.ui.widgets.labels import ElidedLabel, button, label, prose
from keybench.words.formats import day_and_time
from keybench.words.rotations import COMPROMISE_HINTS, COMPROMISE_TITLES

_LIMIT: Final = 500
_SINCE_PX: Final = 320
_BACK: Final = timedelta(days=7)


class _Point(QFrame):
    """One point: a tick, what to do, who did it, and what was found."""

    def __init__(self, step: CompromiseStep, body: CompromiseBody) -> None:
        super().__init__()
        self.setProperty("role", "well")
        self.step = step
        self.tick = QCheckBox(COMPROMISE_TITLES[step])
        self.tick.clicked.connect(partial(body.note, self))
        self.who = ElidedLabel("", "dim", least=1)
        self.findings = text_field(f"Findings: {COMPROMISE_TITLES[step].lower()}", lines=3, required=False)
        self.save: QPushButton = button("Save findings", partial(body.note, self))
        self.save.setAccessibleName(f"Save findings: {COMPROMISE_TITLES[step].lower()}")
        layout = column(self, margins=(14, 10, 14, 10))
        layout.addLayout(row_of(self.tick, self.who))
        layout.addWidget(prose(COMPROMISE_HINTS[step], "dim"))
        layout.addWidget(self.findings)
        layout.addLayout(row_of(None, self.save))
        self._kept: str | None = None
        self._sent = ""

    def forget(self) -> None:
        """Take what stands there for another rotation's from now on."""
        self._kept = None

    def send(self) -> str:
        """Return what was found, to be kept."""
        self._sent = self.findings.text
        return self._sent

    def show_check(self, check: Check) -> None:
        """Show what is kept; what is being typed stays until it is saved."""
        self.tick.setChecked(check.done_at is not None)
        self.who.setText(f"{day_and_time(check.done_at)}, {check.by}" if check.done_at else "")
        if check.findings != self._kept:
            if self._kept is None or self.findings.text in {self._kept, self._sent}:
                self.findings.reset(check.findings)
            self._kept = check.findings


class CompromiseBody(StageBody):
    """The three points, then the sales to look through."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._points = {step: _Point(step, self) for step in CompromiseStep}
        self.since = MomentEdit("Since")
        self._since = Field("Since", self.since, FORM_HINT)
        self._since.setMaximumWidth(scaled(_SINCE_PX))
        self.list_button = button("List the sales", self._list)
        self.sales = SalesTable()
        self._status = prose(role="dim")
        self._rotation_id = ""
        self._asked_for = "", datetime.min.replace(tzinfo=UTC)
        self._listing = Refresh(desk.session, "sales of a compromised key", self._read)
        self._lay_out()

    def point(self, step: CompromiseStep) -> _Point:
        """Return one point's box."""
        return self._points[step]

    def show_rotation(self, rotation: Rotation) -> None:
        """Show what is kept of each point."""
        if rotation.id != self._rotation_id:
            self._rotation_id = rotation.id
            for point in self._points.values():
                point.forget()
            self.since.put(rotation.started_at - _BACK)
            self.sales.show_sales([], "Not looked for yet.")
            self._status.clear()
        for check in rotation.checks:
            point = self._points[check.step]
            point.show_check(check)
            self.offer(point.save)
        self.offer(self.list_button)

    def note(self, point: _Point, *_clicked: object) -> None:
        """Keep one point as it is ticked and written now."""
        kept = next(check for check in self.desk.rotation.checks if check.step is point.step)
        if not self.desk.signed() or point.findings.fault:
            point.tick.setChecked(kept.done_at is not None)
            return
        done, findings = point.tick.isChecked(), point.send()
        self.desk.step("Noting…", self.desk.rotations.check, point.step, done, self.desk.person, findings)

    def _list(self) -> None:
        since = self.since.local
        if since is None:
            self._since.show_message(f"{FORM_HINT}.")
            return
        self._since.clear_message()
        self._status.setText("Looking through the sales…")
        self._asked_for = self.desk.id, since.astimezone(UTC)
        self._listing.request()

    async def _read(self) -> None:
        wanted = self._asked_for
        try:
            sales = await self.desk.rotations.sales_since(*wanted, _LIMIT)
        except KeybenchError as error:
            self._status.clear()
            self.desk.fail(error)
            return
        if wanted != self._asked_for or wanted[0] != self.desk.id:
            return
        self.sales.show_sales(list(sales), "No sale was sent with the old key from here since then.")
        more = f"The newest {_LIMIT} are listed." if len(sales) >= _LIMIT else ""
        self._status.setText(more or ("1 sale" if len(sales) == 1 else f"{len(sales):,} sales"))

    def _lay_out(self) -> None:
        layout = column(self)
        layout.addWidget(label("What to do about a compromised key", "heading"))
        for point in self._points.values():
            layout.addWidget(point)
        layout.addSpacing(8)
        layout.addWidget(label("Sales sent with the old key from this computer", "heading"))
        layout.addWidget(self._since)
        listing = row_of(self.list_button, self._status)
        listing.setStretch(1, 1)
        layout.addLayout(listing)
        layout.addWidget(self.sales)
        layout.addStretch(1)
