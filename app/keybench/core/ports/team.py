"""A team's journal: how it stands, and where a journal may move."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from keybench.core.secret import Secret
from keybench.core.team.desk import Desk, TeamLook


@dataclass(frozen=True, slots=True)
class JournalStanding:
    """Whether a team's journal can be reached; nothing of this is true of a file.

    Attributes:
        is_away: It can't; what is read is this desk's copy.
        since: Since when, UTC.
        copied_at: When the copy was last brought up to date, UTC.
        queued: How many edits wait to be written.
        edited: The identifiers of the records they are of.
    """

    is_away: bool = False
    since: datetime | None = None
    copied_at: datetime | None = None
    queued: int = 0
    edited: frozenset[str] = frozenset()


#: Is given what others changed: the table, the environment's id and the row's, with tabs between.
OnNotice = Callable[[str], None]
#: Is told how the journal stands now.
OnStanding = Callable[[JournalStanding], None]
#: Is told how many rows are copied, of how many.
Told = Callable[[int, int], None]


class JournalMoves(Protocol):
    """Where the open journal may move; however a move ends, all is where it was, or all where it is to be.

    `mine` are the programs that may have it open at this desk: this one, and those that have ended. `told`
    hears, on a thread of its own, how many rows are copied, of how many. Each call may raise a JournalError.
    """

    @property
    def desk(self) -> Desk:
        """The desk, with where its journal is from the program's next start on."""

    async def look(self, url: str, password: Secret) -> TeamLook:
        """Look at a team's database, in which nothing is changed."""

    async def to_team(
        self, url: str, password: Secret, secret: Secret, name: str, mine: Collection[str], told: Told
    ) -> bool:
        """Move it to a database, or leave it and join the team that is there; return whether it moved."""

    async def to_file(self, mine: Collection[str], told: Told) -> None:
        """Copy a team's journal into the data folder; a file that was there gets another name."""
