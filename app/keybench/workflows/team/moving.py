"""Moves the journal to a team's database, joins the team that is there, and moves back to the file."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import cast

from keybench.core.errors import JournalMoveBarred, ValueLost
from keybench.core.ports import JournalMoves, Told
from keybench.core.secret import Secret
from keybench.core.team.desk import TeamLook
from keybench.core.team.joining import (
    PASSWORD_ENTRY,
    SECRET_ENTRY,
    new_team_secret,
    team_address,
    team_secret,
)
from keybench.core.text import clean_text
from keybench.workflows.calling import value_changed
from keybench.workflows.world import World


class JournalMoving:
    """Moves the journal; the program has to start anew afterwards.

    Attributes:
        moves: Where it may move; its desk tells where the journal is from the next start on.
    """

    def __init__(self, world: World) -> None:
        self._world, self.moves = world, cast("JournalMoves", world.moves)

    async def look(self, address: str, password: str) -> TeamLook:
        """Look at a team's database, in which nothing is changed."""
        return await self.moves.look(*await self._entered(address, password))

    async def move(
        self, address: str, password: str, *, code: str = "", name: str = "", told: Told = lambda *_: None
    ) -> bool:
        """Move the journal to a team's database, or join the team that is there; return whether it moved.

        A journal that isn't moved stays in its file. A desk of a team may change its role, or its password.
        JournalMoveBarred with the reason if it can't be.
        """
        url, entered = await self._entered(address, password)
        desk, keystore = self.moves.desk, self._world.keystore
        found = await self.moves.look(url, entered)
        if desk.journal == url:
            await keystore.write(PASSWORD_ENTRY, entered)
            return False
        if desk.journal and not found.has_team:
            raise JournalMoveBarred(JournalMoveBarred.IN_TEAM)
        name, mine = clean_text("desk's name", name or desk.name), await self._mine()
        try:  # an earlier attempt may have kept one
            secret = team_secret(code) if code else await self.code()
        except JournalMoveBarred:
            if code or found.has_team:
                raise
            secret = new_team_secret()
        await keystore.write(SECRET_ENTRY, secret)
        async with value_changed(keystore, PASSWORD_ENTRY, entered or None):
            return await self.moves.to_team(url, entered, secret, name, mine, told)

    async def code(self) -> Secret:
        """Return the team's code, by which other desks join; JournalMoveBarred if this desk hasn't it."""
        try:
            return await self._world.keystore.read(SECRET_ENTRY)
        except ValueLost:
            raise JournalMoveBarred(JournalMoveBarred.CODE) from None

    async def back(self, told: Told = lambda *_: None) -> None:
        """Copy the team's journal into the data folder, and work on that; the team's stays as it is."""
        await self.moves.to_file(await self._mine(), told)

    async def _entered(self, address: str, password: str) -> tuple[str, Secret]:
        """Return URL and password; where none is entered, the one that is kept for this database."""
        url, inside = team_address(address)
        if not (password or inside) and url == self.moves.desk.journal:
            with suppress(ValueLost):
                return url, await self._world.keystore.read(PASSWORD_ENTRY)
        return url, Secret(password or inside)

    async def _mine(self) -> Collection[str]:
        """Return the programs that may have the journal open; JournalMoveBarred if something waits for it."""
        journal, owners = self._world.journal, self._world.owners
        if await journal.kept_answers() or journal.standing.is_away or journal.standing.queued:
            raise JournalMoveBarred(JournalMoveBarred.WAITING)
        return {owners.me, *await owners.ended([one.id for one in await journal.programs()])}
