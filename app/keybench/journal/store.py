"""An open journal, used from one thread: runs each call in one transaction."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, Engine

from keybench.core.errors import JournalGone
from keybench.core.ports import JournalPlace
from keybench.journal.engine import WRITES, file_errors, transact

T = TypeVar("T")


class Store:
    """An open journal; every call comes from the one thread that made it."""

    def __init__(self, engine: Engine, path: Path, installation: str, place: JournalPlace) -> None:
        self.installation = installation
        self.place = place
        self._engine = engine
        self._path = path
        self._file: os.stat_result | None = None  # known from the first write on

    def run(self, call: Callable[[Connection], T], *, writes: bool) -> T:
        """Make `call` in a transaction and return its result; whatever it raises undoes the transaction."""

        def found(connection: Connection) -> T:
            result = call(connection)
            self._expect_file()
            return result

        engine = self._engine.execution_options(**{WRITES: writes})
        return transact(engine, self._path, found if writes else call)

    def _expect_file(self) -> None:
        """Raise JournalGone unless the file is the one that was first written to."""
        with file_errors(self._path), suppress(FileNotFoundError, NotADirectoryError):
            file = self._path.stat()
            self._file = self._file or file
            if os.path.samestat(self._file, file):
                return
        raise JournalGone(str(self._path), is_open=True)

    def close(self) -> None:
        """Close the connection."""
        self._engine.dispose()
