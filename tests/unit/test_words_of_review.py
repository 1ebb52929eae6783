"""Every finding, reminder and leaver check has plain words with the facts in them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from fakes.snapshot import NOW, PRACTICE, SANDBOX, SHOP, ago, application, key, rotation, snapshot
from keybench.core.leaver import LeaverCheck, leaver_keys
from keybench.core.review import Due, Finding, FindingGroup, Severity, grouped, reminders
from keybench.core.security_key import KeyKind, KeyState, Trial
from keybench.words.formats import some
from keybench.words.review import FINDINGS, SEVERITY_TONES, SEVERITY_WORDS, reminder_words
from keybench.words.review.condition import Compromised, Failing, Idle, Old, Untested
from keybench.words.review.leaver import leaver_reason, leaver_summary, leaver_text
from keybench.words.review.permissions import PublicSells, Surplus, UserGone, WrongKind
from keybench.words.review.rotations import Trouble, UnfinishedRotation
from keybench.words.review.separation import MixedUp, NoOwner, OneUser, SameValue, Shared

PROBE = key("Probe", SANDBOX), SANDBOX
HERE = SHOP, key(), Severity.BAD
OLD = key(created_at=ago(400))
TRIED = key(tried_at=ago(1), trial=Trial.NO_ANSWER)
ALL: list[Finding] = [
    Old(SHOP, OLD, Severity.BAD, days=400, limit=180),
    Idle(*HERE, days=1, used_at=None),
    Idle(*HERE, days=90, used_at=ago(90)),
    Untested(*HERE, days=8),
    *(Untested(SHOP, key(tried_at=ago(1), trial=trial), Severity.NOTE, days=8) for trial in Trial),
    Compromised(*HERE),
    Compromised(*HERE, "a rotation"),
    *(
        Failing(SHOP, key(state=state, status=401), Severity.BAD)
        for state in KeyState
        if state is not KeyState.WORKING
    ),
    Shared(*HERE, applications=("Tills", "Web shop"), members=("Ada", "Mira")),
    Shared(*HERE, applications=("Tills", "Web shop", "Back office")),
    Shared(*HERE, purposes=("tills", "web")),
    SameValue(*HERE, others=(PROBE,), total=1, live_and_not=True),
    SameValue(*HERE, others=(PROBE,), total=9, live_and_not=False),
    WrongKind(*HERE, fits=KeyKind.PUBLIC),
    Surplus(*HERE, extra=("manage keys",)),
    Surplus(SHOP, key(kind=KeyKind.PUBLIC), Severity.WARNING, extra=("manage keys", "sell")),
    *(UserGone(*HERE, disabled=disabled) for disabled in (True, False)),
    *(PublicSells(*HERE, sales=sales, last_at=ago(1)) for sales in (0, 1, 3)),
    *(
        UnfinishedRotation(
            *HERE, rotation=rotation(key(), to=key("Till 2"), compromised=True), trouble=trouble, days=4
        )
        for trouble in Trouble
    ),
    *(
        UnfinishedRotation(SHOP, None, Severity.NOTE, rotation=rotation(key()), trouble=trouble, days=4)
        for trouble in (Trouble.OVERDUE, Trouble.HALF_DELETED, Trouble.STALLED)
    ),
    NoOwner(*HERE, application=application(key())),
    NoOwner(SHOP, None, Severity.NOTE, application=application(key())),
    MixedUp(*HERE, same_name=(PROBE,), same_user=()),
    MixedUp(*HERE, same_name=(PROBE,), same_user=(PROBE,)),
    OneUser(SHOP, None, Severity.NOTE, username="mira", keys=4),
]


def test_every_kind_has_an_example() -> None:
    assert {type(finding) for finding in ALL} == set(FINDINGS)


@pytest.mark.parametrize("finding", ALL, ids=lambda finding: finding.id)
def test_every_finding_says_what_why_and_what_to_do(finding: Finding) -> None:
    words = finding.words()
    assert 5 < len(words.title) < 50
    assert not words.title.endswith(".")
    for sentence in (words.reason, words.remedy):
        assert re.fullmatch(r"[“A-Z0-9].*\.", sentence), sentence
        assert "None" not in sentence
        assert "  " not in sentence
        assert "1 days" not in sentence


@pytest.mark.parametrize("finding", ALL, ids=lambda finding: finding.id)
def test_several_alike_say_the_same_of_all_of_them(finding: Finding) -> None:
    words = FindingGroup((finding,) * 1204).words()
    assert "1,204" in words.title
    assert not words.title.endswith(".")
    assert words.actions == finding.words().actions
    for sentence in (words.reason, words.remedy):
        assert re.fullmatch(r"[A-Z0-9].*\.", sentence), sentence
        assert "“" not in sentence, "no name: it is about several"
    assert FindingGroup((finding,)).words() == finding.words()


def test_names_are_told_as_far_as_they_can_be_read_at_a_glance() -> None:
    assert some([]) == ""
    assert some(["Till"]) == "Till"
    assert some(list("abcde")) == "a, b, c, d and e"
    assert some(list("abcdefg")) == "a, b, c, d, e and 2 more"


def test_findings_are_put_together_where_the_same_is_done_about_them() -> None:
    untested, tried = Untested(*HERE, days=9), Untested(SHOP, TRIED, Severity.NOTE, days=9)
    bad = Failing(SHOP, key(state=KeyState.REFUSED), Severity.BAD)
    gone = Failing(SHOP, key(state=KeyState.NO_VALUE), Severity.NOTE)
    worse = replace(untested, severity=Severity.WARNING)
    groups = grouped([bad, worse, untested, tried, gone, untested])
    assert [group.findings for group in groups] == [
        (bad,), (worse,), (untested, untested), (tried,), (gone,),
    ]  # fmt: skip
    assert len({group.identity for group in groups}) == 5


@pytest.mark.parametrize("finding", ALL, ids=lambda finding: finding.id)
def test_every_finding_about_a_key_has_a_way_on(finding: Finding) -> None:
    actions = finding.words().actions
    assert len(actions) == len(set(actions))
    assert actions or finding.key is None


def test_the_ids_that_dismissals_are_stored_with_stay() -> None:
    assert [kind.id for kind in FINDINGS] == [
        "compromised",
        "same value",
        "user gone",
        "failing",
        "public key sells",
        "rotation",
        "wrong kind",
        "more permissions than needed",
        "shared",
        "old",
        "idle",
        "untested",
        "no owner",
        "not separated",
        "one user for everything",
    ]
    assert ALL[0].identity == f"old/{SHOP.id}/{OLD.id}/"


def test_what_was_seen_stands_in_the_words() -> None:
    assert "400 days" in ALL[0].words().reason
    live = SHOP, key(fingerprint="acorn-alarm"), Severity.BAD
    reason = SameValue(*live, others=(PROBE,), total=9, live_and_not=True).words().reason
    assert "“Probe” in sandbox (test)" in reason
    assert "8 more" in reason
    assert "acorn-alarm" in reason


def test_every_severity_has_a_word_and_a_tone() -> None:
    assert set(SEVERITY_WORDS) == set(SEVERITY_TONES) == set(Severity)


def test_every_reminder_names_its_key() -> None:
    leaving = key("Leaving")
    given = snapshot(
        key("Aging", created_at=ago(175)),
        key("Resting", SANDBOX, used_at=ago(57)),
        leaving,
        rotations=[rotation(leaving, overlap_ends_at=NOW + timedelta(days=1))],
    )
    due = reminders(given)
    assert {one.what for one in due} == set(Due)
    assert all(one.key_name in reminder_words(one) for one in due)


def test_the_leaver_check_is_a_numbered_list_that_ends_with_the_user() -> None:
    used, idle = key("Used", username="mira"), key("Idle", PRACTICE, username="mira", used_at=None)
    going = key("Going", username="mira")
    lost = key("Lost", SANDBOX, username="mira")
    software = application(used, owner="Ada", contact="ext. 12", place="PAYMENT_KEY on web-1")
    nobodys = application(used, "Back office", owner="")
    given = snapshot(used, idle, going, lost, applications=[software, nobodys], rotations=[rotation(going)])
    check = LeaverCheck("mira", NOW, leaver_keys(given, "mira"))
    text = leaver_text(check)
    firsts = [line for line in text.splitlines() if re.match(r"\d\. ", line)]
    assert firsts == [
        "1. Finish its rotation: “Going” in ▲ LIVE · shop",
        "2. Rotate to another user: “Used” in ▲ LIVE · shop",
        "3. Rotate to another user: “Lost” in ◆ TEST · sandbox",
        "4. Ask who uses it: “Idle” in ● PRACTICE · practice",
        "5. Freeze “mira” in the portal, once every key above is dealt with.",
    ]
    assert "Till software (Ada · ext. 12). Set at: PAYMENT_KEY on web-1." in text
    assert "Back office (no owner named)." in text
    assert len({leaver_reason(one) for one in check.keys}) == 4


def test_a_leaver_without_keys_is_told_so() -> None:
    check = LeaverCheck("mira", NOW, ())
    assert "No key kept here" in leaver_summary(check)
    assert "Freeze" not in leaver_text(check)
    told = leaver_summary(
        replace(check, keys=leaver_keys(snapshot(key(username="mira")), "mira"), disabled_in=("shop",))
    )
    assert told.startswith("1 key belongs")
    assert "frozen already in shop" in told
