"""Laws of the review, whatever the keys are: a total, stable order and facts that are true."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.snapshot import (
    NOW,
    PLACES,
    SANDBOX,
    SHOP,
    ago,
    application,
    asked,
    key,
    rotation,
    snapshot,
    user,
)
from keybench.core.keys.key import KeyKind, KeyState, SecurityKey
from keybench.core.keys.review import KINDS_BY_WEIGHT, Due, Finding, Severity, Snapshot, reminders
from keybench.core.keys.review_rules import review
from keybench.words.keys.review import FINDINGS, finding_words
from sweeps import examples

#: A snapshot is large and made slowly; so many show a broken law all the same.
_FEW = settings(max_examples=examples(40))
#: Among equally bad findings, the earlier rule comes first; dismissals are stored with these words.
_RULES = list(dict.fromkeys(kind.partition("/")[0] for kind in FINDINGS))
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
    findings = review(looked_at)
    ranks = [
        (list(Severity).index(one.severity), _RULES.index(one.id), KINDS_BY_WEIGHT.index(kind))
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
    assert review(replace(looked_at, **shuffled)) == review(looked_at)


@_FEW
@given(_snapshots())
def test_what_a_finding_says_was_seen_is_true(looked_at: Snapshot) -> None:
    for finding in review(looked_at):
        _check_what_was_seen(finding, looked_at)
        if finding.key:
            assert finding.key in looked_at.keys
            assert finding.key.environment_id == finding.environment.id


def _check_what_was_seen(finding: Finding, looked_at: Snapshot) -> None:
    seen = finding.seen
    match finding.id:
        case "old":
            assert seen["days"] >= seen["limit"] > 0
        case "idle":
            assert seen["days"] >= looked_at.settings.idle_days > 0
        case "same value":
            alike = [one for one in looked_at.keys if one.fingerprint == seen["fingerprint"] != ""]
            assert len(alike) == seen["total"]
            assert 0 < len(seen["others"]) < seen["total"]
    for several in ((finding,), (finding, finding)):
        words = finding_words(several)
        for sentence in (words.reason, words.remedy):
            assert re.fullmatch(r"[“A-Z0-9].*\.", sentence), sentence
            assert not re.search(r"None|  |\b1 days|[{}]", sentence), sentence


@_FEW
@given(_snapshots())
def test_a_finding_stays_the_same_one_from_review_to_review(looked_at: Snapshot) -> None:
    identities = [finding.identity for finding in review(looked_at)]
    assert len(set(identities)) == len(identities)
    later = replace(looked_at, now=NOW + timedelta(minutes=1))
    old = {f.identity for f in review(looked_at) if f.id == "old"}
    assert old <= {finding.identity for finding in review(later)}


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
    return any(f.id == "old" and f.key == key for f in review(looked_at))
