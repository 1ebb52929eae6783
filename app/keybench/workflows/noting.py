"""Notes what was done on this computer, and tells whoever shows it."""

from __future__ import annotations

from keybench.core.events import ActivityRecorded
from keybench.core.ports import Activity
from keybench.workflows.world import World


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
