"""Moves the journal to a team's database, joins the team that is there, and moves back to the file."""

from __future__ import annotations

from collections.abc import Collection

from keybench.core.errors import JournalMoveBarred, ValueLost
from keybench.core.ports import JournalMoves, Told
from keybench.core.secret import Secret
from keybench.core.team.desk import Desk, TeamLook
from keybench.core.team.joining import (
    PASSWORD_ENTRY,
    SECRET_ENTRY,
    new_team_secret,
    team_address,
    team_secret,
)
from keybench.core.text import clean_text
from keybench.workflows.world import World


class JournalMoving:
    """Moves the journal; the program has to start anew afterwards."""

    def __init__(self, world: World) -> None:
        assert world.moves  # noqa: S101 - a program has them
        self._world = world
        self._moves: JournalMoves = world.moves

    @property
    def desk(self) -> Desk:
        """The desk, with where its journal is from the next start on."""
        return self._moves.desk

    async def look(self, address: str, password: str) -> TeamLook:
        """Look at a team's database, in which nothing is changed."""
        url, inside = team_address(address)
        return await self._moves.look(url, await self._password(url, password or inside))

    async def code(self) -> Secret:
        """Return the team's code, by which other desks join; ValueLost if the keystore has none."""
        return await self._world.keystore.read(SECRET_ENTRY)

    async def move(
        self, address: str, password: str, *, code: str = "", name: str = "", told: Told = lambda *_: None
    ) -> bool:
        """Move the journal to a team's database, or join the team that is there; return whether it moved.

        A journal that isn't moved stays in its file. Of the database that this desk uses already, only the
        password is kept anew. JournalMoveBarred with the reason if it can't be.
        """
        url, inside = team_address(address)
        if self.desk.journal not in {"", url}:
            raise JournalMoveBarred(JournalMoveBarred.IN_TEAM)
        entered = await self._password(url, password or inside)
        found = await self._moves.look(url, entered)
        keystore = self._world.keystore
        if self.desk.journal:
            await keystore.write(PASSWORD_ENTRY, entered)
            return False
        name = clean_text("desk's name", name or self.desk.name)
        mine = await self._mine()
        secret = team_secret(code) if code else await self._secret(has_team=found.has_team)
        await keystore.write(SECRET_ENTRY, secret)
        if entered:
            await keystore.write(PASSWORD_ENTRY, entered)
        return await self._moves.to_team(url, entered, secret, name, mine, told)

    async def back(self, told: Told = lambda *_: None) -> None:
        """Copy the team's journal into the data folder, and work on that; the team's stays as it is."""
        await self._moves.to_file(await self._mine(), told)

    async def _password(self, url: str, entered: str) -> Secret:
        """Return the password to use; where none is entered, the one that is kept for this database."""
        if not entered and url == self.desk.journal:
            try:
                return await self._world.keystore.read(PASSWORD_ENTRY)
            except ValueLost:
                pass
        return Secret(entered)

    async def _secret(self, *, has_team: bool) -> Secret:
        """Return what an earlier attempt has kept, or for a new team a new one."""
        try:
            return await self.code()
        except ValueLost:
            if has_team:
                raise JournalMoveBarred(JournalMoveBarred.CODE) from None
            return new_team_secret()

    async def _mine(self) -> Collection[str]:
        journal, owners = self._world.journal, self._world.owners
        if await journal.kept_answers():
            raise JournalMoveBarred(JournalMoveBarred.ANSWERS)
        known = [one.id for one in await journal.programs()]
        return {owners.me, *await owners.ended(known)}
