"""The use cases of whoever administers keys, each created when it is first used.

The window comes first: this is imported when its keys are listed, so `Console` knows none of it.
"""

from __future__ import annotations

from functools import cached_property

from keybench.workflows.activity import ActivityTrail
from keybench.workflows.admin_settings import SettingsOfKeys
from keybench.workflows.applications import Applications
from keybench.workflows.console import Console
from keybench.workflows.erasing import Erasing
from keybench.workflows.inventory import Inventory
from keybench.workflows.review import Review
from keybench.workflows.rotations import Rotations


class Administration:
    """The use cases, by what a person wants; one of each for a program.

    Args:
        console: The use cases they build on.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    @cached_property
    def activity(self) -> ActivityTrail:
        """What was done on this computer."""
        return ActivityTrail(self._console.world)

    @cached_property
    def erasing(self) -> Erasing:
        """Erasing a text that should not have been kept."""
        return Erasing(self._console)

    @cached_property
    def settings(self) -> SettingsOfKeys:
        """The limits by which keys are reviewed, how long they overlap, and busy times."""
        return SettingsOfKeys(self._console.world)

    @cached_property
    def review(self) -> Review:
        """Findings about all keys, reminders, and the check of somebody who leaves."""
        return Review(self._console, self.settings)

    @cached_property
    def inventory(self) -> Inventory:
        """Every environment's keys."""
        return Inventory(self._console)

    @cached_property
    def rotations(self) -> Rotations:
        """Keys that are being replaced, and those that were."""
        return Rotations(self._console)

    @cached_property
    def applications(self) -> Applications:
        """Which applications use which key."""
        return Applications(self._console)
