"""Lists of keys' descriptions, and that no list with values in it is ever imported."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from keybench.core.csv_lists import DateForm, KeyList, ListedKey, looks_like_a_value, read_key_list
from keybench.core.input_errors import CardDataRefused, KeyListInvalid
from keybench.core.keys.key import KeyKind
from keybench.core.secret import Secret, fingerprint
from keybench.words.fields import field_sentence

HEAD = "name,username,permission,kind,purpose,owner,environment,created\n"
MADE_UP = (
    "MadeUpForTests0123456789abcdefgh",
    "checkout_public_MadeUpForTests0123456789abcdefgh",
    "v4_secret_MadeUpForTests",
    "MadeUp-ForTes-ts0123-456789",
    "aMadeUpValueWithLettersOnlyABCDE",
    "0123456789abcdef0123456789",
)


def read(text: str) -> KeyList:
    return read_key_list(text.encode())


def reason_of(data: bytes) -> str:
    with pytest.raises(KeyListInvalid) as refused:
        read_key_list(data)
    assert field_sentence(refused.value)
    return refused.value.reason


def test_every_column_is_read() -> None:
    found = read(HEAD + "Till,mira,Sale,private,front desk,Jo,shop,2026-03-31T10:00:00+02:00\n")
    assert not found.wrong
    created = datetime(2026, 3, 31, 8, tzinfo=UTC)
    assert found.rows == (
        ListedKey(2, "Till", "mira", "Sale", KeyKind.PRIVATE, "front desk", "Jo", "shop", created),
    )


def test_a_missing_column_is_told_once_with_what_was_found() -> None:
    with pytest.raises(KeyListInvalid) as refused:
        read("Name;User;Kind;My own note\n" + "Till;mira;private;x\n" * 300)
    assert field_sentence(refused.value) == ("Column “Permission” is missing; found: Name, User, Kind.")


@pytest.mark.parametrize("row", range(2))
def test_what_stands_in_the_first_row_is_told_only_if_it_is_no_value(row: int) -> None:
    lines = ["name,note", "Till,seen"]
    lines[row] += f",{MADE_UP[0]}"
    with pytest.raises(KeyListInvalid) as refused:
        read("\n".join(lines) + "\n")
    is_told = MADE_UP[0] in field_sentence(refused.value)
    assert (refused.value.reason, is_told) == (KeyListInvalid.VALUE_CELL, False)


def dates_of(*texts: str, dates: DateForm | None = None) -> list[str]:
    rows = "".join(f"Till {number};mira;Sale;private;{text}\n" for number, text in enumerate(texts))
    found = read_key_list(f"name;username;permission;kind;created\n{rows}".encode(), dates)
    assert not found.wrong, [field_sentence(one.error) for one in found.wrong]
    at = [row.created_at.astimezone() for row in found.rows if row.created_at]
    return [f"{one:%Y-%m-%d %H:%M}" if one.hour else f"{one:%Y-%m-%d}" for one in at]


def test_dates_are_read_in_the_form_that_fits_all_of_them() -> None:
    assert dates_of("05.02.2025", "28.02.2025 14:30", "") == ["2025-02-05", "2025-02-28 14:30"]
    assert dates_of("2/5/2025", "2/28/2025") == ["2025-02-05", "2025-02-28"]
    assert dates_of("2025/02/05", "2025-02-28") == ["2025-02-05", "2025-02-28"]
    assert dates_of("03.03.2025") == ["2025-03-03"]


def test_dates_that_can_be_read_in_two_ways_are_asked_about() -> None:
    with pytest.raises(KeyListInvalid) as refused:
        dates_of("2025-01-01", "05.02.2025", "06.02.2025")
    assert (refused.value.reason, refused.value.text) == (KeyListInvalid.DATES, "05.02.2025")
    assert dates_of("05.02.2025", dates=DateForm.DAY_FIRST) == ["2025-02-05"]
    assert dates_of("05.02.2025", "2025-01-01", dates=DateForm.MONTH_FIRST) == ["2025-05-02", "2025-01-01"]


def test_a_date_that_cant_be_read_is_told_with_how_to_write_it() -> None:
    found = read(HEAD + "Till,mira,Sale,private,,,,31.02.2025\nWeb,mira,Sale,public,,,,some day\n")
    assert [field_sentence(one.error) for one in found.wrong] == [
        "Write dates as 2026-03-31; this row has 31.02.2025.",
        "Write dates as 2026-03-31.",
    ]


@pytest.mark.parametrize(
    ("row", "kind", "reason"),
    [
        (",mira,Sale,private", "NameInvalid", "empty"),
        ("Till,,Sale,private", "NameInvalid", "empty"),
        ("Till,mira,,private", "NameInvalid", "empty"),
        ("Till,mira,Sale,secret", "KeyListInvalid", KeyListInvalid.KIND),
        ("Till,mira,Sale,", "KeyListInvalid", KeyListInvalid.KIND),
        ("Till,mira,Sale,private,,,,yesterday", "KeyListInvalid", KeyListInvalid.CREATED),
        ("Till,mira,Sale,private,,,,2026-02-31", "KeyListInvalid", KeyListInvalid.CREATED),
        ("Till,mira,Sale,private,,,,0001-01-01T00:00:00+14:00", "KeyListInvalid", KeyListInvalid.CREATED),
        ("a long name " * 9 + ",mira,Sale,private", "NameInvalid", "too long"),
    ],
)
def test_a_wrong_row_leaves_the_others(row: str, kind: str, reason: str) -> None:
    found = read(f"{HEAD}Web,ana,Sale,public\n{row}\n")
    assert [one.name for one in found.rows] == ["Web"]
    (wrong,) = found.wrong
    assert (wrong.line, type(wrong.error).__name__, wrong.error.reason) == (3, kind, reason)
    assert field_sentence(wrong.error)


@pytest.mark.parametrize("column", ["Value", "API key", "secret", "key", "Key_Value", "token", "password"])
def test_a_column_of_values_is_refused_whatever_stands_in_it(column: str) -> None:
    text = f"name,username,permission,kind,{column}\nTill,mira,Sale,private,\n"
    assert reason_of(text.encode()) == KeyListInvalid.VALUE_COLUMN


@pytest.mark.parametrize("value", MADE_UP)
@pytest.mark.parametrize("around", ["{}", "key {} of mira", "'{}'"])
def test_a_cell_that_looks_like_a_value_refuses_the_whole_list(value: str, around: str) -> None:
    text = HEAD.replace("purpose", "note") + f"Till,mira,Sale,private,{around.format(value)}\n"
    with pytest.raises(KeyListInvalid) as refused:
        read(text)
    is_value = refused.value.reason == KeyListInvalid.VALUE_CELL
    names_its_line = refused.value.line == 2
    assert is_value
    assert names_its_line
    is_repeated = value in str(refused.value) or value in field_sentence(refused.value)
    assert not is_repeated


@pytest.mark.parametrize(
    "text",
    [
        "front-desk-till-berlin-2026-no-12",
        "garden-silver-window-planet",
        "Key of the north-eastern distribution centre 2",
        "orders@shop.example, extension 5512",
        "2026-03-31T08:00:00+00:00",
        "internationalisation",
        fingerprint(Secret("MadeUpForTests0123456789abcdefgh")),
    ],
)
def test_names_and_purposes_dont_look_like_values(text: str) -> None:
    assert not looks_like_a_value(text)


@pytest.mark.parametrize(
    "row", ["4111 1111 1111 1111,mira,Sale,private", "Till,mira,Sale,private,cvv=123", "4111,1111,1111,1111"]
)
def test_card_data_refuses_the_whole_list(row: str) -> None:
    with pytest.raises(CardDataRefused):
        read(f"{HEAD}Web,ana,Sale,public\n{row}\n")


@pytest.mark.parametrize("column", ["cvv", "PAN", "card number"])
def test_a_list_of_cards_is_refused(column: str) -> None:
    with pytest.raises(CardDataRefused):
        read(f"name,{column}\nTill,\n")


def test_formulas_are_texts_and_our_own_guard_is_taken_off() -> None:
    found = read(HEAD + "'=Till,+mira,@Sale,private,'tis the season,-Jo\n")
    (row,) = found.rows
    assert (row.name, row.username, row.permission) == ("=Till", "+mira", "@Sale")
    assert (row.purpose, row.owner) == ("'tis the season", "-Jo")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", KeyListInvalid.EMPTY),
        (HEAD.encode(), KeyListInvalid.EMPTY),
        (b"Till,mira,Sale,private\n", KeyListInvalid.NO_COLUMN),
        (b"PK\x03\x04 and more of an archive", KeyListInvalid.WORKBOOK),
        (b"name,Key-Name\nx,y\n", KeyListInvalid.COLUMN_TWICE),
        (b"name\n\xff\x81\n", KeyListInvalid.NOT_TEXT),
    ],
)
def test_what_cant_be_used_at_all(data: bytes, reason: str) -> None:
    assert reason_of(data) == reason
