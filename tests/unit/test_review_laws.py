"""Laws of the review, whatever the keys are: a total, stable order and facts that are true."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.snapshot import (
    NOW,
    PLACES,
    PRACTICE,
    SANDBOX,
    SHOP,
    ago,
    application,
    asked,
    key,
    large_snapshot,
    rotation,
    snapshot,
    user,
)
from keybench.core.leaver import leaver_keys, usernames
from keybench.core.ports import KeyUse
from keybench.core.review import KINDS_BY_WEIGHT, Due, Finding, Severity, Snapshot, reminders, review
from keybench.core.security_key import KeyKind, KeyState, SecurityKey
from keybench.words.review import FINDINGS
from keybench.words.review.condition import Idle, Old
from keybench.words.review.separation import SameValue

#: A snapshot is large and made slowly; so many show a broken law all the same.
_FEW = settings(max_examples=40)
_NAMES = st.sampled_from(["Till", "till", "Web", "Probe", "Desk"])
_MOMENTS = st.floats(-5, 800).map(ago)


@st.composite
def _keys(draw: st.DrawFn) -> list[SecurityKey]:
    count = draw(st.integers(0, 8))
    return [
        replace(
            key(draw(_NAMES), draw(st.sampled_from(PLACES))),
            id=f"key-{number}",
            username=draw(st.sampled_from(["mira", "Mira", "ada", "admin"])),
            kind=draw(st.sampled_from(KeyKind)),
            permission=draw(st.sampled_from(["API", "Tokenization", "own"])),
            purpose=draw(st.sampled_from(["", "till", "till, web"])),
            fingerprint=draw(st.sampled_from(["", "one", "two", f"own-{number}"])),
            state=draw(st.sampled_from(KeyState)),
            created_at=draw(_MOMENTS),
            tested_at=draw(st.none() | _MOMENTS),
            used_at=draw(st.none() | _MOMENTS),
        )
        for number in range(count)
    ]


@st.composite
def _snapshots(draw: st.DrawFn) -> Snapshot:
    keys = draw(_keys())
    owners = st.sampled_from(["", "Mira", "Ada"])
    applications = [
        replace(application(of, f"app {number}", owner=draw(owners)), seen_at=draw(st.none() | _MOMENTS))
        for number, of in enumerate(keys * 2)
        if draw(st.booleans())
    ]
    rotations = [draw(_rotations(of, keys)) for of in keys if draw(st.booleans())]
    more: dict[str, Any] = {
        "applications": applications,
        "rotations": rotations,
        "uses": {of.id: KeyUse(of.id, 1, 0, ago(3)) for of in keys if draw(st.booleans())},
        "users": {SHOP.id: [user("mira", "manage security keys"), user("ada", enabled=False)]},
        "permissions": {SANDBOX.id: {KeyKind.PRIVATE: ("API",), KeyKind.PUBLIC: ("Tokenization",)}},
    }
    return snapshot(*keys, **more)


@st.composite
def _rotations(draw: st.DrawFn, of: SecurityKey, keys: list[SecurityKey]) -> Any:
    return rotation(
        of,
        to=draw(st.sampled_from([None, *keys])),
        compromised=draw(st.booleans()),
        overlap_ends_at=draw(_MOMENTS | st.floats(0, 20).map(lambda days: NOW + timedelta(days=days))),
        started_at=draw(_MOMENTS),
        evidence=(),
        abandoned_at=draw(st.none() | _MOMENTS),
        deletion=draw(st.none() | st.just(asked())),
    )


@_FEW
@given(_snapshots())
def test_the_order_is_total_and_worst_first(looked_at: Snapshot) -> None:
    findings = review(looked_at, FINDINGS)
    ranks = [
        (list(Severity).index(one.severity), FINDINGS.index(type(one)), KINDS_BY_WEIGHT.index(kind))
        for one in findings
        for kind in [one.environment.kind]
    ]
    assert ranks == sorted(ranks)


@_FEW
@given(_snapshots(), st.integers())
def test_the_order_of_what_is_given_changes_nothing(looked_at: Snapshot, seed: int) -> None:
    shuffled: dict[str, Any] = {}
    for name in ("environments", "keys", "applications", "rotations"):
        shuffled[name] = list(getattr(looked_at, name))
        Random(seed).shuffle(shuffled[name])
    assert review(replace(looked_at, **shuffled), FINDINGS) == review(looked_at, FINDINGS)


@_FEW
@given(_snapshots())
def test_what_a_finding_says_was_seen_is_true(looked_at: Snapshot) -> None:
    for finding in review(looked_at, FINDINGS):
        _check_what_was_seen(finding, looked_at)
        if finding.key:
            assert finding.key in looked_at.keys
            assert finding.key.environment_id == finding.environment.id


def _check_what_was_seen(finding: Finding, looked_at: Snapshot) -> None:
    match finding:
        case Old():
            assert finding.days >= finding.limit > 0
        case Idle():
            assert finding.days >= looked_at.settings.idle_days > 0
        case SameValue():
            alike = [one for one in looked_at.keys if one.fingerprint == finding.key.fingerprint != ""]
            assert len(alike) == finding.total + 1
            assert 0 < len(finding.others) <= finding.total
    assert finding.words().reason


@_FEW
@given(_snapshots())
def test_a_finding_stays_the_same_one_from_review_to_review(looked_at: Snapshot) -> None:
    identities = [finding.identity for finding in review(looked_at, FINDINGS)]
    assert len(set(identities)) == len(identities)
    later = replace(looked_at, now=NOW + timedelta(minutes=1))
    old = {f.identity for f in review(looked_at, FINDINGS) if isinstance(f, Old)}
    assert old <= {finding.identity for finding in review(later, FINDINGS)}


@given(st.lists(st.sampled_from(PLACES), max_size=6))
def test_fresh_and_separate_keys_give_no_finding(places: list[Any]) -> None:
    keys = [key(f"Key {number}", place) for number, place in enumerate(places)]
    assert review(snapshot(*keys, applications=[application(one) for one in keys]), FINDINGS) == ()


@_FEW
@given(_snapshots(), st.integers(1, 400))
def test_what_is_reminded_of_is_a_finding_from_when_it_is_due(looked_at: Snapshot, days: int) -> None:
    due = reminders(looked_at, days)
    assert [one.due_at for one in due] == sorted(one.due_at for one in due)
    for one in due:
        assert one.due_at <= NOW + timedelta(days=days)
        assert one.overdue_by == max(NOW - one.due_at, timedelta(0))
        if one.what is Due.AGE:
            assert _is_old(one.key, replace(looked_at, now=one.due_at))
            assert _is_old(one.key, looked_at) is (one.due_at <= NOW)


def _is_old(key: SecurityKey | None, looked_at: Snapshot) -> bool:
    return any(isinstance(f, Old) and f.key == key for f in review(looked_at, FINDINGS))


@_FEW
@given(_snapshots())
def test_the_leaver_checks_of_all_users_are_all_keys(looked_at: Snapshot) -> None:
    found = [
        one.key.id for name in usernames(looked_at) for one in leaver_keys(looked_at, f" {name.upper()} ")
    ]
    assert sorted(found) == sorted(one.id for one in looked_at.keys)
    assert PRACTICE in PLACES


def test_thousands_of_keys_are_all_looked_at() -> None:
    looked_at = large_snapshot(2000)
    found = review(looked_at, FINDINGS)
    old = {finding.key.id for finding in found if type(finding) is Old and finding.key}
    ages = {one.id: (NOW - one.created_at).days for one in looked_at.keys}
    assert {one for one, days in ages.items() if days >= 365} <= old
    assert len(found) > 2000
