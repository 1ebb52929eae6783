"""Keeps what a data folder's desk is in ``desk.json``, beside the journal."""

from __future__ import annotations

import json
import os
import platform
import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Final

from filelock import FileLock

from keybench.core.team.desk import Desk
from keybench.runtime.documents import UnreadableDocument

_NAME: Final = "desk.json"
#: How long another program's change is waited for, in seconds.
_WAIT_S: Final = 5.0


def read_desk(folder: Path) -> Desk | None:
    """Return the desk of a data folder; None if nothing is kept of it yet.

    Raises:
        UnreadableDocument: The file isn't what it should be; it is untouched.
        OSError: It can't be read.
    """
    try:
        stored = json.loads((folder / _NAME).read_text("utf-8"))
    except FileNotFoundError:
        return None
    except ValueError:
        raise UnreadableDocument(_NAME) from None
    if not isinstance(stored, dict) or not all(map(_is_desks, stored, stored.values())):
        raise UnreadableDocument(_NAME)
    try:
        return Desk(**stored | {"used": tuple(stored.get("used", ()))})
    except TypeError:
        raise UnreadableDocument(_NAME) from None


def settle_desk(folder: Path, installation: str = "", used: Sequence[str] = ()) -> Desk:
    """Return the desk of a data folder, made first if there is none.

    An older journal has its `installation`, and the keystores it has `used`. Raises as `read_desk`, and
    `filelock.Timeout`, an OSError, too.
    """
    found = read_desk(folder)
    if found is not None:
        return found
    with FileLock(folder / f"{_NAME}.lock", timeout=_WAIT_S, mode=0o600):
        found = read_desk(folder)  # another program may have been first
        if found is None:
            name = platform.node().partition(".")[0] or "?"
            found = Desk(installation or uuid.uuid4().hex, uuid.uuid4().hex, name, used=tuple(used))
            _write(folder, found)
    return found


def update_desk(folder: Path, move: Callable[[Desk], Desk]) -> Desk:
    """Apply `move` to a data folder's desk and return the result; it raises as `settle_desk`."""
    settle_desk(folder)
    with FileLock(folder / f"{_NAME}.lock", timeout=_WAIT_S, mode=0o600):
        before = read_desk(folder)
        if before is None:
            raise UnreadableDocument(_NAME)
        moved = move(before)
        if moved != before:
            _write(folder, moved)
    return moved


def _is_desks(name: str, value: Any) -> bool:
    if name == "used":
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    return name in {field.name for field in fields(Desk)} and isinstance(value, str)


def _write(folder: Path, desk: Desk) -> None:
    draft = folder / f"{_NAME}.new"
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(json.dumps(asdict(desk), indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())
    draft.replace(folder / _NAME)
