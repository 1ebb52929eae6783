"""The use cases of whoever administers keys; imported when keys are listed, so the window comes first."""

from __future__ import annotations

from keybench.workflows.activity import ActivityTrail
from keybench.workflows.console import Console
from keybench.workflows.keys.applications import Applications
from keybench.workflows.keys.inventory import Inventory, SettingsOfKeys
from keybench.workflows.keys.review import Review
from keybench.workflows.rotations.managing import Rotations
from keybench.workflows.sales.retention import Retention


class Administration:
    """The use cases, by what a person wants; one of each for a program."""

    def __init__(self, console: Console) -> None:
        self.activity = ActivityTrail(console.world)
        self.retention = Retention(console.world)
        self.settings = SettingsOfKeys(console.world)
        self.review = Review(console, self.settings)
        self.inventory = Inventory(console)
        self.rotations = Rotations(console)
        self.applications = Applications(console)
