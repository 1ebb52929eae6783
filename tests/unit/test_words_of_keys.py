"""What the register says of a key, in words."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from fakes.clock import START
from fakes.snapshot import SANDBOX, SHOP, key
from keybench.core.keys.inventory import InventoryRow, KeyMarks
from keybench.core.keys.key import KeyKind, KeyState, SecurityKey
from keybench.words.keys.states import (
    StateWords,
    last_used,
    marked_state,
    same_value_sentence,
    used_by,
)

KEY = SecurityKey(
    "k1", "practice", "till", "counter1", "API", KeyKind.PRIVATE, "", "a-b-c-d", START, state=KeyState.WORKING
)


@pytest.mark.parametrize(
    ("state", "marks", "words"),
    [
        (KeyState.WORKING, None, StateWords("Working", "good")),
        (KeyState.WORKING, KeyMarks(), StateWords("Working", "good")),
        (KeyState.WORKING, KeyMarks(idle_days=1), StateWords("Idle 1 day", "warning")),
        (KeyState.WORKING, KeyMarks(idle_days=1200), StateWords("Idle 1,200 days", "warning")),
        (KeyState.KEPT, KeyMarks(stage=2, idle_days=41), StateWords("Rotating 2 of 5", "accent")),
        (KeyState.REFUSED, KeyMarks(stage=3, idle_days=41), StateWords("Refused 401", "bad")),
        (KeyState.NO_VALUE, KeyMarks(idle_days=41), StateWords("No value here", "warning")),
    ],
)
def test_the_state_is_what_calls_most_for_a_look(
    state: KeyState, marks: KeyMarks | None, words: StateWords
) -> None:
    assert marked_state(replace(KEY, state=state, status=401), marks) == words


def test_who_uses_a_key_and_who_answers_for_it() -> None:
    assert used_by(KeyMarks(("Till 1", "Till 2")), "Shop floor") == "Till 1, Till 2 · owner: Shop floor"
    assert used_by(KeyMarks(), "") == "no application recorded"


def test_when_a_key_was_last_used_and_tested() -> None:
    now = START + timedelta(hours=3)
    assert last_used(KEY, KeyMarks(), now) == "no use known · never tested"
    tested = replace(KEY, tested_at=now - timedelta(minutes=2))
    assert last_used(tested, KeyMarks(last_use=START), now) == "3 h ago · tested 2 min ago"


def test_a_pasted_value_is_told_by_the_keys_that_have_it() -> None:
    rows = [
        InventoryRow(key("till-9", SHOP, fingerprint="a-b-c-d"), SHOP),
        InventoryRow(key("till-8", SHOP, fingerprint="a-b-c-d"), SHOP),
        InventoryRow(key("till-7", SANDBOX, fingerprint="e-f-g-h"), SANDBOX),
        InventoryRow(key("described", SHOP, fingerprint=""), SHOP),
    ]
    till_9 = rows[0].key.id
    assert same_value_sentence(rows, "a-b-c-d", SHOP.id) == "This is the value of till-9 and till-8."
    assert same_value_sentence(rows, "a-b-c-d", SHOP.id, but=till_9) == "This is till-8's value."
    assert same_value_sentence(rows, "e-f-g-h", SHOP.id) == "This is the value of till-7 in ◆ TEST · sandbox."
    assert same_value_sentence(rows, "e-f-g-h", SANDBOX.id, but=rows[2].key.id) == ""
    assert same_value_sentence(rows, "", SHOP.id) == ""
