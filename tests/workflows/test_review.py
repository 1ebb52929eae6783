"""The review over a journal: limits are kept, users are asked for, findings dismissed, leavers saved."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from fakes.clock import START
from fakes.world import Bench
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import GatewayFailed
from keybench.core.events import ActivityRecorded
from keybench.core.input_errors import CardDataRefused, NameInvalid, SettingInvalid
from keybench.core.keys.admin_settings import AdminSettings, texts_of
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.keys.leaver import LeaverStep
from keybench.core.keys.review import Finding, Severity, grouped
from keybench.words.keys.leaver import leaver_text
from keybench.words.keys.review import finding_words
from keybench.workflows.administration import Administration
from keybench.workflows.keys.review import Review

DAY_S = 86_400
VALUE = "MadeUpForThisTest0123456789abcdef"


@pytest.fixture
def administration(bench: Bench) -> Administration:
    return Administration(bench.console)


@pytest.fixture
def review(administration: Administration) -> Review:
    return administration.review


async def _add(bench: Bench, name: str, username: str = "mira", place: str = "shop", value: str = "") -> None:
    environments = bench.console.environments
    if place not in {one.name for one in await environments.all()}:
        kind = EnvironmentKind.LIVE if place == "shop" else EnvironmentKind.TEST
        await environments.add(place, kind, f"https://{place}.example.com")
    draft = KeyDraft(name, username, "API", KeyKind.PRIVATE)
    await bench.console.add_key.keep(await environments.named(place), draft, value or f"{VALUE}{name}{place}")


def _kinds(findings: Sequence[Finding]) -> list[str]:
    return [finding.id for finding in findings]


async def test_an_empty_journal_has_nothing_to_mend(review: Review) -> None:
    seen = await review.look()
    assert (seen.findings, seen.reminders, seen.keys) == ((), (), 0)
    assert seen.at == START


async def test_one_value_in_test_and_live_is_found_by_its_fingerprint(bench: Bench, review: Review) -> None:
    await _add(bench, "Till", value=VALUE)
    await _add(bench, "Probe", "ada", "sandbox", value=VALUE)
    before = list(bench.keystore.calls)
    findings = (await review.look()).standing
    assert _kinds(list(findings)) == ["same value", "same value"]
    assert findings[0].environment.name == "shop"
    assert findings[0].severity is Severity.BAD
    assert bench.keystore.calls == before, "the keystore is left alone"


async def test_time_makes_findings_and_reminds_before(bench: Bench, review: Review) -> None:
    await _add(bench, "Till")
    assert (await review.look()).standing == ()
    bench.clock.move(55 * DAY_S)
    assert [one.key_name for one in await review.reminders()] == ["Till"]
    bench.clock.move(5 * DAY_S)
    assert _kinds((await review.look()).standing) == ["idle", "untested"]
    assert await review.reminders() == ()


async def test_limits_are_kept_noted_and_announced(bench: Bench, administration: Administration) -> None:
    heard: list[ActivityRecorded] = []
    bench.console.events.subscribe(ActivityRecorded, heard.append)
    wanted = texts_of(AdminSettings()) | {"idle_days": " 10 ", "overlap_days": "14"}
    kept = await administration.settings.save(wanted)
    assert (kept.idle_days, kept.overlap_days) == (10, 14)
    assert await Administration(bench.console).settings.read() == kept
    noted = [(one.action, one.subject, one.result) for one in await bench.journal.activities(5)]
    assert ("key limit set", "idle days", "10") in noted
    assert ("key limit set", "overlap days", "14") in noted
    assert len(heard) == 2


async def test_a_limit_that_cannot_be_used_changes_nothing(
    bench: Bench, administration: Administration
) -> None:
    with pytest.raises(SettingInvalid):
        await administration.settings.save({"idle_days": "5", "overlap_days": "0"})
    with pytest.raises(CardDataRefused):
        await administration.settings.save({"idle_days": "4111 1111 1111 1111"})
    assert await administration.settings.read() == AdminSettings()


async def test_a_limit_another_hand_spoiled_is_as_usual(bench: Bench, administration: Administration) -> None:
    await bench.journal.update_setting("keys.idle_days", lambda _: "soon")
    assert (await administration.settings.read()).idle_days == AdminSettings().idle_days


async def test_users_are_asked_for_only_where_there_are_keys(bench: Bench, review: Review) -> None:
    bench.portal.failure = GatewayFailed("failed", status=500)
    assert await review.ask_users() == []
    assert bench.practice.base_url == "", "the practice gateway isn't started for nothing"


async def test_a_user_who_has_left_is_known_once_the_gateway_was_asked(bench: Bench, review: Review) -> None:
    practice = await bench.console.environments.named("practice")
    await bench.console.add_key.create(practice, KeyDraft("Till", "somebody", "API", KeyKind.PRIVATE))
    assert (await review.look()).standing == (), "nothing is claimed before"
    assert await review.ask_users() == []
    assert _kinds((await review.look()).standing) == ["user gone"]
    bench.portal.failure = GatewayFailed("failed", status=500)
    assert await review.ask_users() == [practice]
    assert (await review.look()).standing == (), "a gateway that doesn't answer says nothing"


async def test_a_dismissed_finding_comes_back_when_its_time_is_over(bench: Bench, review: Review) -> None:
    await _add(bench, "Till")
    bench.clock.move(8 * DAY_S)
    (finding,) = (await review.look()).standing
    await review.dismiss([finding], " The till opens in May ", 30, "Mira")
    assert (await review.look()).standing == ()
    seen = await review.look()
    assert seen.dismissed[finding.identity].reason == "The till opens in May"
    assert _kinds(seen.findings) == ["untested"]
    bench.clock.move(30 * DAY_S)
    assert "untested" in _kinds((await review.look()).standing)
    (newest,) = await bench.journal.activities(1)
    assert (newest.action, newest.subject, newest.result) == (
        "finding dismissed",
        "Till",
        "The till opens in May",
    )


async def test_findings_alike_are_dismissed_together_and_listed_again_together(
    bench: Bench, review: Review
) -> None:
    for name in ("Till", "Shop", "Web"):
        await _add(bench, name, f"user of {name}")
    bench.clock.move(8 * DAY_S)
    (group,) = grouped((await review.look()).standing)
    assert finding_words(group).title == "Never tested: 3"
    for reason, error in (("  ", NameInvalid), ("4111 1111 1111 1111", CardDataRefused)):
        with pytest.raises(error):
            await review.dismiss(group, reason, 30, "Mira")
    await review.dismiss(group, "they are for May", 30, "Mira")
    assert (await review.look()).standing == ()
    lines = await bench.journal.activities(3)
    assert [(line.action, line.who) for line in lines] == [("finding dismissed", "Mira")] * 3
    assert {line.subject for line in lines} == {"Till", "Shop", "Web"}
    await review.restore(group)
    assert (await review.look()).standing == group


async def test_what_is_overdue_is_reminded_of_until_it_is_dismissed(bench: Bench, review: Review) -> None:
    await _add(bench, "Till")
    bench.clock.move(400 * DAY_S)
    seen = await review.look()
    (reminder,) = seen.reminders
    assert reminder.is_overdue
    old = next(one for one in seen.standing if one.id == "old")
    await review.dismiss([old], "the shop closes in May", 30, "Mira")
    assert (await review.look()).reminders == ()


async def test_spoiled_dismissals_dismiss_nothing(bench: Bench, review: Review) -> None:
    await _add(bench, "Till")
    bench.clock.move(8 * DAY_S)
    for spoiled in (
        "nonsense",
        "{}",
        "[1, {}]",
        '[{"finding": "x", "reason": "r", "by": "b", "until": "y", "at": "z"}]',
    ):
        await bench.journal.update_setting("keys.dismissed", lambda _, text=spoiled: text)
        assert len((await review.look()).standing) == 1


async def test_the_leaver_check_goes_through_every_environment(
    bench: Bench, review: Review, tmp_path: Path
) -> None:
    await _add(bench, "Till", "Mira")
    await _add(bench, "Probe", "mira", "sandbox")
    await _add(bench, "Web", "ada")
    check = await review.leaver(" MIRA ")
    assert [(one.key.name, one.step) for one in check.keys] == [
        ("Till", LeaverStep.ASK),
        ("Probe", LeaverStep.ASK),
    ]
    path = tmp_path / "mira.txt"
    await review.save_leaver(check, leaver_text(check), path)
    text = path.read_text("utf-8")
    assert re.search(r"1\. Ask who uses it: “Till” in ▲ LIVE", text)
    assert VALUE not in text
    assert (await bench.journal.activities(1))[0].action == "leaver checked"


@pytest.mark.parametrize("username", ["", "  ", "4111 1111 1111 1111", "a\nb"])
async def test_what_cannot_be_a_username_is_refused(review: Review, username: str) -> None:
    with pytest.raises((NameInvalid, CardDataRefused)):
        await review.leaver(username)
