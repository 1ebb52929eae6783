"""What holds for every diagnosis, whatever was seen."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.diagnosis.causes import Cause, Trouble
from keybench.core.diagnosis.checks import Check, CheckFinding, Result, Sign, Silence, saw
from keybench.core.diagnosis.conclusion import Conclusion, Standing, conclude
from keybench.core.diagnosis.rules import RULES, excludes, result_of, rules_out

SEEN = st.lists(st.sampled_from(Sign), unique=True, max_size=12)


def findings(seen: Sequence[Sign]) -> list[CheckFinding]:
    """Return the findings of the checks that see these, in the order in which each is first named."""
    checks = dict.fromkeys(one.check for one in seen)
    return [CheckFinding(check, tuple(saw(one) for one in seen if one.check is check)) for check in checks]


def told(conclusion: Conclusion) -> list[tuple[Cause, Standing]]:
    return [(one.cause, one.standing) for one in conclusion.causes]


def test_no_rule_points_to_what_its_own_observation_rules_out() -> None:
    for rule in RULES:
        for seen in rule.seen:
            assert not [
                one for one in (*rule.likely, *rule.possible) if excludes(one=seen, cause=one, seen=[])
            ]


def test_every_fault_is_in_some_rule() -> None:
    faults = {one for one in Sign if result_of(findings([one])[0]) is Result.FAULT}
    assert not faults - {seen for rule in RULES for seen in (*rule.seen, *rule.beside)}


@pytest.mark.parametrize("cause", Cause)
def test_every_cause_can_come_first(cause: Cause) -> None:
    naming = [rule for rule in RULES if cause in {*rule.likely, *rule.possible}]
    firsts = [
        conclude(findings([seen, *sorted(rule.beside)[:1]])).suspects[0].cause
        for rule in naming
        for seen in rule.seen
    ]
    assert cause in firsts


@given(SEEN, st.randoms())
def test_the_order_in_which_checks_end_doesnt_matter(seen: list[Sign], chance: random.Random) -> None:
    shuffled = list(seen)
    chance.shuffle(shuffled)
    first, second = conclude(findings(seen)), conclude(findings(shuffled))
    assert told(first) == told(second)
    assert first.trouble is second.trouble


@given(SEEN)
def test_what_is_likely_comes_first_and_every_cause_once(seen: list[Sign]) -> None:
    conclusion = conclude(findings(seen))
    standings = [list(Standing).index(one.standing) for one in conclusion.causes]
    assert standings == sorted(standings)
    assert sorted(one.cause for one in conclusion.causes) == sorted(Cause)
    assert all(one.speaking for one in conclusion.likely)


@given(SEEN, st.sampled_from(Check), st.sampled_from(Silence))
def test_a_check_that_couldnt_tell_changes_nothing(seen: list[Sign], check: Check, silence: Silence) -> None:
    heard = findings([one for one in seen if one.check is not check])
    before, after = conclude(heard), conclude([*heard, CheckFinding(check, silence=silence)])
    assert told(before) == told(after)
    assert before.trouble is after.trouble
    assert result_of(CheckFinding(check, silence=silence)) is Result.COULD_NOT_TELL


@given(SEEN)
def test_what_is_ruled_out_was_ruled_out_by_something_that_was_seen(seen: list[Sign]) -> None:
    conclusion = conclude(findings(seen))
    excluded = {cause for one in findings(seen) for cause in rules_out(one, seen)}
    for one in conclusion.ruled_out:
        assert one.cause in excluded
        assert excludes(one.against[0].seen, one.cause, seen)
    assert not conclude([]).ruled_out


@given(SEEN)
def test_nothing_is_said_to_work_before_a_call_was_accepted(seen: list[Sign]) -> None:
    if conclude(findings(seen)).trouble is Trouble.NONE:
        assert Sign.CALL_ACCEPTED in seen
        assert not any(result_of(one) is Result.FAULT for one in findings(seen))


def test_the_next_check_is_one_that_may_tell_of_the_first_cause() -> None:
    asks = [CheckFinding(one, silence=Silence.NOT_ASKED) for one in (Check.FORMS, Check.ELSEWHERE)]
    refused = findings([Sign.CALL_UNAUTHORISED])
    assert conclude([*refused, *asks]).next_check is Check.ELSEWHERE
    assert conclude([*refused, asks[0]]).next_check is Check.FORMS
    assert conclude([*refused, CheckFinding(Check.ELSEWHERE, silence=Silence.NOT_OFFERED)]).next_check is None
    assert conclude([*findings([Sign.CONTRACT_INVALID]), *asks]).next_check is None  # nothing else is open


def test_the_way_comes_before_the_key_and_the_key_before_the_device() -> None:
    conclusion = conclude(findings([Sign.DEVICE_OFFLINE, Sign.KIND_PUBLIC, Sign.NAME_NOT_FOUND]))
    assert [one.cause for one in conclusion.likely] == [
        Cause.NAME_RESOLUTION,
        Cause.KEY_WRONG_KIND,
        Cause.DEVICE_OFFLINE,
    ]
    assert conclusion.trouble is Trouble.NETWORK


def test_a_key_that_was_good_once_and_is_refused_has_ended() -> None:
    refused = findings([Sign.CALL_UNAUTHORISED, Sign.KEY_WORKED])
    assert conclude(refused).likely[0].cause is Cause.KEY_EXPIRED_OR_DELETED
    never = conclude(findings([Sign.CALL_UNAUTHORISED, Sign.KEY_NEVER_WORKED]))
    assert not never.likely
    assert never.trouble is Trouble.OURS


def test_words_that_a_made_up_key_is_answered_with_too_say_nothing() -> None:
    seen = [Sign.CALL_FORBIDDEN, Sign.WORDS_PERMISSION]
    assert conclude(findings(seen)).likely[0].cause is Cause.PERMISSION_MISSING
    assert not conclude(findings([*seen, Sign.LIKE_A_MADE_UP_KEY])).likely


def test_a_gateway_that_wants_no_key_rules_nothing_about_a_key_out() -> None:
    about_keys = {
        Cause.KEY_INVALID,
        Cause.KEY_EXPIRED_OR_DELETED,
        Cause.KEY_WRONG_ENVIRONMENT,
        Cause.HEADER_FORM,
    }
    accepted = conclude(findings([Sign.CALL_ACCEPTED]))
    assert about_keys <= {one.cause for one in accepted.ruled_out}
    by_an_open_one = conclude(findings([Sign.CALL_ACCEPTED, Sign.GATEWAY_OPEN]))
    assert about_keys.isdisjoint({one.cause for one in by_an_open_one.ruled_out})
    assert by_an_open_one.trouble is not Trouble.NONE


@pytest.mark.parametrize(
    "seen",
    [Sign.CONNECTED_TO_PROXY, Sign.PROXY_PASSES, Sign.NAME_LEFT_TO_PROXY, Sign.TLS_INSPECTION],
)
def test_what_is_seen_of_whoever_is_in_between_rules_nothing_out_behind_them(seen: Sign) -> None:
    assert not conclude(findings([seen])).ruled_out
