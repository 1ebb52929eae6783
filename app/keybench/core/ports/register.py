"""What the journal keeps for administering keys: applications, rotations, settings, activity; a protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

from keybench.core.security_key import KeyMove, SecurityKey

if TYPE_CHECKING:  # nothing of this is needed before the window's keys are listed
    from keybench.core.application import Application
    from keybench.core.erasing import Erasure
    from keybench.core.planned_key import KeyPlan
    from keybench.core.rotation import Rotation
    from keybench.core.secret import Secret

#: No moves.
NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Activity:
    """One thing that was done on this computer; never a value.

    Attributes:
        at: When, UTC.
        action: A stable word (``key added``, ``key tested``, ``value revealed``, …).
        environment_id: Where; empty where it concerns none.
        subject: The key's or sale's name.
        result: How it went, short.
        number: Its place in the trail, given by the journal when it is written; 0 before.
    """

    at: datetime
    action: str
    environment_id: str
    subject: str
    result: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class ActivityFilter:
    """Which lines of the activity are looked for; what is left empty doesn't matter.

    Attributes:
        text: Words, in any case of letters; each must stand somewhere in action, subject or result.
        environment_id: Where.
        since: Then or later, UTC.
        until: Before that, UTC.
    """

    text: str = ""
    environment_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class KeyUse:
    """What the journal's sales say of a key since a moment.

    Attributes:
        key_id: The key.
        sales: How many sales were sent with it.
        refused: How many of them ended refused.
        last_at: When the newest was noted, UTC.
    """

    key_id: str
    sales: int
    refused: int
    last_at: datetime


class Register(Protocol):
    """The part of the journal for administering keys. Every method may raise a JournalError."""

    async def all_keys(self) -> Sequence[SecurityKey]:
        """Return the keys of every environment, by environment and name, in one reading."""
        ...

    async def key_uses(self, since: datetime) -> Sequence[KeyUse]:
        """Return what was sold since `since` with each key that sold anything."""
        ...

    async def applications(self, environment_id: str | None = None) -> Sequence[Application]:
        """Return the register's applications by name, of one environment or of all."""
        ...

    async def add_application(self, application: Application) -> None:
        """Add one.

        Raises:
            NameTaken: The key has an application of that name, in any case of letters.
            NotFound: There is no such environment.
        """
        ...

    async def update_application(
        self, application_id: str, move: Callable[[Application], Application]
    ) -> Application:
        """Apply a pure `move` to the stored application; its id and environment don't change.

        Returns:
            The application as it is now stored.

        Raises:
            NameTaken: As above.
            NotFound: There is no such application.
        """
        ...

    async def remove_application(self, application_id: str) -> None:
        """Remove one; no error if it isn't there."""
        ...

    async def rotations(self, environment_id: str | None = None) -> Sequence[Rotation]:
        """Return the rotations, the newest first, of one environment or of all."""
        ...

    async def rotation(self, rotation_id: str) -> Rotation:
        """Return one.

        Raises:
            NotFound: There is none.
        """
        ...

    async def start_rotation(self, rotation: Rotation, activity: Activity) -> None:
        """Keep a new rotation, and a line of the activity with it.

        Raises:
            RotationUnderWay: The old key has one that is open, in this program or another.
            NotFound: There is no such environment.
        """
        ...

    async def advance_rotation(
        self,
        rotation_id: str,
        move: Callable[[Rotation], Rotation],
        *,
        add_key: SecurityKey | None = None,
        remove_key: str = "",
        keys: Mapping[str, KeyMove] = NOTHING,
        applications: Mapping[str, Callable[[Application], Application]] = NOTHING,
        activity: Activity | None = None,
    ) -> Rotation:
        """Apply a pure `move` to the stored rotation, and what belongs to it, in one durable transaction.

        Args:
            rotation_id: Which.
            move: Called on the database's thread with what is stored; what it raises undoes the transaction
                and is raised here.
            add_key: A new key that is known from this step on.
            remove_key: The id of a key that isn't known any more; empty for none.
            keys: Pure moves of keys by their ids; those that are gone stay gone.
            applications: Pure moves of the register's entries by their ids; those that are gone stay gone.
            activity: One line of what was done; left out where the move changed nothing.

        Returns:
            The rotation as it is now stored.

        Raises:
            NotFound: There is no such rotation.
            NameTaken: Another key of the environment has the new one's name.
        """
        ...

    async def key_plans(self, environment_id: str | None = None) -> Sequence[KeyPlan]:
        """Return the keys that are to be added, the oldest plan first, of one environment or of all."""
        ...

    async def add_key_plan(self, plan: KeyPlan) -> None:
        """Keep a new plan.

        Raises:
            NotFound: There is no such environment.
        """
        ...

    async def update_key_plan(self, key_id: str, move: Callable[[KeyPlan], KeyPlan]) -> KeyPlan:
        """Apply a pure `move` to the stored plan of the key of that id, and return the result.

        Raises:
            NotFound: There is no such plan.
        """
        ...

    async def end_key_plan(
        self, key_id: str, *, add_key: SecurityKey | None = None, activity: Activity | None = None
    ) -> None:
        """Take a plan away, with the key it led to and a line of the activity, in one transaction.

        Raises:
            NotFound: There is no such plan, so another program has ended it; nothing is added.
            NameTaken: Another key of the environment has the new one's name.
        """
        ...

    async def setting(self, name: str) -> str:
        """Return what was set under `name`; empty if nothing was."""
        ...

    async def update_setting(self, name: str, move: Callable[[str], str]) -> str:
        """Apply a pure `move` to what is stored under `name` (empty if nothing is) and return the result."""
        ...

    async def find_text(self, text: Secret) -> Erasure:
        """Return in how many places a text stands, in whichever spelling, and what else would go with it.

        Raises:
            TextNotErasable: It can't be erased: it is too short, or stands in what the program needs.
        """
        ...

    async def erase_text(self, text: Secret, line: Callable[[int], Activity]) -> Erasure:
        """Put a mark wherever a text stands, in whichever spelling, and append a line that says so.

        All of it is one transaction. Then nothing of the text is left in the journal's files, unless another
        program or a full disk keeps that from being done; it is tried again when the journal is opened.

        Args:
            text: Which.
            line: Makes the line, given in how many places the text stood; called on the database's thread.

        Raises:
            TextNotErasable: As above; nothing was erased.
        """
        ...

    async def record_activity(self, activity: Activity) -> None:
        """Append one line of what was done; nothing ever changes or removes one, but `erase_text`."""
        ...

    async def activities(self, limit: int) -> Sequence[Activity]:
        """Return the newest lines first."""
        ...

    async def find_activities(
        self, wanted: ActivityFilter, *, after: int = 0, limit: int
    ) -> Sequence[Activity]:
        """Return the newest of the wanted lines, newest first.

        Args:
            wanted: Which.
            after: The number of the last line of the page before; 0 for the first page.
            limit: How many at most.
        """
        ...
