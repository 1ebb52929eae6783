"""The ports a use case speaks to, gathered so that the composition root and the tests build them alike.

With them come two things that many use cases do: reading a kept value, and noting an activity.
"""

from __future__ import annotations

from dataclasses import dataclass

from keybench.core.errors import ValueDiffers, ValueLost
from keybench.core.events import ActivityRecorded
from keybench.core.ports import (
    Activity,
    Clock,
    Gateway,
    Journal,
    Keystore,
    Owners,
    Portal,
    Practice,
    entry_of,
)
from keybench.core.secret import Secret, fingerprint
from keybench.core.security_key import SecurityKey
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


async def kept_value(keystore: Keystore, key: SecurityKey) -> Secret:
    """Return the value of a key.

    Another program, or another version of a synchronised keyring, may have put a value of its own under the
    key's entry. It isn't the one that was tested here, so it is neither sent nor shown.

    Raises:
        ValueLost: The keystore has none, or none was ever kept.
        ValueDiffers: It has another than the one that was kept.
        KeystoreError: It can't be read.
    """
    if not key.fingerprint:
        raise ValueLost("never kept")
    value = await keystore.read(entry_of(key))
    if (found := fingerprint(value)) != key.fingerprint:
        raise ValueDiffers(key.name, key.fingerprint, found)
    return value


async def note_activity(
    world: World, action: str, environment_id: str, subject: str, result: str = ""
) -> None:
    """Append a line to the activity.

    Args:
        world: Its journal keeps the line, its clock says when.
        action: A stable phrase (``key tested``).
        environment_id: Where; empty where it concerns none.
        subject: The key's or sale's name.
        result: How it went, short; the name of one of our errors where it failed.

    Raises:
        JournalError: It isn't kept.
    """
    await world.journal.record_activity(Activity(world.clock.now(), action, environment_id, subject, result))
    world.events.publish(ActivityRecorded())
