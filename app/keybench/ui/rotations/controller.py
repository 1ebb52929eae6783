"""The controller of the page: the shown rotation, the steps under way with it, and what they report."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from keybench.core.environments.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import RotationBarred
from keybench.core.ports import ContractFacts
from keybench.core.rotations.rotation import STILL_ACCEPTED, Rotation
from keybench.ui.shared.notice_causes import notice_of
from keybench.ui.shared.session import Notice, Session
from keybench.words.language import _

if TYPE_CHECKING:
    from keybench.workflows.rotations.managing import Rotations

_NAME: Final = "name"
#: A use case of a rotation, given its id and whatever else it takes.
UseCase = Callable[..., Coroutine[Any, Any, Rotation]]


class RotationController(QObject):
    """Carries the page's steps out, one at a time for each rotation.

    Attributes:
        person: Who works here, as they entered it; empty if they didn't.

    Signals:
        shown_changed: Another rotation is shown, or the shown one went on (a `Rotation`, or None).
        busy_changed: What is being done with the shown rotation; empty for nothing.
        message: Something to read about it: text and tone; an empty text takes the last one away.
        name_wanted: A step needs to know who does it, and no name is entered.
    """

    shown_changed = Signal(object)
    busy_changed = Signal(str)
    message = Signal(str, str)
    name_wanted = Signal()

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self.session = session
        self.window = window
        self.person = ""
        self._rotation: Rotation | None = None
        self._doing: dict[str, str] = {}
        self._steps = 0

    # --- what is there -------------------------------------------------------------------------------

    @property
    def rotations(self) -> Rotations:
        return self.session.administration.rotations

    @property
    def rotation(self) -> Rotation:
        if self._rotation is None:
            raise RuntimeError("no rotation is shown")
        return self._rotation

    @property
    def id(self) -> str:
        """The shown rotation's id; empty if none is."""
        return self._rotation.id if self._rotation else ""

    @property
    def environment(self) -> Environment:
        return self.session.environment

    @property
    def facts(self) -> ContractFacts:
        return self.session.console.environments.facts(self.environment)

    @property
    def by_gateway(self) -> bool:
        return self.rotations.can_create(self.environment)

    @property
    def busy(self) -> str:
        return self._doing.get(self.id, "")

    def signed(self) -> bool:
        if not self.person:
            wanted = _("Enter your name at the left first: the record says who did what.")
            if self.id:
                self.message.emit(wanted, "bad")
            else:
                self.session.notify(Notice("warning", _("Nothing was begun."), wanted, _NAME))
            self.name_wanted.emit()
        else:
            self.session.end_notice(_NAME)
        return bool(self.person)

    def open_portal(self) -> None:
        url = self.facts.portal_page(self.environment)
        if not QDesktopServices.openUrl(QUrl(url)):
            self.message.emit(_("No browser could be opened. The page is {url}.").format(url=url), "bad")

    # --- what is done --------------------------------------------------------------------------------

    def show(self, rotation: Rotation | None) -> None:
        """Show a rotation, or none; the message about another is taken away."""
        if (rotation.id if rotation else "") != self.id:
            self.message.emit("", "")
        self._rotation = rotation
        self.shown_changed.emit(rotation)
        self.busy_changed.emit(self.busy)

    def run(self, rotation_id: str, name: str, work: Coroutine[Any, Any, Any]) -> bool:
        """Start work on a rotation under a name of its own; return whether it was started.

        An error is reported under the rotation, or as a notice where another is shown by then.
        """
        failed = partial(self.failed, rotation_id)
        return self.session.run(f"rotation {rotation_id}: {name}", work, on_error=failed)

    def cancel(self, rotation_id: str, name: str) -> None:
        self.session.supervisor.cancel(f"rotation {rotation_id}: {name}")

    def ask(self, work: Callable[[Rotation], Coroutine[Any, Any, Any]]) -> None:
        self.run(self.id, "dialog", work(self.rotation))

    def step(self, doing: str, use_case: UseCase, *given: object, done: str = "") -> None:
        """Carry out one step with the shown rotation, saying what is being done and what was `done`."""
        if self.busy:
            return
        self.message.emit("", "")
        self._steps += 1  # a task's name is free again a moment after it ended, so each has its own
        self.run(
            self.id, f"step {self._steps}", self.carried(self.rotation, doing, use_case, *given, done=done)
        )

    async def carried(
        self, rotation: Rotation, doing: str, use_case: UseCase, *given: object, done: str = ""
    ) -> Rotation:
        self._set_doing(rotation.id, doing)
        try:
            stored = await use_case(rotation.id, *given)
        finally:
            self._set_doing(rotation.id, "")
        if self.id == rotation.id:
            self.show(stored)
            if done:
                self.message.emit(done, "good")
        return stored

    async def agreed(
        self, asked: Rotation, doing: str, use_case: UseCase, *given: object, done: str = ""
    ) -> Rotation:
        """Do the same once a person has agreed to it for the rotation that was `asked` about, as it was then."""
        await self.hold_against(asked)
        return await self.carried(asked, doing, use_case, *given, done=done)

    async def hold_against(self, asked: Rotation) -> None:
        """Do nothing if a rotation is stored as it was when a dialog about it was opened."""
        if _decided(await self.rotations.one(asked.id)) != _decided(asked):
            raise RotationBarred(RotationBarred.WENT_ON)

    def _set_doing(self, rotation_id: str, doing: str) -> None:
        if doing:
            self._doing[rotation_id] = doing
        else:
            self._doing.pop(rotation_id, None)
        if rotation_id == self.id:
            self.busy_changed.emit(doing)

    def failed(self, rotation_id: str, error: KeybenchError) -> None:
        notice = notice_of(error, self.environment)
        if rotation_id == self.id:
            self.message.emit(f"{notice.title} {notice.text}".strip(), "bad")
        else:
            self.session.notify(notice)


def _decided(rotation: Rotation) -> Rotation:
    return replace(rotation, evidence=tuple(one for one in rotation.evidence if one.what != STILL_ACCEPTED))
