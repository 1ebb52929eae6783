"""What waits for a person: compromised keys, overdue rotations, unknown sales of all environments."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the window is shown before rotations are imported
    from keybench.core.rotations.rotation import Rotation


@dataclass(frozen=True, slots=True)
class Attention:
    """What the journal knows of it, at one moment; keys and sales by their environment's id.

    Environments with no compromised key are missing; unknown sales are also of removed environments.
    """

    compromised: Mapping[str, int] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)
    open_rotations: Sequence[Rotation] = ()

    def overdue(self, now: datetime, environments: Collection[str]) -> Sequence[Rotation]:
        """Return the rotations of these environments whose planned end is over, the longest waiting first."""
        late = [one for one in self.open_rotations if one.is_overdue(now)]
        late.sort(key=lambda one: one.overlap_ends_at)
        return [one for one in late if one.environment_id in environments]
