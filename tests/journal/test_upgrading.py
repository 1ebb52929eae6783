"""A journal of an older Keybench: brought up to date when it is opened, and nothing in it is lost."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from contracts.journal_samples import NOW, a_key, a_sale, note
from contracts.register_samples import a_rotation, start
from fakes.journal import put_key
from journal.files import change, make
from keybench.core.outcome import Outcome, Verdict
from keybench.core.ports import Clock
from keybench.core.rotation import SEEN_WORKING, THIS_CONSOLE, ApplicationStep, Evidence
from keybench.core.rotation_stages import not_seen
from keybench.core.security_key import Trial
from keybench.journal import SqlJournal
from keybench.words.record_parts import record_sections


async def as_of_version_1(path: Path, clock: Clock) -> None:
    """Leave a journal as the first version kept it: a sale that wasn't sent counts as its key's use."""
    journal = SqlJournal(path, clock)
    await journal.open()
    await journal.add_key(a_key())
    await journal.add_key(a_key("Till 4"))
    await note(journal, a_sale("KB-1", minutes=1))
    await note(journal, a_sale("KB-2", minutes=2))
    for reference, outcome in (("KB-1", Outcome.APPROVED), ("KB-2", Outcome.NOT_SENT)):
        verdict = Verdict(outcome)
        await journal.advance_sale(reference, lambda stored, said=verdict: stored.finish(said, NOW))
    await journal.close()
    change(path, "UPDATE security_keys SET used_at = (SELECT max(noted_at) FROM sales)")
    for column in ("tried_at", "trial"):
        change(path, f"ALTER TABLE security_keys DROP COLUMN {column}")
    change(path, "UPDATE meta SET value = '1' WHERE name = 'schema_version'")


async def test_a_journal_of_the_first_version_is_brought_up_to_date(path: Path, clock: Clock) -> None:
    await as_of_version_1(path, clock)
    for _ in range(2):
        journal = SqlJournal(path, clock)
        await journal.open()
        used = replace(a_key(), used_at=NOW + timedelta(minutes=1))
        assert list(await journal.all_keys()) == [used, a_key("Till 4")]
        assert len(await journal.sales(None, 9)) == 2
        await put_key(journal, used.tried(Trial.NO_ANSWER, NOW))
        assert (await journal.all_keys())[0].trial is Trial.NO_ANSWER
        await put_key(journal, used)
        await journal.close()
    assert await make(path, clock)


async def test_what_this_console_once_noted_of_an_application_is_read_as_what_it_was(
    journal: SqlJournal,
) -> None:
    was = "the gateway accepts the new key from this computer"
    step = ApplicationStep(
        "A-1", "Shop", changed_at=NOW, changed_by="Mira", seen_at=NOW, seen_by=THIS_CONSOLE
    )
    rotation = replace(
        a_rotation(),
        applications=(replace(step, seen_how=was),),
        evidence=(Evidence(NOW, SEEN_WORKING, f"Shop: {was}", 200, THIS_CONSOLE),),
    )
    await start(journal, rotation)
    (stored,) = await journal.rotations()
    assert not_seen(stored) == stored.applications
    (where,) = await journal.environments()
    told = {section.title: section.rows for section in record_sections(stored, where, NOW)}
    assert told["Applications"][0][4].startswith("no\nThe gateway accepted the new key from this console")
    assert told["Evidence by time"][0][1] == "New key accepted from this console"
