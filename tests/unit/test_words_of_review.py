"""Every finding, reminder and leaver check has plain words with the facts in them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from fakes.snapshot import NOW, PRACTICE, SANDBOX, SHOP, ago, application, key, rotation, snapshot
from keybench.core.keys.leaver import LeaverCheck, leaver_check
from keybench.core.keys.review import Due, Finding, Severity, grouped, reminders
from keybench.core.keys.review_rules import review
from keybench.words.formats import some
from keybench.words.keys.leaver import leaver_reason, leaver_summary, leaver_text
from keybench.words.keys.review import (
    FINDINGS,
    SEVERITY_TONES,
    SEVERITY_WORDS,
    Remedy,
    finding_words,
    reminder_words,
)


def test_names_are_told_as_far_as_they_can_be_read_at_a_glance() -> None:
    assert some([]) == ""
    assert some(["Till"]) == "Till"
    assert some(list("abcde")) == "a, b, c, d and e"
    assert some(list("abcdefg")) == "a, b, c, d, e and 2 more"


def finding(kind: str, severity: Severity = Severity.NOTE) -> Finding:
    return Finding(kind, SHOP, key(), severity, seen={"days": 9})


def test_findings_are_put_together_where_the_same_is_done_about_them() -> None:
    untested, tried = finding("untested"), finding("untested/tried")
    bad, gone = finding("failing/refused", Severity.BAD), finding("failing/no value")
    worse = replace(untested, severity=Severity.WARNING)
    groups = grouped([bad, worse, untested, tried, gone, untested])
    assert groups == ((bad,), (worse,), (untested, untested), (tried,), (gone,))


def test_every_kind_says_what_why_and_what_to_do_also_of_many() -> None:
    for kind, row in FINDINGS.items():
        words = finding_words([finding(kind)] * 1204)
        assert words.title == f"{row.title}: 1,204"
        assert 3 < len(row.title) < 50
        assert not row.title.endswith(".")
        assert "“" not in words.reason + words.remedy, "no name: it is about several"
        assert words.actions[-1] is Remedy.OPEN_KEY
        assert (Remedy.ROTATE in words.actions) == ("rotati" not in kind and kind != "failing/no value"), (
            "a rotation that is there is opened, and without a value none can begin"
        )


def test_the_ids_that_dismissals_are_stored_with_stay() -> None:
    assert list(dict.fromkeys(finding(kind).id for kind in FINDINGS)) == [
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
        "held unseen",
        "untested",
        "no owner",
        "not separated",
        "one user for everything",
    ]
    assert finding("failing/refused").identity == f"failing/{SHOP.id}/{key().id}/"


def test_what_was_seen_stands_in_the_words() -> None:
    (old,) = review(snapshot(key(created_at=ago(400))))
    assert "400 days" in finding_words([old]).reason
    live, test = key(fingerprint="acorn-alarm"), key("Probe", SANDBOX, fingerprint="acorn-alarm")
    same = next(one for one in review(snapshot(live, test)) if one.key == live)
    assert "“Probe” (◆ TEST · sandbox)" in finding_words([same]).reason
    assert "acorn-alarm" in finding_words([same]).reason


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
    check = leaver_check(given, "mira")
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
    assert leaver_summary(leaver_check(snapshot(key(username="mira")), "mira")).startswith("1 key belongs")
