"""Lists of devices as spreadsheets save them, and what is wrong with those that can't be used."""

from __future__ import annotations

import codecs
import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.csv_lists import MOST_BYTES, MOST_ROWS, DeviceList, read_device_list, totals
from keybench.core.input_errors import (
    AmountInvalid,
    CardDataRefused,
    CurrencyInvalid,
    DeviceListInvalid,
    NameInvalid,
)

CARD = "4111 1111 1111 1111"


def read(text: str, *, amount: str = "", currency: str = "USD") -> DeviceList:
    return read_device_list(text.encode(), amount=amount, currency=currency)


def said(found: DeviceList) -> list[tuple[int, str, str]]:
    assert not found.wrong
    return [(row.line, row.device, str(row.money)) for row in found.rows]


def reason_of(data: bytes) -> str:
    with pytest.raises(DeviceListInvalid) as refused:
        read_device_list(data)
    return refused.value.reason


# --- what can be read -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "till-1,10.00,USD\ntill-2,5,EUR\n",
        "till-1;10,00;usd\ntill-2;5;EUR",
        "till-1\t10.00\tUSD\r\ntill-2\t5.0\teur\r\n",
        '"till-1","10.00","USD"\r"till-2","5","EUR"\r',
        " till-1 , 10.00 , USD \ntill-2,5,EUR\n , , \n\n",
    ],
)
def test_separators_quotes_and_line_ends(text: str) -> None:
    assert said(read(text)) == [(1, "till-1", "10.00 USD"), (2, "till-2", "5.00 EUR")]


@pytest.mark.parametrize(
    "text",
    [
        "Currency,note,Device,AMOUNT\nEUR,by the door,till-1,7\n",
        "device_id;x;amount;currency\ntill-1;;7,00;EUR\n",
        "sep=;\nDevice ID;Amount;Currency\ntill-1;7;EUR\n",
    ],
)
def test_columns_are_found_by_name_in_any_order(text: str) -> None:
    (row,) = read(text).rows
    assert (row.device, str(row.money)) == ("till-1", "7.00 EUR")
    assert row.line == text.count("\n")


@pytest.mark.parametrize(
    "data",
    [
        "dévice-1,1\n".encode(),
        "sep=;\r\ndévice-1;1\r\n".encode("cp1252"),
        codecs.BOM_UTF8 + "dévice-1,1\n".encode(),
        codecs.BOM_UTF16_LE + "dévice-1,1\n".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "dévice-1,1\n".encode("utf-16-be"),
    ],
)
def test_encodings(data: bytes) -> None:
    (row,) = read_device_list(data).rows
    assert row.device == "dévice-1"


def test_what_a_row_leaves_out_is_taken_from_the_defaults() -> None:
    found = read("till-1\ntill-2,3\ntill-3,,EUR\n", amount="2.50", currency="CAD")
    assert [str(row.money) for row in found.rows] == ["2.50 CAD", "3.00 CAD", "2.50 EUR"]


def test_a_device_may_stand_there_several_times() -> None:
    assert [row.line for row in read("till-1,1\ntill-1,1\ntill-1,2\n").rows] == [1, 2, 3]


def test_lines_are_those_of_the_file_also_behind_blank_and_long_ones() -> None:
    found = read('device,note,amount\n\n"till-1","two\nlines",1\n\ntill-2,,x\n')
    assert [row.line for row in found.rows] == [3]
    assert [row.line for row in found.wrong] == [6]


def test_totals_are_told_for_each_currency() -> None:
    found = read("a,10.10,USD\nb,5,EUR\nc,0.90,usd\nd,500,JPY\n")
    assert [str(money) for money in totals(found.rows)] == ["5.00 EUR", "500 JPY", "11.00 USD"]


_devices = st.text(st.characters(categories=["L", "P", "S"]), min_size=1, max_size=30)


@given(st.lists(st.tuples(_devices, st.integers(1, 99_999)), min_size=1, max_size=20))
def test_what_a_csv_writer_writes_is_read_back(rows: list[tuple[str, int]]) -> None:
    out = io.StringIO()
    csv.writer(out).writerows([("device", "amount"), *((device, str(cents / 100)) for device, cents in rows)])
    found = read_device_list(out.getvalue().encode())
    amounts = {row.line: row.money.amount * 100 for row in found.rows}
    refused = {wrong.line for wrong in found.wrong}
    for line, (_device, cents) in enumerate(rows, start=2):
        assert line in refused or amounts[line] == cents


# --- what can't be --------------------------------------------------------------------------------


def test_every_wrong_row_is_told_and_the_others_are_kept() -> None:
    found = read("till-1,1\n,5\ntill-3,\ntill-4,1.005\ntill-5,1,EURO\ntill-6,-1\n" + "x" * 101 + ",1\n")
    assert [row.device for row in found.rows] == ["till-1"]
    assert [(row.line, type(row.error)) for row in found.wrong] == [
        (2, NameInvalid),
        (3, AmountInvalid),
        (4, AmountInvalid),
        (5, CurrencyInvalid),
        (6, AmountInvalid),
        (7, NameInvalid),
    ]


@pytest.mark.parametrize(
    "row",
    [
        f"{CARD},1",
        f"till-1,{CARD}",
        f"till-1,1,{CARD}",
        "till-1,1,USD,4222222222222",
        f"till-1,1,USD,{CARD}",
        "till-1,1,USD,4111,1111,1111,1111",
        "till-1,1,USD,%B4111111111111111^DOE/JO^",
        "till-1,1,USD,\N{FULLWIDTH DIGIT FOUR}111111111111111",
        '"till-1","1","USD","paid with\n4111-1111-1111-1111"',
    ],
)
def test_card_data_in_any_cell_is_refused_and_not_kept(row: str) -> None:
    found = read(f"till-0,1\n{row}\n")
    (wrong,) = found.wrong
    assert isinstance(wrong.error, CardDataRefused)
    assert wrong.line == 2
    assert "1111" not in repr(found) + repr(wrong.error) + repr(vars(wrong.error))


@pytest.mark.parametrize(
    "columns", ["device,amount,CVV", "Card Number,Expiry", f"device,{CARD}", "device,security_code"]
)
def test_a_list_with_columns_of_cards_is_refused_whole(columns: str) -> None:
    with pytest.raises(CardDataRefused) as refused:
        read(f"{columns}\ntill-1,1,123\n")
    assert "1111" not in repr(vars(refused.value))


def test_numbers_that_are_no_cards_are_taken() -> None:
    found = read("device,amount,serial,date\n4111111,1000.00,1111111,2026-03-03\n861234567890123,1,7,\n")
    assert len(found.rows) == 2


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"\n  \n,,\n", "empty"),
        (b"device,amount\n", "empty"),
        (b"\xff\x00\x12", "not text"),
        (b"till-\0001,1\n", "not text"),
        (codecs.BOM_UTF16_LE + b"a", "not text"),
        (b'"till-1,1\n', "not csv"),
        (b'"till-1"x,1\n', "not csv"),
        (b"till,amount\na,1\n", "no device column"),
        (b"device,amount,device\na,1,b\n", "a column twice"),
        (b"device,device id\na,b\n", "a column twice"),
        (b"x" * (MOST_BYTES + 1), "too large"),
        (b"a,1\n" * (MOST_ROWS + 1), "too many rows"),
        (b"device,amount\n" + b"a,1\n" * (MOST_ROWS + 1), "too many rows"),
    ],
)
def test_a_file_that_is_no_list_is_refused(data: bytes, reason: str) -> None:
    assert reason_of(data) == reason


def test_as_many_rows_as_are_allowed_are_read() -> None:
    assert len(read_device_list(b"device,amount\n" + b"a,1\n" * MOST_ROWS).rows) == MOST_ROWS


def test_the_error_of_a_file_that_is_no_text_holds_nothing_of_it() -> None:
    with pytest.raises(DeviceListInvalid) as refused:
        read_device_list(b"4111111111111111\x81")
    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None


@given(st.binary(max_size=300))
def test_any_bytes_are_a_list_or_refused(data: bytes) -> None:
    try:
        read_device_list(data, amount="1")
    except (DeviceListInvalid, CardDataRefused):
        return
