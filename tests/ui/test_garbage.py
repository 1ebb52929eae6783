"""Garbage is collected on the window's thread, and when Python would do it."""

from __future__ import annotations

import gc
import threading
import weakref

from PySide6.QtCore import QCoreApplication, QObject

from keybench.runtime.worker import run_in_thread
from keybench.ui.shell.application import GarbageCollector


class Cycle:
    """Garbage that only a collector finds; remembers on which thread it went."""

    def __init__(self, went: list[threading.Thread]) -> None:
        self.itself = self
        weakref.finalize(self, lambda: went.append(threading.current_thread()))


def allocate(count: int) -> int:
    return len([[] for _ in range(count)])


async def test_a_worker_that_allocates_collects_nothing(qapp: QCoreApplication) -> None:
    parent, went = QObject(), list[threading.Thread]()
    collector = GarbageCollector(parent)
    Cycle(went)
    await run_in_thread("keybench allocates", lambda: allocate(200_000))
    assert went == []
    kept = [[] for _ in range(200_000)]
    collector.collect()
    assert went == [threading.main_thread()]
    assert len(kept) == 200_000


def test_little_is_left_alone(qapp: QCoreApplication) -> None:
    went: list[threading.Thread] = []
    parent = QObject()
    collector = GarbageCollector(parent)
    gc.collect()
    Cycle(went)
    collector.collect()
    assert went == []
    gc.collect()
    assert went
