"""A practice gateway over HTTP in a thread of the test's process, for tests that aren't about its process."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from fakes.waiting import PATIENCE_S
from keybench.practice.server import PracticeServer, bind
from keybench.practice.state import State


@contextlib.contextmanager
def served(folder: Path, speed: float) -> Iterator[str]:
    """Serve with the state in a folder and yield the base URL; devices act `speed` times as fast."""
    folder.mkdir(parents=True, exist_ok=True)
    listens = threading.Event()
    servers: list[PracticeServer] = []

    def serve() -> None:
        with contextlib.closing(State(folder / "state.sqlite3", time.time())) as state:
            servers.append(PracticeServer(state, speed, listens.set))
            servers[0].run(sockets=[listener])

    with bind(0, 0) as listener:
        thread = threading.Thread(target=serve, name="keybench practice gateway")
        thread.start()
        assert listens.wait(PATIENCE_S)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            servers[0].stop()
            thread.join()
