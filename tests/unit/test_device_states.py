"""The state of a device and its words: its age, what is unknown, who holds it, what was sold."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from contracts.journal_samples import a_sale
from keybench.core.devices.state import DeviceState
from keybench.core.errors import AnswerLost, Forbidden, GatewayError, GatewayFailed, NotSent, Refused
from keybench.core.ports import Device
from keybench.core.sales.sale import Outcome, Verdict
from keybench.words.devices.report import NONE
from keybench.words.devices.states import (
    bound_sentence,
    connection_cell,
    lately_cell,
    not_done_sentence,
    sold_lately,
    state_details,
    state_sentence,
    state_tone,
)
from keybench.workflows.devices.managing import Bound, Holder

NOW = datetime(2026, 3, 3, 14, 2, 11, tzinfo=UTC)
TILL = DeviceState("D-1", NOW, is_connected=True, connection="connected")
SALE = replace(a_sale(), noted_at=NOW - timedelta(days=3))


def test_a_state_grows_old() -> None:
    assert TILL.is_fresh(NOW + timedelta(minutes=1))
    assert not TILL.is_fresh(NOW + timedelta(minutes=1, seconds=1))
    assert TILL.age(NOW + timedelta(hours=2)) == timedelta(hours=2)


def test_a_state_from_the_future_is_not_fresh() -> None:
    """The clock was set back, so nobody knows how old it is."""
    before = NOW - timedelta(seconds=1)
    assert not TILL.is_fresh(before)
    assert TILL.age(before) == timedelta(0)


@pytest.mark.parametrize(
    ("state", "words", "tone"),
    [
        (TILL, "● Connected · just now", ""),
        (replace(TILL, is_connected=None), f"{NONE} The gateway says “connected” · just now", "dim"),
        (replace(TILL, is_connected=None, connection=""), f"{NONE} Connection not known · just now", "dim"),
        (replace(TILL, is_connected=False), "○ Not connected · just now", "warning"),
    ],
)
def test_a_state_is_told_in_a_line(state: DeviceState, words: str, tone: str) -> None:
    assert (state_sentence(state, None, NOW), state_tone(state, None)) == (words, tone)


def test_who_holds_it_is_told_with_key_time_and_program() -> None:
    busy = replace(TILL, is_busy=True, busy_with="PR-1")
    ours = "busy with your sale KB-1 (key “Till 3”, "
    for holder, who in (
        (Holder(SALE), "no program waits for it"),
        (Holder(SALE, is_followed=True), "sent by another Keybench program"),
        (Holder(SALE, is_here=True, is_followed=True), "sent by this program"),
    ):
        words = state_sentence(busy, holder, NOW)
        assert ours in words
        assert f"{who}) · just now" in words
    unknown = replace(SALE, verdict=Verdict(Outcome.UNKNOWN))
    words = state_sentence(busy, Holder(unknown), NOW)
    assert "busy; the outcome of your sale KB-1 on it isn't known: look it up first" in words
    assert "isn't from this Keybench" in state_sentence(busy, Holder(), NOW)
    assert "doesn't say with whose request" in state_sentence(replace(busy, busy_with=""), Holder(), NOW)
    assert "your sale KB-1 is under way on it" in state_sentence(TILL, Holder(SALE), NOW)


def test_what_was_not_told_is_left_out() -> None:
    assert state_details(TILL, NOW) == ""
    told = replace(TILL, battery_percent=0, network="shop")
    assert state_details(told, NOW) == "Battery 0 % · Network “shop”"


def test_a_cell_has_sign_word_and_age() -> None:
    device = Device("D-1", "", "connected")
    later = NOW + timedelta(minutes=5)
    assert connection_cell(device, TILL, later) == "● connected, 5 min"
    assert connection_cell(device, replace(TILL, is_busy=True), later) == "● busy, 5 min"
    assert connection_cell(device, replace(TILL, is_connected=None), later) == f"{NONE} connected, 5 min"
    assert connection_cell(device, None, later) == "● connected, age not known"
    assert connection_cell(Device("D-1"), None, later) == f"{NONE} not known"


def test_what_was_sold_lately_is_told() -> None:
    assert sold_lately((), NOW) == "No sale of this Keybench on it is known."
    assert sold_lately((SALE,), NOW).startswith("Last 24 hours: no sale. Newest: ")
    ended = replace(SALE, noted_at=NOW, verdict=Verdict(Outcome.APPROVED))
    sales = (ended, ended, replace(ended, verdict=Verdict(Outcome.DECLINED)), SALE)
    assert sold_lately(sales, NOW).startswith("Last 24 hours: 2 ✓ Approved, 1 ✕ Declined. Newest: ")
    assert (lately_cell(sales, NOW), lately_cell((SALE,), NOW)) == ("2 of 3 approved", NONE)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (AnswerLost("connection closed"), "It may have been done"),
        (GatewayFailed("failed", status=503), "It may have been done"),
        (Refused("bad request", status=400, message="Used"), "The gateway said: “Used”. Nothing was done."),
        (Forbidden("forbidden", status=403), "Choose a key whose user may manage devices."),
        (Forbidden("rate limit", status=403, retry_after_s=2.0), "Wait 2 s"),
        (NotSent("timeout"), "Nothing reached the gateway."),
    ],
)
def test_what_was_not_done_is_not_said_to_be(error: GatewayError, said: str) -> None:
    assert said in not_done_sentence(error)
    assert ("may have been done" in not_done_sentence(error)) == isinstance(error, AnswerLost | GatewayFailed)


def test_what_would_be_lost_with_a_device_is_said() -> None:
    assert bound_sentence(Bound(0, 0)) == ""
    assert bound_sentence(Bound(0, 1)).startswith("The outcome of one sale on it is unknown.")
    assert bound_sentence(Bound(0, 1200)).startswith("The outcomes of 1,200 sales on it are unknown.")
