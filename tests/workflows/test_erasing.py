"""A text that should not have been kept is erased, and everything that is shown is read anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.world import MADE_UP, Bench
from keybench.core import events as e
from keybench.core.environment import PRACTICE_ID
from keybench.core.errors import JournalBusy
from keybench.core.input_errors import TextNotErasable
from keybench.core.ports import Activity
from keybench.core.secret import Secret
from keybench.core.security_key import SecurityKey
from keybench.workflows.administration import Administration
from keybench.workflows.erasing import Erasing


@pytest.fixture
async def erasing(bench: Bench) -> Erasing:
    await bench.journal.open()
    at = bench.clock.now()
    await bench.journal.record_activity(Activity(at, "key added", PRACTICE_ID, f"Till {MADE_UP}", ""))
    return Administration(bench.console).erasing


async def test_a_kept_value_is_found_and_erased(bench: Bench, erasing: Erasing) -> None:
    await bench.add_key(await bench.practice_environment())  # whose value it is
    assert (await erasing.find(Secret(f"  {MADE_UP}\n"))).occurrences == 1

    erasure = await erasing.erase(Secret(f" {MADE_UP.upper()} "), "Mira")

    assert (erasure.occurrences, erasure.number, erasure.is_swept) == (1, 3, True)
    lines = await bench.journal.activities(9)
    assert [(line.action, line.subject) for line in lines] == [
        ("text erased", ""),
        ("key added", "Till"),
        ("key added", "Till [erased #3]"),
    ]
    assert (lines[0].result, lines[0].who) == ("in 1 place", "Mira")
    assert MADE_UP not in repr(vars(bench.journal))
    assert (await bench.console.keys.value(await _key(bench), "revealed")).matches(Secret(MADE_UP))


async def _key(bench: Bench) -> SecurityKey:
    (key,) = await bench.journal.keys(PRACTICE_ID)
    return key


async def test_all_that_is_shown_is_read_anew(bench: Bench, erasing: Erasing) -> None:
    told: list[object] = []
    kinds = (
        *(e.EnvironmentsChanged, e.KeysChanged, e.DevicesChanged, e.ApplicationsChanged),
        *(e.ActivityRecorded, e.TextErased),
    )
    for kind in kinds:
        bench.events.subscribe(kind, told.append)

    await erasing.erase(Secret(MADE_UP))

    assert {type(event) for event in told} == set(kinds)
    assert (await bench.journal.activities(1))[0].result == "in 1 place"


async def test_nothing_is_told_where_nothing_was_erased(bench: Bench, erasing: Erasing) -> None:
    told: list[object] = []
    bench.events.subscribe(e.TextErased, told.append)
    with pytest.raises(TextNotErasable):
        await erasing.erase(Secret("Till"))
    bench.journal.failure = JournalBusy("held")
    with pytest.raises(JournalBusy):
        await erasing.erase(Secret(MADE_UP))
    assert told == []
    assert len(await bench.journal.activities(9)) == 1


async def test_polls_that_wait_to_be_written_are_looked_through(bench: Bench, erasing: Erasing) -> None:
    sale = await bench.console.sell.note(replace(await bench.draft(), device="D-1"))
    for _ in range(2):  # the second waits for others
        await bench.console.log.polled(sale, f"said {MADE_UP}", 0.1, ())

    erasure = await erasing.erase(Secret(MADE_UP))

    assert erasure.occurrences == 3
    assert [event.detail for event in await bench.console.timeline(sale.reference)][-2:] == [
        f"said [erased #{erasure.number}]"
    ] * 2
