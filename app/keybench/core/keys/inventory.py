"""The inventory: a key with everything that is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from keybench.core.keys.key import SecurityKey

if TYPE_CHECKING:
    from keybench.core.environments.environment import Environment


@dataclass(frozen=True, slots=True)
class KeyMarks:
    """What the register says of a key.

    Its rotation's stage counts from 1, 0 if it isn't being replaced; its last use is here or seen in an
    application; `idle_days` are 0 within the limit, `due_days`, until its age limit, None without one.
    """

    applications: tuple[str, ...] = ()
    stage: int = 0
    last_use: datetime | None = None
    idle_days: int = 0
    due_days: int | None = None

    @property
    def rotating(self) -> bool:
        """Whether it is being replaced."""
        return self.stage > 0


@dataclass(frozen=True, slots=True)
class InventoryRow:
    """One key of the inventory, without marks as long as the register hasn't been read.

    `held_at` are the desks of a team that hold its value, by name.
    """

    key: SecurityKey
    environment: Environment
    marks: KeyMarks | None = None
    held_at: tuple[str, ...] = ()

    @property
    def applications(self) -> tuple[str, ...]:
        """The names of the applications that use it."""
        return self.marks.applications if self.marks else ()

    @property
    def rotating(self) -> bool:
        """Whether it is known to be replaced."""
        return self.marks is not None and self.marks.rotating

    @property
    def last_use(self) -> datetime | None:
        """When it was last used: here or, once that is known, in an application."""
        return (self.marks and self.marks.last_use) or self.key.used_at

    @property
    def texts(self) -> tuple[str, ...]:
        """What it can be found by, besides its state in words."""
        key = self.key
        return (
            *(key.name, key.username, key.permission, key.kind.value, key.purpose, key.owner),
            *(self.environment.name, self.environment.kind.value, key.fingerprint),
            *self.applications,
            *self.held_at,
            "rotating" if self.rotating else "",
        )

    def age_days(self, now: datetime) -> int:
        """Return how many whole days ago Keybench came to know it, or it was created as far as is known."""
        return max((now - self.key.created_at).days, 0)
