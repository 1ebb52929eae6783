"""The command that reviews keys: findings and reminders for people and programs, and a leaver's keys."""

from __future__ import annotations

import pytest

from fakes.world import MADE_UP
from keybench.core.errors import GatewayFailed
from keybench.workflows.administration import Administration

from .conftest import CommandLine

DAY_S = 86_400


@pytest.fixture
def with_twins(with_key: CommandLine) -> CommandLine:
    """A live environment whose key has the practice key's value."""
    added = ["environment", "add", "shop", "--kind", "live", "--base-url", "https://live.example.com"]
    assert with_key(*added).status == 0
    key = ["key", "add", "--environment", "shop", "--name", "Live till", "--username", "ada"]
    pasted = with_key(*key, "--permission", "API", "--kind", "private", stdin=MADE_UP)
    assert pasted.status == 0
    assert "This is the value of Till in ● PRACTICE · practice." in pasted.err
    return with_key


def test_nothing_to_mend_is_said_and_ends_with_0(keybench: CommandLine) -> None:
    ended = keybench("review")
    assert (ended.status, ended.out, ended.err) == (0, "", "Nothing to fix.\n")


def test_findings_come_worst_first_as_json_lines(with_twins: CommandLine) -> None:
    ended = with_twins("review", "--json")
    assert ended.status == 0
    assert [(one["severity"], one["environment"], one["key"]) for one in ended.records] == [
        ("bad", "shop", "Live till"),
        ("bad", "practice", "Till"),
    ]
    first = ended.records[0]
    assert first["finding"] == "same value"
    assert first["remedy"].startswith("Rotate the live key at once")
    assert MADE_UP not in ended.out


def test_findings_are_told_to_people_with_reason_and_remedy(with_twins: CommandLine) -> None:
    ended = with_twins("review", "--environment", "shop")
    head, reason, remedy = ended.out.splitlines()
    assert head == "Critical: Same value in test and live · Live till · ▲ LIVE · shop"
    assert reason.startswith("  “Live till” and “Till” (● PRACTICE · practice) have the fingerprint")
    assert remedy.startswith("  → Rotate")
    assert ended.err == "1 finding.\n"


def test_what_becomes_due_is_told_too(with_key: CommandLine) -> None:
    with_key.bench.clock.move(55 * DAY_S)
    due = [one for one in with_key("review", "--json").records if "due" in one]
    assert [(one["what"], one["key"]) for one in due] == [("idle", "Till")]


def test_a_gateway_that_does_not_name_its_users_is_told_and_the_rest_goes_on(with_twins: CommandLine) -> None:
    with_twins.bench.portal.failure = GatewayFailed("failed", status=500)
    ended = with_twins("review")
    assert ended.status == 0
    assert "users of practice couldn't be asked for" in ended.err
    assert ended.out.count("Same value in test and live: 2") == 1


def test_the_leaver_check_is_a_text_for_people_and_a_line_a_key_for_programs(with_twins: CommandLine) -> None:
    told = with_twins("review", "--leaver", "ADA")
    assert told.status == 0
    assert told.out.startswith("Leaver check: ADA\n")
    assert "1. Ask who uses it: “Live till” in ▲ LIVE · shop" in told.out
    (one,) = with_twins("review", "--leaver", "ada", "--json").records
    assert (one["key"], one["step"], one["applications"]) == ("Live till", "ask who uses it", [])
    assert with_twins("review", "--leaver", "ada", "--environment", "practice", "--json").records == []


def test_wrong_use_is_told(with_key: CommandLine) -> None:
    assert with_key("review", "--environment", "nowhere").status == 2
    assert with_key("review", "--leaver", " ").status == 2


def test_what_was_dismissed_is_counted_for_people_and_told_to_programs(with_twins: CommandLine) -> None:
    async def dismiss() -> None:
        review = Administration(with_twins.bench.console).review
        await review.dismiss((await review.look()).standing[:1], "It goes on Monday", 30, "Mira")

    with_twins.do(dismiss())
    told = with_twins("review")
    assert told.out.count("Same value") == 1
    assert told.err == "1 finding, 1 more dismissed.\n"
    first, second = with_twins("review", "--json").records
    assert (first["dismissed_for"], second["dismissed_for"]) == ("It goes on Monday", None)
