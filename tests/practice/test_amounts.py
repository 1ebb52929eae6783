"""The amounts' table and the laws of a sale's progress."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.practice import amounts
from keybench.practice.amounts import BY_CENTS, BY_NAME, progress, script_for

scripts = st.sampled_from(sorted(BY_NAME.values(), key=lambda script: script.name))
seconds = st.floats(0, 60, allow_nan=False)


@pytest.mark.parametrize(
    ("cents", "status", "code"),
    [
        (10_00, "interactionComplete", "100"),
        (25_50, "interactionComplete", "100"),
        (1_00, "interactionComplete", "100"),
        (99, "interactionComplete", "200"),
        (1, "interactionComplete", "200"),
        (20_00, "interactionComplete", "200"),
        (20_02, "interactionComplete", "202"),
        (20_23, "interactionComplete", "223"),
        (30_00, "cancelledAtTerminal", None),
        (40_00, "cancelledByTimeout", None),
        (50_00, "poiDeviceInUse", None),
        (15_00, "interactionComplete", "100"),
        (90_00, "interactionComplete", "100"),
    ],
)
def test_an_amount_ends_the_way_the_table_says(cents: int, status: str, code: str | None) -> None:
    end = progress(script_for(cents), 60.0)
    assert (end.status, end.final) == (status, True)
    assert (end.result.code if end.result else None) == code


def test_an_approved_sale_is_pending_then_in_flight_then_complete() -> None:
    script = script_for(10_00)
    seen = [progress(script, at).status for at in (0.0, 0.99, 1.0, 2.99, 3.0)]
    assert seen == ["pending", "pending", "inFlight", "inFlight", "interactionComplete"]


def test_every_script_is_found_by_its_name_again() -> None:
    assert all(BY_NAME[script.name] is script for script in BY_CENTS.values())


@given(scripts, seconds, seconds)
def test_progress_only_goes_forward(script: amounts.Script, one: float, other: float) -> None:
    words = [word for _, word in script.steps]
    earlier, later = sorted((one, other))
    assert words.index(progress(script, earlier).status) <= words.index(progress(script, later).status)


@given(scripts, seconds, seconds, st.none() | seconds)
def test_what_is_final_stays_as_it_is(
    script: amounts.Script, one: float, other: float, cancelled: float | None
) -> None:
    earlier, later = sorted((one, other))
    first = progress(script, earlier, cancelled)
    # A cancellation is only known from its own moment on.
    if first.final and (cancelled is None or cancelled <= earlier):
        assert progress(script, later, cancelled) == first


@given(scripts, seconds, seconds)
def test_a_result_comes_at_the_end_and_never_with_a_cancellation(
    script: amounts.Script, at: float, cancelled: float
) -> None:
    now = progress(script, at, cancelled)
    assert now.final or now.result is None
    assert now.status != amounts.CANCELLED_BY_API or now.result is None


@given(scripts, seconds)
def test_authorised_sales_cannot_be_cancelled(script: amounts.Script, late: float) -> None:
    at = script.ends_at + late
    assert progress(script, at, cancelled_at=at) == progress(script, at)


@given(st.integers(1, 99_999_999))
def test_money_is_written_with_two_decimals(cents: int) -> None:
    written = amounts.money(cents)
    assert int(written.replace(".", "")) == cents
    assert written[-3] == "."
