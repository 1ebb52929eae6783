"""The key tables' rows: what they show, are filtered and sorted by, and say to a screen reader."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from PySide6.QtCore import Qt

from fakes.clock import START, MovedClock
from fakes.records import environment
from keybench.core.keys.inventory import InventoryRow, KeyMarks
from keybench.core.keys.key import KeyKind, KeyState, SecurityKey
from keybench.ui.kit.tables.model import TONE_ROLE, TableModel
from keybench.ui.shared.keys.columns import bench_columns, words_of_row

ROLE = Qt.ItemDataRole
NAME, KIND, USERNAME, STATE, USED = range(5)


def make_key(name: str, **known: object) -> SecurityKey:
    values: dict[str, object] = {
        "id": name,
        "environment_id": "practice",
        "name": name,
        "username": "counter1",
        "permission": "API",
        "kind": KeyKind.PRIVATE,
        "purpose": "",
        "fingerprint": "amber-river-nine-fox",
        "created_at": START - timedelta(days=262),
    }
    return SecurityKey(**(values | known))  # type: ignore[arg-type]  # the test names the fields it needs


KEYS = (
    make_key(
        "front-desk till",
        purpose="Counter sales",
        state=KeyState.WORKING,
        status=200,
        tested_at=START - timedelta(minutes=2),
        used_at=START - timedelta(minutes=2),
    ),
    make_key("Old kiosk", username="zoe", state=KeyState.REFUSED, status=401, tested_at=START, used_at=START),
    make_key("nightly reports", username="Reports", tested_at=None),
    make_key("shop checkout", kind=KeyKind.PUBLIC, permission="Tokenization", username="web"),
)


PRACTICE = environment()
Keys = TableModel[InventoryRow]


def row_of(key: SecurityKey, marks: KeyMarks | None = None) -> InventoryRow:
    return InventoryRow(key, PRACTICE, marks)


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def model(qapp: object, clock: MovedClock) -> Keys:
    made = TableModel(bench_columns(clock.now), lambda row: row.key.id, words=words_of_row)
    made.show(map(row_of, KEYS))
    return made


def names(model: Keys) -> list[str]:
    return [row.key.name for row in model.rows]


def test_a_row_reads_as_the_key_is(model: Keys) -> None:
    texts = [model.index(0, column).data() for column in range(model.columnCount())]

    assert texts == ["front-desk till", "private", "counter1", "Working", "2 min"]


def test_a_state_is_word_and_tone_and_never_tone_alone(model: Keys) -> None:
    state = model.index(1, STATE)

    assert (state.data(), state.data(TONE_ROLE)) == ("Refused 401", "bad")
    assert model.index(1, NAME).data(TONE_ROLE) is None


def test_screen_readers_get_the_words_and_when_it_was_tested(model: Keys) -> None:
    state = model.index(0, STATE)

    assert state.data(ROLE.AccessibleTextRole) == "Working"
    assert state.data(ROLE.AccessibleDescriptionRole) == "2 min ago · tested 2 min ago"
    assert model.index(2, USED).data(ROLE.AccessibleTextRole) == "no use known · never tested"


def test_an_idle_key_still_says_what_its_test_showed(model: Keys) -> None:
    model.show([row_of(replace(KEYS[0], used_at=None), KeyMarks(idle_days=41))])
    state = model.index(0, STATE)

    assert (state.data(), state.data(TONE_ROLE)) == ("Idle 41 days", "warning")
    assert state.data(ROLE.AccessibleDescriptionRole) == "Working, no use known · tested 2 min ago"
    assert model.index(0, USED).data() == "–", "a test is no use"  # noqa: RUF001 - a dash for nothing


def test_sorted_by_state_what_needs_a_look_comes_first(model: Keys) -> None:
    rows = [
        row_of(KEYS[1], KeyMarks(idle_days=61)),
        row_of(KEYS[0], KeyMarks(stage=1)),
        row_of(KEYS[0], KeyMarks(idle_days=61)),
        row_of(KEYS[2]),
        row_of(KEYS[0]),
    ]

    assert sorted(rows, key=model.columns[STATE].sort_value) == rows


def test_a_tooltip_has_the_whole_name_and_the_purpose(model: Keys) -> None:
    assert model.index(0, NAME).data(ROLE.ToolTipRole) == "front-desk till\nCounter sales"
    assert model.index(0, USERNAME).data(ROLE.ToolTipRole) == "counter1"


def test_a_key_is_found_by_its_purpose_and_its_state(model: Keys) -> None:
    model.search("COUNTER sales")
    assert names(model) == ["front-desk till"]
    model.search("refused")
    assert names(model) == ["Old kiosk"]


@pytest.mark.parametrize(
    ("column", "order", "first"),
    [
        (NAME, Qt.SortOrder.DescendingOrder, "shop checkout"),
        (USED, Qt.SortOrder.AscendingOrder, "nightly reports"),
        (USED, Qt.SortOrder.DescendingOrder, "Old kiosk"),
        (STATE, Qt.SortOrder.AscendingOrder, "Old kiosk"),
    ],
)
def test_it_sorts_by_what_a_column_means(model: Keys, column: int, order: Qt.SortOrder, first: str) -> None:
    model.sort(column, order)
    assert names(model)[0] == first


def test_times_grow_older_where_they_are(model: Keys, clock: MovedClock) -> None:
    moved: list[bool] = []
    model.layoutChanged.connect(lambda: moved.append(True))
    clock.move(3 * 60)
    model.show(map(row_of, KEYS))
    assert model.index(0, USED).data() == "5 min"
    assert not moved
