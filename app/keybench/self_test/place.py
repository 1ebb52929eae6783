"""Where the checks are made: their folder, what opens the program, how a check ends that isn't ok."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from keybench.core.errors import KeybenchError
from keybench.core.ports import KeystoreStatus
from keybench.core.self_test import Result
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.console import Console

T = TypeVar("T")

Opener = Callable[[DataFolder], AbstractAsyncContextManager[Console]]


class NotOk(Exception):
    """A check isn't ok, and its sentence says why and what to do.

    Attributes:
        result: Whether it failed or couldn't tell.
        no_keystore: Whether that is because of the keystore alone.
    """

    def __init__(self, sentence: str, *, result: Result = Result.FAILED, no_keystore: bool = False) -> None:
        super().__init__(sentence)
        self.result = result
        self.no_keystore = no_keystore


@dataclass
class Place:
    """What the checks share.

    Attributes:
        folder: Theirs alone; gone afterwards.
        opener: Opens the program in a data folder.
        on_asking: Called when the keystore waits for a person's answer.
        held: What has to live as long as the process, such as the Qt application.
        left_behind: Whether the keystore may have something of the test's.
    """

    folder: Path
    opener: Opener
    on_asking: Callable[[KeystoreStatus], None]
    held: list[object] = field(default_factory=list)
    left_behind: bool = False

    def __post_init__(self) -> None:
        self._turn = threading.Lock()
        self._under_way: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None
        self._stopped = False

    @property
    def name(self) -> str:
        """The name under which the keystore keeps what is the test's; no other run has the same."""
        return f"{self.folder.parent.name}-{self.folder.name}"

    @property
    def stopped(self) -> bool:
        """Whether nobody waits for the checks any more."""
        return self._stopped

    async def over(self, work: Coroutine[Any, Any, T]) -> T:
        """Do `work`, which is cancelled when nobody waits for the checks any more."""
        task = asyncio.current_task()
        assert task  # noqa: S101 - a coroutine runs in one
        with self._turn:
            self._under_way = (asyncio.get_running_loop(), task)
            if self._stopped:
                task.cancel()
        try:
            return await work
        finally:
            with self._turn:
                self._under_way = None

    async def erased(self, erasing: Awaitable[None]) -> None:
        """Have what is the test's erased from the keystore, and remember it if that fails."""
        try:
            await erasing
        except KeybenchError:
            self.left_behind = True
            raise

    def stop_with_stdin(self) -> None:
        """Stop once standard input ends, as it does however the process went that holds its other end."""
        threading.Thread(target=self._read_to_end, name="self-test-stdin", daemon=True).start()

    def _read_to_end(self) -> None:
        try:
            # The descriptor: a thread inside sys.stdin has a lock that the interpreter wants at its end.
            while os.read(0, 4096):
                pass
        except OSError:
            pass  # no standard input is a closed one
        with self._turn:
            self._stopped = True
            if self._under_way:
                loop, task = self._under_way
                loop.call_soon_threadsafe(task.cancel)
