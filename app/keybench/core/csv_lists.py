"""Reads lists as spreadsheets save them (CSV): devices to sell on, and keys' descriptions without values."""

from __future__ import annotations

import codecs
import csv
import enum
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Generic, TypeVar

from keybench.core.card_data import CARD_NAMES, holds_card_data, refuse_card_data
from keybench.core.input_errors import (
    CardDataRefused,
    DeviceListInvalid,
    InputInvalid,
    KeyListInvalid,
    ListInvalid,
)
from keybench.core.keys.key import KeyKind
from keybench.core.money import Money, parse_money
from keybench.core.text import PURPOSE_LIMIT, clean_text

_DATE_LETTERS: Final = re.compile(r"[\d./: -]{1,20}")
_TIMES: Final = ("", " %H:%M", " %H:%M:%S")


class DateForm(enum.StrEnum):
    """How a column of dates is written; those that begin with the year are read in either."""

    DAY_FIRST = "day-first"
    MONTH_FIRST = "month-first"


_DATES: Final = {DateForm.DAY_FIRST: "%d-%m-%Y", DateForm.MONTH_FIRST: "%m-%d-%Y"}


def form_of(texts: Sequence[str]) -> DateForm:
    """Return the form that reads more of a column's dates; KeyListInvalid if they can be read in two ways."""
    by_day = [_read(text, DateForm.DAY_FIRST) for text in texts]
    by_month = [_read(text, DateForm.MONTH_FIRST) for text in texts]
    if by_day.count(None) < by_month.count(None):
        return DateForm.DAY_FIRST
    if by_month.count(None) < by_day.count(None):
        return DateForm.MONTH_FIRST
    for text, one, other in zip(texts, by_day, by_month, strict=True):
        if one and other and one != other:
            raise KeyListInvalid(KeyListInvalid.DATES, text=text)
    return DateForm.DAY_FIRST


def moment(text: str, form: DateForm) -> datetime | None:
    """Return a date's local beginning, or our exports' moment, in UTC, or None; else KeyListInvalid."""
    at = _read(text, form)
    if text and at is None:
        told = text if _DATE_LETTERS.fullmatch(text) else ""
        raise KeyListInvalid(KeyListInvalid.CREATED, text=told)
    return at


def _read(text: str, form: DateForm) -> datetime | None:
    plain = re.sub("[./]", "-", text).replace("T", " ")
    for written in (f"{date}{time}" for date in ("%Y-%m-%d", _DATES[form]) for time in _TIMES):
        with suppress(ValueError, OverflowError, OSError):
            return datetime.strptime(plain, written).astimezone(UTC)
    with suppress(ValueError, OverflowError, OSError):
        return datetime.fromisoformat(text).astimezone(UTC)
    return None


MOST_BYTES: Final = 5_000_000
MOST_ROWS: Final = 10_000
#: What spreadsheets' own files begin with: they are archives, or compound files of old.
_WORKBOOKS: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
#: A first line that some spreadsheets write to tell the separator.
_SEPARATOR_LINE: Final = re.compile(r"sep=([,;\t])\n?", re.IGNORECASE)
_CARD_GROUP: Final = re.compile(r"\s*\d{4,7}\s*")

#: Names a column may have, without case, spaces and hyphens, and what it is of a device or a key.
_DEVICE_COLUMNS: Final = {
    **dict.fromkeys(("device", "deviceid", "identifier"), "device"),
    "amount": "amount",
    "currency": "currency",
}
_KEY_COLUMNS: Final = {
    **dict.fromkeys(("name", "keyname"), "name"),
    **dict.fromkeys(("username", "user"), "username"),
    **dict.fromkeys(("permission", "permissiontype", "keypermission", "keypermissiontype"), "permission"),
    **dict.fromkeys(("kind", "keykind"), "kind"),
    "purpose": "purpose",
    "owner": "owner",
    "environment": "environment",
    **dict.fromkeys(("created", "createdat", "creationdate"), "created"),
}
_KEY_NEEDS: Final = ("name", "username", "permission", "kind")
#: Columns for values, whatever stands in them: such a list isn't one to go round.
_VALUE_COLUMNS: Final = {
    *("value", "keyvalue", "key", "apikey", "securitykey", "secret", "secretkey", "apisecret", "keysecret"),
    *("privatekey", "publickey", "token", "accesstoken", "password", "credential", "credentials"),
    *("authorization", "authorisation", "bearer"),
}
#: The forms that gateways of this family give their keys (see `keys.key`), and any long mixed run.
_VALUE_FORMS: Final = (
    re.compile(r"(?:checkout_public|v4_(?:secret|public)|[sp]k_(?:live|test))_[A-Za-z0-9]{6,}"),
    re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z-]*[0-9])[A-Za-z0-9]{6}(?:-[A-Za-z0-9]{6}){3}(?![A-Za-z0-9])"),
    re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{20,}(?![A-Za-z0-9])"),
    re.compile(r"(?<![A-Za-z])[A-Za-z]{32}(?![A-Za-z])"),
)
#: What our own exports put before a text that a spreadsheet would run as a formula.
_GUARDED: Final = re.compile(r"'(?=[=+\-@\t\r\n＝＋－＠])")  # noqa: RUF001 - full-width signs count as well


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """One sale to make; `line` is its line in the file, from 1, or its position in a selection."""

    line: int
    device: str
    money: Money


@dataclass(frozen=True, slots=True)
class ListedKey:
    """A key's description as a list has it, each text checked; empty or None where the list doesn't say."""

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
class WrongRow:
    """A row that can't be used, by its first line in the file, from 1; the error has nothing of its text."""

    line: int
    error: InputInvalid


Row = TypeVar("Row", DeviceRow, ListedKey)


@dataclass(frozen=True)  # with slots, Python 3.11 can't make one through the names below
class RowList(Generic[Row]):
    """What a file says: both parts in the file's order."""

    rows: tuple[Row, ...]
    wrong: tuple[WrongRow, ...]


DeviceList = RowList[DeviceRow]
KeyList = RowList[ListedKey]


def read_device_list(data: bytes, *, amount: str = "", currency: str = "USD") -> DeviceList:
    """Read a CSV file of devices; DeviceListInvalid or CardDataRefused if it can't be used.

    Its first row may name the columns ``device``, ``amount`` and ``currency``, in any order and among
    others, which are ignored; without names the first three columns are these. `amount`, as a person types
    it, and `currency` are for rows without one.
    """
    rows = _read_rows(data, DeviceListInvalid)
    names = _column_names(rows[0][1])
    columns = {"device": 0, "amount": 1, "currency": 2}
    if not set(names).isdisjoint(_DEVICE_COLUMNS.keys() | CARD_NAMES):
        _refuse_card_columns(names)
        columns = _columns(names, _DEVICE_COLUMNS, DeviceListInvalid)
        if "device" not in columns:
            raise DeviceListInvalid(DeviceListInvalid.NO_DEVICE_COLUMN)
        _refuse_cards(rows[0][1])
        rows = rows[1:]
    if not rows:
        raise DeviceListInvalid(DeviceListInvalid.EMPTY)
    if len(rows) > MOST_ROWS:
        raise DeviceListInvalid(DeviceListInvalid.TOO_MANY)

    def read(line: int, cells: Sequence[str]) -> DeviceRow:
        _refuse_cards(cells)
        device = clean_text("device", _cell(cells, columns["device"]))
        figure = _cell(cells, columns.get("amount")) or amount
        return DeviceRow(line, device, parse_money(figure, _cell(cells, columns.get("currency")) or currency))

    return _each(rows, read)


def totals(rows: Iterable[DeviceRow]) -> tuple[Money, ...]:
    """Return how much the rows come to, one amount a currency, the currencies in alphabetical order."""
    sums: dict[str, Money] = {}
    for money in (row.money for row in rows):
        before = sums.get(money.currency)
        sums[money.currency] = Money(before.amount + money.amount, money.currency) if before else money
    return tuple(sums[currency] for currency in sorted(sums))


def read_key_list(data: bytes, dates: DateForm | None = None) -> KeyList:
    """Read a CSV file of keys' descriptions; KeyListInvalid or CardDataRefused if it can't be used.

    Its first row names the columns, in any order and among others, which are ignored: ``name``,
    ``username``, ``permission``, ``kind``, ``purpose``, ``owner``, ``environment``, ``created``. How its
    dates are written is found out if not told. A column for values, or a cell that looks like one, used or
    not, is refused.
    """
    rows = _read_rows(data, KeyListInvalid)
    names = _column_names(rows[0][1])
    _refuse_card_columns(names)
    if set(names) & _VALUE_COLUMNS:
        raise KeyListInvalid(KeyListInvalid.VALUE_COLUMN)
    columns = _columns(names, _KEY_COLUMNS, KeyListInvalid)
    if len(rows) > MOST_ROWS + 1:
        raise KeyListInvalid(KeyListInvalid.TOO_MANY)
    for line, cells in rows:
        _refuse_cards(cells)
        if any(map(looks_like_a_value, cells)):
            raise KeyListInvalid(KeyListInvalid.VALUE_CELL, line=line)
    if missing := [one for one in _KEY_NEEDS if one not in columns]:
        # Names that aren't known are told no further: they may be anything.
        found = [rows[0][1][index].strip() for index in columns.values()]
        raise KeyListInvalid(KeyListInvalid.NO_COLUMN, text=", ".join(found), missing=missing)
    if len(rows) == 1:
        raise KeyListInvalid(KeyListInvalid.EMPTY)
    form = dates or form_of([_cell(cells, columns.get("created")) for _line, cells in rows[1:]])

    def read(line: int, cells: Sequence[str]) -> ListedKey:
        def cell(column: str) -> str:
            return _GUARDED.sub("", _cell(cells, columns.get(column)), count=1)

        return ListedKey(
            line,
            clean_text("key name", cell("name")),
            clean_text("username", cell("username")),
            clean_text("permission", cell("permission")),
            _kind(cell("kind")),
            clean_text("purpose", cell("purpose"), limit=PURPOSE_LIMIT, required=False),
            clean_text("owner", cell("owner"), required=False),
            clean_text("environment", cell("environment"), required=False),
            moment(cell("created"), form),
        )

    return _each(rows[1:], read)


def looks_like_a_value(text: str) -> bool:
    """Tell whether there is something in `text` that has a key value's form."""
    return any(form.search(text) for form in _VALUE_FORMS)


def _kind(text: str) -> KeyKind:
    try:
        return KeyKind(text.casefold())
    except ValueError:
        raise KeyListInvalid(KeyListInvalid.KIND) from None


def _each(
    rows: Iterable[tuple[int, Sequence[str]]], read: Callable[[int, Sequence[str]], Row]
) -> RowList[Row]:
    good: list[Row] = []
    wrong: list[WrongRow] = []
    for line, cells in rows:
        try:
            good.append(read(line, cells))
        except InputInvalid as error:
            wrong.append(WrongRow(line, error))
    return RowList(tuple(good), tuple(wrong))


def _cell(cells: Sequence[str], index: int | None) -> str:
    return cells[index].strip() if index is not None and index < len(cells) else ""


def _column_names(cells: Sequence[str]) -> list[str]:
    """Return a row's cells as names of columns: without case, spaces, underscores and hyphens."""
    return [re.sub(r"[\s_-]", "", cell).casefold() for cell in cells]


def _columns(names: Sequence[str], known: Mapping[str, str], invalid: type[ListInvalid]) -> dict[str, int]:
    found = [(known[name], index) for index, name in enumerate(names) if name in known]
    columns = dict(found)
    if len(columns) != len(found):
        raise invalid(invalid.COLUMN_TWICE)
    return columns


def _refuse_card_columns(names: Sequence[str]) -> None:
    if not CARD_NAMES.isdisjoint(names):
        raise CardDataRefused("columns", "card columns")


def _refuse_cards(cells: Sequence[str]) -> None:
    for cell in cells:
        refuse_card_data("row", cell)
    split = " ".join(cell if _CARD_GROUP.fullmatch(cell) else ";" for cell in cells)
    if holds_card_data(split):
        raise CardDataRefused("row", CardDataRefused.NUMBER)


def _read_rows(data: bytes, invalid: type[ListInvalid]) -> list[tuple[int, list[str]]]:
    """Return the rows that aren't blank, up to `MOST_ROWS` and one of names, with their lines, from 1."""
    rows = []
    try:
        for line, cells in _parsed(_text(data, invalid)):
            if any(cell.strip() for cell in cells):
                rows.append((line, cells))
            if len(rows) > MOST_ROWS + 1:
                raise invalid(invalid.TOO_MANY)
    except csv.Error:
        raise invalid(invalid.NOT_CSV) from None  # the error would hold the file
    if not rows:
        raise invalid(invalid.EMPTY)
    return rows


def _text(data: bytes, invalid: type[ListInvalid]) -> str:
    if len(data) > MOST_BYTES:
        raise invalid(invalid.TOO_LARGE)
    if data.startswith(_WORKBOOKS):
        raise invalid(invalid.WORKBOOK)
    is_utf_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    for encoding in ("utf-16",) if is_utf_16 else ("utf-8-sig", "cp1252"):
        with suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            if "\0" not in text:
                return text
    raise invalid(invalid.NOT_TEXT)


def _parsed(text: str) -> Iterator[tuple[int, list[str]]]:
    lines = list(io.StringIO(text, newline=None))
    named = _SEPARATOR_LINE.fullmatch(lines[0]) if lines else None
    skipped = 1 if named else 0
    separator = named.group(1) if named else _separator(next((line for line in lines if line.strip()), ""))
    reader = csv.reader(lines[skipped:], delimiter=separator, strict=True)
    ended = skipped
    for cells in reader:
        yield ended + 1, cells
        ended = reader.line_num + skipped


def _separator(line: str) -> str:
    """Return what separates values in a line; what is quoted doesn't count."""
    plain = re.sub(r'"[^"]*"?', "", line)
    # A comma may be a decimal one, so it counts only where nothing else does.
    return next((one for one in "\t;" if one in plain), ",")
