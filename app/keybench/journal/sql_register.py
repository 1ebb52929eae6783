"""The part of the journal for administering keys, as the use cases see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from keybench.core.ports import NOTHING, Activity, ActivityFilter, KeyUse
from keybench.core.security_key import KeyMove, SecurityKey
from keybench.journal.sql_calls import SqlCalls

if TYPE_CHECKING:  # nothing of this is needed before the window's keys are listed
    from keybench.core.application import Application, ApplicationMove
    from keybench.core.erasing import Erasure
    from keybench.core.planned_key import KeyPlan
    from keybench.core.rotation import Rotation
    from keybench.core.secret import Secret
    from keybench.journal.erasing import Place


class SqlRegister(SqlCalls):
    """Implements `core.ports.Register` in an SQL database."""

    async def all_keys(self) -> Sequence[SecurityKey]:
        """Return the keys of every environment, practice's first, then by environment and name."""
        return await self._read(lambda t: t.keys.all())

    async def key_uses(self, since: datetime) -> Sequence[KeyUse]:
        """Return what was sold since a moment, UTC, with each key that sold anything."""
        return await self._read(lambda t: t.key_uses(since))

    async def applications(self, environment_id: str | None = None) -> Sequence[Application]:
        """Return the register's applications by name, of one environment or of all."""
        return await self._read(lambda t: t.applications.all(environment_id))

    async def add_application(self, application: Application) -> None:
        """Add one.

        Raises:
            NameTaken: The key has an application of that name, in any case of letters.
            NotFound: There is no such environment.
        """
        await self._write(lambda t: t.applications.add(application))

    async def update_application(self, application_id: str, move: ApplicationMove) -> Application:
        """Apply a pure `move` to the stored application, in one transaction; return the result.

        Raises:
            NameTaken: The key has another application of that name, in any case of letters.
            NotFound: There is no such application.
        """
        return await self._write(lambda t: t.applications.update(application_id, move))

    async def remove_application(self, application_id: str) -> None:
        """Remove one; no error if it isn't there."""
        await self._write(lambda t: t.applications.remove(application_id))

    async def rotations(self, environment_id: str | None = None) -> Sequence[Rotation]:
        """Return the rotations, the newest first, of one environment or of all."""
        return await self._read(lambda t: t.rotations.all(environment_id))

    async def rotation(self, rotation_id: str) -> Rotation:
        """Return one.

        Raises:
            NotFound: There is none.
        """
        return await self._read(lambda t: t.rotations.one(rotation_id))

    async def start_rotation(self, rotation: Rotation, activity: Activity) -> None:
        """Keep a new rotation, and a line of the activity with it.

        Raises:
            RotationUnderWay: The old key has one that is open, in this program or another.
            NotFound: There is no such environment.
        """
        await self._write(lambda t: t.rotations.start(rotation, activity))

    async def advance_rotation(
        self,
        rotation_id: str,
        move: Callable[[Rotation], Rotation],
        *,
        add_key: SecurityKey | None = None,
        remove_key: str = "",
        keys: Mapping[str, KeyMove] = NOTHING,
        applications: Mapping[str, ApplicationMove] = NOTHING,
        activity: Activity | None = None,
    ) -> Rotation:
        """Apply a pure `move` to the stored rotation, and what belongs to it, in one durable transaction.

        Args:
            rotation_id: Which.
            move: Called on the database's thread; what it raises undoes the transaction and is raised here.
            add_key: A new key that is known from this step on.
            remove_key: The id of a key that goes, before the other comes; empty for none.
            keys: Pure moves of keys by their ids; those that are gone stay gone.
            applications: Pure moves of the register's entries by their ids; those that are gone stay gone.
            activity: One line of what was done; left out where the move changed nothing.

        Returns:
            The rotation as it is now stored.

        Raises:
            NotFound: There is no such rotation.
            NameTaken: Another key of the environment, or another application of a key, has a new one's name.
        """
        return await self._write(
            lambda t: t.rotations.advance(
                rotation_id,
                move,
                add_key=add_key,
                remove_key=remove_key,
                keys=keys,
                applications=applications,
                activity=activity,
            )
        )

    async def key_plans(self, environment_id: str | None = None) -> Sequence[KeyPlan]:
        """Return the keys that are to be added, the oldest plan first, of one environment or of all."""
        return await self._read(lambda t: t.key_plans.all(environment_id))

    async def add_key_plan(self, plan: KeyPlan) -> None:
        """Keep a new plan.

        Raises:
            NotFound: There is no such environment.
        """
        await self._write(lambda t: t.key_plans.add(plan))

    async def update_key_plan(self, key_id: str, move: Callable[[KeyPlan], KeyPlan]) -> KeyPlan:
        """Apply a pure `move` to the stored plan of the key of that id, and return the result.

        Raises:
            NotFound: There is no such plan.
        """
        return await self._write(lambda t: t.key_plans.update(key_id, move))

    async def end_key_plan(
        self, key_id: str, *, add_key: SecurityKey | None = None, activity: Activity | None = None
    ) -> None:
        """Take a plan away, with the key it led to and a line of the activity, in one transaction.

        Raises:
            NotFound: There is no such plan, so another program has ended it; nothing is added.
            NameTaken: Another key of the environment has the new one's name.
        """
        await self._write(lambda t: t.key_plans.end(key_id, add_key, activity))

    async def setting(self, name: str) -> str:
        """Return what was set under `name`; empty if nothing was."""
        return await self._read(lambda t: t.settings.one(name))

    async def update_setting(self, name: str, move: Callable[[str], str]) -> str:
        """Apply a pure `move` to what is stored under `name`, in one transaction; return the result."""
        return await self._write(lambda t: t.settings.update(name, move))

    async def find_text(self, text: Secret) -> Erasure:
        """Return in how many places a text stands, in whichever spelling.

        It is looked for in several transactions, so that a sale that is to be noted needn't wait for all.

        Raises:
            TextNotErasable: It can't be erased.
        """
        from keybench.core.erasing import Erasure  # noqa: PLC0415 - see above

        places, come_to = await self._read(lambda t: t.erasing(text).look())
        while come_to:
            more, come_to = await self._look_on(text, come_to)
            places += more
        return Erasure(places, await self._worker.run(lambda: self._opened().copies()))

    async def erase_text(self, text: Secret, line: Callable[[int], Activity]) -> Erasure:
        """Put a mark wherever a text stands and append a line that says so, all in one transaction.

        Args:
            text: Which, in whichever spelling.
            line: Makes that line, given in how many places it stood; called on the database's thread.

        Raises:
            TextNotErasable: It can't be erased; nothing was.
        """
        return await self._worker.run(lambda: self._opened().erase_text(text, line))

    async def record_activity(self, activity: Activity) -> None:
        """Append one line of what was done; the database lets nobody change or remove it."""
        await self._write(lambda t: t.trail.record(activity))

    async def activities(self, limit: int) -> Sequence[Activity]:
        """Return the newest lines first; at most `limit`."""
        return await self.find_activities(ActivityFilter(), limit=limit)

    async def find_activities(
        self, wanted: ActivityFilter, *, after: int = 0, limit: int
    ) -> Sequence[Activity]:
        """Return the newest of the wanted lines, newest first.

        A text that few lines have is looked for in several transactions, so that a sale that is to be noted
        meanwhile needn't wait for all of them.

        Args:
            wanted: Which.
            after: The number of the last line of the page before; 0 for the first page.
            limit: How many at most.
        """
        found: list[Activity] = []
        while True:
            lines, after = await self._look_for(wanted, after, limit - len(found))
            found += lines
            if not after or len(found) >= limit:
                return found

    async def _look_on(self, text: Secret, behind: Place) -> tuple[int, Place | None]:
        return await self._read(lambda t: t.erasing(text).look(behind))

    async def _look_for(
        self, wanted: ActivityFilter, after: int, limit: int
    ) -> tuple[Sequence[Activity], int]:
        return await self._read(lambda t: t.trail.page(wanted, after, limit))
