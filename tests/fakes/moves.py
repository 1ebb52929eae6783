"""Where a journal may move, without any database."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from keybench.core.errors import JournalMoveBarred, KeybenchError
from keybench.core.ports import Told
from keybench.core.secret import Secret
from keybench.core.team.desk import Desk, TeamLook

FOUND = TeamLook("17.5", "TLSv1.3", "ana", "owner", 0)


@dataclass
class FakeMoves:
    """Implements `core.ports.JournalMoves`; `secret` is the team's, and `looked` what was looked at."""

    desk: Desk = field(default_factory=lambda: Desk("i", "d", "front office"))
    found: TeamLook = FOUND
    secret: Secret | None = None
    failure: KeybenchError | None = None
    looked: list[tuple[str, Secret]] = field(default_factory=list)

    async def look(self, url: str, password: Secret) -> TeamLook:
        self.looked.append((url, password))
        if self.failure:
            raise self.failure
        return self.found

    async def to_team(
        self, url: str, password: Secret, secret: Secret, name: str, mine: Collection[str], told: Told
    ) -> bool:
        if self.secret and not self.secret.matches(secret):
            raise JournalMoveBarred(JournalMoveBarred.OTHER_TEAM)
        told(1, 2)
        self.secret, self.desk = secret, replace(self.desk, journal=url, name=name)
        return not self.found.has_team

    async def to_file(self, mine: Collection[str], told: Told) -> None:
        self.desk = replace(self.desk, journal="")
