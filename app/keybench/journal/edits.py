"""Applies people's edits to what is stored; what contradicts another's is kept beside it, and settled.

Every function runs inside the caller's transaction; `core.ports.Journal` documents each.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, delete, insert, select

from keybench.core.input_errors import NameTaken, NotFound
from keybench.core.keys.application import Application
from keybench.core.ports import Activity, Device
from keybench.core.team.edits import Contradiction, Edit, Edited, Texts, merge
from keybench.journal import tables
from keybench.journal.activities import record_activity
from keybench.journal.environments import remember_devices
from keybench.journal.keys import APPLICATIONS, KEYS
from keybench.journal.rotations import CONTRADICTS, rename_in_rotations
from keybench.journal.rows import Values, build
from keybench.journal.store import take_turns

_TABLES: Final = {
    Edited.KEY: tables.security_keys,
    Edited.APPLICATION: tables.applications,
    Edited.DEVICE: tables.devices,
}
_contradictions: Final = tables.contradictions
_keys: Final = tables.security_keys
_lines: Final = tables.activities


def edit(connection: Connection, edit: Edit) -> None:
    """Apply an edit and write its line, which names what contradicts; see `applied`."""
    _note_line(connection, edit, applied(connection, edit))


def edit_late(connection: Connection, edit: Edit) -> None:
    """Apply an edit that was queued, once, however often it is tried: its line tells. It raises nothing."""
    take_turns(connection, f"late\n{edit.line.at}")
    same = (_lines.c[one] == getattr(edit.line, one) for one in ("at", "environment_id", "action", "subject"))
    if connection.execute(select(_lines.c.number).where(*same)).first():
        return
    try:
        _note_line(connection, edit, applied(connection, edit, late=True))
    except NotFound:
        record_activity(connection, replace(edit.line, result="not done: it is gone"))


def _note_line(connection: Connection, edit: Edit, others: Sequence[str]) -> None:
    told = f"contradicts another: {' and '.join(others)}" if others else ""
    result = "; ".join(filter(None, (edit.line.result, told)))
    record_activity(connection, replace(edit.line, result=result))


def applied(connection: Connection, edit: Edit, *, late: bool = False, alone: bool = False) -> Sequence[str]:
    """Apply an edit to what is stored and return the fields that contradict, `"removal"` for the record.

    NotFound, or NameTaken by another. One that comes `late` takes "name (who)" then, since nobody is there to
    choose another. With `alone` there is nobody else's edit to look for.
    """
    if edit.what is None:
        return ()
    table = _TABLES[edit.what]
    is_it = table.c.id == edit.record_id, table.c.environment_id == edit.environment_id
    row = connection.execute(select(table).where(*is_it).with_for_update()).mappings().first()
    if row is None:
        return _absent(connection, edit, late=late)
    if not edit.seen:  # it was added before
        return ()
    stored = {name: row[name] for name in edit.wanted or edit.seen}
    seen = stored if alone else edit.seen
    if not edit.wanted:
        if stored != seen:
            return _note(connection, edit, {"": (json.dumps(stored), "")})
        APPLICATIONS.remove(connection, edit.record_id)
        return ()
    changes, others = merge(stored, seen, edit.wanted)
    if changes:
        _named(changes, edit, lambda named: _change(connection, edit, dict(row), named), late=late)
    return _note(connection, edit, {name: (stored[name], edit.wanted[name]) for name in others})


def contradictions(connection: Connection) -> Sequence[Contradiction]:
    """Return what waits for a choice, the oldest first; what was removed meanwhile needs none."""
    found: list[Contradiction] = []
    keys: dict[str, str] = {}
    chosen = select(_contradictions).where(CONTRADICTS).order_by(_contradictions.c.number)
    for row in connection.execute(chosen).mappings():
        what, texts = Edited(row["what"]), {"kept": row["kept"], "other": row["other"]}
        table = _TABLES[what]
        name = table.c.nickname if what is Edited.DEVICE else table.c.name
        is_it = table.c.id == row["record_id"], table.c.environment_id == row["environment_id"]
        stored = connection.execute(select(name).where(*is_it)).scalar()
        if row["field"] == "key_id":
            keys = keys or dict(connection.execute(select(_keys.c.id, _keys.c.name)).all())
            texts = {name: keys.get(text, text) for name, text in texts.items()}
        elif not row["field"]:
            texts = {name: json.loads(text)["name"] if text else "" for name, text in texts.items()}
        record = stored or texts["other"] or row["record_id"]
        found.append(build(Contradiction, row, what=what, record=record, **texts))
    return found


def settle(connection: Connection, number: int, *, take_other: bool) -> None:
    """Settle a contradiction, if it isn't yet; what somebody changed since then contradicts anew."""
    is_it = _contradictions.c.number == number
    row = connection.execute(select(_contradictions).where(is_it).with_for_update()).mappings().first()
    if row is None:
        return
    connection.execute(delete(_contradictions).where(is_it))
    if take_other:
        kept, other = row["kept"], row["other"]
        if row["field"]:
            seen, wanted = {row["field"]: kept}, {row["field"]: other}
        else:
            seen, wanted = json.loads(kept or "{}"), json.loads(other or "{}")
        line = Activity(row["at"], "", row["environment_id"], "", "", row["other_by"])
        taken = Edit(Edited(row["what"]), row["environment_id"], row["record_id"], seen, wanted, line)
        applied(connection, taken, late=True)


def _absent(connection: Connection, edit: Edit, *, late: bool) -> Sequence[str]:
    """Add a record, or see what becomes of an edit of one that somebody removed."""
    if not edit.wanted:
        return ()
    if edit.what is Edited.DEVICE:
        _change(connection, edit, {"connection": ""}, edit.wanted)
        return ()
    if not edit.seen:
        _named(edit.wanted, edit, lambda named: _add(connection, edit, named), late=late)
        return ()
    if not late or edit.what is Edited.KEY:
        raise NotFound(str(edit.what), edit.record_id)
    return _note(connection, edit, {"": ("", json.dumps({**edit.seen, **edit.wanted}))})


def _add(connection: Connection, edit: Edit, wanted: Texts) -> None:
    typed: dict[str, Any] = {
        name: datetime.fromisoformat(text) if name.endswith("_at") else text for name, text in wanted.items()
    }
    APPLICATIONS.add(connection, Application(edit.record_id, edit.environment_id, **typed))


def _change(connection: Connection, edit: Edit, row: Values, changes: Texts) -> None:
    changed: dict[str, Any] = dict(changes)
    if edit.what is Edited.KEY:
        KEYS.update(connection, edit.record_id, lambda stored: replace(stored, **changed))
        if "name" in changed:
            rename_in_rotations(connection, edit.environment_id, edit.record_id, changed["name"], edit.line)
    elif edit.what is Edited.APPLICATION:
        key_id = changed.pop("key_id", row["key_id"])
        APPLICATIONS.update(
            connection, edit.record_id, lambda stored: replace(stored, **changed).using(key_id)
        )
    else:
        device = Device(edit.record_id, connection=row["connection"], **changed)
        remember_devices(connection, edit.environment_id, [device])


def _named(wanted: Texts, edit: Edit, change: Callable[[Texts], None], *, late: bool) -> None:
    """Make a change; late, a name that is taken gets who wanted it."""
    named = wanted
    for number in itertools.count(1):
        try:
            change(named)
        except NameTaken:
            if not late:
                raise
            who = edit.line.who if number == 1 else f"{edit.line.who} {number}"
            name = wanted.get("name") or edit.seen["name"]
            named = {**wanted, "name": f"{name} ({who})"}
        else:
            break


def _note(connection: Connection, edit: Edit, texts: Mapping[str, tuple[str, str]]) -> Sequence[str]:
    of = {
        "what": str(edit.what),
        "record_id": edit.record_id,
        "environment_id": edit.environment_id,
        "at": edit.line.at,
        "other_by": edit.line.who,
    }
    for field, (kept, other) in texts.items():
        connection.execute(
            insert(_contradictions).values(of | {"field": field, "kept": kept, "other": other})
        )
    return [field or "removal" for field in texts]
