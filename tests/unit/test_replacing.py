"""What a replacement is called, in what it differs, when a deleted key is tried, and what notes may hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.input_errors import CardDataRefused, NameInvalid
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.rotations.plans import Difference, differences, next_name
from keybench.core.rotations.rotation import Expectation, Proof, ProofRow
from keybench.core.sales.poll_plan import COMPROMISED_REFUSAL, USUAL_REFUSAL, RefusalPlan
from keybench.core.text import NAME_LIMIT, NOTE_LIMIT, clean_note, clean_text
from unit.test_rotation_moves import AT

PLANS = [USUAL_REFUSAL, COMPROMISED_REFUSAL]


@pytest.mark.parametrize(
    ("name", "taken", "expected"),
    [
        ("web shop", [], "web shop 2026"),
        ("web shop 2024", [], "web shop 2026"),
        ("web shop 2026", ["web shop 2026"], "web shop 2026 (2)"),
        ("web shop 2026 (2)", ["Web Shop 2026 (2)"], "web shop 2026"),
        ("till-2024", [], "till 2026"),
        ("2024", [], "2024 2026"),
        ("room 12024", [], "room 12024 2026"),
    ],
)
def test_the_next_name_has_the_year(name: str, taken: list[str], expected: str) -> None:
    assert next_name(name, taken, 2026) == expected


@given(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=NAME_LIMIT), st.integers(0, 5))
def test_the_next_name_is_free_and_can_be_used(name: str, rounds: int) -> None:
    taken = [name]
    for _ in range(rounds + 1):
        new = next_name(name, taken, 2026)
        assert new.casefold() not in {one.casefold() for one in taken}
        assert len(clean_text("key name", new, required=True)) <= NAME_LIMIT
        taken.append(new)


def test_only_what_decides_what_a_key_may_do_is_a_difference() -> None:
    old = KeyDraft("a", "mira", "API", KeyKind.PRIVATE, "tills")
    assert differences(old, KeyDraft("b", "mira", "API", KeyKind.PRIVATE, "shop")) == ()
    assert differences(old, KeyDraft("a", "sam", "Cart", KeyKind.PUBLIC)) == (
        Difference("user", "mira", "sam"),
        Difference("permission", "API", "Cart"),
        Difference("kind", "private", "public"),
    )


@pytest.mark.parametrize(
    ("rows", "same"),
    [
        ([], False),
        ([(200, 200)], True),
        ([(200, 200), (403, 403)], True),
        ([(200, 200), (403, 200)], False),
        ([(401, 401)], False),
    ],
)
def test_a_proof_needs_calls_and_known_keys(rows: list[tuple[int, int]], *, same: bool) -> None:
    made = tuple(ProofRow("GET /", Expectation.ALLOWED, old, new) for old, new in rows)
    assert Proof(AT, made).same is same


@pytest.mark.parametrize("plan", PLANS)
def test_a_deleted_key_is_tried_quickly_first_and_given_up_in_time(plan: RefusalPlan) -> None:
    elapsed, pauses = 0.0, list[float]()
    while (pause := plan.pause_s(elapsed, len(pauses) + 1)) is not None:
        pauses.append(pause)
        elapsed += pause
    assert pauses == sorted(pauses)
    assert pauses[0] <= 0.5
    assert pauses[-1] == plan.longest_s
    assert plan.gives_up_s - plan.longest_s < elapsed <= plan.gives_up_s


def test_a_compromised_key_is_tried_more_often_and_for_longer() -> None:
    assert COMPROMISED_REFUSAL.gives_up_s > USUAL_REFUSAL.gives_up_s
    for tries in range(1, 100):
        quick, usual = COMPROMISED_REFUSAL.pause_s(0, tries), USUAL_REFUSAL.pause_s(0, tries)
        assert quick is not None
        assert usual is not None
        assert quick < usual


@given(
    st.sampled_from(PLANS),
    st.floats(-1e9, 1e9),
    st.integers(-5, 10**9),
    st.none() | st.floats(0, 1e6),
)
def test_a_pause_is_never_shorter_than_asked_for(
    plan: RefusalPlan, elapsed_s: float, tries: int, patience_s: float | None
) -> None:
    pause = plan.pause_s(elapsed_s, tries, patience_s)
    assert pause is None or pause >= max(plan.first_s, patience_s or 0.0)


def test_a_note_keeps_its_lines_and_nothing_unseen() -> None:
    assert clean_note("reason", " one \r\n\ttwo\rthree\n\n") == "one\n\ttwo\nthree"
    assert clean_note("reason", " \n ", required=False) == ""
    for text, reason in (
        ("", "empty"),
        ("x" * (NOTE_LIMIT + 1), "too long"),
        ("a\x00b", "control characters"),
    ):
        with pytest.raises(NameInvalid) as caught:
            clean_note("reason", text)
        assert caught.value.reason == reason
    with pytest.raises(CardDataRefused):
        clean_note("reason", "it was\n4111 1111 1111 1111")
