"""Signals that ask to end: the first is taken softly, a burst is one wish, a later one is passed on."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Iterator

import pytest

from keybench.runtime.stopping import stop_signals, stopping

STOPS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK")
    if hasattr(signal, name)
]


@pytest.fixture
def earlier() -> Iterator[list[int]]:
    """What a handler that was there before was given."""
    given: list[int] = []
    before = {number: signal.signal(number, lambda number, _frame: given.append(number)) for number in STOPS}
    yield given
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", STOPS)
async def test_one_wish_is_taken_softly_and_the_next_is_passed_on(
    earlier: list[int], monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    stopped = asyncio.Event()
    with stopping(stopped.set) as came:
        signal.raise_signal(number)
        signal.raise_signal(number)  # `timeout` sends two
        assert not stopped.is_set(), "it isn't the handler that stops, but the loop"
        await stopped.wait()
        assert (came, earlier) == ([number], [])
        now = 2.0
        signal.raise_signal(number)
        assert earlier == [number]
    signal.raise_signal(number)
    assert earlier == [number, number]


async def test_what_the_caller_has_ignored_stays_ignored(earlier: list[int]) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    assert signal.SIGTERM not in stop_signals()
    with stopping(lambda: None) as came:
        signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    assert (came, earlier) == ([], [])
