"""Reads the rows of a list that a spreadsheet saved: CSV with any usual separator, in UTF-8 or UTF-16."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Final

from keybench.core.card_data import holds_card_data, refuse_card_data
from keybench.core.errors import CardDataRefused, DeviceListInvalid, KeyListInvalid

MOST_BYTES: Final = 5_000_000
MOST_ROWS: Final = 10_000
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

#: What a list is called when it can't be used; both have the reasons that are raised here.
Invalid = type[DeviceListInvalid] | type[KeyListInvalid]


def read_rows(data: bytes, invalid: Invalid) -> list[tuple[int, list[str]]]:
    """Return the rows that aren't blank, each with the line it begins on, counted from 1.

    Values are separated by tabs, semicolons or commas, whichever of these, in this order, is in the first
    line. There are up to `MOST_ROWS` + 1 rows, as one may name the columns.

    Args:
        data: The file's bytes: UTF-8, or UTF-16 with a byte order mark.
        invalid: The error to raise.

    Raises:
        DeviceListInvalid, KeyListInvalid: It is empty, too large or too long, or isn't text or CSV.
    """
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


def column_names(cells: Sequence[str]) -> list[str]:
    """Return a row's cells as names of columns: without case, spaces, underscores and hyphens."""
    return [re.sub(r"[\s_-]", "", cell).casefold() for cell in cells]


def refuse_card_columns(names: Sequence[str]) -> None:
    """Do nothing unless columns are named as only a list of cards names them.

    Raises:
        CardDataRefused: They are.
    """
    if has_card_columns(names):
        raise CardDataRefused("columns", "card columns")


def has_card_columns(names: Sequence[str]) -> bool:
    """Tell whether columns are named as only a list of cards names them."""
    return bool(set(names) & _CARD_COLUMNS)


def refuse_cards(cells: Sequence[str]) -> None:
    """Look for card data in each cell, unused ones too, and for a number split over several.

    Raises:
        CardDataRefused: There is some; the error doesn't carry it.
    """
    for cell in cells:
        refuse_card_data("row", cell)
    split = " ".join(cell if _CARD_GROUP.fullmatch(cell) else ";" for cell in cells)
    if holds_card_data(split):
        raise CardDataRefused("row", "card number")


def _text(data: bytes, invalid: Invalid) -> str:
    if len(data) > MOST_BYTES:
        raise invalid(invalid.TOO_LARGE)
    mark, encoding = next((one for one in _ENCODINGS if data.startswith(one[0])), (b"", "utf-8"))
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        raise invalid(invalid.NOT_TEXT) from None  # the error would hold the file
    if "\0" in text:
        raise invalid(invalid.NOT_TEXT)
    return text


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
