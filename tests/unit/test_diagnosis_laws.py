"""What holds for every diagnosis, whatever was seen."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.diagnosis.causes import Cause, Trouble
from keybench.core.diagnosis.checks import Check, Finding, Result, Seen, Silence, saw
from keybench.core.diagnosis.evidence import SIGNS, result_of, rules_out
from keybench.core.diagnosis.reasoning import Conclusion, Judged, Standing, conclude

SEEN = st.lists(st.sampled_from(Seen), unique=True, max_size=12)
CAUSES = st.sampled_from(Cause)
OFFERED = st.frozensets(st.sampled_from(Check))


def findings(seen: Sequence[Seen]) -> list[Finding]:
    """Return the findings of the checks that see these, in the order in which each is first named."""
    checks = dict.fromkeys(one.check for one in seen)
    return [Finding(check, tuple(saw(one) for one in seen if one.check is check)) for check in checks]


def judged(conclusion: Conclusion, cause: Cause) -> Judged:
    return next(one for one in conclusion.causes if one.cause is cause)


def told(conclusion: Conclusion) -> list[tuple[Cause, Standing, int]]:
    return [(one.cause, one.standing, one.points) for one in conclusion.causes]


def test_every_observation_has_a_meaning_and_none_speaks_for_what_it_rules_out() -> None:
    assert set(SIGNS) == set(Seen)
    for sign in SIGNS.values():
        assert not [cause for cause in sign.rules_out if sign.points.get(cause, 0) > 0]


#: What shows a cause that nothing shows alone.
TOGETHER = {
    Cause.KEY_INVALID: [Seen.CALL_UNAUTHORISED, Seen.KEY_NEVER_WORKED, Seen.ELSEWHERE_REFUSED],
}


@pytest.mark.parametrize("cause", Cause)
def test_every_cause_can_come_first(cause: Cause) -> None:
    speaking = [one for one in Seen if SIGNS[one].points.get(cause, 0) > 0]
    strongest = max(speaking, key=lambda one: SIGNS[one].points[cause])
    suspects = conclude(findings(TOGETHER.get(cause, [strongest]))).suspects
    assert cause in {one.cause for one in suspects if one.points == suspects[0].points}


@given(SEEN, CAUSES, st.randoms())
def test_what_speaks_for_a_cause_never_makes_it_less_likely(
    seen: list[Seen], cause: Cause, chance: random.Random
) -> None:
    before = judged(conclude(findings(seen)), cause)
    speaking = [one for one in Seen if SIGNS[one].points.get(cause, 0) > 0 and one not in seen]
    if speaking:
        after = judged(conclude(findings([*seen, chance.choice(speaking)])), cause)
        assert after.points >= before.points
        assert after.standing is not Standing.RULED_OUT or before.standing is Standing.RULED_OUT


@given(SEEN, OFFERED, st.randoms())
def test_the_order_in_which_checks_end_doesnt_matter(
    seen: list[Seen], offered: frozenset[Check], chance: random.Random
) -> None:
    shuffled = list(seen)
    chance.shuffle(shuffled)
    first, second = conclude(findings(seen), offered), conclude(findings(shuffled), offered)
    assert told(first) == told(second)
    assert (first.trouble, first.next_check) == (second.trouble, second.next_check)


@given(SEEN, st.sampled_from(Check), st.sampled_from(Silence), OFFERED)
def test_a_check_that_couldnt_tell_changes_nothing(
    seen: list[Seen], check: Check, silence: Silence, offered: frozenset[Check]
) -> None:
    heard = findings([one for one in seen if one.check is not check])
    before, after = conclude(heard, offered), conclude([*heard, Finding(check, silence=silence)], offered)
    assert told(before) == told(after)
    assert (before.trouble, before.next_check) == (after.trouble, after.next_check)
    assert result_of(Finding(check, silence=silence)) is Result.COULD_NOT_TELL


@given(SEEN)
def test_what_is_ruled_out_was_ruled_out_by_something_that_was_seen(seen: list[Seen]) -> None:
    conclusion = conclude(findings(seen))
    excluded = {cause for one in findings(seen) for cause in rules_out(one, seen)}
    for one in conclusion.ruled_out:
        assert one.cause in excluded
        assert SIGNS[one.against[0].seen].excludes(one.cause, seen)
    assert not conclude([]).ruled_out


@given(SEEN)
def test_nothing_is_said_to_work_before_a_call_was_accepted(seen: list[Seen]) -> None:
    if conclude(findings(seen)).trouble is Trouble.NONE:
        assert Seen.CALL_ACCEPTED in seen
        assert not any(result_of(one) is Result.FAULT for one in findings(seen))


@given(SEEN, OFFERED)
def test_a_next_check_is_offered_and_separates_what_is_open(
    seen: list[Seen], offered: frozenset[Check]
) -> None:
    conclusion = conclude(findings(seen), offered)
    suspects = {one.cause for one in conclusion.suspects}
    if len(suspects) < 2:
        assert conclusion.next_check is None
    if conclusion.next_check is not None:
        assert conclusion.next_check.check in offered
        assert set(conclusion.next_check.separates) <= suspects


def test_the_next_check_changes_as_answers_come() -> None:
    offered = {Check.FORMS, Check.ELSEWHERE, Check.PORTAL}
    refused = [Seen.CALL_UNAUTHORISED]
    order = []
    while (after := conclude(findings(refused), offered).next_check) is not None:
        order.append(after.check)
        offered.discard(after.check)
        refused.append(
            {Check.FORMS: Seen.OTHER_FORMS_REFUSED, Check.ELSEWHERE: Seen.ELSEWHERE_REFUSED}.get(
                after.check, Seen.PORTAL_NOT_LISTED
            )
        )
    assert order[0] is not order[-1]
    assert Check.PORTAL in order


def test_a_gateway_that_wants_no_key_rules_nothing_about_a_key_out() -> None:
    about_keys = {
        Cause.KEY_INVALID,
        Cause.KEY_EXPIRED_OR_DELETED,
        Cause.KEY_WRONG_ENVIRONMENT,
        Cause.HEADER_FORM,
    }
    accepted = conclude(findings([Seen.CALL_ACCEPTED]))
    assert about_keys <= {one.cause for one in accepted.ruled_out}
    by_an_open_one = conclude(findings([Seen.CALL_ACCEPTED, Seen.GATEWAY_OPEN]))
    assert about_keys.isdisjoint({one.cause for one in by_an_open_one.ruled_out})
    assert by_an_open_one.trouble is not Trouble.NONE


@pytest.mark.parametrize(
    "seen",
    [Seen.CONNECTED_TO_PROXY, Seen.PROXY_PASSES, Seen.NAME_LEFT_TO_PROXY, Seen.TLS_INSPECTION],
)
def test_what_is_seen_of_whoever_is_in_between_rules_nothing_out_behind_them(seen: Seen) -> None:
    assert not conclude(findings([seen])).ruled_out
