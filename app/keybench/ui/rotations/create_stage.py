"""Stage 1: make the replacement or bring it from the portal, and compare what both keys may do."""

from __future__ import annotations

from PySide6.QtCore import Qt

from keybench.core.rotations import stages
from keybench.core.rotations.rotation import Rotation
from keybench.ui.kit.dialog import ask_text
from keybench.ui.rotations.controller import RotationController
from keybench.ui.rotations.planning import ask_plan
from keybench.ui.rotations.stage_view import Button, Content, StageText, StageView, Well, WhyNot, is_made
from keybench.ui.rotations.tables import FactsTable, ProofTable
from keybench.ui.shared.keys.form import ValueField
from keybench.words.language import _
from keybench.words.rotations.progress import left_over_line
from keybench.words.rotations.stages import proof_line


def _is_planned(rotation: Rotation) -> bool:
    return rotation.is_open and rotation.replacement is None


def _is_replaced(rotation: Rotation) -> bool:
    return rotation.replacement is not None


def _is_compared(rotation: Rotation) -> bool:
    return stages.proof_settled(rotation) or (rotation.proof is not None and rotation.proof.same)


class CreateStage(StageView):
    """The ways to the new key, the proof that it may do the same as the old one, and both keys."""

    def __init__(self, controller: RotationController) -> None:
        super().__init__(controller)
        c, use, facts, proof = controller, controller.rotations, FactsTable(), ProofTable()
        self.value = ValueField()
        self.value.watch(c.session)
        self.value.line.returnPressed.connect(self._keep)
        clear = Button(
            _("Clear it away"),
            lambda: c.step(_("Clearing away…"), use.resume, done=_("What could be cleared away is gone.")),
            shown=lambda rotation: bool(rotation.leftovers),
        )
        left_over = WhyNot(_("A key that nobody wants is left over."), self.button(clear))
        keystore = c.session.console.keystore_status.name
        self.build(
            Content(left_over, lambda rotation: left_over.show_reason(left_over_line(rotation))),
            Well(
                (
                    StageText(
                        _(
                            "This gateway offers no call that makes a key. Make it in the portal with the "
                            "name, user, permission and kind below, then bring its value here. It goes into "
                            "{keystore} and nowhere else."
                        ).format(keystore=keystore)
                    ),
                    Content(self.value, self._show_value),
                    (
                        Button(_("Open the portal"), c.open_portal, waits=False),
                        Button(_("Save key"), self._keep, tone="primary"),
                    ),
                ),
                when=lambda rotation: _is_planned(rotation) and not c.by_gateway,
            ),
            (
                Button(
                    _("Create the replacement"),
                    lambda: c.step(_("Creating…"), use.create, done=_("The replacement is made and saved.")),
                    shown=lambda rotation: _is_planned(rotation) and c.by_gateway,
                    tone="primary",
                ),
                Button(_("Change what is made…"), ask=self._change, shown=_is_planned, signed=True),
            ),
            StageText(_("Same permission?"), "heading", when=_is_replaced),
            StageText(
                lambda rotation: proof_line(rotation, c.session.console.clock.now()),
                "dim",
                when=_is_replaced,
            ),
            (
                Button(
                    _("Compare permissions"),
                    lambda: c.step(_("Comparing…"), use.prove),
                    shown=lambda rotation: is_made(rotation) and not stages.is_revoked(rotation),
                    enabled=lambda rotation: rotation.deletion is None,
                    tone=lambda rotation: "plain" if _is_compared(rotation) else "primary",
                ),
                Button(
                    _("Go on without…"),
                    ask=self._waive,
                    shown=lambda rotation: is_made(rotation) and not stages.proof_settled(rotation),
                    tone=lambda rotation: "primary" if _is_compared(rotation) else "plain",
                    signed=True,
                ),
                Button(
                    _("Take the replacement back"),
                    lambda: c.step(
                        _("Taking it back…"),
                        use.withdraw_replacement,
                        c.person,
                        done=_("The replacement was taken back."),
                    ),
                    shown=stages.can_undo_replacement,
                    hint=_("While no application uses it yet"),
                    signed=True,
                ),
            ),
            Content(proof, proof.show_rotation, when=lambda rotation: rotation.proof is not None),
            None,
            StageText(_("Both keys"), "heading"),
            Content(facts, facts.show_rotation),
        )

    def begin(self) -> bool:
        if self.value.line.isVisible() and not self.value.text:
            self.value.line.setFocus(Qt.FocusReason.OtherFocusReason)
            return True
        return super().begin()

    def _show_value(self, rotation: Rotation) -> None:
        self.value.show_kind(rotation.making.draft.kind if rotation.making else rotation.old.kind)
        if rotation.replacement is not None:
            self.value.reset()

    def _keep(self) -> None:
        self.value.touch()
        if self.value.fault or self.controller.busy:
            self.value.line.setFocus()
            return
        done = _("The replacement's value is saved.")
        self.controller.step(_("Saving…"), self.controller.rotations.keep, self.value.text, done=done)

    async def _waive(self, asked: Rotation) -> None:
        c = self.controller
        reason = await ask_text(
            self,
            title=_("Go on without the proof?"),
            text=_(
                "The same calls with both keys are what shows that nothing breaks and nothing more is allowed. "
                "Going on without that needs a reason."
            ),
            label=_("Reason"),
            confirm=_("Go on without it"),
        )
        if reason:
            await c.agreed(asked, _("Recording…"), c.rotations.waive_proof, reason, c.person)

    async def _change(self, asked: Rotation) -> None:
        c = self.controller
        draft = await ask_plan(c, asked)
        if draft:
            await c.agreed(asked, _("Recording…"), c.rotations.replan, draft, c.person)
