"""Erasing a text that should not have been kept, such as a key's value in a wrong field."""

from __future__ import annotations

from keybench.core.erasing import ACTION, Erasure
from keybench.core.events import (
    ActivityRecorded,
    ApplicationsChanged,
    DevicesChanged,
    EnvironmentsChanged,
    KeysChanged,
    RotationChanged,
    TextErased,
)
from keybench.core.ports import Activity
from keybench.core.secret import Secret
from keybench.core.text import clean_text
from keybench.workflows.console import Console
from keybench.workflows.guard import guarded


@guarded
class Erasing:
    """The use cases; every method may raise a JournalError.

    The text is looked for in all that the journal keeps, however it is spelled there. What a gateway, a
    keystore or an exported file has of it stays where it is.
    """

    def __init__(self, console: Console) -> None:
        self._world = console.world
        self._log = console.log
        self._resume = console.resume

    async def find(self, text: Secret) -> Erasure:
        """Return in how many places a text stands, and what else would go with it.

        Raises:
            TextNotErasable: It can't be erased: it is too short, or stands in what the program needs.
        """
        await self._keep_what_is_in_memory()
        return await self._world.journal.find_text(text.tidied())

    async def erase(self, text: Secret, by: str = "") -> Erasure:
        """Put a mark wherever a text stands; a line of the activity says that it was erased.

        Args:
            text: Which.
            by: Who does it; who works here if empty.

        Raises:
            TextNotErasable: As above; nothing was erased.
            NameInvalid, CardDataRefused: `by` isn't a name.
        """
        who = clean_text("your name", by, required=False)

        def line(places: int) -> Activity:
            found = "in 1 place" if places == 1 else f"in {places} places"
            return self._world.line(ACTION, "", "", found, by=who)

        await self._keep_what_is_in_memory()
        erasure = await self._world.journal.erase_text(text.tidied(), line)
        await self._tell_everyone()
        return erasure

    async def _keep_what_is_in_memory(self) -> None:
        await self._log.pending.catch_up_with_all()
        await self._log.write_polls()
        await self._resume.take_kept()

    async def _tell_everyone(self) -> None:
        """Have everything that is shown read again."""
        publish = self._world.events.publish
        publish(EnvironmentsChanged())
        for environment in await self._world.journal.environments():
            for changed in (KeysChanged, DevicesChanged, ApplicationsChanged):
                publish(changed(environment.id))
        for rotation in await self._world.journal.rotations():
            publish(RotationChanged(rotation.id, rotation.environment_id))
        publish(ActivityRecorded())
        publish(TextErased())
