"""Reads a list of keys' descriptions as spreadsheets save it (CSV); a list with values in it is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

from keybench.core.csv_rows import MOST_ROWS, column_names, read_rows, refuse_card_columns, refuse_cards
from keybench.core.errors import InputInvalid, KeyListInvalid
from keybench.core.history import start_of
from keybench.core.security_key import KeyKind
from keybench.core.text import PURPOSE_LIMIT, clean_text

#: Names a column may have, without case, spaces and hyphens, and what it is of a key.
_COLUMNS: Final = {
    **dict.fromkeys(("name", "keyname"), "name"),
    **dict.fromkeys(("username", "user"), "username"),
    **dict.fromkeys(("permission", "permissiontype", "keypermission", "keypermissiontype"), "permission"),
    **dict.fromkeys(("kind", "keykind"), "kind"),
    "purpose": "purpose",
    "owner": "owner",
    "environment": "environment",
    **dict.fromkeys(("created", "createdat", "creationdate"), "created"),
}
#: Columns for values, whatever stands in them: such a list isn't one to go round.
_VALUE_COLUMNS: Final = {
    *("value", "keyvalue", "key", "apikey", "securitykey", "secret", "secretkey", "apisecret", "keysecret"),
    *("privatekey", "publickey", "token", "accesstoken", "password", "credential", "credentials"),
    *("authorization", "authorisation", "bearer"),
}
#: The forms that gateways of this family give their keys (see `security_key`), and any long mixed run.
_VALUE_FORMS: Final = (
    re.compile(r"(?:checkout_public|v4_(?:secret|public)|[sp]k_(?:live|test))_[A-Za-z0-9]{6,}"),
    re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z-]*[0-9])[A-Za-z0-9]{6}(?:-[A-Za-z0-9]{6}){3}(?![A-Za-z0-9])"),
    re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{20,}(?![A-Za-z0-9])"),
    re.compile(r"(?<![A-Za-z])[A-Za-z]{32}(?![A-Za-z])"),
)
#: What our own exports put before a text that a spreadsheet would run as a formula.
_GUARDED: Final = re.compile(r"'(?=[=+\-@\t\r\n＝＋－＠])")  # noqa: RUF001 - full-width signs count as well


@dataclass(frozen=True, slots=True)
class KeyLine:
    """A key's description as a list has it, each text checked.

    Attributes:
        line: The line of the file it begins on, counted from 1.
        name, username, permission, purpose, owner: As `SecurityKey` has them.
        kind: Public or private.
        environment: Its environment's name; empty where the list doesn't say.
        created_at: When it was created, UTC; None where the list doesn't say.
    """

    line: int
    name: str
    username: str
    permission: str
    kind: KeyKind
    purpose: str = ""
    owner: str = ""
    environment: str = ""
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class WrongLine:
    """A row that can't be taken over, and why.

    Attributes:
        line: The line of the file it begins on, counted from 1.
        error: What is wrong with it; never carries what stands there.
    """

    line: int
    error: InputInvalid


@dataclass(frozen=True, slots=True)
class KeyList:
    """What a file says: both parts in the file's order."""

    rows: tuple[KeyLine, ...]
    wrong: tuple[WrongLine, ...]


def read_key_list(data: bytes) -> KeyList:
    """Read a CSV file of keys' descriptions.

    Its first row names the columns, in any order and among others, which are ignored: ``name``,
    ``username``, ``permission``, ``kind``, ``purpose``, ``owner``, ``environment``, ``created``.

    Args:
        data: The file's bytes, see `read_rows`.

    Raises:
        KeyListInvalid: It is too large, isn't text or CSV, has no rows or no column of names, or there is a
            column for values or a cell, used or not, that looks like a key's value.
        CardDataRefused: There is card data in it.
    """
    rows = read_rows(data, KeyListInvalid)
    places = _header(rows[0][1])
    if len(rows) == 1:
        raise KeyListInvalid(KeyListInvalid.EMPTY)
    if len(rows) > MOST_ROWS + 1:
        raise KeyListInvalid(KeyListInvalid.TOO_MANY)
    for line, cells in rows:
        _refuse_values(line, cells)
    good: list[KeyLine] = []
    wrong: list[WrongLine] = []
    for line, cells in rows[1:]:
        try:
            good.append(_row(line, cells, places))
        except InputInvalid as error:
            wrong.append(WrongLine(line, error))
    return KeyList(tuple(good), tuple(wrong))


def looks_like_a_value(text: str) -> bool:
    """Tell whether there is something in `text` that has a key value's form."""
    return any(form.search(text) for form in _VALUE_FORMS)


def _header(cells: Sequence[str]) -> dict[str, int]:
    """Return where each known column stands."""
    names = column_names(cells)
    refuse_card_columns(names)
    if set(names) & _VALUE_COLUMNS:
        raise KeyListInvalid(KeyListInvalid.VALUE_COLUMN)
    columns = [_COLUMNS[name] for name in names if name in _COLUMNS]
    if "name" not in columns:
        raise KeyListInvalid(KeyListInvalid.NO_NAME_COLUMN)
    if len(set(columns)) != len(columns):
        raise KeyListInvalid(KeyListInvalid.COLUMN_TWICE)
    return {_COLUMNS[name]: place for place, name in enumerate(names) if name in _COLUMNS}


def _refuse_values(line: int, cells: Sequence[str]) -> None:
    refuse_cards(cells)
    if any(looks_like_a_value(cell) for cell in cells):
        raise KeyListInvalid(KeyListInvalid.VALUE_CELL, line=line)


def _row(line: int, cells: Sequence[str], places: Mapping[str, int]) -> KeyLine:
    def cell(column: str) -> str:
        place = places.get(column, len(cells))
        return _GUARDED.sub("", cells[place].strip(), count=1) if place < len(cells) else ""

    return KeyLine(
        line,
        clean_text("key name", cell("name")),
        clean_text("username", cell("username")),
        clean_text("permission", cell("permission")),
        _kind(cell("kind")),
        clean_text("purpose", cell("purpose"), limit=PURPOSE_LIMIT, required=False),
        clean_text("owner", cell("owner"), required=False),
        clean_text("environment", cell("environment"), required=False),
        _moment(cell("created")),
    )


def _kind(text: str) -> KeyKind:
    try:
        return KeyKind(text.casefold())
    except ValueError:
        raise KeyListInvalid(KeyListInvalid.KIND) from None


def _moment(text: str) -> datetime | None:
    """Return a day's local beginning, or a moment as our exports have it; None for nothing."""
    if not text:
        return None
    try:
        if len(text) == len("2026-03-31"):
            return start_of(date.fromisoformat(text))
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise KeyListInvalid(KeyListInvalid.CREATED) from None
