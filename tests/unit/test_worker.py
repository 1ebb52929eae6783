"""The daemon worker: blocking calls, in order, off the loop's thread."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Iterator

import pytest

from keybench.runtime.worker import DaemonWorker


@pytest.fixture
def worker() -> Iterator[DaemonWorker]:
    worker = DaemonWorker("keybench test")
    yield worker
    worker.stop()


def fail(error: BaseException) -> None:
    raise error


async def test_a_call_runs_on_the_named_daemon_thread_and_returns(worker: DaemonWorker) -> None:
    thread = await worker.run(threading.current_thread)
    assert thread is not threading.main_thread()
    assert (thread.name, thread.daemon) == ("keybench test", True)


async def test_no_thread_starts_before_the_first_call() -> None:
    before = threading.active_count()
    DaemonWorker("keybench idle").stop()
    assert threading.active_count() == before


async def test_calls_run_one_after_another_in_order(worker: DaemonWorker) -> None:
    done: list[int] = []
    await asyncio.gather(*(worker.run(lambda n=n: done.append(n)) for n in range(100)))
    assert done == list(range(100))


@pytest.mark.parametrize(
    "error", [ValueError("no"), SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError()]
)
async def test_what_a_call_raises_is_raised_to_its_caller(worker: DaemonWorker, error: BaseException) -> None:
    future = asyncio.get_running_loop().create_task(_caught(worker, error))
    assert await future is error
    assert await worker.run(lambda: 7) == 7


async def _caught(worker: DaemonWorker, error: BaseException) -> BaseException | None:
    try:
        await worker.run(lambda: fail(error))
    except BaseException as caught:  # noqa: BLE001 - any kind is what is tried
        return caught
    return None


async def test_a_call_that_raises_stop_iteration_does_not_hang_its_caller(worker: DaemonWorker) -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        await asyncio.wait_for(worker.run(lambda: next(iter(()))), 60)


async def test_a_caller_waits_no_longer_than_its_limit(worker: DaemonWorker) -> None:
    go, late = threading.Event(), threading.Event()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(worker.run(lambda: (go.wait(60), late.set())), 0.02)
    go.set()
    assert await worker.run(late.is_set)


async def test_a_call_whose_caller_has_gone_is_not_begun(worker: DaemonWorker) -> None:
    go, begun = threading.Event(), []
    first = worker.run(lambda: go.wait(60))
    second = worker.run(lambda: begun.append(2))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    await asyncio.sleep(0)  # the loop passes it on
    go.set()
    await first
    await worker.run(lambda: None)
    assert not begun


async def test_a_thread_that_hangs_is_replaced(worker: DaemonWorker) -> None:
    go = threading.Event()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(worker.run(lambda: go.wait(60)), 0.02)
    worker.replace()
    assert await asyncio.wait_for(worker.run(lambda: 7), 60) == 7
    go.set()


async def test_a_stopped_worker_starts_again_with_the_next_call(worker: DaemonWorker) -> None:
    first = await worker.run(threading.current_thread)
    worker.stop()
    worker.stop()
    first.join(60)
    assert not first.is_alive()
    assert await worker.run(lambda: 7) == 7


def test_a_loop_that_closed_in_the_meantime_is_no_error() -> None:
    worker, go, ended = DaemonWorker("keybench test"), threading.Event(), threading.Event()
    threads: list[threading.Thread] = []

    def call() -> None:
        threads.append(threading.current_thread())
        ended.set()
        go.wait(60)

    async def leave() -> None:
        nobody_awaits = worker.run(call)
        await asyncio.sleep(0)
        await asyncio.get_running_loop().run_in_executor(None, ended.wait, 60)
        assert not nobody_awaits.done()

    asyncio.run(leave())
    go.set()
    worker.stop()
    threads[0].join(60)
    assert not threads[0].is_alive()


async def test_an_idle_thread_keeps_nothing_of_its_last_call(worker: DaemonWorker) -> None:
    class Heavy:
        pass

    heavy = Heavy()
    gone = weakref.ref(heavy)
    await worker.run(lambda held=heavy: None)
    del heavy
    await worker.run(lambda: None)
    gc.collect()
    assert gone() is None
