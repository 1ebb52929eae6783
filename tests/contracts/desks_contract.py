"""What every journal must do for the desks that share it: subclass it and give it a `journal` fixture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from sqlalchemy import Connection

from contracts.journal_samples import a_key
from keybench.core.keys.key import KeyState, SecurityKey
from keybench.core.team.desk import Held
from keybench.journal import SqlJournal, desks
from keybench.journal.keys import KEYS
from keybench.journal.store import HERE

T = TypeVar("T")


async def at_desk(journal: SqlJournal, desk: str, call: Callable[[Connection], T]) -> T:
    """Make a call as a program at another desk does."""

    def there(connection: Connection) -> T:
        here = connection.get_execution_options()[HERE]
        connection.execution_options(**{HERE: replace(here, desk=desk)})
        try:
            return call(connection)
        finally:
            connection.execution_options(**{HERE: here})

    return await journal.run(there, writes=True)


async def kept(journal: SqlJournal, name: str = "Till") -> SecurityKey:
    """Return a key that this desk has just kept."""
    key = a_key(name)
    await journal.add_key(key)
    return key


class DesksContract:
    """The suite."""

    async def test_a_desk_is_known_by_its_latest_name_and_by_the_journals_own_clock(
        self, journal: SqlJournal
    ) -> None:
        await journal.keep_desk("till", "ana")
        await at_desk(journal, "d2", lambda there: desks.keep_desk(there, "Back office", "bo"))
        await journal.keep_desk("Zoo", "cy")
        first, second = await journal.desks()
        assert (first.id, first.name, first.who) == ("d2", "Back office", "bo")
        assert (second.name, second.who) == ("Zoo", "cy")
        assert second.was_seen_lately

    async def test_a_proof_stays_for_as_long_as_the_value_does(self, journal: SqlJournal) -> None:
        key = await kept(journal)
        assert not await journal.note_value(key, Held.HELD, "proof"), "that it is held is no news"
        assert not await journal.note_value(key, Held.HELD, "")
        await journal.update_key(key.id, lambda stored: stored.tested(KeyState.WORKING, 200, key.created_at))
        (held,) = await journal.holdings()
        assert (held.proof, held.fingerprint, held.held) == ("proof", key.fingerprint, Held.HELD)
        await journal.update_key(key.id, lambda stored: stored.given("acorn-alarm-album-alley"))
        assert [one.proof for one in await journal.holdings()] == [""]

    async def test_a_value_that_is_missing_is_this_desks_fact_alone(self, journal: SqlJournal) -> None:
        key = await kept(journal)
        await at_desk(journal, "d2", lambda there: desks.note_value(there, key, Held.HELD, ""))
        stamp = await journal.holdings_stamp()
        assert await journal.note_value(key, Held.LOST, "")
        assert await journal.holdings_stamp() != stamp
        assert [one.state for one in await journal.all_keys()] == [KeyState.VALUE_LOST]
        (there,) = await at_desk(journal, "d2", lambda there: KEYS.read(there, KEYS.chosen))
        assert there.has_value
        await journal.note_value(key, None, "")
        assert [one.state for one in await journal.all_keys()] == [KeyState.NO_VALUE]

    async def test_what_another_desk_removed_is_to_be_erased_here(self, journal: SqlJournal) -> None:
        gone, stays = await kept(journal, "gone"), await kept(journal, "stays")
        await at_desk(journal, "d2", lambda there: desks.note_value(there, gone, Held.HELD, ""))
        assert not await journal.values_to_erase()
        await journal.remove_key(stays.id)  # whoever removes it has erased it
        await at_desk(journal, "d2", lambda there: KEYS.remove(there, gone.id))
        (to_erase,) = await journal.values_to_erase()
        assert to_erase.key_id == gone.id
        assert await journal.holdings() == [to_erase]
        assert not await journal.note_value(gone, Held.HELD, "")
        await journal.drop_holding(gone.id)
        assert not await journal.values_to_erase()
        assert not await journal.holdings()
