"""Where the parts of the page meet: the chosen rotation, the steps under way with it, and what is said."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from keybench.core import rotation_stages as stages
from keybench.core.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import NotFound, RotationBarred
from keybench.core.ports import ContractFacts
from keybench.core.rotation import Rotation
from keybench.core.security_key import SecurityKey
from keybench.ui.session import Notice, Session
from keybench.words.explain import explain

if TYPE_CHECKING:
    from keybench.workflows.rotations import Rotations

#: A use case of a rotation, given its id and whatever else it takes.
Step = Callable[..., Coroutine[Any, Any, Rotation]]


class Desk(QObject):
    """Carries the page's steps out, one at a time for each rotation.

    Args:
        session: The window's.
        person: Returns the name of who works here, as they entered it.

    Signals:
        chosen: Another rotation is shown, or the shown one went on (a `Rotation`, or None).
        busy_changed: What is being done with the shown rotation; empty for nothing.
        said: Something to read about it: text and tone; an empty text takes away what stood there.
        name_wanted: A step needs to know who does it, and no name is entered.
    """

    chosen = Signal(object)
    busy_changed = Signal(str)
    said = Signal(str, str)
    name_wanted = Signal()

    def __init__(self, session: Session, person: Callable[[], str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._person = person
        self._rotation: Rotation | None = None
        self._doing: dict[str, str] = {}
        self._leaked: frozenset[str] = frozenset()
        self._steps = 0

    # --- what is there -------------------------------------------------------------------------------

    @property
    def rotations(self) -> Rotations:
        """The use cases."""
        return self.session.administration.rotations

    @property
    def rotation(self) -> Rotation:
        """The shown rotation.

        Raises:
            RuntimeError: None is shown.
        """
        if self._rotation is None:
            raise RuntimeError("no rotation is shown")
        return self._rotation

    @property
    def id(self) -> str:
        """The shown rotation's id; empty if none is."""
        return self._rotation.id if self._rotation else ""

    @property
    def person(self) -> str:
        """Who works here; empty if they didn't say."""
        return self._person()

    @property
    def environment(self) -> Environment:
        """The environment the window shows; the page shows its rotations only."""
        return self.session.environment

    @property
    def facts(self) -> ContractFacts:
        """What its gateway can do."""
        return self.session.console.environments.facts(self.environment)

    @property
    def portal_url(self) -> str:
        """The portal's page of security keys."""
        return self.environment.base_url + self.facts.portal_path

    @property
    def busy(self) -> str:
        """What is being done with the shown rotation; empty for nothing."""
        return self._doing.get(self.id, "")

    def know_keys(self, keys: Sequence[SecurityKey]) -> None:
        """Take note of which of the environment's keys are compromised."""
        self._leaked = frozenset(key.id for key in keys if key.compromised)

    def is_leaked(self, rotation: Rotation) -> bool:
        """Tell whether a rotation's old key is compromised and not dealt with yet."""
        at_hand = rotation.is_open and rotation.compromised and not stages.is_erased(rotation.deletion)
        return at_hand or rotation.old.key_id in self._leaked

    # --- what is done --------------------------------------------------------------------------------

    def show(self, rotation: Rotation | None) -> None:
        """Show a rotation, or none; what was said of another is taken away."""
        if (rotation.id if rotation else "") != self.id:
            self.said.emit("", "")
        self._rotation = rotation
        self.chosen.emit(rotation)
        self.busy_changed.emit(self.busy)

    def run(self, name: str, work: Coroutine[Any, Any, Any]) -> bool:
        """Start work on the shown rotation under a name of its own; return whether it was started.

        What it raises is said under the rotation, or as a notice where another is shown by then.
        """
        failed = partial(self._failed, self.id)
        return self.session.run(f"rotation {self.id}: {name}", work, on_error=failed)

    def cancel(self, rotation_id: str, name: str) -> None:
        """Stop work on a rotation that was started under a name; no error if it is over."""
        self.session.supervisor.cancel(f"rotation {rotation_id}: {name}")

    def step(self, doing: str, use_case: Step, *given: object, said: str = "") -> None:
        """Carry out one step with the shown rotation and show what became of it.

        Args:
            doing: What is shown meanwhile, such as ``Comparing…``.
            use_case: Called with the rotation's id and what is `given`.
            given: The use case's other arguments.
            said: What is said when it is done.
        """
        if self.busy:
            return
        self.said.emit("", "")
        self._steps += 1  # a task's name is free again a moment after it ended, so each has its own
        self.run(f"step {self._steps}", self.carried(self.rotation, doing, use_case, *given, said=said))

    async def carried(
        self, rotation: Rotation, doing: str, use_case: Step, *given: object, said: str = ""
    ) -> Rotation:
        """Do the same with a rotation, whichever is shown by now, within work that is under way already."""
        self._tell(rotation.id, doing)
        try:
            stored = await use_case(rotation.id, *given)
        finally:
            self._tell(rotation.id, "")
        if self.id == rotation.id:
            self.show(stored)
            if said:
                self.said.emit(said, "good")
        return stored

    async def agreed(
        self, asked: Rotation, doing: str, use_case: Step, *given: object, said: str = ""
    ) -> Rotation:
        """Do the same once a person has agreed to it for the rotation that was `asked` about, as it was then.

        Raises:
            RotationBarred: It is no longer so; nothing was done.
        """
        await self.hold_against(asked)
        return await self.carried(asked, doing, use_case, *given, said=said)

    async def hold_against(self, asked: Rotation) -> None:
        """Do nothing if a rotation is stored as it was when a question about it was asked.

        Raises:
            RotationBarred: It went on meanwhile, in another window or program.
        """
        if await self.rotations.one(asked.id) != asked:
            raise RotationBarred(RotationBarred.WENT_ON)

    def signed(self) -> bool:
        """Tell whether somebody's name is entered; if not, it is asked for."""
        if not self.person:
            wanted = "Enter your name at the left first: the record says who did what."
            if self.id:
                self.said.emit(wanted, "bad")
            else:
                self.session.notify(Notice("warning", "Nothing was begun.", wanted, "name"))
            self.name_wanted.emit()
        return bool(self.person)

    def fail(self, error: KeybenchError) -> None:
        """Say what went wrong with the shown rotation."""
        self._failed(self.id, error)

    def _tell(self, rotation_id: str, doing: str) -> None:
        if doing:
            self._doing[rotation_id] = doing
        else:
            self._doing.pop(rotation_id, None)
        if rotation_id == self.id:
            self.busy_changed.emit(doing)

    def _failed(self, rotation_id: str, error: KeybenchError) -> None:
        words = explain(error)
        if rotation_id == self.id:
            self.said.emit(f"{words.title} {words.text}".strip(), "bad")
        else:
            self.session.notify(Notice("bad", words.title, words.text))


async def show_environment_of(session: Session, key: SecurityKey) -> Environment:
    """Have the window show a key's environment, and return it.

    The key may come from a page that shows those of all environments.

    Raises:
        NotFound: The environment was removed, and the key with it.
    """
    for environment in await session.console.environments.all():
        if environment.id == key.environment_id:
            session.choose_environment(environment)
            return environment
    raise NotFound("key", key.name)
