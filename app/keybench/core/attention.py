"""What waits for a person: compromised keys, overdue rotations, unknown sales of all environments."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the window is shown before rotations are imported
    from keybench.core.rotation import Rotation


@dataclass(frozen=True, slots=True)
class Attention:
    """What the journal knows of it, at one moment.

    Attributes:
        compromised: How many keys are compromised, by the environment's id; only those that have some.
        unknown: How many sales are unknown, likewise; also of environments that were removed.
        open_rotations: The rotations that are open, the newest first.
    """

    compromised: Mapping[str, int] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)
    open_rotations: Sequence[Rotation] = ()

    def overdue(self, now: datetime, environments: Collection[str]) -> Sequence[Rotation]:
        """Return the rotations whose planned end is over, the one that waits longest first.

        Args:
            now: UTC.
            environments: The ids of those there are; nobody can go on with a rotation of another.
        """
        late = [one for one in self.open_rotations if one.is_overdue(now)]
        late.sort(key=lambda one: one.overlap_ends_at)
        return [one for one in late if one.environment_id in environments]
