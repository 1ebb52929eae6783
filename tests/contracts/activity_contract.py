"""How every journal finds lines of activity: subclass it and give it a `journal` fixture, open and fresh."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from contracts.journal_samples import NOW
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.ports import (
    ENVIRONMENT_ADDED,
    ENVIRONMENT_EDITED,
    ENVIRONMENT_REMOVED,
    Activity,
    ActivityFilter,
    Journal,
)


def a_line(subject: str = "Till 3", *, minutes: int = 0, where: str = PRACTICE_ID) -> Activity:
    return Activity(NOW + timedelta(minutes=minutes), "key tested", where, subject, "200 in Straße 5%")


async def found(journal: Journal, wanted: ActivityFilter, limit: int = 100) -> list[str]:
    return [line.subject for line in await journal.activities(limit, wanted)]


class ActivityContract:
    """The suite."""

    async def test_lines_are_numbered_as_they_are_written(self, journal: Journal) -> None:
        for minutes in (2, 1):
            await journal.record_activity(a_line(minutes=minutes))
        lines = await journal.activities(10)
        assert [(line.number, line.at) for line in lines] == [
            (1, NOW + timedelta(minutes=2)),
            (2, NOW + timedelta(minutes=1)),
        ]

    async def test_who_did_it_is_kept_and_found(self, journal: Journal) -> None:
        await journal.record_activity(replace(a_line("Till 3"), who="Mira Lind"))
        await journal.record_activity(a_line("Till 4"))
        assert [line.who for line in await journal.activities(2)] == ["", "Mira Lind"]
        assert await found(journal, ActivityFilter("LIND tested")) == ["Till 3"]

    async def test_a_removed_environment_is_called_what_it_was_called_last(self, journal: Journal) -> None:
        for action, name in ((ENVIRONMENT_ADDED, "First"), (ENVIRONMENT_REMOVED, "Sandbox")):
            await journal.record_activity(replace(a_line(name, where="E-1"), action=action))
        for action, name in ((ENVIRONMENT_ADDED, "First"), (ENVIRONMENT_EDITED, "Broken off")):
            await journal.record_activity(replace(a_line(name, where="E-2"), action=action))
        await journal.record_activity(a_line(where="E-3"))
        names = await journal.removed_environments(["E-1", "E-2", "E-3", PRACTICE_ID])
        assert names == {"E-1": "Sandbox", "E-2": "Broken off"}

    @pytest.mark.parametrize("limit", [1, 3, 7, 100])
    @pytest.mark.parametrize("wanted", [ActivityFilter(), ActivityFilter("key", PRACTICE_ID)])
    async def test_pages_follow_one_another_without_gap_or_repetition(
        self, journal: Journal, limit: int, wanted: ActivityFilter
    ) -> None:
        for number in range(20):
            # Every fourth was written in the same moment as the one before.
            await journal.record_activity(a_line(str(number), minutes=number - number % 4 // 3))
        seen: list[Activity] = []
        while page := await journal.activities(limit, wanted, after=seen[-1].number if seen else 0):
            seen += page
        assert [line.subject for line in seen] == [str(number) for number in reversed(range(20))]

    async def test_nothing_comes_behind_a_line_that_is_not_there(self, journal: Journal) -> None:
        await journal.record_activity(a_line())
        assert list(await journal.activities(10, after=7)) == []

    @pytest.mark.parametrize(
        ("text", "is_found"),
        [
            ("", True),
            ("TILL", True),
            ("  till\ttested ", True),
            ("STRASSE", True),
            ("5%", True),
            ("till kiosk", False),
            ("tested till", True),
            ("3key", False),
            ("t%l", False),
            ("t_ll", False),
            ("practice", False),
            ("\udcff", False),
        ],
    )
    async def test_every_word_stands_somewhere_in_the_line(
        self, journal: Journal, text: str, *, is_found: bool
    ) -> None:
        await journal.record_activity(a_line())
        assert bool(await found(journal, ActivityFilter(text))) is is_found

    async def test_lines_are_found_by_place_and_time(self, journal: Journal) -> None:
        for minutes in range(6):
            where = PRACTICE_ID if minutes % 2 else "elsewhere"
            await journal.record_activity(a_line(str(minutes), minutes=minutes, where=where))
        since, until = NOW + timedelta(minutes=1), NOW + timedelta(minutes=5)
        assert await found(journal, ActivityFilter(since=since, until=until)) == ["4", "3", "2", "1"]
        assert await found(journal, ActivityFilter(environment_id=PRACTICE_ID)) == ["5", "3", "1"]
        assert await found(journal, ActivityFilter("key", "elsewhere", since, until), 1) == ["4"]
