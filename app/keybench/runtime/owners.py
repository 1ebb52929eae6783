"""Which Keybench programs work on a journal: each has a row in it and refreshes it, until it ends."""

from __future__ import annotations

import hashlib
import hmac
import os
import platform
import uuid
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from keybench.core.errors import JournalError
from keybench.core.ports import Clock, Journal, RunningProgram

#: How often a program refreshes its row, in seconds.
RENEW_S: Final = 20.0
#: How long a program on another computer counts as running without having refreshed its row. Several attempts
#: may fail while a journal is busy.
LEASE: Final = timedelta(seconds=90)
#: How often at most a team is told that its desk was seen, in seconds.
_SEEN_S: Final = 600.0
#: By how much the times of processes and of programs may differ on one computer.
_TOLERANCE: Final = timedelta(seconds=2)
_PROCESSES: Final = Path("/proc/self/ns/pid")
_MACHINE: Final = Path("/etc/machine-id")


class ProgramOwners:
    """This program's row among those that share a journal; implements `core.ports.Owners`.

    A team is told of the desk by its name; without one there is no team.
    """

    def __init__(self, journal: Journal, clock: Clock, desk_id: str = "", desk_name: str = "") -> None:
        self._journal = journal
        self._clock = clock
        self._desk_name, self._seen_until = desk_name, clock.monotonic()
        now = clock.now()
        self._mark = RunningProgram(uuid.uuid4().hex, this_computer(), os.getpid(), now, now, desk_id)

    @property
    def me(self) -> str:
        """This program's name for as long as it runs."""
        return self._mark.id

    async def begin(self) -> None:
        """Note that this program runs, and take away the rows of those that ended without doing so."""
        await self._renew()
        known = [program.id for program in await self._journal.programs()]
        if left := await self.ended(known):
            await self._journal.remove_programs(left)

    async def keep_renewed(self) -> None:
        """Renew the row until cancelled; a journal that can't be written is tried again."""
        while True:
            await self._clock.sleep(RENEW_S)
            with suppress(JournalError):
                await self._renew()

    async def ended(self, owners: Collection[str]) -> frozenset[str]:
        """Return those of `owners` that don't run any more; nobody, the empty name, doesn't run either."""
        others = set(owners) - {self.me}
        if not others - {""}:
            return frozenset(others)
        return frozenset(others - {one.id for one in await self.others()})

    async def others(self) -> Sequence[RunningProgram]:
        """Return the other programs that run."""
        return [one for one in await self._journal.programs() if one.id != self.me and _runs(one)]

    async def work_on(self, what: str, *, take_over: bool = False) -> None:
        """Note what a person has open here; in vain where the journal can't be written."""
        with suppress(JournalError):
            await self._journal.work_on(self.me, what, take_over=take_over)

    async def end(self) -> None:
        """Take the row away; one that can't be is found to have ended later."""
        with suppress(JournalError):
            await self._journal.remove_programs([self.me])

    async def _renew(self) -> None:
        await self._journal.keep_program(self._mark)
        if self._desk_name and self._clock.monotonic() >= self._seen_until:
            await self._journal.keep_desk(self._desk_name)
            self._seen_until = self._clock.monotonic() + _SEEN_S


def this_computer() -> str:
    """Return what tells this computer from others and, on Linux, what processes can be seen from here.

    These are three words: its name, a mark of its own, for names aren't, and the processes' namespace. Each
    container has one, and each sandbox of a Flatpak.
    """
    if platform.system() != "Linux":
        return platform.node()
    own = space = b""
    with suppress(OSError):
        own = _MACHINE.read_bytes().strip()
    with suppress(OSError):
        space = os.fsencode(_PROCESSES.readlink())
    # What systemd gives to programs isn't to be passed on as it is: machine-id(5).
    mark = hmac.new(b"keybench", own, hashlib.sha256).hexdigest()[:12]
    return f"{platform.node() or '?'} {mark} {os.fsdecode(space)}".strip()


def _runs(program: RunningProgram) -> bool:
    """Tell whether a program runs: by its process where that can be seen, else by its lease.

    A process that is frozen, as a whole computer is when it sleeps, still runs.
    """
    expired = program.silent > LEASE
    if program.computer != this_computer():
        return not expired
    import psutil  # noqa: PLC0415 - needed only where another program has been

    try:
        process = psutil.Process(program.process)
        began = datetime.fromtimestamp(process.create_time(), UTC)
        is_dead = process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return not expired
    # A process that began after the last renewal has got the number of one that ended; but the clock may
    # have been set since, or isn't the database's, so the lease has to be over, too.
    is_another = expired and began > max(program.renewed_at, program.began_at) + _TOLERANCE
    return not (is_dead or is_another)
