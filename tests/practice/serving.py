"""A practice gateway over HTTP in a thread of the test's process, for tests that aren't about its process."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from fakes.waiting import PATIENCE_S
from keybench.practice.server import PracticeServer, bind, tell_programs
from keybench.practice.state import State


@contextlib.contextmanager
def served(folder: Path, speed: float, *, is_told: bool = False) -> Iterator[str]:
    """Serve with the state in a folder and yield the base URL; devices act `speed` times as fast.

    Where it `is_told`, the programs on the data folder find it as one that another of them has started.
    """
    folder.mkdir(parents=True, exist_ok=True)
    runtime_file = folder / "gateway.json"
    listens = threading.Event()
    servers: list[PracticeServer] = []

    def serve() -> None:
        with contextlib.closing(State(folder / "state.sqlite3", time.time())) as state:
            if is_told:
                tell_programs(runtime_file, base_url, state.facts.instance)
            servers.append(PracticeServer(state, speed, listens.set))
            servers[0].run(sockets=[listener])

    with bind(0, 0) as listener:
        base_url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread = threading.Thread(target=serve, name="keybench practice gateway")
        thread.start()
        assert listens.wait(PATIENCE_S)
        try:
            yield base_url
        finally:
            runtime_file.unlink(missing_ok=True)
            servers[0].stop()
            thread.join()
