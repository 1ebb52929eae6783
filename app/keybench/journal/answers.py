"""Keeps what gateways answered in a file beside the journal while the journal can't be written.

A line is one answer in JSON, on the disk when `add` returns. It needs no database: a lock that another
program holds, or a database that can't be written, doesn't keep an answer from being there after a crash.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from filelock import FileLock

from keybench.core.ports import KeptAnswer
from keybench.journal.sqlite.engine import file_errors
from keybench.runtime.documents import UnreadableDocument, read_document, write_document

#: How long another program's line is waited for, in seconds.
_WAIT_S: Final = 2.0


class AnswersFile:
    """The file; every call blocks, comes from one thread, and may raise a JournalError."""

    def __init__(self, journal: Path) -> None:
        self._path = journal.with_name(f"{journal.name}.answers")
        self._lock = FileLock(f"{self._path}.lock", timeout=_WAIT_S, mode=0o600)

    def add(self, answer: KeptAnswer) -> None:
        """Append an answer."""
        # What broke off before it ends with it.
        self._write(f"\n{write_document(answer)}\n", self._path, os.O_APPEND)

    def read(self) -> Sequence[KeptAnswer]:
        """Return the latest answer about each sale; lines of another version are left to it."""
        latest: dict[str, KeptAnswer] = {}
        for line in self._lines():
            with suppress(UnreadableDocument):
                answer = read_document(KeptAnswer, line)
                latest[answer.reference] = answer
        return list(latest.values())

    def drop(self, reference: str) -> None:
        """Remove the answers about a sale, and what isn't a line."""
        if not self._path.exists():
            return
        with file_errors(self._path), self._lock:
            if left := [line for line in self._lines() if f'"reference":"{reference}"' not in line]:
                draft = self._path.with_name(f"{self._path.name}.new")
                self._write("\n".join((*left, "")), draft, os.O_TRUNC)
                draft.replace(self._path)
            else:
                self._path.unlink(missing_ok=True)

    def _lines(self) -> Sequence[str]:
        with file_errors(self._path):
            try:
                text = self._path.read_text(encoding="ascii", errors="replace")
            except FileNotFoundError:
                return ()
        return [line for line in text.splitlines() if line.startswith("{") and line.endswith("}")]

    def _write(self, text: str, path: Path, how: int) -> None:
        with file_errors(path), self._lock:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | how, 0o600)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(text)
                file.flush()
                os.fsync(descriptor)
