"""The review's rules about one key: age, use, tests; each from both sides."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from fakes.estate import NOW, PRACTICE, SANDBOX, SHOP, ago, application, asked, estate, found, key, rotation
from keybench.core.admin_settings import AdminSettings
from keybench.core.environment import Environment
from keybench.core.hygiene.facts import (
    Age,
    Failure,
    Idleness,
    Untested,
)
from keybench.core.hygiene.findings import Rule, Severity
from keybench.core.hygiene.review import review
from keybench.core.security_key import KeyState

LIMITS = AdminSettings()
OFF = AdminSettings(age_live_days=0, age_test_days=0, age_practice_days=0, idle_days=0, untested_days=0)


def test_sound_keys_apart_give_no_finding() -> None:
    assert review(estate(key("Till"), key("Web", SANDBOX), key("Lesson", PRACTICE))) == ()


@pytest.mark.parametrize("place", [SHOP, SANDBOX, PRACTICE])
def test_a_key_is_old_from_its_limit_on_and_not_a_second_before(place: Environment) -> None:
    limit = LIMITS.age_days(place.kind)
    aged = key(place=place, created_at=ago(limit))
    (finding,) = found(Rule.OLD, estate(aged))
    assert finding.facts == Age(limit, limit, ago(limit))
    assert finding.severity is Severity.WARNING
    younger = replace(aged, created_at=aged.created_at + timedelta(seconds=1))
    assert not found(Rule.OLD, estate(younger))


def test_twice_the_limit_is_bad_where_money_moves() -> None:
    days = 2 * LIMITS.age_live_days
    assert found(Rule.OLD, estate(key(created_at=ago(days))))[0].severity is Severity.BAD
    tests = 2 * LIMITS.age_test_days
    assert found(Rule.OLD, estate(key(place=SANDBOX, created_at=ago(tests))))[0].severity is Severity.WARNING


def test_an_old_key_that_is_being_rotated_is_not_told_again() -> None:
    aged = key(created_at=ago(400))
    assert not found(Rule.OLD, estate(aged, rotations=[rotation(aged)]))
    given_up = rotation(aged, abandoned_at=ago(1))
    assert found(Rule.OLD, estate(aged, rotations=[given_up]))


def test_a_key_nobody_used_for_long_is_idle() -> None:
    (finding,) = found(Rule.IDLE, estate(key(used_at=ago(60))))
    assert finding.facts == Idleness(60, 60, ago(60))
    assert finding.severity is Severity.WARNING
    assert not found(Rule.IDLE, estate(key(used_at=ago(59.9))))


def test_a_key_never_used_is_idle_from_when_it_came() -> None:
    (finding,) = found(Rule.IDLE, estate(key(place=SANDBOX, created_at=ago(61), used_at=None)))
    assert finding.facts == Idleness(61, 60, None)
    assert finding.severity is Severity.NOTE


def test_an_application_seen_working_is_use() -> None:
    quiet = key(created_at=ago(100), used_at=None)
    seen = application(quiet, seen_at=ago(5), seen_by="Mira")
    assert not found(Rule.IDLE, estate(quiet, applications=[seen]))
    assert found(Rule.IDLE, estate(quiet, applications=[replace(seen, seen_at=ago(70))]))


def test_a_key_without_its_value_is_not_called_idle_or_untested() -> None:
    imported = key(created_at=ago(100), used_at=None, tested_at=None, state=KeyState.NO_VALUE)
    assert [finding.rule for finding in review(estate(imported))] == [Rule.FAILING]


def test_a_key_never_tested_is_told_after_a_while() -> None:
    waiting = key(created_at=ago(7), tested_at=None, state=KeyState.KEPT)
    (finding,) = found(Rule.UNTESTED, estate(waiting))
    assert finding.facts == Untested(7, 7)
    assert not found(Rule.UNTESTED, estate(replace(waiting, created_at=ago(6.9))))
    assert not found(Rule.UNTESTED, estate(replace(waiting, tested_at=ago(3), state=KeyState.WORKING)))


@pytest.mark.parametrize("state", [KeyState.REFUSED, KeyState.FORBIDDEN, KeyState.VALUE_LOST])
def test_a_key_that_fails_is_bad_wherever_it_is(state: KeyState) -> None:
    for place in (SHOP, SANDBOX, PRACTICE):
        broken = key(place=place, state=state, status=401, tested_at=ago(2))
        (finding,) = found(Rule.FAILING, estate(broken))
        assert finding.severity is Severity.BAD
        assert finding.facts == Failure(state, 401, ago(2))


@pytest.mark.parametrize("state", [KeyState.KEPT, KeyState.WORKING])
def test_a_key_that_works_or_waits_does_not_fail(state: KeyState) -> None:
    assert not found(Rule.FAILING, estate(key(state=state)))


def test_a_key_whose_value_was_never_here_is_a_note() -> None:
    (finding,) = found(Rule.FAILING, estate(key(state=KeyState.NO_VALUE)))
    assert finding.severity is Severity.NOTE


def test_an_old_key_that_is_to_be_deleted_is_meant_to_be_refused() -> None:
    going = key(state=KeyState.REFUSED, status=401, created_at=ago(100), used_at=ago(90))
    under_way = rotation(going, to=key("Till 2"), deletion=asked())
    rules = [finding.rule for finding in review(estate(going, rotations=[under_way]))]
    assert Rule.FAILING not in rules
    assert Rule.IDLE not in rules


def test_limits_can_be_switched_off() -> None:
    ancient = key(created_at=ago(2000), used_at=None, tested_at=None, state=KeyState.KEPT)
    assert review(estate(ancient, settings=OFF)) == ()


def test_a_key_of_an_environment_that_is_gone_is_left_out() -> None:
    assert review(estate(key(created_at=ago(2000)), environments=[PRACTICE])) == ()


def test_a_key_from_the_future_is_young() -> None:
    assert review(estate(key(created_at=NOW + timedelta(days=3)))) == ()
