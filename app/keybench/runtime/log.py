"""The program's log: each line is freed of secrets before its file, standard error or the window has it."""

from __future__ import annotations

import logging
import re
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Final

from keybench.core.secret import MASK, living

#: So many lines are kept in memory, the newest, of so many characters each at the most.
MOST_LINES: Final = 2_000
MOST_CHARACTERS: Final = 16_000
_FILE_BYTES: Final = 500_000
_FORM: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"
#: Whoever else logs an error with an exception has dealt with it.
_TELL_FAULTS: Final = {"keybench", "asyncio", "concurrent"}
#: What stands behind the name of a secret, as in a header, in JSON, in a form or in Python.
_NAMED: Final = re.compile(
    r"((?<![A-Za-z])[\w-]{0,40}(?:key|token|secret|passw(?:or)?d|authorization|cookie|credentials?|session(?:[_-]?id)?)"
    r"(?:\\?[\"'])?\s{0,3}[:=]\s{0,3})"
    r"(?:b?(\\?[\"'])(?:\\.|.)*?(?:\2|$)|(?:(?:bearer|basic)\s+)?[^\s,;&)}\]\"']+(?:;\s?[\w-]+=[^\s,;\"']+)*)",
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
    from keybench.core.support.masking import Names, ValueFinder, masked  # noqa: PLC0415 - same

    # More is looked at than is kept: a value must not be cut in two before it is found.
    finder = ValueFinder((MASK, value) for value in living() if value)
    text = masked(text[: 2 * MOST_CHARACTERS], finder, Names())[0]
    text = _TOKEN.sub(MASK, _NAMED.sub(rf"\1\2{MASK}\2", text))
    text = without_queries(text)
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]} …"


@dataclass(frozen=True, slots=True)
class Line:
    """One line; `text` goes on below it where it tells of an exception."""

    number: int
    at: datetime
    level: int
    where: str
    text: str

    @property
    def head(self) -> str:
        """The text as far as one line holds it."""
        return self.text.partition("\n")[0]

    @property
    def whole(self) -> str:
        """All of it, as the file has it."""
        at = self.at.isoformat(" ", "seconds")
        return f"{at} {logging.getLevelName(self.level)} {self.where}: {self.text}"


@dataclass(slots=True)
class Fault:
    """Something unexpected that happened at one place in the program, `count` times; `line` tells of it."""

    place: str
    count: int = 0
    line: Line | None = None


class _Redacting(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return redacted(super().format(record))


class _File(RotatingFileHandler):
    trouble = ""

    def handleError(self, _record: logging.LogRecord) -> None:
        """Remember why it can't be written, which is no reason for a traceback at each line."""
        error = sys.exc_info()[1]
        self.trouble = getattr(error, "strerror", "") or type(error).__name__


class Log(logging.Handler):
    """Takes all that is logged and keeps the newest; its file and standard error get warnings and errors.

    They get those alone. So a busy day doesn't drive those of last week out of the file, and what was sold
    isn't told there when the journal has forgotten it.

    Attributes:
        faults: By place. One that happens again is logged at its 2nd, 4th, 8th time, and so on.
        on_fault: Called with a fault that was logged, on whichever thread.
    """

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.setFormatter(_Redacting())
        self.lines: deque[Line] = deque(maxlen=MOST_LINES)
        self.faults: dict[str, Fault] = {}
        self.on_fault: Callable[[Fault], object] | None = None
        self.path: Path | None = None
        self._file: _File | None = None
        self._sinks: list[logging.Handler] = []
        self._count = 0

    def begin(self, path: Path) -> None:
        """Take what is logged from now on, and what nobody catches."""
        logging.raiseExceptions = False
        with suppress(OSError):  # the journal can't be written there either, and says so in the window
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.close()
        self.path = path
        self._file = _File(path, "a", _FILE_BYTES, 1, "utf-8", delay=True, errors="backslashreplace")
        self._sinks = [logging.StreamHandler(sys.stderr), self._file]
        for sink in self._sinks:
            sink.setLevel(logging.WARNING)
            sink.setFormatter(logging.Formatter(_FORM))
        logging.getLogger().addHandler(self)
        _logger.setLevel(logging.INFO)
        sys.excepthook = _on_exception
        sys.unraisablehook = lambda args: _on_exception(args.exc_type, args.exc_value, args.exc_traceback)
        threading.excepthook = lambda args: _on_exception(args.exc_type, args.exc_value, args.exc_traceback)

    @property
    def trouble(self) -> str:
        """Why the file can't be written; empty as long as it can."""
        return self._file.trouble if self._file else ""

    def close(self) -> None:
        """Close the file, which the next line opens again."""
        for sink in self._sinks:
            sink.close()
        super().close()

    def emit(self, record: logging.LogRecord) -> None:
        """Take a line; a fault that happens again and again isn't told each time."""
        try:
            fault = self._fault_of(record)
            if fault and fault.count & (fault.count - 1):
                return
            self._count += 1
            at = datetime.fromtimestamp(record.created, UTC).astimezone()
            line = Line(self._count, at, record.levelno, record.name, self.format(record))
            self.lines.append(line)
            clean = logging.LogRecord(record.name, record.levelno, "", 0, line.text, None, None)
            for sink in self._sinks:
                if record.levelno >= sink.level:
                    sink.handle(clean)
            if fault:
                fault.line = line
                if self.on_fault:
                    self.on_fault(fault)
        except (ValueError, TypeError, KeyError, RuntimeError, AttributeError):
            self.handleError(record)

    def _fault_of(self, record: logging.LogRecord) -> Fault | None:
        error = record.exc_info[1] if record.exc_info else None
        root = record.name.partition(".")[0]
        if error is None or record.levelno < logging.ERROR or root not in _TELL_FAULTS:
            return None
        frames = traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__), lookup_lines=False)
        where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else record.msg
        place = f"{type(error).__name__} {where}"
        fault = self.faults.setdefault(place, Fault(place))
        fault.count += 1
        return fault


#: Python has one log a process, and this is ours.
program_log: Final = Log()


def log_failure(task: str, error: BaseException) -> None:
    """Log a failure of the program itself, such as of a task that nobody takes it of."""
    _logger.error("%s failed", task, exc_info=error)


def log_to_stderr(form: str) -> None:
    """Have warnings and worse on standard error in a form of `logging`, for commands."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Redacting(form))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


def _on_exception(
    kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
) -> None:
    """Log what a slot, a thread or a deletion raised."""
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error or kind(), trace)
    else:
        _logger.error("unexpected", exc_info=(kind, error or kind(), trace))
