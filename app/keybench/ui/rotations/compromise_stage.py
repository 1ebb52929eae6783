"""The list for a compromised key: three points, each with what was found."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QCheckBox, QFrame

from keybench.core.keys.key import SecurityKey
from keybench.core.rotations.rotation import CompromiseCheck, CompromiseStep, Rotation
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.form import Form, text_field
from keybench.ui.kit.labels import ElidedLabel, prose
from keybench.ui.rotations.controller import RotationController
from keybench.ui.rotations.stage_view import Button, Content, StageText, StageView, Well
from keybench.words.formats import day_and_time, within
from keybench.words.language import _
from keybench.words.rotations.progress import COMPROMISE_HINTS, COMPROMISE_TITLES
from keybench.workflows.rotations.steps import key_of


class _Point(QFrame):
    """One point: a tick, what to do, who did it, and what was found."""

    def __init__(self, step: CompromiseStep, stage: CompromiseStage) -> None:
        super().__init__()
        self.setProperty("role", "well")
        self.step = step
        name = within(COMPROMISE_TITLES[step])
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
        if is_other or (check.findings != self._kept and self.findings.text.strip() == self._kept):
            self.findings.reset(check.findings)
        self._rotation_id, self._kept = rotation.id, check.findings


class CompromiseStage(StageView):
    """The way to revoke the key at once, and the three points."""

    def __init__(self, controller: RotationController, revoke: Callable[[SecurityKey], object]) -> None:
        super().__init__(controller)
        c = controller
        self.points = {step: _Point(step, self) for step in CompromiseStep}
        self.build(
            StageText(_("What to do about a compromised key"), "heading"),
            Well(
                (
                    StageText(
                        _(
                            "Where every hour in which the key works costs more than an outage, revoke it now: "
                            "it is deleted before there is another, and everything that uses it stops until it "
                            "has a new one."
                        )
                    ),
                    (
                        Button(
                            _("Revoke now…"),
                            lambda: revoke(key_of(c.rotation, c.rotation.old)),
                            tone="danger",
                            signed=True,
                        ),
                    ),
                ),
                when=lambda rotation: rotation.is_open and rotation.deletion is None,
            ),
            *(Content(point, point.show_rotation) for point in self.points.values()),
        )

    def note(self, point: _Point, *_clicked: object) -> None:
        c = self.controller
        if not c.signed() or point.form.first_fault():
            point.tick.setChecked(point.check_of(c.rotation).done_at is not None)
            return
        done, findings = point.tick.isChecked(), point.findings.text
        c.step(_("Recording…"), c.rotations.check, point.step, done, c.person, findings)
