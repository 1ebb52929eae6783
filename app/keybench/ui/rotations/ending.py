"""The overlap and the ways out: extend it, end it, give the rotation up, take the old key for compromised."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from keybench.core.rotation import Rotation
from keybench.ui.rotations.desk import Desk
from keybench.ui.rotations.overlap_field import OverlapField
from keybench.ui.widgets.dialog import Dialog, ask_text, confirm
from keybench.ui.widgets.form import Form
from keybench.words.rotations import ABANDON_TEXT, ABANDON_TITLE, COMPROMISE_TEXT, END_NOW_TEXT


class Ending(QObject):
    """What those buttons do.

    Args:
        desk: What the page shares.
        window: A widget of the window that questions belong to.
    """

    def __init__(self, desk: Desk, window: QWidget) -> None:
        super().__init__(window)
        self._desk = desk
        self._window = window

    def extend(self) -> None:
        """Ask for another planned end."""
        if self._desk.signed():
            self._desk.run("question", self._extend(self._desk.rotation))

    async def _extend(self, asked: Rotation) -> None:
        desk = self._desk
        field = OverlapField(desk.session)
        field.put(max(asked.overlap_ends_at, desk.session.console.clock.now()))
        await field.read_settings()
        dialog = Dialog(
            self._window,
            title="Extend the overlap",
            text="Until when both keys are meant to be valid. The old key is deleted by nobody but you.",
            confirm="Set the planned end",
            content=Form(field),
        )
        if await dialog.answer():
            await desk.agreed(asked, "Noting…", desk.rotations.move_end, field.moment, desk.person)

    def end_now(self) -> None:
        """Ask, then plan the end for now."""
        if self._desk.signed():
            self._desk.run("question", self._end_now(self._desk.rotation))

    async def _end_now(self, asked: Rotation) -> None:
        agreed = await confirm(
            self._window, title="End the overlap now?", text=END_NOW_TEXT, confirm="End it now"
        )
        if agreed:
            await self._desk.agreed(asked, "Noting…", self._desk.rotations.end_now, self._desk.person)

    def compromise(self) -> None:
        """Ask, then take the old key for compromised."""
        if self._desk.signed():
            self._desk.run("question", self._compromise(self._desk.rotation))

    async def _compromise(self, asked: Rotation) -> None:
        agreed = await confirm(
            self._window,
            title=f"Is “{asked.old.name}” compromised?",
            text=COMPROMISE_TEXT,
            confirm="It is compromised",
            tone="danger",
        )
        if agreed:
            await self._desk.agreed(asked, "Noting…", self._desk.rotations.compromise, self._desk.person)

    def abandon(self) -> None:
        """Ask for the reason, then give the rotation up."""
        if self._desk.signed():
            self._desk.run("question", self._abandon(self._desk.rotation))

    async def _abandon(self, asked: Rotation) -> None:
        reason = await ask_text(
            self._window,
            title=ABANDON_TITLE,
            text=ABANDON_TEXT,
            label="Reason",
            confirm="Abandon it",
            tone="danger",
        )
        if reason:
            said = "Abandoned. Both keys stay as they are."
            await self._desk.agreed(
                asked, "Abandoning…", self._desk.rotations.abandon, self._desk.person, reason, said=said
            )
