"""The program's log: each line is freed of secrets before its file, standard error or the window has it."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, Final

#: The newest lines are kept in memory, and so many characters of each.
MOST_LINES: Final = 2_000
MOST_CHARACTERS: Final = 16_000
FORM: Final = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
#: Whoever else logs an error with an exception has dealt with it.
_TELL_FAULTS: Final = {"keybench", "qasync", "asyncio", "concurrent"}
_logger: Final = logging.getLogger("keybench")


class Redacting(logging.Formatter):
    """Takes out of lines and their tracebacks what is secret."""

    def format(self, record: logging.LogRecord) -> str:  # noqa: D102 - as it says
        from keybench.runtime.redaction import redacted  # noqa: PLC0415 - the window comes first

        # More is looked at than is kept: a value must not be cut in two before it is found.
        text = redacted(super().format(record)[: 2 * MOST_CHARACTERS])
        return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]} …"


class Log(logging.Handler):
    """Takes all that is logged and keeps the newest `lines`; its file and standard error get the worse ones.

    So a busy day doesn't drive last week's warnings out of the file, and what was sold isn't told there when
    the journal has forgotten it. Of what is unexpected `counts` has how often it happened at a place; it is
    told to `on_fault`, on whichever thread, the 1st, 2nd, 4th, 8th time, and so on.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(Redacting())
        self.lines: deque[logging.LogRecord] = deque(maxlen=MOST_LINES)
        self.counts: Counter[str] = Counter()
        self.on_fault: Callable[[str, logging.LogRecord], object] | None = None
        self.path: Path | None = None
        self.sinks: list[logging.Handler] = []

    def begin(self, path: Path) -> None:
        """Take what is logged from now on, and what nobody catches; a second time does nothing."""
        if self.path:
            return
        self.path = path
        logging.raiseExceptions = False
        file = RotatingFileHandler(path, "a", 500_000, 1, "utf-8", delay=True, errors="backslashreplace")
        self.sinks = [logging.StreamHandler(sys.stderr), file]
        for sink in self.sinks:
            sink.setFormatter(FORM)
        logging.getLogger().addHandler(self)
        _logger.setLevel(logging.INFO)
        sys.excepthook = lambda *raised: _on_exception(raised)
        sys.unraisablehook = threading.excepthook = _on_exception

    def emit(self, record: logging.LogRecord) -> None:
        """Take a line, unless it is one of a fault's many."""
        place = _place(record)
        self.counts[place] += 1
        if place and self.counts[place] & (self.counts[place] - 1):
            return
        try:
            text = self.format(record)
        except (ValueError, TypeError, KeyError):  # its arguments don't fit, and may be secret
            text = f"a line that can't be formatted: {record.pathname}:{record.lineno}"
        line = logging.LogRecord(record.name, record.levelno, "", 0, text, None, None)
        self.lines.append(line)
        for sink in self.sinks if line.levelno >= logging.WARNING else ():
            sink.handle(line)
        if place and self.on_fault:
            self.on_fault(place, line)


#: Python has one log a process, and this is ours.
program_log: Final = Log()


def log_failure(task: str, error: BaseException) -> None:
    """Log a failure of the program itself, such as of a task that nobody takes it of."""
    _logger.error("%s failed", task, exc_info=error)


def _place(record: logging.LogRecord) -> str:
    """Return where in the program something unexpected happened; the empty text of any other line."""
    error = record.exc_info[1] if record.exc_info else None
    if not error or record.levelno < logging.ERROR or record.name.partition(".")[0] not in _TELL_FAULTS:
        return ""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__} {frames[-1].filename}:{frames[-1].lineno}" if frames else record.msg


def _on_exception(raised: Any) -> None:
    """Log what a slot, a thread or a deletion raised: its class, itself, and where."""
    _logger.error("unexpected %s", raised[0].__name__, exc_info=raised[1] or raised[0]())
