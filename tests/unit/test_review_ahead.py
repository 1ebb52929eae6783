"""What the review says ahead of time: reminders of the next days, and the check of somebody who leaves."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from fakes.snapshot import NOW, PRACTICE, SANDBOX, SHOP, ago, application, asked, key, rotation, snapshot
from keybench.core.keys.admin_settings import AdminSettings
from keybench.core.keys.key import KeyState
from keybench.core.keys.leaver import LeaverStep, leaver_check, usernames
from keybench.core.keys.review import Due, reminders
from keybench.core.rotations.rotation import Rotation
from keybench.words.keys.review import overdue_words, reminder_words


def test_age_limit_idleness_and_end_of_overlap_are_told_the_soonest_first() -> None:
    aging = key("Aging", created_at=ago(175))
    resting = key("Resting", SANDBOX, used_at=ago(57))
    leaving = key("Leaving")
    ending = rotation(leaving, to=key("Next"), overlap_ends_at=NOW + timedelta(days=1))
    due = reminders(snapshot(aging, resting, leaving, rotations=[ending]))
    assert [(one.what, one.key_name, one.environment) for one in due] == [
        (Due.OVERLAP, "Leaving", SHOP),
        (Due.IDLE, "Resting", SANDBOX),
        (Due.AGE, "Aging", SHOP),
    ]
    assert due[0].rotation == ending
    assert due[2].due_at == ago(175) + timedelta(days=180)


def test_only_what_comes_within_the_days_asked_for_is_told() -> None:
    aging = key(created_at=ago(170))
    assert not reminders(snapshot(aging), 7)
    assert [one.what for one in reminders(snapshot(aging), 10)] == [Due.AGE]


def test_what_is_overdue_comes_first_with_for_how_long() -> None:
    longest, since_today = key("Oldest", created_at=ago(192)), key("Just", created_at=ago(180))
    leaving, idle = key("Leaving"), key("Idle", used_at=ago(90))
    ending = rotation(leaving, to=key("Next"), overlap_ends_at=ago(3))
    given = snapshot(
        since_today, longest, leaving, idle, key("Soon", created_at=ago(176)), rotations=[ending]
    )
    due = reminders(given)
    assert [(one.key_name, one.overdue_by.days, one.is_overdue) for one in due] == [
        ("Oldest", 12, True),
        ("Leaving", 3, True),
        ("Just", 0, False),
        ("Soon", 0, False),
    ], "an idle key is a finding, and overdue for nothing"
    assert [overdue_words(one) for one in due] == ["Overdue by 12 days", "Overdue by 3 days", "", ""]
    assert [reminder_words(one) for one in due[:2]] == [
        "“Oldest” is older than its limit",
        "The overlap has ended: “Leaving” is to be deleted",
    ]


def test_a_key_on_its_way_out_is_reminded_of_by_its_rotation_alone() -> None:
    aging = key(created_at=ago(175), used_at=ago(57))
    under_way = rotation(aging, to=key("Next"))
    assert reminders(snapshot(aging, rotations=[under_way])) == ()
    deleted = replace(
        under_way, deletion=replace(asked(), deleted_at=ago(1)), overlap_ends_at=NOW + timedelta(1)
    )
    assert reminders(snapshot(aging, rotations=[deleted])) == ()


def test_limits_that_are_off_and_values_that_are_not_here_remind_of_nothing() -> None:
    off = AdminSettings(age_live_days=0, idle_days=0)
    assert reminders(snapshot(key(created_at=ago(175)), settings=off), 3650) == ()
    imported = key(created_at=ago(57), used_at=None, state=KeyState.NO_VALUE)
    assert reminders(snapshot(imported)) == ()


def test_the_leaver_check_finds_every_key_of_a_username_in_every_environment() -> None:
    hers = [
        key("A", username="Mira"),
        key("B", SANDBOX, username="mira"),
        key("C", PRACTICE, username="MIRA"),
    ]
    given = snapshot(*hers, key("D", username="ada"))
    assert [one.key.name for one in leaver_check(given, " mira ").keys] == ["A", "B", "C"]
    assert leaver_check(given, "nobody").keys == ()
    assert usernames(given) == ("ada", "MIRA")


def test_what_is_done_first_is_where_money_moves_and_what_others_wait_for() -> None:
    idle = key("Idle", username="mira", used_at=None)
    used = key("Used", username="mira", used_at=None)
    going = key("Going", username="mira")
    test = key("Test", SANDBOX, username="mira")
    software = application(used)
    under_way: Rotation = rotation(going)
    given = snapshot(test, idle, used, going, applications=[software], rotations=[under_way])
    checked = leaver_check(given, "mira").keys
    assert [(one.key.name, one.step) for one in checked] == [
        ("Going", LeaverStep.FINISH),
        ("Used", LeaverStep.ROTATE),
        ("Idle", LeaverStep.ASK),
        ("Test", LeaverStep.ROTATE),
    ]
    assert checked[0].rotation == under_way
    assert checked[1].applications == (software,)
