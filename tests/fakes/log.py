"""A log that is begun for one test."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from keybench.runtime.log import Log


@contextmanager
def begun(path: Path) -> Iterator[Log]:
    """Begin a log with its file, and put back what that changes."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((sys, "excepthook"), (sys, "unraisablehook"), (threading, "excepthook")):
            patch.setattr(module, name, getattr(module, name))
        patch.setattr(logging, "raiseExceptions", True)
        patch.setattr(logging.getLogger("keybench"), "level", logging.NOTSET)
        patch.setattr(logging.getLogger(), "handlers", [*logging.getLogger().handlers])
        log = Log()
        log.begin(path)
        yield log
        for sink in log.sinks:
            sink.close()
