"""The practice gateway's child process: started without a shell, tied to us by its standard input."""

from __future__ import annotations

import collections
import contextlib
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Final

from keybench.core.reasons import Reason

#: The most of the child's last words that is shown, in characters.
_WORDS_LIMIT: Final = 300


class ChildFailed(Exception):
    """The child did not come up.

    Attributes:
        reason: Why.
        words: The last line it wrote on standard error, cut.
    """

    def __init__(self, reason: Reason, words: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.words = words


def practice_command(data_dir: Path) -> list[str]:
    """Return the arguments that serve the practice gateway, in a checkout or in a frozen bundle."""
    program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "keybench"]
    return [*program, "practice", "--data-dir", str(data_dir), "--json", "--until-stdin-closes"]


class Child:
    """A running child. All its methods block: call them on a worker thread.

    Its standard input is a pipe that only we hold open, so it notices when we are gone, however we went.

    Attributes:
        base_url: What it announced; empty until then.

    Args:
        command: Its arguments; no shell reads them.

    Raises:
        ChildFailed: It can't be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        try:
            # The caller's own program and arguments; nothing a person typed is among them.
            self._process = subprocess.Popen(  # noqa: S603 - see above
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            raise ChildFailed(Reason.PRACTICE_NOT_RUN, error.strerror or "") from None
        self._first: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._last_words: collections.deque[bytes] = collections.deque(maxlen=20)
        self._readers: list[threading.Thread] = []
        if self._process.stdout and self._process.stderr:
            self._readers.append(_reader(self._process.stdout, self._first.put, only_first=True))
            self._readers.append(_reader(self._process.stderr, self._last_words.append, only_first=False))
        self.base_url = ""

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def wait_for_base_url(self, limit_s: float) -> str:
        """Return the base URL it announces in its first line, waiting up to `limit_s` seconds.

        Raises:
            ChildFailed: It ended, stayed silent or said something else; it is stopped then.
        """
        try:
            line = self._first.get(timeout=limit_s)
        except queue.Empty:
            self.stop(0.0)
            raise ChildFailed(Reason.PRACTICE_SILENT, self._words()) from None
        base_url = _base_url_in(line)
        if not base_url:
            self.stop(0.0 if line else limit_s)
            raise ChildFailed(Reason.PRACTICE_STRANGE if line else Reason.PRACTICE_ENDED, self._words())
        self.base_url = base_url
        return base_url

    def wait(self) -> None:
        """Wait until it has ended."""
        self._process.wait()

    def stop(self, patience_s: float) -> None:
        """Close its standard input, give it `patience_s` seconds to end, then end it; safe to call twice."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        if not self._ends_within(patience_s):
            self._process.terminate()
            if not self._ends_within(1.0):
                self._process.kill()
                self._process.wait()
        for reader in self._readers:
            reader.join(1.0)

    def _ends_within(self, limit_s: float) -> bool:
        try:
            self._process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _words(self) -> str:
        lines = [line.decode("utf-8", "replace").strip() for line in self._last_words]
        return next((line for line in reversed(lines) if line), "")[:_WORDS_LIMIT]


def _reader(stream: IO[bytes], take: Callable[[bytes], None], *, only_first: bool) -> threading.Thread:
    """Read a pipe to its end on a thread of its own, so that the child never blocks on a full one."""

    def read() -> None:
        with stream:
            if only_first:
                take(stream.readline())
            for line in stream:
                if not only_first:
                    take(line)

    thread = threading.Thread(target=read, name="practice-pipe", daemon=True)
    thread.start()
    return thread


def _base_url_in(line: bytes) -> str:
    try:
        base_url = json.loads(line)["base_url"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return base_url if isinstance(base_url, str) else ""
