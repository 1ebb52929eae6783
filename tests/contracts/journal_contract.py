"""What every journal must do: subclass `JournalContract` and give it a `journal` fixture.

The fixture yields an open, fresh journal whose clock said `NOW` when it was made, and closes it afterwards.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta, timezone
from decimal import Decimal

import pytest

from contracts.journal_samples import APPROVED, NOW, a_key, a_point, a_sale, an_environment, an_exchange, note
from keybench.core.devices.state import DeviceState
from keybench.core.environments.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.errors import JournalError, ValueLost
from keybench.core.input_errors import EnvironmentBuiltIn, NameTaken, NotFound
from keybench.core.keys.key import KeyMove, KeyState, SecurityKey
from keybench.core.ports import Device, Journal, KeptAnswer, PollNote
from keybench.core.sales.sale import (
    IllegalTransition,
    Mark,
    Outcome,
    RequestIdTaken,
    Sale,
    SaleEvent,
    Verdict,
)


class JournalContract:
    """The suite."""

    # --- open and close --------------------------------------------------------------------------

    async def test_it_is_opened_twice_under_one_identifier(self, journal: Journal) -> None:
        first, second = await journal.open(), await journal.open()
        assert first == second
        assert len(first) == 32

    async def test_what_was_written_is_there_after_reopening(self, journal: Journal) -> None:
        installation = await journal.open()
        sale = await note(journal, a_sale())
        await journal.close()
        await journal.close()
        assert await journal.open() == installation
        assert await journal.sale(sale.reference) == sale

    async def test_a_closed_journal_says_so(self, journal: Journal) -> None:
        await journal.close()
        with pytest.raises(JournalError):
            await journal.environments()
        with pytest.raises(JournalError):
            await note(journal, a_sale())

    async def test_many_calls_at_once_are_carried_out_in_order(self, journal: Journal) -> None:
        sale = await note(journal, a_sale())
        points = [a_point(sale, Mark.STATUS, str(n)) for n in range(200)]
        await asyncio.gather(
            *(journal.advance_sale(sale.reference, Sale.polled, [point]) for point in points)
        )
        assert (await journal.sale(sale.reference)).polls == 200
        assert list(await journal.sale_events(sale.reference)) == [a_point(sale), *points]

    async def test_what_was_asked_before_closing_is_done(self, journal: Journal) -> None:
        sales = [a_sale(f"KB-{n}") for n in range(20)]
        await asyncio.gather(*(note(journal, sale) for sale in sales), journal.close())
        await journal.open()
        assert list(await journal.unfinished_sales()) == sales

    # --- environments ----------------------------------------------------------------------------

    async def test_practice_is_built_in(self, journal: Journal) -> None:
        practice = Environment(PRACTICE_ID, "practice", EnvironmentKind.PRACTICE, "", "practice", NOW)
        assert list(await journal.environments()) == [practice]

    async def test_practice_stays(self, journal: Journal) -> None:
        with pytest.raises(EnvironmentBuiltIn):
            await journal.remove_environment(PRACTICE_ID)
        assert [e.id for e in await journal.environments()] == [PRACTICE_ID]

    async def test_environments_come_by_name_after_practice(self, journal: Journal) -> None:
        for name in ("zoo", "Émile", "alpha", "Beta"):
            await journal.add_environment(an_environment(name))
        names = [e.name for e in await journal.environments()]
        assert names == ["practice", "alpha", "Beta", "zoo", "Émile"]

    @pytest.mark.parametrize(("first", "second"), [("Sandbox", "SANDBOX"), ("Straße", "STRASSE"), ("Ä", "ä")])
    async def test_an_environment_name_is_taken_in_any_case(
        self, journal: Journal, first: str, second: str
    ) -> None:
        await journal.add_environment(an_environment(first))
        with pytest.raises(NameTaken) as raised:
            await journal.add_environment(an_environment(second))
        assert raised.value.name == second
        assert len(await journal.environments()) == 2

    async def test_an_identifier_is_given_once(self, journal: Journal) -> None:
        await journal.add_environment(an_environment("one", identifier="same"))
        await journal.add_key(a_key("one", identifier="same"))
        with pytest.raises(JournalError):
            await journal.add_environment(an_environment("two", identifier="same"))
        with pytest.raises(JournalError):
            await journal.add_key(a_key("two", identifier="same"))

    async def test_an_environment_can_be_changed(self, journal: Journal) -> None:
        environment = an_environment()
        await journal.add_environment(environment)

        def limit(stored: Environment) -> Environment:
            return replace(stored, id="another", amount_limit=Decimal("50.00"))

        limited = await journal.update_environment(environment.id, limit)

        assert limited == replace(environment, amount_limit=Decimal("50.00"))
        assert limited in await journal.environments()

    async def test_an_environment_is_renamed_unless_another_has_the_name(self, journal: Journal) -> None:
        one, other = an_environment("Shop"), an_environment("Kiosk")
        for environment in (one, other):
            await journal.add_environment(environment)
        with pytest.raises(NameTaken):
            await journal.update_environment(one.id, lambda stored: replace(stored, name="KIOSK"))
        assert one in await journal.environments()
        renamed = replace(
            one, name="SHOP", base_url="https://new.example", portal_url="https://p.example/?a=1"
        )
        changed = replace(renamed, kind=EnvironmentKind.LIVE, id="another")
        assert await journal.update_environment(one.id, lambda _stored: changed) == renamed
        assert [e.name for e in await journal.environments()][1:] == ["Kiosk", "SHOP"]
        with pytest.raises(NameTaken):
            await journal.add_environment(an_environment("shop", identifier="third"))

    async def test_an_environment_that_is_gone_is_not_changed(self, journal: Journal) -> None:
        with pytest.raises(NotFound):
            await journal.update_environment(an_environment().id, lambda stored: stored)
        assert len(await journal.environments()) == 1

    async def test_an_environment_goes_with_its_keys_and_devices(self, journal: Journal) -> None:
        environment = an_environment()
        await journal.add_environment(environment)
        await journal.add_key(a_key(environment_id=environment.id))
        await journal.add_key(a_key("stays"))
        await journal.remember_devices(environment.id, [Device("D-1")])
        await journal.remember_devices(PRACTICE_ID, [Device("D-1")])
        for where in (environment.id, PRACTICE_ID):
            await journal.keep_device_states(where, [DeviceState("D-1", NOW)])
        await journal.remove_environment(environment.id)
        assert [e.id for e in await journal.environments()] == [PRACTICE_ID]
        assert list(await journal.keys(environment.id)) == []
        assert list(await journal.devices(environment.id)) == []
        assert [k.name for k in await journal.keys(PRACTICE_ID)] == ["stays"]
        assert list(await journal.devices(PRACTICE_ID)) == [Device("D-1")]
        assert list(await journal.device_states(environment.id)) == []
        assert list(await journal.device_states(PRACTICE_ID)) == [DeviceState("D-1", NOW)]

    async def test_the_sales_of_a_removed_environment_stay(self, journal: Journal) -> None:
        environment = an_environment()
        await journal.add_environment(environment)
        sale = await note(journal, a_sale(environment_id=environment.id))
        await journal.advance_sale(sale.reference, lambda sale: sale, exchanges=[an_exchange()])
        await journal.remove_environment(environment.id)
        assert list(await journal.sales(environment.id, 10)) == [sale]
        assert list(await journal.sale_events(sale.reference)) == [a_point(sale)]
        assert list(await journal.exchanges(sale.reference)) == [an_exchange()]

    async def test_removing_an_unknown_environment_is_no_error(self, journal: Journal) -> None:
        await journal.remove_environment("nowhere")

    # --- keys ------------------------------------------------------------------------------------

    async def test_keys_come_by_name(self, journal: Journal) -> None:
        keys = [a_key("b"), a_key("A"), a_key("c")]
        for key in keys:
            await journal.add_key(key)
        assert list(await journal.keys(PRACTICE_ID)) == [keys[1], keys[0], keys[2]]
        assert list(await journal.keys("nowhere")) == []

    async def test_a_key_name_is_taken_within_its_environment(self, journal: Journal) -> None:
        await journal.add_environment(an_environment())
        await journal.add_key(a_key("Till"))
        with pytest.raises(NameTaken):
            await journal.add_key(a_key("TILL"))
        await journal.add_key(a_key("TILL", environment_id=an_environment().id))
        assert [k.name for k in await journal.keys(PRACTICE_ID)] == ["Till"]

    async def test_a_key_needs_its_environment(self, journal: Journal) -> None:
        with pytest.raises(NotFound):
            await journal.add_key(a_key(environment_id="nowhere"))

    async def test_a_key_is_changed(self, journal: Journal) -> None:
        await journal.add_key(a_key())

        def move(stored: SecurityKey) -> SecurityKey:
            return replace(stored.tested(KeyState.REFUSED, 401, NOW), name="TILL 3", gateway_id="g-7")

        moved = await journal.update_key(a_key().id, move)

        assert moved == move(a_key())
        assert list(await journal.keys(PRACTICE_ID)) == [moved]

    async def test_changes_of_one_key_are_all_kept(self, journal: Journal) -> None:
        await journal.add_key(a_key())
        moves: list[KeyMove] = [
            lambda stored: replace(stored, owner="Ada"),
            lambda stored: stored.tested(KeyState.WORKING, 200, NOW),
            lambda stored: replace(stored, purpose="tills"),
        ]
        await asyncio.gather(*(journal.update_key(a_key().id, move) for move in moves))
        (key,) = await journal.keys(PRACTICE_ID)
        assert (key.owner, key.state, key.purpose) == ("Ada", KeyState.WORKING, "tills")

    async def test_a_key_s_move_that_raises_changes_nothing(self, journal: Journal) -> None:
        await journal.add_key(a_key())

        def refuse(_stored: SecurityKey) -> SecurityKey:
            raise ValueLost("not this one")

        with pytest.raises(ValueLost):
            await journal.update_key(a_key().id, refuse)

        assert list(await journal.keys(PRACTICE_ID)) == [a_key()]

    async def test_a_key_is_not_renamed_to_another_s_name(self, journal: Journal) -> None:
        await journal.add_key(a_key("one"))
        await journal.add_key(a_key("two"))
        with pytest.raises(NameTaken):
            await journal.update_key("id-of-two", lambda stored: replace(stored, name="ONE"))
        assert [k.name for k in await journal.keys(PRACTICE_ID)] == ["one", "two"]

    async def test_a_key_that_went_is_not_replaced(self, journal: Journal) -> None:
        await journal.add_key(a_key())
        await journal.remove_key(a_key().id)
        await journal.remove_key(a_key().id)
        with pytest.raises(NotFound):
            await journal.update_key(a_key().id, lambda stored: stored)
        assert list(await journal.keys(PRACTICE_ID)) == []

    # --- devices ---------------------------------------------------------------------------------

    async def test_devices_are_added_and_renewed(self, journal: Journal) -> None:
        await journal.remember_devices(PRACTICE_ID, [Device("2", "bar"), Device("1", "Bar"), Device("3")])
        await journal.remember_devices(
            PRACTICE_ID, [Device("3", "attic", "connected"), Device("4"), Device("4")]
        )
        await journal.remember_devices(PRACTICE_ID, [])
        assert list(await journal.devices(PRACTICE_ID)) == [
            Device("4"),
            Device("3", "attic", "connected"),
            Device("1", "Bar"),
            Device("2", "bar"),
        ]

    async def test_devices_need_their_environment(self, journal: Journal) -> None:
        with pytest.raises(NotFound):
            await journal.remember_devices("nowhere", [Device("1")])
        with pytest.raises(NotFound):
            await journal.keep_device_states("nowhere", [DeviceState("1", NOW)])

    async def test_the_newest_state_of_a_device_is_kept_with_its_time(self, journal: Journal) -> None:
        told = DeviceState(
            "D-1",
            NOW,
            nickname="Bar",
            is_connected=True,
            connection="connected",
            battery_percent=87,
            network="shop",
            last_connected_at=NOW - timedelta(seconds=3),
            last_sale_at=NOW - timedelta(hours=1),
            is_busy=True,
            busy_with="PR-1",
        )
        silent = DeviceState("D-2", NOW)
        await journal.remember_devices(PRACTICE_ID, [Device("D-1", "Old"), Device("D-2", "Attic", "odd")])
        await journal.keep_device_states(PRACTICE_ID, [told, silent])
        older = DeviceState("D-1", NOW - timedelta(seconds=1), nickname="Older", is_connected=False)
        await journal.keep_device_states(PRACTICE_ID, [older, DeviceState("D-3", NOW)])
        assert list(await journal.device_states(PRACTICE_ID)) == [told, silent, DeviceState("D-3", NOW)]
        assert list(await journal.devices(PRACTICE_ID)) == [
            Device("D-2", "Attic", "odd"),
            Device("D-1", "Bar", "connected"),
        ]

    async def test_a_device_is_forgotten_with_its_state(self, journal: Journal) -> None:
        await journal.remember_devices(PRACTICE_ID, [Device("D-1"), Device("D-2")])
        await journal.keep_device_states(PRACTICE_ID, [DeviceState("D-1", NOW), DeviceState("D-2", NOW)])
        for _ in range(2):
            await journal.forget_device(PRACTICE_ID, "D-1")
        assert list(await journal.devices(PRACTICE_ID)) == [Device("D-2")]
        assert list(await journal.device_states(PRACTICE_ID)) == [DeviceState("D-2", NOW)]

    # --- sales -----------------------------------------------------------------------------------

    async def test_a_reference_is_noted_once(self, journal: Journal) -> None:
        sale = await note(journal, a_sale())
        with pytest.raises(JournalError):
            await note(journal, replace(sale, device="D-2"))
        assert await journal.sale(sale.reference) == sale
        assert len(await journal.sale_events(sale.reference)) == 1

    async def test_an_unknown_sale_is_not_found(self, journal: Journal) -> None:
        with pytest.raises(NotFound):
            await journal.sale("KB-0")
        with pytest.raises(NotFound):
            await journal.advance_sale("KB-0", Sale.polled)
        with pytest.raises(NotFound):
            await journal.advance_sale("KB-0", lambda sale: sale, exchanges=[an_exchange()])
        with pytest.raises(NotFound):
            await journal.sale("as typed in another encoding \udcff")
        assert list(await journal.sale_events("KB-0")) == []
        assert list(await journal.exchanges("KB-0")) == []

    async def test_a_move_is_applied_to_what_is_stored(self, journal: Journal) -> None:
        sale = await note(journal, a_sale())
        later = NOW + timedelta(seconds=4)
        points = [a_point(sale, Mark.ACCEPTED, "r-1"), a_point(sale, Mark.OUTCOME, "approved")]
        await journal.advance_sale(sale.reference, lambda s: s.accept("r-1", NOW), points[:1])
        await journal.advance_sale(sale.reference, Sale.polled)
        told = await journal.advance_sale(sale.reference, lambda s: s.finish(APPROVED, later), points[1:])
        assert told == sale.accept("r-1", NOW).polled().finish(APPROVED, later)
        assert await journal.sale(sale.reference) == told
        assert list(await journal.sale_events(sale.reference)) == [a_point(sale), *points]

    async def test_what_a_move_raises_undoes_it(self, journal: Journal) -> None:
        sale = await note(journal, a_sale())
        settled = await journal.advance_sale(sale.reference, lambda s: s.finish(APPROVED, NOW))
        with pytest.raises(IllegalTransition):
            await journal.advance_sale(sale.reference, lambda s: s.accept("r-2", NOW), [a_point(sale)])
        assert await journal.sale(sale.reference) == settled
        assert len(await journal.sale_events(sale.reference)) == 1

    async def test_a_request_id_is_one_sale_s(self, journal: Journal) -> None:
        first, second = await note(journal, a_sale("KB-1")), await note(journal, a_sale("KB-2"))
        elsewhere = await note(journal, a_sale("KB-3", environment_id="elsewhere"))
        await journal.advance_sale(first.reference, lambda s: s.accept("r-1", NOW).finish(APPROVED, NOW))
        await journal.close()
        await journal.open()
        with pytest.raises(RequestIdTaken):
            await journal.advance_sale(
                second.reference, lambda s: s.accept("r-1", NOW), [a_point(second)], [an_exchange()]
            )
        assert await journal.sale(second.reference) == second
        assert len(await journal.sale_events(second.reference)) == 1
        assert list(await journal.exchanges(second.reference)) == []
        other = await journal.advance_sale(elsewhere.reference, lambda s: s.accept("r-1", NOW))
        assert other.request_id == "r-1"
        assert (await journal.advance_sale(second.reference, lambda s: s.accept("r-2", NOW))).polls == 0

    async def test_a_sale_keeps_its_request_id_through_further_moves(self, journal: Journal) -> None:
        for reference in ("KB-1", "KB-2"):
            await note(journal, a_sale(reference))
            await journal.advance_sale(reference, lambda s: s.finish(Verdict(Outcome.UNKNOWN), NOW))
        for _ in range(2):
            await journal.advance_sale("KB-1", lambda s: s.accept("r-1", NOW))
        ended = await journal.advance_sale("KB-1", lambda s: s.polled().finish(APPROVED, NOW))
        assert (ended.outcome, ended.request_id) == (Outcome.APPROVED, "r-1")

    async def test_an_unknown_outcome_can_be_taken_back(self, journal: Journal) -> None:
        sale = await note(journal, a_sale())
        await journal.advance_sale(sale.reference, lambda s: s.finish(Verdict(Outcome.UNKNOWN), NOW))
        assert list(await journal.unfinished_sales()) == []
        found = await journal.advance_sale(sale.reference, lambda s: s.accept("r-1", NOW))
        assert found.verdict is None
        assert list(await journal.unfinished_sales()) == [found]
        assert await journal.sale(sale.reference) == found

    async def test_the_newest_sales_come_first(self, journal: Journal) -> None:
        for reference, minutes, where in (
            ("KB-1", 1, PRACTICE_ID), ("KB-2", 3, "live"), ("KB-3", 2, PRACTICE_ID), ("KB-4", 2, PRACTICE_ID)
        ):  # fmt: skip
            await note(journal, a_sale(reference, minutes=minutes, environment_id=where))
        everywhere = [s.reference for s in await journal.sales(None, 3)]
        practice = [s.reference for s in await journal.sales(PRACTICE_ID, 10)]
        assert everywhere == ["KB-2", "KB-4", "KB-3"]
        assert practice == ["KB-4", "KB-3", "KB-1"]

    async def test_the_sales_of_a_device_are_found_whatever_key_sold_on_it(self, journal: Journal) -> None:
        for number in range(6):
            sale = a_sale(f"KB-{number}", minutes=number % 3)
            await note(journal, replace(sale, key_id=f"key-{number % 2}", key_name=f"Till {number % 4}"))
        await note(journal, replace(a_sale("KB-other", minutes=9), device="D-10"))
        await note(journal, a_sale("KB-live", minutes=8, environment_id="live"))
        found = [s.reference for s in await journal.sales(PRACTICE_ID, 10, "D-1")]
        newest = [s.reference for s in await journal.sales(PRACTICE_ID, 2, device="D-1")]
        everywhere = [s.reference for s in await journal.sales(None, 3, "D-1")]
        assert found == ["KB-5", "KB-2", "KB-4", "KB-1", "KB-3", "KB-0"]
        assert newest == ["KB-5", "KB-2"]
        assert everywhere == ["KB-live", "KB-5", "KB-2"]
        assert list(await journal.sales(PRACTICE_ID, 10, "D")) == []
        assert list(await journal.sales("nowhere", 10, "D-1")) == []

    @pytest.mark.parametrize(
        "odd", ["Kasse 'Ä' %_", 'a"b\\c', "tab\tand\nline", "x" * 10_000, "収銀 🧾", "d-1"]
    )
    async def test_a_device_is_found_under_any_text(self, journal: Journal, odd: str) -> None:
        await note(journal, a_sale("KB-1"))
        sale = await note(journal, replace(a_sale("KB-2"), device=odd))
        assert list(await journal.sales(PRACTICE_ID, 10, odd)) == [sale]

    async def test_timelines_come_by_reference_each_in_order(self, journal: Journal) -> None:
        points = dict[str, list[SaleEvent]]()
        for number in range(40):
            sale = await note(journal, a_sale(f"KB-{number}"))
            points[sale.reference] = [a_point(sale)]
        for turn in range(3):
            for reference, some in points.items():
                some.append(a_point(a_sale(reference), Mark.STATUS, f"turn {turn}"))
            await journal.note_polls([PollNote(some[-1]) for some in points.values()])
        found = await journal.timelines([*points, *(f"unknown {number}" for number in range(1000))])
        assert {reference: list(some) for reference, some in found.items() if some} == points
        assert len(found) == 1040
        assert list(await journal.timelines([])) == []
        assert list(await journal.timelines(["KB-3"])) == ["KB-3"]

    async def test_unfinished_sales_come_oldest_first(self, journal: Journal) -> None:
        noted = await note(journal, a_sale("KB-1", minutes=2))
        await note(journal, a_sale("KB-2", minutes=1))
        await note(journal, a_sale("KB-3"))
        accepted = await journal.advance_sale("KB-2", lambda s: s.accept("r-2", NOW))
        await journal.advance_sale("KB-3", lambda s: s.finish(APPROVED, NOW))
        assert list(await journal.unfinished_sales()) == [accepted, noted]

    async def test_times_come_back_to_the_microsecond(self, journal: Journal) -> None:
        elsewhere = NOW.astimezone(timezone(timedelta(hours=-3, minutes=-30)))
        await note(journal, replace(a_sale(), noted_at=elsewhere))
        stored = (await journal.sale("KB-1")).noted_at
        assert stored == NOW
        assert stored.utcoffset() == timedelta(0)

    @pytest.mark.parametrize("odd", ["half a pair \ud83d", "nul \0", "\udcff\ud800"])
    async def test_an_outcome_survives_text_that_cannot_be_stored(self, journal: Journal, odd: str) -> None:
        sale = await note(journal, a_sale())
        verdict = Verdict(Outcome.DECLINED, message=odd, gateway_status=odd)
        await journal.advance_sale(
            sale.reference, lambda s: s.finish(verdict, NOW), [a_point(sale, Mark.OUTCOME, odd)]
        )
        await journal.advance_sale(
            sale.reference, lambda sale: sale, exchanges=[replace(an_exchange(), response_body=odd)]
        )
        assert (await journal.sale(sale.reference)).outcome is Outcome.DECLINED

    # --- polls -----------------------------------------------------------------------------------

    async def test_polls_of_many_sales_are_counted_and_kept_in_order(self, journal: Journal) -> None:
        one, two = await note(journal, a_sale("KB-1")), await note(journal, a_sale("KB-2"))
        said = [an_exchange(f"https://gateway.example/{n}") for n in range(2)]
        points = [a_point(sale, Mark.STATUS, detail) for sale, detail in ((one, "a"), (two, "b"), (one, "c"))]
        await journal.note_polls(
            [PollNote(points[0], (said[0],)), PollNote(points[1]), PollNote(points[2], (said[1],))]
        )
        await journal.note_polls([])
        assert [(await journal.sale(name)).polls for name in ("KB-1", "KB-2")] == [2, 1]
        assert list(await journal.sale_events("KB-1"))[1:] == [points[0], points[2]]
        assert list(await journal.sale_events("KB-2"))[1:] == [points[1]]
        assert list(await journal.exchanges("KB-1")) == said

    async def test_a_move_and_what_was_said_are_kept_together(self, journal: Journal) -> None:
        sale = await note(journal, a_sale())
        said, point = an_exchange(), a_point(sale, Mark.OUTCOME)
        await journal.advance_sale(sale.reference, lambda s: s.finish(APPROVED, NOW), [point], [said])
        assert list(await journal.exchanges(sale.reference)) == [said]
        assert list(await journal.sale_events(sale.reference))[-1] == point

    # --- exchanges and activities ----------------------------------------------------------------

    async def test_exchanges_stay_with_their_sale_in_order(self, journal: Journal) -> None:
        await note(journal, a_sale("KB-1"))
        await note(journal, a_sale("KB-2"))
        said = [an_exchange(f"https://gateway.example/{n}") for n in range(3)]
        for exchange in said:
            await journal.advance_sale("KB-1", lambda sale: sale, exchanges=[exchange])
        assert list(await journal.exchanges("KB-1")) == said
        assert list(await journal.exchanges("KB-2")) == []

    async def test_the_exchanges_of_a_keys_last_test_take_the_place_of_those_before(
        self, journal: Journal
    ) -> None:
        await journal.add_key(a_key("shop"))
        await journal.add_key(a_key("till"))
        said = [an_exchange(f"https://gateway.example/{n}") for n in range(3)]
        await journal.keep_key_exchanges(a_key("shop").id, said[:2])
        await journal.keep_key_exchanges(a_key("till").id, said[2:])
        assert list(await journal.key_exchanges(a_key("shop").id)) == said[:2]
        await journal.keep_key_exchanges(a_key("shop").id, said[1:])
        assert list(await journal.key_exchanges(a_key("shop").id)) == said[1:]
        assert list(await journal.key_exchanges(a_key("till").id)) == said[2:]

    async def test_the_exchanges_of_a_test_go_with_their_key(self, journal: Journal) -> None:
        await journal.add_key(a_key())
        await journal.keep_key_exchanges(a_key().id, [an_exchange()])
        await journal.remove_key(a_key().id)
        assert list(await journal.key_exchanges(a_key().id)) == []
        with pytest.raises(NotFound):
            await journal.keep_key_exchanges(a_key().id, [an_exchange()])

    # --- answers beside it ---

    async def test_an_answer_beside_it_is_the_latest_of_its_sale_until_it_is_dropped(
        self, journal: Journal
    ) -> None:
        first, last, other = (
            KeptAnswer("KB-1", NOW, "PR-1"),
            KeptAnswer("KB-1", NOW, "PR-1", APPROVED, 2.5),
            KeptAnswer("KB-2", NOW, verdict=replace(APPROVED, message="approuvé")),
        )
        for answer in (first, other, last):
            await journal.keep_answer(answer)
        assert {one.reference: one for one in await journal.kept_answers()} == {"KB-1": last, "KB-2": other}
        for reference in ("KB-1", "KB-3"):
            await journal.drop_answers(reference)
        assert list(await journal.kept_answers()) == [other]
        await journal.drop_answers("KB-2")
        assert list(await journal.kept_answers()) == []
