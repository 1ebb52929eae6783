"""Announcements, and the system's clock."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from keybench.core.events import EnvironmentsChanged, KeysChanged
from keybench.runtime.clock import SystemClock
from keybench.runtime.events import Events


def test_an_announcement_reaches_those_who_listen_to_its_type_in_order() -> None:
    events, heard = Events(), []
    events.subscribe(KeysChanged, lambda event: heard.append(("first", event.environment_id)))
    events.subscribe(KeysChanged, lambda event: heard.append(("second", event.environment_id)))
    events.subscribe(EnvironmentsChanged, lambda event: heard.append(("never", "")))
    events.publish(KeysChanged("e-1"))
    assert heard == [("first", "e-1"), ("second", "e-1")]


def test_who_has_unsubscribed_hears_no_more() -> None:
    events, heard = Events(), []
    stop = events.subscribe(KeysChanged, heard.append)
    stop()
    stop()
    events.publish(KeysChanged("e-1"))
    assert not heard


def test_a_listener_may_unsubscribe_while_it_is_told() -> None:
    events, heard = Events(), []

    def once(event: KeysChanged) -> None:
        stop()
        heard.append(event)

    stop = events.subscribe(KeysChanged, once)
    events.subscribe(KeysChanged, heard.append)
    events.publish(KeysChanged("e-1"))
    events.publish(KeysChanged("e-2"))
    assert [event.environment_id for event in heard] == ["e-1", "e-1", "e-2"]


async def test_a_listener_that_fails_stops_neither_the_others_nor_who_announced() -> None:
    events, heard, faults = Events(), [], []

    def faulty(event: KeysChanged) -> None:
        raise RuntimeError("a broken view")

    asyncio.get_running_loop().set_exception_handler(
        lambda _loop, context: faults.append(context["exception"])
    )
    events.subscribe(KeysChanged, faulty)
    events.subscribe(KeysChanged, heard.append)
    events.publish(KeysChanged("e-1"))
    assert len(heard) == 1
    assert [str(fault) for fault in faults] == ["a broken view"]


@pytest.mark.parametrize("seconds", [0.0, 0.001, 0.02])
async def test_the_systems_clock_never_wakes_early(seconds: float) -> None:
    clock = SystemClock()
    began = clock.monotonic()
    await clock.sleep(seconds)
    assert clock.monotonic() - began >= seconds


async def test_an_early_timer_is_waited_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    class SlowTime(SystemClock):
        passed = 0.0

        def monotonic(self) -> float:
            return self.passed

    clock = SlowTime()

    async def early(seconds: float) -> None:
        asked.append(seconds)
        clock.passed += seconds * 0.95 if len(asked) < 3 else seconds

    monkeypatch.setattr(asyncio, "sleep", early)
    await clock.sleep(1.0)
    assert clock.passed >= 1.0
    assert len(asked) == 3


def test_the_wall_clock_is_in_utc() -> None:
    now = SystemClock().now()
    assert now.tzinfo is UTC
    assert abs(now - datetime.now(UTC)) < timedelta(minutes=1)
