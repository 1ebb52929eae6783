"""The lower end of an open rotation: why not yet, the last message, the overlap, and the ways out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt

from keybench.core.keys.key import SecurityKey
from keybench.core.rotations import stages
from keybench.core.rotations.rotation import Rotation
from keybench.core.rotations.stages import Stage
from keybench.ui.kit.boxes import WrappingRow
from keybench.ui.kit.dialog import Dialog, ask_text, confirm
from keybench.ui.kit.form import Form
from keybench.ui.kit.labels import MessageLabel
from keybench.ui.rotations.controller import RotationController
from keybench.ui.rotations.planning import OverlapField
from keybench.ui.rotations.stage_view import Button, Content, StageView, WhyNot
from keybench.ui.shared.keys.actions import ask_not_compromised
from keybench.ui.shared.session import Rehearse
from keybench.words.language import _
from keybench.words.rotations.progress import delete_bar
from keybench.words.team.holdings import held_bar
from keybench.workflows.rotations.steps import key_of

_LINES = 2


class Footer(StageView):
    """The same under every stage, so that nothing jumps between them.

    Attributes:
        why_not: Says why the old key can't be deleted yet; it stands with the stage, and scrolls with it.

    Args:
        delete: Asks whether to delete the old key, given whether with what is still missing.
        compromise: Asks whether a key is compromised.
    """

    def __init__(
        self,
        controller: RotationController,
        delete: Callable[..., None],
        compromise: Callable[[SecurityKey], object],
    ) -> None:
        super().__init__(controller)
        c = controller
        self.stage: Stage | None = None
        anyway = Button(
            _("Delete it anyway…"),
            partial(delete, override=True),
            shown=lambda rotation: rotation.replacement is not None and bool(self._why_not(rotation)),
            signed=True,
        )
        self.why_not = WhyNot(_("The old key can't be deleted yet."), self.button(anyway))
        self.message = MessageLabel(_LINES)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        left = (
            Button(_("Extend overlap…"), ask=self._extend, shown=_is_overlapping, signed=True),
            Button(
                _("End now"),
                ask=self._end_now,
                shown=_is_overlapping,
                signed=True,
                short=_("End overlap…"),
            ),
            Button(
                _("Compromised"),
                lambda: compromise(key_of(c.rotation, c.rotation.old)),
                shown=lambda rotation: rotation.is_open and not rotation.compromised,
                signed=True,
            ),
            Button(_("Not compromised…"), ask=self._not_compromised, shown=stages.is_leaked),
            Button(
                _("Rehearse in practice"),
                lambda: c.session.ask(Rehearse(c.rotation)),
                shown=lambda rotation: (
                    rotation.is_open and rotation.deletion is None and c.session.room is None
                ),
                hint=_("Plays this rotation with made-up keys in a window of its own"),
            ),
            Button(_("Abandon…"), ask=self._abandon, shown=stages.can_abandon, signed=True),
        )
        right = Button(
            _("Delete the old key"),
            partial(delete, override=False),
            shown=_is_kept,
            enabled=lambda rotation: not self._bar(rotation),
            tone="danger",
            hint=self._bar,
            signed=True,
        )
        buttons = WrappingRow([self.button(one) for one in (*left, right)], spread=True)
        self.build(Content(self.message), Content(buttons))
        c.message.connect(self.message.say)

    def show_rotation(self, rotation: Rotation) -> None:
        super().show_rotation(rotation)
        self.why_not.show_reason(self._why_not(rotation))

    def show_busy(self, doing: str) -> None:
        self.refresh()
        if doing:
            self.message.say(doing, "dim")
        elif self.message.property("tone") == "dim":
            self.message.say("", "")

    def _why_not(self, rotation: Rotation) -> str:
        at_the_end = self.stage in {Stage.TEST, Stage.DELETE} or stages.stage_of(rotation) is Stage.DELETE
        return self._bar(rotation) if at_the_end and _is_kept(rotation) else ""

    def _bar(self, rotation: Rotation) -> str:
        return delete_bar(rotation) or held_bar(self.controller.session.console.team, rotation.old)

    async def _extend(self, asked: Rotation) -> None:
        c = self.controller
        field = OverlapField(c.session)
        if asked.overlap_ends_at > c.session.console.clock.now():
            field.put(asked.overlap_ends_at)
        await field.read_settings()  # which propose an end where that one has passed
        dialog = Dialog(
            self,
            title=_("Extend the overlap"),
            text=_("Until when both keys are meant to be valid. The old key is deleted by nobody but you."),
            confirm=_("Set the planned end"),
            content=Form(field),
        )
        if await dialog.answer():
            await c.agreed(asked, _("Recording…"), c.rotations.move_end, field.moment, c.person)

    async def _end_now(self, asked: Rotation) -> None:
        c = self.controller
        if await confirm(
            self,
            title=_("End the overlap now?"),
            text=_(
                "The planned end becomes this moment. Nothing is deleted by that: the old key goes when you "
                "delete it."
            ),
            confirm=_("End it now"),
        ):
            now = c.session.console.clock.now()
            await c.agreed(asked, _("Recording…"), c.rotations.move_end, now, c.person)

    async def _not_compromised(self, asked: Rotation) -> None:
        await ask_not_compromised(self, self.controller.session, key_of(asked, asked.old))

    async def _abandon(self, asked: Rotation) -> None:
        c = self.controller
        reason = await ask_text(
            self,
            title=_("Abandon this rotation?"),
            text=_(
                "Both keys stay as they are: nothing is deleted, and applications keep the key they have now. "
                "What was done so far stays on record. A new rotation can be started at any time."
            ),
            label=_("Reason"),
            confirm=_("Abandon it"),
            tone="danger",
        )
        if reason:
            done = _("Abandoned. Both keys stay as they are.")
            await c.agreed(asked, _("Abandoning…"), c.rotations.abandon, c.person, reason, done=done)


def _is_overlapping(rotation: Rotation) -> bool:
    is_ending = stages.is_deleted(rotation.deletion) or stages.is_revoked(rotation)
    return rotation.is_open and not is_ending


def _is_kept(rotation: Rotation) -> bool:
    return rotation.is_open and rotation.deletion is None
