"""Saving a file whole or not at all: what stood there before stays until the new one is safe on the disk."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path

from keybench.core.errors import FileNotSaved
from keybench.runtime.worker import DaemonWorker


async def save_text(path: Path, text: str) -> None:
    """Save `text` as UTF-8 under `path`, off the loop.

    Raises:
        FileNotSaved: There is no right or no room to; what stood there before is untouched.
    """
    worker = DaemonWorker("keybench saving")
    try:
        await worker.run(partial(_save, path, text.encode("utf-8")))
    finally:
        worker.stop()


def _save(path: Path, content: bytes) -> None:
    beside = ""
    try:
        # In the same folder, so that taking the old one's place is one step on every system.
        handle, beside = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(beside).replace(path)
    except OSError as error:
        if beside:
            with suppress(OSError):
                Path(beside).unlink()
        raise FileNotSaved(str(path), error.strerror or type(error).__name__) from error
