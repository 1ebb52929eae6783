"""Background tasks: one of a name, held until they end, failing along one path."""

from __future__ import annotations

import asyncio
import gc
import socket

import pytest

from fakes.waiting import stand_still
from keybench.runtime.clock import SystemClock
from keybench.runtime.supervisor import Supervisor, shielded


class Failures:
    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    def __call__(self, name: str, error: BaseException) -> None:
        self.heard.append((name, str(error)))


@pytest.fixture
def failures() -> Failures:
    return Failures()


@pytest.fixture
def supervisor(failures: Failures) -> Supervisor:
    return Supervisor(failures)


async def fail(text: str) -> None:
    raise RuntimeError(text)


async def settle(supervisor: Supervisor) -> None:
    while supervisor.running:  # noqa: ASYNC110 - the supervisor announces nothing
        await asyncio.sleep(0)


async def test_a_task_runs_to_its_end(supervisor: Supervisor, failures: Failures) -> None:
    ended = asyncio.Event()

    async def work() -> None:
        ended.set()

    assert supervisor.start("work", work())
    assert supervisor.running == ("work",)
    await settle(supervisor)
    assert ended.is_set()
    assert not failures.heard


async def test_only_one_of_a_name_runs_and_the_second_is_closed_unrun(supervisor: Supervisor) -> None:
    go, started = asyncio.Event(), []

    async def work(number: int) -> None:
        started.append(number)
        await go.wait()

    assert supervisor.start("save", work(1))
    second = work(2)
    assert not supervisor.start("save", second)
    assert supervisor.start("other", work(3))
    go.set()
    await settle(supervisor)
    assert started == [1, 3]
    with pytest.raises(RuntimeError, match="cannot reuse"):
        second.send(None)
    assert supervisor.start("save", work(4))
    await settle(supervisor)
    assert started == [1, 3, 4]


async def test_a_failure_goes_the_common_way_with_its_name(
    supervisor: Supervisor, failures: Failures
) -> None:
    supervisor.start("save", fail("no room"))
    await settle(supervisor)
    supervisor.report("by hand", RuntimeError("told"))
    assert failures.heard == [("save", "no room"), ("by hand", "told")]


async def test_a_task_may_have_a_way_of_its_own_to_fail(supervisor: Supervisor, failures: Failures) -> None:
    own = Failures()
    supervisor.start("save", fail("no room"), on_failure=own)
    await settle(supervisor)
    assert own.heard == [("save", "no room")]
    assert not failures.heard


async def test_a_cancelled_task_is_no_failure(supervisor: Supervisor, failures: Failures) -> None:
    supervisor.start("wait", asyncio.Event().wait())
    await asyncio.sleep(0)
    supervisor.cancel("wait")
    supervisor.cancel("nobody")
    await settle(supervisor)
    assert not failures.heard


async def test_a_task_is_held_while_nobody_else_holds_it(supervisor: Supervisor) -> None:
    ended = asyncio.Event()

    async def work() -> None:
        await asyncio.get_running_loop().create_future()

    async def watched() -> None:
        try:
            await work()
        finally:
            ended.set()

    supervisor.start("work", watched())
    await asyncio.sleep(0)
    gc.collect()
    assert supervisor.is_running("work")
    assert not ended.is_set()
    await supervisor.close()
    assert ended.is_set()


async def test_closing_cancels_waits_and_starts_nothing_more(supervisor: Supervisor) -> None:
    left = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            left.set()

    supervisor.start("work", work())
    await asyncio.sleep(0)
    await supervisor.close()
    assert left.is_set()
    assert not supervisor.running
    assert not supervisor.start("late", asyncio.Event().wait())


def test_once_stopped_it_starts_nothing_even_where_no_loop_runs(supervisor: Supervisor) -> None:
    """Qt calls a slot after asyncio's loop has ended, too."""
    supervisor.stop()
    late = fail("too late")
    assert not supervisor.start("late", late)
    with pytest.raises(RuntimeError, match="cannot reuse"):
        late.send(None)


async def test_stopping_cancels_what_runs_but_one(supervisor: Supervisor) -> None:
    supervisor.start("kept", asyncio.Event().wait())
    kept = next(task for task in asyncio.all_tasks() if task.get_name() == "kept")
    supervisor.start("work", asyncio.Event().wait())
    supervisor.stop(but=kept)
    while supervisor.is_running("work"):  # noqa: ASYNC110 - the supervisor announces nothing
        await asyncio.sleep(0)
    assert supervisor.running == ("kept",)
    kept.cancel()
    await settle(supervisor)


async def test_closing_loses_patience_with_who_will_not_stop(supervisor: Supervisor) -> None:
    go = asyncio.Event()

    async def stubborn() -> None:
        while not go.is_set():
            try:
                await go.wait()
            except asyncio.CancelledError:
                continue

    supervisor.start("stubborn", stubborn())
    await asyncio.sleep(0)
    await supervisor.close(patience_s=0.01)
    assert supervisor.is_running("stubborn")
    go.set()
    await settle(supervisor)


async def test_a_task_of_its_own_may_close_it(supervisor: Supervisor, failures: Failures) -> None:
    closed = asyncio.Event()

    async def leave() -> None:
        await supervisor.close(patience_s=60)
        closed.set()

    supervisor.start("other", asyncio.Event().wait())
    supervisor.start("leave", leave())
    await asyncio.wait_for(closed.wait(), 30)
    await settle(supervisor)
    assert not failures.heard


async def test_what_came_while_it_stood_still_is_taken_up_before_a_shield_is_dropped() -> None:
    loop = asyncio.get_running_loop()
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    kept: list[bytes] = []

    async def keep() -> None:
        kept.append(await loop.sock_recv(ours, 99))

    with ours, theirs:
        caller = loop.create_task(shielded(keep(), SystemClock(), grace_s=0.05))
        await asyncio.sleep(0)
        caller.cancel()
        loop.call_soon(stand_still, 0.1)
        loop.call_soon(theirs.send, b"an answer")
        with pytest.raises(asyncio.CancelledError):
            await caller
    assert kept == [b"an answer"]
