"""Stage 4: the old key's end: asked for, deleted, seen to be refused, erased here; and the ways back."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from keybench.core.errors import KeybenchError
from keybench.core.events import OldKeyTried
from keybench.core.rotations import stages
from keybench.core.rotations.rotation import Rotation
from keybench.ui.kit.dialog import ask_text, confirm
from keybench.ui.kit.labels import Pill, label, prose
from keybench.ui.rotations.controller import RotationController
from keybench.ui.rotations.stage_view import Button, Content, StageText, StageView, Well
from keybench.ui.shared.notice_causes import about_rotation
from keybench.ui.shared.session import Notice, Place
from keybench.words.language import _
from keybench.words.rotations.progress import delete_text
from keybench.words.rotations.stages import deletion_words, tried_words
from keybench.words.team.holdings import still_held

_DELETED: Final = 1
_REFUSED: Final = 2
_STEPS: Final = (_("Requested"), _("Deleted"), _("Seen to be refused"), _("Value erased here"))


class DeleteStage(StageView):
    """The four steps, and the buttons of the one that is due.

    It waits for the refusals of several rotations' old keys at once, whichever is shown.
    """

    def __init__(self, controller: RotationController) -> None:
        super().__init__(controller)
        c = controller
        self._waiting: dict[str, str] = {}
        self._tries: dict[str, str] = {}
        self._waits = 0
        self._pills = [Pill() for _step in _STEPS]
        self._texts = [prose() for _step in _STEPS]
        self.build(
            StageText(_("Deleting the old key"), "heading"),
            StageText(
                _(
                    "Nothing is deleted yet. When stages 1 to 3 are done, Delete the old key (below) asks once "
                    "more and then goes through these steps."
                ),
                "dim",
                when=lambda rotation: rotation.is_open and rotation.deletion is None,
            ),
            StageText(lambda rotation: still_held(c.session.console.team, rotation.old)),
            Content(self._grid(), self._show_steps),
            None,
            Well(
                (
                    StageText(
                        lambda rotation: _(
                            "Keybench can't delete “{name}” at this gateway. Delete it in the portal, then say "
                            "so here; Keybench then checks with it until the gateway refuses it."
                        ).format(name=rotation.old.name)
                    ),
                    (
                        Button(_("Open the portal"), c.open_portal, waits=False),
                        Button(
                            _("I have deleted it"),
                            lambda: c.run(c.id, "portal", self._note_deleted(c.rotation)),
                            tone="primary",
                            signed=True,
                        ),
                    ),
                ),
                when=lambda rotation: _is_undone(rotation) and not self._by_gateway(rotation),
            ),
            StageText(
                lambda rotation: self._tries.get(
                    rotation.id, _("Checking with the old key until the gateway refuses it…")
                ),
                "dim",
                when=self._is_waiting,
            ),
            (
                Button(
                    _("Go on with the deletion"),
                    lambda: self.carry_out(c.rotation),
                    shown=lambda rotation: (
                        (_is_undone(rotation) and self._by_gateway(rotation)) or _is_kept(rotation)
                    ),
                    tone="primary",
                    signed=True,
                ),
                Button(
                    _("Check until it is refused"),
                    lambda: self._wait_for(c.rotation),
                    shown=lambda rotation: _is_unseen(rotation) and not self._is_waiting(rotation),
                    tone="primary",
                ),
                Button(
                    _("Stop waiting"), lambda: self._cancel_wait(c.id), shown=self._is_waiting, waits=False
                ),
                Button(
                    _("Take as refused…"),
                    ask=self._take_as_refused,
                    shown=_is_unseen,
                    signed=True,
                    waits=False,
                ),
                Button(
                    _("Undo"),
                    self._undo,
                    shown=stages.can_undo_deletion,
                    hint=_("Call the deletion off"),
                    signed=True,
                ),
            ),
        )
        c.session.subscribe(self, {OldKeyTried: self._on_tried})

    # --- what is shown -------------------------------------------------------------------------------

    def _grid(self) -> QWidget:
        box = QWidget()
        grid = QGridLayout(box)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(12)
        grid.setColumnStretch(2, 1)
        for row, name in enumerate(_STEPS):
            for column, part in enumerate((self._pills[row], label(name, "strong"), self._texts[row])):
                grid.addWidget(part, row, column, Qt.AlignmentFlag.AlignVCenter)
        return box

    def _show_steps(self, rotation: Rotation) -> None:
        for pill, text, words in zip(self._pills, self._texts, deletion_words(rotation), strict=True):
            pill.show_state(_("✓ done") if words else _("to do"), "good" if words else "dim")
            text.setText(words)
        if _is_unseen(rotation):
            self._pills[_DELETED].show_state(_("not seen yet"), "warning")
            self._pills[_REFUSED].show_state(_("to do"), "dim")
        if _is_undone(rotation) and self._by_gateway(rotation) and not self.controller.busy:
            self._pills[_DELETED].show_state(_("? unknown"), "unknown")
            self._texts[_DELETED].setText(
                _("The gateway has not confirmed it. Go on with the deletion to find out.")
            )

    def _by_gateway(self, rotation: Rotation) -> bool:
        return bool(rotation.old.gateway_id) and self.controller.by_gateway

    def _is_waiting(self, rotation: Rotation) -> bool:
        return _is_unseen(rotation) and rotation.id in self._waiting

    # --- asking for it -------------------------------------------------------------------------------

    def delete(self, *, override: bool) -> None:
        """Ask, then delete the old key where the gateway can; `override` if not everything was seen working."""
        c = self.controller
        c.ask(partial(self._delete, by_gateway=self._by_gateway(c.rotation), override=override))

    async def _delete(self, asked: Rotation, *, by_gateway: bool, override: bool) -> None:
        c, reason = self.controller, ""
        if override:
            text = _(
                "{held}\nNot everything is ready for that. What still uses the old key stops working at once. The "
                "reason goes into the record."
            )
            reason = await ask_text(
                c.window,
                title=_("Delete it before everything is ready?"),
                text=text.format(held=still_held(c.session.console.team, asked.old)).strip(),
                label=_("Reason"),
                confirm=_("Go on"),
                tone="danger",
            )
            if not reason:
                return
        agreed = await confirm(
            c.window,
            title=_("Delete “{name}”?").format(name=asked.old.name),
            text=delete_text(asked, by_gateway=by_gateway),
            confirm=_("Delete the old key") if by_gateway else _("I will delete it in the portal"),
            tone="danger",
        )
        if agreed:
            self._go_on(await c.agreed(asked, _("Deleting…"), c.rotations.delete, c.person, reason))

    async def _note_deleted(self, rotation: Rotation) -> None:
        c = self.controller
        self._go_on(await c.carried(rotation, _("Recording…"), c.rotations.deleted_in_portal, c.person))

    # --- seeing it refused ---------------------------------------------------------------------------

    def _go_on(self, rotation: Rotation) -> None:
        if stages.is_deleted(rotation.deletion) and not stages.is_erased(rotation.deletion):
            self._wait_for(rotation)

    def _wait_for(self, rotation: Rotation) -> None:
        if rotation.id in self._waiting:
            return
        self._waits += 1
        name = f"waiting {self._waits}"
        self._waiting[rotation.id] = name
        if not self.controller.run(rotation.id, name, self._see_refused(rotation)):
            self._waiting.pop(rotation.id, None)
        self.refresh()

    async def _see_refused(self, waiting: Rotation) -> None:
        c, rotation_id, name = self.controller, waiting.id, waiting.old.name
        try:
            rotation = await c.rotations.see_refused(rotation_id)
        except KeybenchError:
            title = _("“{name}” was not seen to be refused.").format(name=name)
            text = _("On the page Rotations, check until it is refused.")
            await self._tell_end(Notice("warning", title, text), waiting)
            raise
        finally:
            self._waiting.pop(rotation_id, None)
            self._tries.pop(rotation_id, None)
            self.refresh()
        done = _("The old key is refused, and its value is erased from this computer.")
        if c.id == rotation_id:
            c.show(rotation)
            c.message.emit(done, "good")
        title = _("“{name}” is refused, as it should be.").format(name=name)
        await self._tell_end(Notice("good", title, done), waiting)

    async def _tell_end(self, notice: Notice, waiting: Rotation) -> None:
        session = self.controller.session
        if self.controller.id == waiting.id and session.is_attended():
            return
        environment = await session.console.calling.environment(waiting.environment_id)
        place, topic = Place("rotations", environment), about_rotation(waiting.id)
        session.notify(replace(notice, topic=topic, environment=environment.name, place=place, ends=True))

    def _on_tried(self, event: OldKeyTried) -> None:
        if event.rotation_id in self._waiting:
            self._tries[event.rotation_id] = tried_words(event.tries, event.status, event.next_s)
            self.refresh()

    def _cancel_wait(self, rotation_id: str) -> None:
        if name := self._waiting.get(rotation_id):
            self.controller.cancel(rotation_id, name)

    async def _take_as_refused(self, asked: Rotation) -> None:
        c = self.controller
        note = await ask_text(
            c.window,
            title=_("Take it as refused?"),
            text=_(
                "Keybench would see it refused by itself. Take it as refused only if you know that the gateway "
                "refuses it, and say how you know. Its value is then erased from this computer."
            ),
            label=_("How you know"),
            confirm=_("Take it as refused"),
            tone="danger",
        )
        if note:
            await c.hold_against(asked)
            self._cancel_wait(asked.id)
            await c.carried(asked, _("Erasing the value…"), c.rotations.take_as_refused, c.person, note)

    # --- going on, going back ------------------------------------------------------------------------

    def carry_out(self, rotation: Rotation) -> None:
        self.controller.run(rotation.id, "finish", self._do_what_is_left(rotation))

    async def _do_what_is_left(self, rotation: Rotation) -> None:
        c, deletion = self.controller, rotation.deletion
        if deletion and deletion.refused_at:
            await c.carried(rotation, _("Erasing the value…"), c.rotations.finish_deletion)
        elif deletion:
            delete = c.rotations.delete
            self._go_on(await c.carried(rotation, _("Deleting…"), delete, c.person, deletion.override))

    def _undo(self) -> None:
        c = self.controller
        self._cancel_wait(c.id)
        done = _("Deletion called off. The key stays.")
        c.step(_("Calling it off…"), c.rotations.undo_deletion, c.person, done=done)


def _is_undone(rotation: Rotation) -> bool:
    return rotation.is_open and rotation.deletion is not None and not rotation.deletion.deleted_at


def _is_unseen(rotation: Rotation) -> bool:
    deletion = rotation.deletion
    return rotation.is_open and stages.is_deleted(deletion) and not (deletion and deletion.refused_at)


def _is_kept(rotation: Rotation) -> bool:
    deletion = rotation.deletion
    return rotation.is_open and deletion is not None and bool(deletion.refused_at) and not deletion.erased_at
