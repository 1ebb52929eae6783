"""Every finding, reminder and leaver check has plain words with the facts in them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import get_args

import pytest

from fakes.estate import NOW, PRACTICE, SANDBOX, SHOP, ago, application, estate, key, rotation
from keybench.core.environment import EnvironmentKind
from keybench.core.hygiene import facts as f
from keybench.core.hygiene.findings import Finding, Rule, Severity
from keybench.core.hygiene.leaver import leaver_keys
from keybench.core.hygiene.reminders import Due, reminders
from keybench.core.rotation import Stage
from keybench.core.security_key import KeyKind, KeyState, Trial
from keybench.words.hygiene import SEVERITY_TONES, SEVERITY_WORDS, explain_finding, reminder_words
from keybench.words.leaver import leaver_reason, leaver_summary, leaver_text
from keybench.workflows.review import LeaverCheck

PROBE = f.Other("sandbox", EnvironmentKind.TEST, "Probe")
ALL: list[f.Facts] = [
    f.Age(400, 180, ago(400)),
    f.Idleness(1, 1, None),
    f.Idleness(90, 60, ago(90)),
    f.Untested(8, 7),
    *(f.Untested(8, 7, ago(1), trial) for trial in Trial),
    *(f.Leak(rotating=rotating) for rotating in (True, False)),
    *(f.Failure(state, 401, ago(1)) for state in KeyState if state is not KeyState.WORKING),
    f.Sharing(("Tills", "Web shop"), ("Ada", "Mira")),
    f.Sharing(("Tills", "Web shop", "Back office")),
    f.Sharing(purposes=("tills", "web")),
    f.Twins("acorn-alarm-album-alley", (PROBE,), 1, live_and_not=True),
    f.Twins("acorn-alarm-album-alley", (PROBE,), 9, live_and_not=False),
    f.Misfit(KeyKind.PUBLIC, "API", KeyKind.PRIVATE),
    f.Surplus("admin", ("manage keys",), KeyKind.PRIVATE),
    f.Surplus("admin", ("manage keys", "sell"), KeyKind.PUBLIC),
    f.Absence("gone", disabled=False),
    f.Absence("frozen", disabled=True),
    *(f.PublicSales(sales, ago(1)) for sales in (0, 1, 3)),
    *(
        f.Unfinished(trouble, "Till", "Till 2", 4, Stage.TEST, compromised=True)
        for trouble in f.RotationTrouble
    ),
    f.Ownerless("Tills"),
    f.Mixture((PROBE,), (), "mira"),
    f.Mixture((PROBE,), (PROBE,), "mira"),
    f.OneUser("mira", 4),
]


def finding(facts: f.Facts) -> Finding:
    return Finding(Rule.OLD, Severity.BAD, SHOP, key(), facts)


def test_every_class_of_facts_has_an_example() -> None:
    assert {type(facts) for facts in ALL} == set(get_args(f.Facts))


@pytest.mark.parametrize("facts", ALL, ids=lambda facts: type(facts).__name__)
def test_every_finding_says_what_why_and_what_to_do(facts: f.Facts) -> None:
    words = explain_finding(finding(facts))
    assert 5 < len(words.title) < 50
    assert not words.title.endswith(".")
    for sentence in (words.reason, words.remedy):
        assert re.fullmatch(r"[“A-Z0-9].*\.", sentence), sentence
        assert "None" not in sentence
        assert "  " not in sentence
        assert "1 days" not in sentence


@pytest.mark.parametrize("facts", ALL, ids=lambda facts: type(facts).__name__)
def test_a_finding_without_its_key_has_words_too(facts: f.Facts) -> None:
    assert explain_finding(replace(finding(facts), key=None)).remedy


def test_the_facts_stand_in_the_words() -> None:
    assert "400 days" in explain_finding(finding(ALL[0])).reason
    twins = explain_finding(finding(f.Twins("acorn-alarm", (PROBE,), 9, live_and_not=True))).reason
    assert "“Probe” in sandbox (test)" in twins
    assert "8 more" in twins
    assert "acorn-alarm" in twins


def test_every_severity_has_a_word_and_a_tone() -> None:
    assert set(SEVERITY_WORDS) == set(SEVERITY_TONES) == set(Severity)


def test_every_reminder_names_its_key() -> None:
    leaving = key("Leaving")
    given = estate(
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
    given = estate(used, idle, going, lost, applications=[software, nobodys], rotations=[rotation(going)])
    check = LeaverCheck("mira", NOW, leaver_keys(given, "mira"))
    text = leaver_text(check)
    firsts = [line for line in text.splitlines() if re.match(r"\d\. ", line)]
    assert firsts == [
        "1. Finish its rotation: “Going” in ▲ LIVE · shop",
        "2. Rotate to another user: “Used” in ▲ LIVE · shop",
        "3. Rotate to another user: “Lost” in ◆ TEST · sandbox",
        "4. Delete it: “Idle” in ● PRACTICE · practice",
        "5. Disable “mira” in the portal, once every key above is dealt with.",
    ]
    assert "Till software (Ada · ext. 12). Set at: PAYMENT_KEY on web-1." in text
    assert "Back office (no owner named)." in text
    assert len({leaver_reason(one) for one in check.keys}) == 4


def test_a_leaver_without_keys_is_told_so() -> None:
    check = LeaverCheck("mira", NOW, ())
    assert "No key kept here" in leaver_summary(check)
    assert "Disable" not in leaver_text(check)
    told = leaver_summary(
        replace(check, keys=leaver_keys(estate(key(username="mira")), "mira"), disabled_in=("shop",))
    )
    assert told.startswith("1 key belongs")
    assert "disabled already in shop" in told
