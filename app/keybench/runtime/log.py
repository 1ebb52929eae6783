"""The program's log: each line is freed of secrets before its file, standard error or the window has it."""

from __future__ import annotations

import logging
import re
import sys
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, Final

from keybench.core.secret import MASK, living

#: The newest lines are kept in memory, and so many characters of each.
MOST_LINES: Final = 2_000
MOST_CHARACTERS: Final = 16_000
FORM: Final = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
#: Whoever else logs an error with an exception has dealt with it.
_TELL_FAULTS: Final = {"keybench", "qasync", "asyncio", "concurrent"}
#: What stands behind the name of a secret, as in a header, in JSON, in a form or in Python.
_NAMED: Final = re.compile(
    r"((?<![A-Za-z])[\w-]{0,40}(?:key|token|secret|passw(?:or)?d|authorization|cookie|credentials?|session(?:[_-]?id)?)"
    r"(?:\\?[\"'])?\s{0,3}[:=]\s{0,3})(?:b?(\\?[\"'])(?:\\.|.)*?(?:\2|$)"
    r"|(?:(?:bearer|basic)\s+)?[^\s,;&)}\]\"']+(?:;\s?[\w-]+=[^\s,;\"']+)*)",
    re.IGNORECASE | re.MULTILINE,
)
#: Keys in the forms that services give them, other long texts with figures, and who a URL lets in.
_TOKEN: Final = re.compile(
    r"(?<![\w-])(?:v[0-9]_secret_\w{8,}|checkout_(?:public|secret)_\w{8,}|[A-Za-z0-9]{6}(?:-[A-Za-z0-9]{6}){3}"
    r"|(?![0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![\w-]))(?=(?:[A-Za-z_-]*[0-9]){3})[\w-]{24,}"
    r"|(?<=://)[^\s/@:]*:[^\s/@]+(?=@))(?![\w-])",
    re.ASCII,
)
_logger: Final = logging.getLogger("keybench")


def redacted(text: str) -> str:
    """Return a text without values of keys, headers and secret fields, card numbers, and people's data."""
    from keybench.core.personal_data import without_queries  # noqa: PLC0415 - the window comes first
    from keybench.core.support.masking import Names, ValueFinder, cleaned  # noqa: PLC0415 - same

    # More is looked at than is kept: a value must not be cut in two before it is found.
    finder = ValueFinder((MASK, value) for value in living() if value)
    text = cleaned(text[: 2 * MOST_CHARACTERS], finder, Names())[0]
    text = without_queries(_TOKEN.sub(MASK, _NAMED.sub(rf"\1\2{MASK}\2", text)))
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]} …"


class Redacting(logging.Formatter):
    """Takes out of lines and their tracebacks what is secret."""

    def format(self, record: logging.LogRecord) -> str:  # noqa: D102 - as it says
        return redacted(super().format(record))


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
