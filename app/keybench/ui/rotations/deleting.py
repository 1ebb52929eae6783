"""Carries the deletion of the old key through: asked, deleted, seen to be refused; and the ways back."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from keybench.core import rotation_stages as stages
from keybench.core.events import OldKeyTried
from keybench.core.rotation import Rotation
from keybench.ui.rotations.desk import Desk
from keybench.ui.widgets.dialog import ask_text, confirm
from keybench.words.rotations import OVERRIDE_TEXT, TAKE_AS_REFUSED_TEXT, delete_text, tried_words


class Deleting(QObject):
    """What the buttons about the old key's deletion do.

    Args:
        desk: What the page shares.
        window: A widget of the window that questions belong to.

    Signals:
        waiting_changed: Whether the gateway is being asked until it refuses the old key.
        tried: The old key was tried: the rotation's id, and how it went in a sentence.
    """

    waiting_changed = Signal(bool)
    tried = Signal(str, str)

    def __init__(self, desk: Desk, window: QWidget) -> None:
        super().__init__(window)
        self._desk = desk
        self._window = window
        self._waiting: dict[str, str] = {}
        self._waits = 0
        desk.session.subscribe(self, {OldKeyTried: self._on_tried})

    @property
    def waiting(self) -> bool:
        """Whether the gateway is being asked until it refuses the shown rotation's old key."""
        return self._desk.id in self._waiting

    @property
    def by_gateway(self) -> bool:
        """Whether the gateway deletes the shown rotation's old key when it is asked to."""
        return bool(self._desk.rotation.old.gateway_id) and self._desk.rotations.can_create(
            self._desk.environment
        )

    # --- asking for it -------------------------------------------------------------------------------

    def delete(self) -> None:
        """Ask, then delete the old key where the gateway can; else guide to the portal."""
        self._ask_to_delete(override=False)

    def delete_anyway(self) -> None:
        """Ask for a written reason first, because not everything was seen working."""
        self._ask_to_delete(override=True)

    def _ask_to_delete(self, *, override: bool) -> None:
        desk = self._desk
        if desk.signed():
            work = self._delete(desk.rotation, by_gateway=self.by_gateway, override=override)
            desk.run("question", work)

    async def _delete(self, asked: Rotation, *, by_gateway: bool, override: bool) -> None:
        desk, reason = self._desk, ""
        if override:
            reason = await ask_text(
                self._window,
                title="Delete it before everything was seen working?",
                text=OVERRIDE_TEXT,
                label="Reason",
                confirm="Go on",
                tone="danger",
            )
        if override and not reason:
            return
        agreed = await confirm(
            self._window,
            title=f"Delete “{asked.old.name}”?",
            text=delete_text(asked, by_gateway=by_gateway),
            confirm="Delete the old key" if by_gateway else "I will delete it in the portal",
            tone="danger",
        )
        if agreed:
            self._go_on(await desk.agreed(asked, "Deleting…", desk.rotations.delete, desk.person, reason))

    def deleted_in_portal(self) -> None:
        """Note that a person deleted it in the portal, and wait until the gateway refuses it."""
        if self._desk.signed():
            self._desk.run("portal", self._deleted_in_portal(self._desk.rotation))

    async def _deleted_in_portal(self, rotation: Rotation) -> None:
        use_case = self._desk.rotations.deleted_in_portal
        self._go_on(await self._desk.carried(rotation, "Noting…", use_case, self._desk.person))

    # --- seeing it refused ---------------------------------------------------------------------------

    def wait(self) -> None:
        """Ask the gateway with the old key until it refuses it, then erase the value."""
        rotation_id = self._desk.id
        if rotation_id in self._waiting:
            return
        self._waits += 1
        name = f"waiting {self._waits}"
        self._waiting[rotation_id] = name
        if not self._desk.run(name, self._wait(rotation_id)):
            self._waiting.pop(rotation_id, None)
        self.waiting_changed.emit(self.waiting)

    async def _wait(self, rotation_id: str) -> None:
        try:
            rotation = await self._desk.rotations.see_refused(rotation_id)
        finally:
            self._waiting.pop(rotation_id, None)
            self.waiting_changed.emit(self.waiting)
        if self._desk.id == rotation_id:
            self._desk.show(rotation)
            self._desk.said.emit(
                "The old key is refused, and its value is erased from this computer.", "good"
            )

    def stop_waiting(self) -> None:
        """Ask no more; it can be taken up again at any time."""
        self._stop_waiting(self._desk.id)

    def _stop_waiting(self, rotation_id: str) -> None:
        name = self._waiting.get(rotation_id)
        if name:
            self._desk.cancel(rotation_id, name)

    def take_as_refused(self) -> None:
        """Ask for a note, then take the old key for refused."""
        if self._desk.signed():
            self._desk.run("question", self._take_as_refused(self._desk.rotation))

    async def _take_as_refused(self, asked: Rotation) -> None:
        desk = self._desk
        note = await ask_text(
            self._window,
            title="Take it as refused?",
            text=TAKE_AS_REFUSED_TEXT,
            label="How you know",
            confirm="Take it as refused",
            tone="danger",
        )
        if note:
            await desk.hold_against(asked)
            self._stop_waiting(asked.id)
            use_case = desk.rotations.take_as_refused
            await desk.carried(asked, "Erasing the value…", use_case, desk.person, note)

    # --- going on, going back ------------------------------------------------------------------------

    def finish(self) -> None:
        """Do what was asked for and is left: the deletion at the gateway, or erasing the value."""
        if self._desk.signed():
            self._desk.run("finish", self._finish(self._desk.rotation))

    async def _finish(self, rotation: Rotation) -> None:
        desk, deletion = self._desk, rotation.deletion
        if deletion and deletion.refused_at:
            await desk.carried(rotation, "Erasing the value…", desk.rotations.finish_deletion)
        elif deletion:
            delete, by = desk.rotations.delete, desk.person
            self._go_on(await desk.carried(rotation, "Deleting…", delete, by, deletion.override))

    def undo(self) -> None:
        """Take the wish to delete back, where nothing was deleted for certain."""
        if self._desk.signed():
            self.stop_waiting()
            said = "The old key is not to be deleted now."
            self._desk.step(
                "Taking it back…", self._desk.rotations.undo_deletion, self._desk.person, said=said
            )

    def _on_tried(self, event: OldKeyTried) -> None:
        self.tried.emit(event.rotation_id, tried_words(event.tries, event.status, event.next_s))

    def _go_on(self, rotation: Rotation) -> None:
        """Wait for the refusal once the old key is deleted."""
        deletion = rotation.deletion
        if (
            rotation.id == self._desk.id
            and deletion
            and stages.is_deleted(deletion)
            and not deletion.erased_at
        ):
            self.wait()
