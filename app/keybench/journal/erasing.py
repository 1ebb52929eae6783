"""Erasing a text from all that is kept, in transactions that hold up nobody for long.

Every column of text in every table is looked through, so one that is added later is, too. What a column says
of itself is in its `info`, see `journal.columns`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    String,
    Table,
    and_,
    delete,
    insert,
    select,
    tuple_,
    type_coerce,
    update,
)

from keybench.core.erasing import Eraser
from keybench.core.input_errors import TextNotErasable
from keybench.core.ports import Activity
from keybench.core.rotation import Rotation
from keybench.core.sale import Outcome
from keybench.core.secret import Secret
from keybench.journal.activities import row_of
from keybench.journal.columns import FOLDED, NEEDED, FreeText, HeaderList, metadata
from keybench.journal.rows import Values, fold
from keybench.journal.tables import (
    ERASING,
    UNSWEPT,
    activities,
    environments,
    key_plans,
    meta,
    rotations,
    sale_groups,
    sales,
    settings,
)
from keybench.runtime.documents import read_document, write_document

#: So many rows are looked through at a time, some tens of milliseconds' worth.
AT_A_TIME: Final = 2000
#: For how long a transaction goes on to the next row, in seconds: the largest row takes some 70 ms more.
HOLD_S: Final = 0.05
#: Between texts that are looked through at once; it stands in no spelling of anything.
_APART: Final = "\x1f"
#: What an open rotation is still done with.
_OF_OPEN_ROTATION: Final = frozenset({"old", "making", "replacement", "leftovers"})

Row = RowMapping | Mapping[str, Any]
#: The number of a table, and the key of the last row in it that was looked at; empty for none.
Position = tuple[int, tuple[Any, ...]]

_BEGIN: Final[Position] = (0, ())


def text_columns(table: Table) -> Sequence[str]:
    """Return the names of a table's columns that hold text or headers, in whichever form."""
    return [
        column.name for column in table.columns if isinstance(column.type, (String, FreeText, HeaderList))
    ]


class JournalErasing:
    """What the journal does to find a text, and to erase it where it was found; see `core.ports.Journal`.

    Args:
        text: Which.

    Attributes:
        places: In how many places it was found so far.
        number: The number of the activity's line that says that it is erased; 0 before there is one.

    Raises:
        TextNotErasable: It is too short, or one of the program's words.
    """

    def __init__(self, text: Secret) -> None:
        self._text = text
        self._eraser = Eraser(text)
        self._rows: deque[tuple[Table, ColumnElement[bool]]] = deque()
        self._behind = _BEGIN
        self.places = self.number = 0

    def look(self, connection: Connection) -> bool:
        """Look through so many rows at most that another call needn't wait long; False at the end of all.

        Raises:
            TextNotErasable: It stands where it can't be erased.
        """
        self._connection = connection
        found, come_to = self._found(self._behind)
        self._rows += found
        self.places = self._eraser.occurrences
        self._behind = come_to or _BEGIN
        return come_to is not None

    def erase(self, connection: Connection, line: Callable[[int], Activity]) -> bool:
        """Erase it in some of the rows, first appending the line that says so; False when all are done.

        Args:
            connection: In a transaction that writes.
            line: Makes that line, given in how many places it stood.

        Raises:
            TextNotErasable: It stands where it can't be erased since it was found.
        """
        end = time.monotonic() + HOLD_S
        self._connection = connection
        if not self.number:
            self.number = self._append(line(self.places))
            self._eraser = Eraser(self._text, self.number)
            connection.execute(delete(meta).where(meta.c.name == UNSWEPT))
            facts = {UNSWEPT: "yes", ERASING: str(self.number)}
            connection.execute(insert(meta), [{"name": n, "value": v} for n, v in facts.items()])
        while self._rows:
            table, is_it = self._rows.popleft()
            row = connection.execute(select(table).where(is_it)).mappings().first()
            if row and (changed := self._changed(table, row)):
                connection.execute(update(table).where(is_it).values(changed))
            if time.monotonic() >= end:
                break
        if not self._rows:
            connection.execute(delete(meta).where(meta.c.name == ERASING))
        return bool(self._rows)

    def _append(self, line: Activity) -> int:
        row = row_of(line)
        for name in ("subject", "result", "who"):
            row[name] = self._eraser.masked(row[name])
        row["folded"] = _folded(activities.c.folded.info[FOLDED], row)
        added = insert(activities).values(row).returning(activities.c.number)
        number: int = self._connection.execute(added).scalar_one()
        return number

    def _found(self, behind: Position) -> tuple[list[tuple[Table, ColumnElement[bool]]], Position | None]:
        """Return the table and the condition of each row in which it stands; counts the places.

        Args:
            behind: The number of a table, and the key of the last row in it that was looked at.

        Returns:
            Those among the next rows, and where they end; None at the end of all tables.
        """
        number, last = behind
        table = metadata.sorted_tables[number]
        keys = list(table.primary_key.columns)
        # As the database has it: reading each column's own kind would take most of the time.
        plain = (type_coerce(table.c[name], String) for name in text_columns(table))
        chosen = select(*keys, *plain).order_by(*keys).limit(AT_A_TIME)
        if last:
            chosen = chosen.where(tuple_(*keys) > tuple_(*last))
        rows = self._connection.execute(chosen).all()
        found = []
        for row in rows:
            if self._eraser.may_be_in(_APART.join(filter(None, row[len(keys) :]))):
                is_it = and_(*(column == part for column, part in zip(keys, row, strict=False)))
                if self._is_changed(table, is_it):
                    found.append((table, is_it))
        if len(rows) == AT_A_TIME:
            return found, (number, tuple(rows[-1][: len(keys)]))
        return found, (number + 1, ()) if number + 1 < len(metadata.sorted_tables) else None

    def _is_changed(self, table: Table, is_it: ColumnElement[bool]) -> bool:
        before = self._eraser.occurrences
        row = self._connection.execute(select(table).where(is_it)).mappings().one()
        is_changed = bool(self._changed(table, row))
        if table is sale_groups:  # which only say again what their sales say
            self._eraser.occurrences = before
        return is_changed

    def _changed(self, table: Table, row: Row) -> Values:
        """Return the columns of a row that are others once it is erased.

        Raises:
            TextNotErasable: It stands where it can't be erased.
        """
        erased: Values = {name: row[name] for name in text_columns(table)}
        derived = {name: of for name in erased if (of := table.c[name].info.get(FOLDED))}
        for name in erased.keys() - derived.keys():
            if row[name] is not None:
                erased[name] = self._erased(table, name, row)
        changed = {name: value for name, value in erased.items() if value != row[name]}
        for name, of in derived.items():
            # What people look for follows from the other columns, so it counts for no place of its own.
            follows = _folded(of, {**dict(row), **changed}) if changed.keys() & set(of) else row[name]
            places = self._eraser.occurrences
            erased[name] = self._eraser.erased(follows)
            self._eraser.occurrences = places if changed else self._eraser.occurrences
        return {name: value for name, value in erased.items() if value != row[name]}

    def _erased(self, table: Table, name: str, row: Row) -> Any:
        """Return what a column holds once it is erased there."""
        column, value, eraser = table.c[name], row[name], self._eraser
        if table is key_plans:
            return eraser.needed(value, TextNotErasable(TextNotErasable.KEY_PLAN))
        if column is rotations.c.document:
            return self._erased_rotation(value)
        if column is settings.c.value:
            return eraser.in_json(value, TextNotErasable(TextNotErasable.SETTING))
        if _is_needed(column) or (column is sales.c.device and not _is_settled(row)):
            return value if value is None else eraser.needed(value, self._needed_by(table, row))
        if isinstance(column.type, HeaderList):
            return tuple((eraser.erased(one), eraser.erased(other)) for one, other in value)
        return eraser.erased(value)

    def _erased_rotation(self, document: str) -> str:
        rotation = read_document(Rotation, document)
        fixed = _OF_OPEN_ROTATION if rotation.is_open else frozenset[str]()
        reason = TextNotErasable.ROTATION if rotation.is_open else TextNotErasable.IDENTIFIER
        where = self._eraser.masked(rotation.id) if rotation.is_open else rotations.name
        changed = self._eraser.in_record(rotation, TextNotErasable(reason, where), fixed)
        return document if changed == rotation else write_document(changed)

    def _needed_by(self, table: Table, row: Row) -> TextNotErasable:
        if table is environments:
            return TextNotErasable(TextNotErasable.ENVIRONMENT, self._eraser.masked(row["name"]))
        if table is sales and not _is_settled(row):
            return TextNotErasable(TextNotErasable.SALE, self._eraser.masked(row["reference"]))
        thing = sales if table is sale_groups else table
        return TextNotErasable(TextNotErasable.IDENTIFIER, thing.name)


def _is_needed(column: Any) -> bool:
    is_key = column.primary_key or bool(column.foreign_keys)
    return bool(column.info.get(NEEDED, is_key))


def _is_settled(sale: Row) -> bool:
    return sale["outcome"] not in {None, Outcome.UNKNOWN}


def _folded(of: Sequence[str], row: Row) -> str:
    return fold("\n".join(row[name] for name in of))
