"""Polls that found a sale still under way, gathered for a moment and written in one transaction.

An intent, an acceptance and an outcome are durable at once. That a sale was asked for and nothing was new
isn't worth a commit of its own: a crash costs a fraction of a second of that, and nothing of what was sold.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from keybench.core.errors import JournalError
from keybench.core.ports import PollNote
from keybench.workflows.world import World

#: How long a note may wait for others, in seconds. Whoever polls more seldom writes at once.
GATHER_S: Final = 0.25


class PollNotes:
    """The notes not yet written, of all sales."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._notes: list[PollNote] = []
        self._written_at = float("-inf")
        self._writing = asyncio.Lock()

    async def add(self, note: PollNote) -> None:
        """Keep a note, and write all if it is time.

        Raises:
            JournalError: They couldn't be written; they are kept for the next attempt.
        """
        self._notes.append(note)
        if self._world.clock.monotonic() - self._written_at >= GATHER_S:
            await self.write()

    async def taken_out(self, reference: str) -> Sequence[PollNote]:
        """Return a sale's notes and keep them no more, for whoever writes them with something else of it.

        Those being written just now are waited for: if that fails, they are among them.
        """
        async with self._writing:
            taken = [note for note in self._notes if note.event.reference == reference]
            if taken:
                self._notes = [note for note in self._notes if note.event.reference != reference]
            return taken

    def put_back(self, notes: Sequence[PollNote]) -> None:
        """Keep notes that couldn't be written, before those that came since."""
        self._notes[:0] = notes

    async def write(self) -> None:
        """Write what has been gathered.

        Raises:
            JournalError: It couldn't be written; it is kept for the next attempt.
        """
        async with self._writing:
            if not self._notes:
                return
            self._written_at = self._world.clock.monotonic()
            notes, self._notes = self._notes, []
            try:
                await self._world.journal.note_polls(notes)
            except JournalError:
                self.put_back(notes)
                raise
