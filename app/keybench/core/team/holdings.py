"""Which desks hold the value of a key, by what each of them last saw in its keystore; pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from keybench.core.environments.environment import EnvironmentKind
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import SecurityKey
from keybench.core.team.desk import Held, Holding, TeamDesk


@dataclass(frozen=True, slots=True)
class LackingKeys:
    """How many keys this desk lacks, and the desks that hold all of them or, if there is none, any."""

    count: int = 0
    desks: tuple[TeamDesk, ...] = ()


@dataclass(frozen=True)
class TeamHoldings:
    """What the desks of a team hold, looked at from one of them; nothing where a desk is alone.

    Attributes:
        here: The desk it is looked at from, by id.
        desks: All of them, by name.
    """

    here: str = ""
    desks: Sequence[TeamDesk] = ()
    holdings: Sequence[Holding] = ()

    @property
    def is_shared(self) -> bool:
        """Whether there are several desks."""
        return len(self.desks) > 1

    def holders(self, key_id: str, fingerprint: str) -> tuple[TeamDesk, ...]:
        """Return the desks that hold a key's value, under whichever key, or another value under this key.

        The key is given by its id and its value's fingerprint, which is empty if no desk ever had that.
        """
        by_mark, proofs = self._marks
        marks = {key_id, fingerprint} - {""}
        marks |= {proof for one in marks for proof in proofs.get(one, ())}
        found = {desk for one in marks for desk in by_mark.get(one, ())}
        return tuple(desk for desk in self.desks if desk.id in found) if self.is_shared else ()

    def held_at(self, key: SecurityKey) -> tuple[str, ...]:
        """Return the names of those of a key."""
        return tuple(desk.name for desk in self.holders(key.id, key.fingerprint))

    def others(self, key_id: str, fingerprint: str) -> tuple[TeamDesk, ...]:
        """Return the same without this desk."""
        return tuple(desk for desk in self.holders(key_id, fingerprint) if desk.id != self.here)

    def lacking(self, rows: Iterable[InventoryRow]) -> LackingKeys:
        """Return what others hold of some keys and this desk lacks; practice is each desk's own."""
        wanted = (
            self.others(row.key.id, row.key.fingerprint)
            for row in rows
            if not row.key.has_value and row.environment.kind is not EnvironmentKind.PRACTICE
        )
        held = [set(desks) for desks in wanted if desks]
        at = (set.intersection(*held) or set.union(*held)) if held else set()
        return LackingKeys(len(held), tuple(desk for desk in self.desks if desk in at))

    @cached_property
    def _marks(self) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        """The desks by key id, fingerprint and proof of what they hold, and the proofs by the first two."""
        desks, proofs = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        for one in self.holdings:
            if one.held is not Held.LOST:
                for mark in filter(None, (one.key_id, one.fingerprint, one.proof)):
                    desks[mark].add(one.desk_id)
                    if one.proof and one.fingerprint == mark:
                        proofs[mark].add(one.proof)
        return desks, proofs
