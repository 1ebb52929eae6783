"""Reads a list of devices as spreadsheets save it (CSV), and says what is wrong with which row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from keybench.core.csv_rows import (
    MOST_BYTES,
    MOST_ROWS,
    column_names,
    has_card_columns,
    read_rows,
    refuse_card_columns,
    refuse_cards,
)
from keybench.core.errors import DeviceListInvalid, InputInvalid
from keybench.core.money import Money, parse_money
from keybench.core.text import clean_text

__all__ = ["MOST_BYTES", "MOST_ROWS", "DeviceList", "DeviceRow", "WrongRow", "read_device_list", "totals"]

_DEVICE, _AMOUNT, _CURRENCY = range(3)
_COLUMNS: Final = {
    "device": _DEVICE,
    "deviceid": _DEVICE,
    "identifier": _DEVICE,
    "amount": _AMOUNT,
    "currency": _CURRENCY,
}


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
    rows = read_rows(data, DeviceListInvalid)
    places = _header(rows[0][1])
    if len(rows) > MOST_ROWS + bool(places):
        raise DeviceListInvalid(DeviceListInvalid.TOO_MANY)
    if places:
        refuse_cards(rows[0][1])
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


def _header(cells: Sequence[str]) -> dict[int, int]:
    """Return where each known column stands, or nothing if this row names no columns."""
    names = column_names(cells)
    known = [name for name in names if name in _COLUMNS]
    if not known and not has_card_columns(names):
        return {}
    refuse_card_columns(names)
    columns = [_COLUMNS[name] for name in known]
    if _DEVICE not in columns:
        raise DeviceListInvalid(DeviceListInvalid.NO_DEVICE_COLUMN)
    if len(set(columns)) != len(columns):
        raise DeviceListInvalid(DeviceListInvalid.COLUMN_TWICE)
    return {_COLUMNS[name]: place for place, name in enumerate(names) if name in _COLUMNS}


def _row(line: int, cells: Sequence[str], order: dict[int, int], usual: tuple[str, str]) -> DeviceRow:
    refuse_cards(cells)

    def cell(column: int) -> str:
        place = order.get(column, len(cells))
        return cells[place].strip() if place < len(cells) else ""

    amount, currency = usual
    return DeviceRow(
        line,
        clean_text("device", cell(_DEVICE)),
        parse_money(cell(_AMOUNT) or amount, cell(_CURRENCY) or currency),
    )
