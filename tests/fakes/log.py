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

_HOOKS = ((sys, "excepthook"), (sys, "unraisablehook"), (threading, "excepthook"))
_OURS = logging.getLogger("keybench")


@contextmanager
def begun(log: Log, path: Path) -> Iterator[Log]:
    """Begin `log`, and put back what that changes."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name in _HOOKS:
            patch.setattr(module, name, getattr(module, name))
        patch.setattr(logging, "raiseExceptions", True)
        patch.setattr(_OURS, "level", _OURS.level)
        log.begin(path)
        yield log
        logging.getLogger().removeHandler(log)
        for sink in log.sinks:
            sink.close()
    _OURS.setLevel(_OURS.level)  # which loggers have looked up
