"""Sales that nobody follows: taken up when the window opens, and for as long as it is open."""

from __future__ import annotations

from functools import partial
from typing import Final

from keybench.core.errors import JournalError, KeybenchError
from keybench.ui.sale.sender import task_of
from keybench.ui.session import Notice, Session

#: How long it waits before it looks for them again, in seconds.
EVERY_S: Final = 30.0
#: A sale whose following ends by a fault of the program again and again waits for so many rounds at the most.
_MOST_ROUNDS: Final = 64


async def take_up_sales(session: Session) -> None:
    """Take up every sale that no running program and no task of this one is at; ends when cancelled.

    They are those of programs that have ended, also while the window was open, and those of this one whose
    following failed. What fails is tried again, and told once until there is nothing left to take up.
    """
    rounds = _Rounds(session)
    while True:
        await rounds.look()
        await session.console.clock.sleep(EVERY_S)


class _Rounds:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._number = 0
        self._pauses: dict[str, int] = {}
        self._due: dict[str, int] = {}
        self._failures: set[type[KeybenchError]] = set()

    async def look(self) -> None:
        """Take up what is there to be taken up now."""
        self._number += 1
        try:
            orphans = await self._session.console.resume.orphans()
        except JournalError as error:
            self._tell_failure(error)
            return
        if not orphans:
            self._failures.clear()
        new = 0
        for sale in orphans:
            if self._due.get(sale.reference, 0) > self._number:
                continue
            work = self._session.console.resume.resume(sale)
            failed = partial(self._on_failure, sale.reference)
            if self._session.run(task_of(sale), work, failed):
                new += sale.reference not in self._pauses
                self._put_off(sale.reference)
        if new:
            self._tell(new)

    def _put_off(self, reference: str) -> None:
        """Take a sale up later the next time, and each time twice as late."""
        pause = self._pauses.get(reference, 0)
        self._due[reference] = self._number + max(pause, 1)
        self._pauses[reference] = min(max(pause, 1) * 2, _MOST_ROUNDS)

    def _on_failure(self, reference: str, error: KeybenchError) -> None:
        self._due.pop(reference, None)  # it isn't the sale's, so the sale needn't wait
        self._tell_failure(error)

    def _tell_failure(self, error: KeybenchError) -> None:
        if type(error) not in self._failures:
            self._failures.add(type(error))
            self._session.failed.emit(error)

    def _tell(self, count: int) -> None:
        title = (
            "One sale was left unfinished and is being followed again."
            if count == 1
            else f"{count} sales were left unfinished and are being followed again."
        )
        self._session.notify(Notice("info", title, "Nothing is sent twice."))
