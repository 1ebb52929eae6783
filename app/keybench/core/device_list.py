"""Reads a list of devices as spreadsheets save it (CSV), and says what is wrong with which row."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from keybench.core.card_data import holds_card_data, refuse_card_data
from keybench.core.errors import CardDataRefused, DeviceListInvalid, InputInvalid
from keybench.core.money import Money, parse_money
from keybench.core.text import clean_text

MOST_BYTES: Final = 5_000_000
MOST_ROWS: Final = 10_000

_DEVICE, _AMOUNT, _CURRENCY = range(3)
_COLUMNS: Final = {
    "device": _DEVICE,
    "deviceid": _DEVICE,
    "identifier": _DEVICE,
    "amount": _AMOUNT,
    "currency": _CURRENCY,
}
#: Columns that only a list of cards has; such a list is refused whole, whatever stands in its rows.
_CARD_COLUMNS: Final = {
    *("pan", "cardnumber", "cardno", "ccnumber", "track1", "track2", "trackdata"),
    *("cvv", "cvv2", "cvc", "cvc2", "csc", "securitycode", "cardsecuritycode"),
    *("expiry", "expdate", "expirydate", "expiration", "expirationdate", "ccexp"),
}
_ENCODINGS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: A first line that some spreadsheets write to tell the separator.
_SEPARATOR_LINE: Final = re.compile(r"sep=([,;\t])\n?", re.IGNORECASE)
_CARD_GROUP: Final = re.compile(r"\s*\d{4,7}\s*")


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """One sale to make.

    Attributes:
        line: Where it stands in the file, counted from 1, or its place in a selection.
        device: The device's identifier, checked.
        money: How much to sell.
    """

    line: int
    device: str
    money: Money


@dataclass(frozen=True, slots=True)
class WrongRow:
    """A row that can't be sold, and why.

    Attributes:
        line: The line of the file it begins on, counted from 1.
        error: What is wrong with it; never carries card data.
    """

    line: int
    error: InputInvalid


@dataclass(frozen=True, slots=True)
class DeviceList:
    """What a file says: both parts in the file's order."""

    rows: tuple[DeviceRow, ...]
    wrong: tuple[WrongRow, ...]


def read_device_list(data: bytes, *, amount: str = "", currency: str = "USD") -> DeviceList:
    """Read a CSV file of devices.

    Its first row may name the columns ``device``, ``amount`` and ``currency``, in any order and among
    others, which are ignored; without names the first three columns are these. Values are separated by
    tabs, semicolons or commas, whichever of these, in this order, is in the first line.

    Args:
        data: The file's bytes: UTF-8, or UTF-16 with a byte order mark.
        amount: For rows without an amount, as a person types it; empty for none.
        currency: For rows without a currency.

    Raises:
        DeviceListInvalid: It is too large, isn't text or CSV, or has no rows or no device column.
        CardDataRefused: Its columns are those of a list of cards.
    """
    rows = _rows(_text(data))
    if not rows:
        raise DeviceListInvalid(DeviceListInvalid.EMPTY)
    places = _header(rows[0][1])
    if places:
        _refuse_cards(rows[0][1])
        rows = rows[1:]
        if not rows:
            raise DeviceListInvalid(DeviceListInvalid.EMPTY)
    order = places or {_DEVICE: 0, _AMOUNT: 1, _CURRENCY: 2}
    good: list[DeviceRow] = []
    wrong: list[WrongRow] = []
    for line, cells in rows:
        try:
            good.append(_row(line, cells, order, (amount, currency)))
        except InputInvalid as error:
            wrong.append(WrongRow(line, error))
    return DeviceList(tuple(good), tuple(wrong))


def totals(rows: Sequence[DeviceRow]) -> tuple[Money, ...]:
    """Return how much the rows come to, one amount a currency, the currencies in alphabetical order."""
    sums: dict[str, Money] = {}
    for row in rows:
        before = sums.get(row.money.currency)
        sums[row.money.currency] = (
            Money(before.amount + row.money.amount, row.money.currency) if before else row.money
        )
    return tuple(sums[currency] for currency in sorted(sums))


def _text(data: bytes) -> str:
    if len(data) > MOST_BYTES:
        raise DeviceListInvalid(DeviceListInvalid.TOO_LARGE)
    mark, encoding = next((one for one in _ENCODINGS if data.startswith(one[0])), (b"", "utf-8"))
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        raise DeviceListInvalid(DeviceListInvalid.NOT_TEXT) from None  # the error would hold the file
    if "\0" in text:
        raise DeviceListInvalid(DeviceListInvalid.NOT_TEXT)
    return text


def _rows(text: str) -> list[tuple[int, list[str]]]:
    """Return the rows that aren't blank, each with the line it begins on."""
    rows = []
    try:
        for line, cells in _parsed(text):
            if any(cell.strip() for cell in cells):
                rows.append((line, cells))
            if len(rows) > MOST_ROWS + 1:  # one may be the header
                raise DeviceListInvalid(DeviceListInvalid.TOO_MANY)
    except csv.Error:
        raise DeviceListInvalid(DeviceListInvalid.NOT_CSV) from None  # same
    if rows and len(rows) > MOST_ROWS + bool(_header(rows[0][1])):
        raise DeviceListInvalid(DeviceListInvalid.TOO_MANY)
    return rows


def _parsed(text: str) -> Iterator[tuple[int, list[str]]]:
    lines = list(io.StringIO(text, newline=None))
    told = _SEPARATOR_LINE.fullmatch(lines[0]) if lines else None
    skipped = 1 if told else 0
    separator = told.group(1) if told else _separator(next((line for line in lines if line.strip()), ""))
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


def _header(cells: Sequence[str]) -> dict[int, int]:
    """Return where each known column stands, or nothing if this row names no columns."""
    names = [re.sub(r"[\s_-]", "", cell).casefold() for cell in cells]
    known = [name for name in names if name in _COLUMNS]
    if not known and not (set(names) & _CARD_COLUMNS):
        return {}
    if set(names) & _CARD_COLUMNS:
        raise CardDataRefused("columns", "card columns")
    columns = [_COLUMNS[name] for name in known]
    if _DEVICE not in columns:
        raise DeviceListInvalid(DeviceListInvalid.NO_DEVICE_COLUMN)
    if len(set(columns)) != len(columns):
        raise DeviceListInvalid(DeviceListInvalid.COLUMN_TWICE)
    return {_COLUMNS[name]: place for place, name in enumerate(names) if name in _COLUMNS}


def _row(line: int, cells: Sequence[str], order: dict[int, int], usual: tuple[str, str]) -> DeviceRow:
    _refuse_cards(cells)

    def cell(column: int) -> str:
        place = order.get(column, len(cells))
        return cells[place].strip() if place < len(cells) else ""

    amount, currency = usual
    return DeviceRow(
        line,
        clean_text("device", cell(_DEVICE)),
        parse_money(cell(_AMOUNT) or amount, cell(_CURRENCY) or currency),
    )


def _refuse_cards(cells: Sequence[str]) -> None:
    """Look for card data in each cell, ignored ones too, and for a number split over several."""
    for cell in cells:
        refuse_card_data("row", cell)
    split = " ".join(cell if _CARD_GROUP.fullmatch(cell) else ";" for cell in cells)
    if holds_card_data(split):
        raise CardDataRefused("row", "card number")
