"""The inventory: a key with everything that is known of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from keybench.core.keys.key import SecurityKey, alike

if TYPE_CHECKING:
    from keybench.core.environments.environment import Environment
    from keybench.core.keys.application import Application


@dataclass(frozen=True, slots=True)
class InventoryRow:
    """One key of the inventory."""

    key: SecurityKey
    environment: Environment
    applications: int = 0
    rotating: bool = False
    last_use: datetime | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """What it can be found by, besides its state in words."""
        key = self.key
        return (
            *(key.name, key.username, key.permission, key.kind.value, key.purpose, key.owner),
            *(self.environment.name, self.environment.kind.value, key.fingerprint),
            "rotating" if self.rotating else "",
        )

    def age_days(self, now: datetime) -> int:
        """Return how many whole days ago Keybench came to know it, or it was created as far as is known."""
        return max((now - self.key.created_at).days, 0)


def inventory_of(
    keys: Iterable[SecurityKey],
    environments: Iterable[Environment],
    applications: Iterable[Application],
    rotating: Iterable[str],
) -> tuple[InventoryRow, ...]:
    """Return a row a key, in the keys' order; a key whose environment is gone by now is left out."""
    known: Mapping[str, Environment] = {one.id: one for one in environments}
    listed = tuple(keys)
    same, going = alike(listed), frozenset(rotating)
    counts = Counter(application.key_id for application in applications)
    used = {
        group: (sum(counts[one] for one in group), not going.isdisjoint(group))
        for group in set(same.values())
    }
    return tuple(
        InventoryRow(
            key,
            known[key.environment_id],
            *used[same[key.id]],
            key.used_at,
        )
        for key in listed
        if key.environment_id in known
    )
