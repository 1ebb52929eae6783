"""Laws of the review, whatever the keys are: a total, stable order and facts that are true."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.estate import (
    NOW,
    PLACES,
    PRACTICE,
    SANDBOX,
    SHOP,
    ago,
    application,
    asked,
    estate,
    key,
    large_estate,
    rotation,
    user,
)
from keybench.core.hygiene.estate import Estate
from keybench.core.hygiene.facts import (
    Age,
    Idleness,
    Twins,
)
from keybench.core.hygiene.findings import Finding, Rule, Severity, rank_of
from keybench.core.hygiene.leaver import leaver_keys, usernames
from keybench.core.hygiene.reminders import Due, reminders
from keybench.core.hygiene.review import review
from keybench.core.ports import KeyUse
from keybench.core.security_key import KeyKind, KeyState, SecurityKey

#: An estate is large and made slowly; so many show a broken law all the same.
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
def _estates(draw: st.DrawFn) -> Estate:
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
    return estate(*keys, **more)


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
@given(_estates())
def test_the_order_is_total_and_worst_first(looked_at: Estate) -> None:
    findings = review(looked_at)
    ranks = [rank_of(finding) for finding in findings]
    assert all(before < after for before, after in pairwise(ranks))
    weights = [list(Severity).index(finding.severity) for finding in findings]
    assert weights == sorted(weights)


@_FEW
@given(_estates(), st.integers())
def test_the_order_of_what_is_given_changes_nothing(looked_at: Estate, seed: int) -> None:
    shuffled: dict[str, Any] = {}
    for name in ("environments", "keys", "applications", "rotations"):
        shuffled[name] = list(getattr(looked_at, name))
        Random(seed).shuffle(shuffled[name])
    assert review(replace(looked_at, **shuffled)) == review(looked_at)


@_FEW
@given(_estates())
def test_no_finding_is_without_true_facts(looked_at: Estate) -> None:
    for finding in review(looked_at):
        _check_facts(finding, looked_at)
        if finding.key:
            assert finding.key in looked_at.keys
            assert finding.key.environment_id == finding.environment.id


def _check_facts(finding: Finding, looked_at: Estate) -> None:
    match finding.facts:
        case Age(days, limit, _) | Idleness(days, limit, _):
            assert days >= limit > 0
        case Twins(fingerprint, others, total, _):
            alike = [one for one in looked_at.keys if one.fingerprint == fingerprint != ""]
            assert len(alike) == total + 1
            assert 0 < len(others) <= total
        case facts:
            assert facts is not None


@_FEW
@given(_estates())
def test_a_finding_stays_the_same_one_from_review_to_review(looked_at: Estate) -> None:
    identities = [finding.identity for finding in review(looked_at)]
    assert len(set(identities)) == len(identities)
    later = replace(looked_at, now=NOW + timedelta(minutes=1))
    old = {f.identity for f in review(looked_at) if f.rule is Rule.OLD}
    assert old <= {finding.identity for finding in review(later)}


@given(st.lists(st.sampled_from(PLACES), max_size=6))
def test_fresh_and_separate_keys_give_no_finding(places: list[Any]) -> None:
    keys = [key(f"Key {number}", place) for number, place in enumerate(places)]
    assert review(estate(*keys, applications=[application(one) for one in keys])) == ()


@_FEW
@given(_estates(), st.integers(1, 400))
def test_what_is_reminded_of_is_still_to_come_and_becomes_a_finding_then(
    looked_at: Estate, days: int
) -> None:
    due = reminders(looked_at, days)
    assert [one.due_at for one in due] == sorted(one.due_at for one in due)
    for one in due:
        assert NOW < one.due_at <= NOW + timedelta(days=days)
        if one.what is Due.AGE:
            assert _is_old(one.key_id, replace(looked_at, now=one.due_at))
            assert not _is_old(one.key_id, looked_at)


def _is_old(key_id: str, looked_at: Estate) -> bool:
    return any(f.rule is Rule.OLD and f.key and f.key.id == key_id for f in review(looked_at))


@_FEW
@given(_estates())
def test_the_leaver_checks_of_all_users_are_all_keys(looked_at: Estate) -> None:
    found = [
        one.key.id for name in usernames(looked_at) for one in leaver_keys(looked_at, f" {name.upper()} ")
    ]
    assert sorted(found) == sorted(one.id for one in looked_at.keys)
    assert PRACTICE in PLACES


def test_thousands_of_keys_are_all_looked_at() -> None:
    looked_at = large_estate(2000)
    found = review(looked_at)
    old = {finding.key.id for finding in found if finding.rule is Rule.OLD and finding.key}
    ages = {one.id: (NOW - one.created_at).days for one in looked_at.keys}
    assert {one for one, days in ages.items() if days >= 365} <= old
    assert len(found) > 2000
