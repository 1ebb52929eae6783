"""A journal that fails at a chosen call: that one call, or every call for a while."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final

from keybench.core.errors import JournalUnwritable
from keybench.core.ports import Clock

#: What needs no database.
_BESIDE: Final = frozenset({"keep_answer", "kept_answers", "drop_answers"})

#: For how long it fails in each way, in seconds; 0 for one call.
MODES: Final = {"fails": 0.0, "fails after it was done": 0.0, "fails for 45 s": 45.0, "fails to the end": 1e9}


class FailingJournal:
    """Fails as a disk does; counts its calls from when `begin` is called.

    Attributes:
        calls: The names of the calls since then.
    """

    def __init__(self, journal: Any, clock: Clock) -> None:
        self.journal = journal
        self.calls: list[str] = []
        self._clock = clock
        self._at = 0
        self._mode = ""
        self._until = float("-inf")

    def begin(self, at: int = 0, mode: str = "") -> None:
        """Count from here on, and fail at the call of this number; 0 for never."""
        self.calls.clear()
        self._at, self._mode, self._until = at, mode, float("-inf")

    def __getattr__(self, name: str) -> Any:
        real = getattr(self.journal, name)
        is_call = inspect.iscoroutinefunction(real) and name not in {*_BESIDE, "open", "close"}
        return self._failing(name, real) if is_call else real

    def _failing(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        async def call(*args: Any, **kwargs: Any) -> Any:
            self.calls.append(name)
            fails = len(self.calls) == self._at
            if fails and MODES[self._mode]:
                self._until = self._clock.monotonic() + MODES[self._mode]
            if self._clock.monotonic() < self._until or (fails and self._mode == "fails"):
                raise JournalUnwritable("journal", "input or output failed")
            done = await real(*args, **kwargs)
            if fails and self._mode == "fails after it was done":
                raise JournalUnwritable("journal", "input or output failed")
            return done

        return call
