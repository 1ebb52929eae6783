"""The ports a use case speaks to, gathered so that the composition root and the tests build them alike."""

from __future__ import annotations

from dataclasses import dataclass

from keybench.core.events import ActivityRecorded
from keybench.core.ports import Activity, Clock, Gateway, Journal, Keystore, Owners, Portal, Practice
from keybench.runtime.events import Events


@dataclass(frozen=True, slots=True)
class World:
    """Everything outside: each field is a port, but for the announcements."""

    clock: Clock
    journal: Journal
    keystore: Keystore
    gateway: Gateway
    portal: Portal
    practice: Practice
    owners: Owners
    events: Events

    async def note_activity(self, action: str, environment_id: str, subject: str, result: str = "") -> None:
        """Append a line to the activity and announce it.

        Args:
            action: A stable phrase (``key tested``).
            environment_id: Where; empty where it concerns none.
            subject: The key's or sale's name.
            result: How it went, short; the name of one of our errors where it failed.

        Raises:
            JournalError: It isn't kept.
        """
        await self.journal.record_activity(
            Activity(self.clock.now(), action, environment_id, subject, result)
        )
        self.events.publish(ActivityRecorded())
