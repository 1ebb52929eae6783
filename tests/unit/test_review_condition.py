"""The review's rules about one key: age, use, tests; each from both sides."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from fakes.snapshot import (
    NOW,
    PRACTICE,
    SANDBOX,
    SHOP,
    ago,
    application,
    asked,
    found,
    key,
    rotation,
    snapshot,
)
from keybench.core.environments.environment import Environment
from keybench.core.keys.admin_settings import AdminSettings
from keybench.core.keys.key import KeyState
from keybench.core.keys.review import Severity
from keybench.core.keys.review_rules import review

LIMITS = AdminSettings()
OFF = AdminSettings(age_live_days=0, age_test_days=0, age_practice_days=0, idle_days=0, untested_days=0)


@pytest.mark.parametrize("place", [SHOP, SANDBOX, PRACTICE])
def test_a_key_is_old_from_its_limit_on_and_not_a_second_before(place: Environment) -> None:
    limit = LIMITS.age_days(place.kind)
    aged = key(place=place, created_at=ago(limit))
    (finding,) = found("old", snapshot(aged))
    assert (finding.seen["days"], finding.seen["limit"]) == (limit, limit)
    assert finding.severity is Severity.WARNING
    younger = replace(aged, created_at=aged.created_at + timedelta(seconds=1))
    assert not found("old", snapshot(younger))


def test_twice_the_limit_is_bad_where_money_moves() -> None:
    days = 2 * LIMITS.age_live_days
    assert found("old", snapshot(key(created_at=ago(days))))[0].severity is Severity.BAD
    tests = 2 * LIMITS.age_test_days
    assert found("old", snapshot(key(place=SANDBOX, created_at=ago(tests))))[0].severity is Severity.WARNING


def test_an_old_key_that_is_being_rotated_is_not_told_again() -> None:
    aged = key(created_at=ago(400))
    assert not found("old", snapshot(aged, rotations=[rotation(aged)]))
    given_up = rotation(aged, abandoned_at=ago(1))
    assert found("old", snapshot(aged, rotations=[given_up]))


def test_a_key_nobody_used_for_long_is_idle() -> None:
    (finding,) = found("idle", snapshot(key(used_at=ago(60))))
    assert (finding.kind, finding.seen["days"]) == ("idle", 60)
    assert finding.severity is Severity.WARNING
    assert not found("idle", snapshot(key(used_at=ago(59.9))))


def test_a_key_never_used_is_idle_from_when_it_came() -> None:
    (finding,) = found("idle", snapshot(key(place=SANDBOX, created_at=ago(61), used_at=None)))
    assert (finding.kind, finding.seen["days"]) == ("idle", 61)
    assert finding.severity is Severity.NOTE


def test_an_imported_key_is_idle_from_its_import() -> None:
    imported = key(created_at=ago(700), imported_at=ago(3), used_at=None, tested_at=None)
    assert not [one for one in review(snapshot(imported)) if one.id in {"idle", "untested"}]
    (finding,) = found("idle", snapshot(replace(imported, imported_at=ago(61))))
    assert finding.seen["days"] == 61


def test_an_application_seen_working_is_use() -> None:
    quiet = key(created_at=ago(100), used_at=None)
    seen = application(quiet, seen_at=ago(5), seen_by="Mira")
    assert not found("idle", snapshot(quiet, applications=[seen]))
    assert found("idle", snapshot(quiet, applications=[replace(seen, seen_at=ago(70))]))


def test_a_key_without_its_value_is_not_called_idle_or_untested() -> None:
    imported = key(created_at=ago(100), used_at=None, tested_at=None, state=KeyState.NO_VALUE)
    assert [finding.id for finding in review(snapshot(imported))] == ["failing"]


def test_a_key_never_tested_is_told_after_a_while() -> None:
    waiting = key(created_at=ago(7), tested_at=None, state=KeyState.KEPT)
    (finding,) = found("untested", snapshot(waiting))
    assert finding.seen["days"] == 7
    assert not found("untested", snapshot(replace(waiting, created_at=ago(6.9))))
    assert not found("untested", snapshot(replace(waiting, tested_at=ago(3), state=KeyState.WORKING)))


@pytest.mark.parametrize("state", [KeyState.REFUSED, KeyState.FORBIDDEN, KeyState.VALUE_LOST])
def test_a_key_that_fails_is_bad_wherever_it_is(state: KeyState) -> None:
    for place in (SHOP, SANDBOX, PRACTICE):
        broken = key(place=place, state=state, status=401, tested_at=ago(2))
        (finding,) = found("failing", snapshot(broken))
        assert finding.severity is Severity.BAD
        assert finding.key == broken


@pytest.mark.parametrize("state", [KeyState.KEPT, KeyState.WORKING])
def test_a_key_that_works_or_waits_does_not_fail(state: KeyState) -> None:
    assert not found("failing", snapshot(key(state=state)))


def test_a_key_whose_value_was_never_here_is_a_note() -> None:
    (finding,) = found("failing", snapshot(key(state=KeyState.NO_VALUE)))
    assert finding.severity is Severity.NOTE


def test_an_old_key_that_is_to_be_deleted_is_meant_to_be_refused() -> None:
    going = key(state=KeyState.REFUSED, status=401, created_at=ago(100), used_at=ago(90))
    under_way = rotation(going, to=key("Till 2"), deletion=asked())
    rules = [finding.id for finding in review(snapshot(going, rotations=[under_way]))]
    assert "failing" not in rules
    assert "idle" not in rules


def test_limits_can_be_switched_off() -> None:
    ancient = key(created_at=ago(2000), used_at=None, tested_at=None, state=KeyState.KEPT)
    assert review(snapshot(ancient, settings=OFF)) == ()


def test_a_key_of_an_environment_that_is_gone_is_left_out() -> None:
    assert review(snapshot(key(created_at=ago(2000)), environments=[PRACTICE])) == ()


def test_a_key_from_the_future_is_young() -> None:
    assert review(snapshot(key(created_at=NOW + timedelta(days=3)))) == ()
