"""How every journal finds past sales: subclass it and give it a `journal` fixture, open and fresh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from contracts.journal_samples import APPROVED, NOW, a_sale, an_environment, note
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.input_errors import NotFound
from keybench.core.money import Money
from keybench.core.ports import Device, Journal
from keybench.core.sales.history import UNDER_WAY, SaleFilter
from keybench.core.sales.sale import Outcome, Sale, Verdict


async def finish(journal: Journal, sale: Sale, verdict: Verdict = APPROVED) -> Sale:
    return await journal.advance_sale(
        sale.reference, lambda stored: stored.finish(verdict, stored.noted_at + timedelta(seconds=6))
    )


async def accept(journal: Journal, sale: Sale, request_id: str) -> Sale:
    return await journal.advance_sale(
        sale.reference, lambda stored: stored.accept(request_id, stored.noted_at + timedelta(seconds=1))
    )


async def found(journal: Journal, wanted: SaleFilter, limit: int = 100) -> list[str]:
    """Return the references of all wanted sales, and see that counting agrees."""
    references = _references(await journal.find_sales(wanted, limit=limit))
    assert await journal.count_sales(wanted) == len(references)
    return references


def _references(sales: Sequence[Sale]) -> list[str]:
    return [sale.reference for sale in sales]


class HistoryContract:
    """The suite."""

    async def test_the_newest_come_first_whatever_order_they_were_noted_in(self, journal: Journal) -> None:
        for number, minutes in enumerate((5, 1, 9, 1)):
            await note(journal, a_sale(f"KB-{number}", minutes=minutes))
        assert await found(journal, SaleFilter()) == ["KB-2", "KB-0", "KB-3", "KB-1"]

    async def test_pages_follow_one_another_without_gap_or_repetition(self, journal: Journal) -> None:
        for number in range(20):
            # Every fourth was noted in the same moment as the one before, and the devices take turns.
            sale = a_sale(f"KB-{number}", minutes=number - number % 4 // 3)
            await note(journal, replace(sale, device=f"till-{number % 3}"))
        for wanted in (SaleFilter(), SaleFilter("till"), SaleFilter(state=UNDER_WAY)):
            for limit in (1, 3, 7, 100):
                seen: list[str] = []
                while page := await journal.find_sales(wanted, after=seen[-1] if seen else "", limit=limit):
                    seen += _references(page)
                assert seen == [f"KB-{number}" for number in reversed(range(20))], (wanted, limit)

    async def test_there_is_no_page_behind_a_sale_that_is_not_there(self, journal: Journal) -> None:
        with pytest.raises(NotFound):
            await journal.find_sales(SaleFilter(), after="KB-0", limit=1)

    async def test_text_finds_device_key_nickname_and_the_reference_s_beginning(
        self, journal: Journal
    ) -> None:
        await journal.remember_devices(PRACTICE_ID, [Device("D-9", "Terrace bar", "connected")])
        for minutes, (reference, device, key) in enumerate(
            [
                ("KB-ZZZZ-7Q2M", "D-9", "Kiosk 100%"),
                ("KB-7Q3A-AAAA", "till-2", "Hauptstraße"),
                ("KB-7Q2M-X4T9", "till-1", "Main"),
            ]
        ):
            sale = a_sale(reference, minutes=minutes)
            await note(journal, replace(sale, device=device, key_name=key))
        finds = {
            "": ["KB-7Q2M-X4T9", "KB-7Q3A-AAAA", "KB-ZZZZ-7Q2M"],
            "  ": ["KB-7Q2M-X4T9", "KB-7Q3A-AAAA", "KB-ZZZZ-7Q2M"],
            "TILL": ["KB-7Q2M-X4T9", "KB-7Q3A-AAAA"],
            "ill-1": ["KB-7Q2M-X4T9"],
            "straße": ["KB-7Q3A-AAAA"],
            "STRASSE till": ["KB-7Q3A-AAAA"],
            "kiosk till": [],
            "bar": ["KB-ZZZZ-7Q2M"],
            "terrace BAR": ["KB-ZZZZ-7Q2M"],
            "100%": ["KB-ZZZZ-7Q2M"],
            "%": ["KB-ZZZZ-7Q2M"],
            "_": [],
            "kb": ["KB-7Q2M-X4T9", "KB-7Q3A-AAAA", "KB-ZZZZ-7Q2M"],
            "KB-7q": ["KB-7Q2M-X4T9", "KB-7Q3A-AAAA"],
            "7q2m": ["KB-7Q2M-X4T9"],
            " kb-7Q2M-X4T9 ": ["KB-7Q2M-X4T9"],
            "kb-7q2m-x4t99": [],
            "' or 1=1 --": [],
            "\ud800": [],
        }
        for text, expected in finds.items():
            assert await found(journal, SaleFilter(text)) == expected, text

    async def test_text_finds_what_the_gateway_calls_a_sale_and_its_amount(self, journal: Journal) -> None:
        partly = Verdict(Outcome.PARTLY_APPROVED, approved_amount=Decimal("7.50"))
        made = [
            ("KB-5", "22.00", "USD", "", partly),
            ("KB-4", "1.50", "USD", "", Verdict(Outcome.DECLINED, transaction_id="1077")),
            ("KB-3", "10.00", "EUR", "", None),
            ("KB-2", "10.50", "USD", "70a6272c-4949-4515", replace(APPROVED, transaction_id="8805628")),
            ("KB-1", "10.00", "USD", "R-1", Verdict(Outcome.APPROVED, transaction_id="88056281118")),
        ]
        for minutes, (reference, amount, currency, request_id, verdict) in enumerate(made):
            sale = replace(a_sale(reference, minutes=minutes), money=Money(Decimal(amount), currency))
            await note(journal, sale)
            if request_id:
                await accept(journal, sale, request_id)
            if verdict:
                said = replace(verdict, authorisation="OK77" if reference == "KB-1" else "")
                await finish(journal, sale, said)
        finds = {
            "88056281118": ["KB-1"],
            "8805628": ["KB-1", "KB-2"],
            "8056281118": [],
            "OK77": ["KB-1"],
            " ok77 ": ["KB-1"],
            "Ok77": ["KB-1"],
            "70a6272c-4949": ["KB-2"],
            "70A6272C": ["KB-2"],
            "10.00": ["KB-1", "KB-3"],
            "10": ["KB-1", "KB-3", "KB-4"],
            "10,00": ["KB-1", "KB-3"],
            "10.5": ["KB-2"],
            "10.00 usd": ["KB-1"],
            "EUR 10": ["KB-3"],
            "10.000": ["KB-1", "KB-3"],
            "10.00 CHF": [],
            "1,000": [],
            "10.00 USD EUR": [],
            "7.5": ["KB-5"],
            "7,50 USD": ["KB-5"],
            "22": ["KB-5"],
            "7.50 EUR": [],
        }
        for text, expected in finds.items():
            assert await found(journal, SaleFilter(text)) == expected, text
            assert await found(journal, SaleFilter(text, environment_id="none")) == []
            approved = [one for one in expected if one in {"KB-1", "KB-2"}]
            assert await found(journal, SaleFilter(text, PRACTICE_ID, Outcome.APPROVED)) == approved, text
            assert await found(journal, SaleFilter(text, until=NOW)) == []
            if expected:
                page = await journal.find_sales(SaleFilter(text), after=expected[0], limit=9)
                assert _references(page) == expected[1:], text

    async def test_a_renamed_device_is_found_by_its_new_name(self, journal: Journal) -> None:
        await note(journal, a_sale())
        for nickname in ("Bar", "Kitchen"):
            await journal.remember_devices(PRACTICE_ID, [Device("D-1", nickname, "connected")])
        assert await found(journal, SaleFilter("kitchen")) == ["KB-1"]
        assert await found(journal, SaleFilter("bar")) == []

    async def test_an_outcome_finds_the_sales_that_ended_so(self, journal: Journal) -> None:
        for number, outcome in enumerate(Outcome):
            await note(journal, a_sale(f"KB-{number}"))
            await finish(journal, a_sale(f"KB-{number}"), Verdict(outcome))
        await note(journal, a_sale("KB-X"))
        for number, outcome in enumerate(Outcome):
            assert await found(journal, SaleFilter(state=outcome)) == [f"KB-{number}"]
        assert await found(journal, SaleFilter(state=UNDER_WAY)) == ["KB-X"]
        assert await found(journal, SaleFilter("kb-x", state=UNDER_WAY)) == ["KB-X"]

    async def test_days_find_the_sales_noted_between_them(self, journal: Journal) -> None:
        for minutes in range(4):
            await note(journal, a_sale(f"KB-{minutes}", minutes=minutes))
        since, until = NOW + timedelta(minutes=1), NOW + timedelta(minutes=3)
        assert await found(journal, SaleFilter(since=since)) == ["KB-3", "KB-2", "KB-1"]
        assert await found(journal, SaleFilter(until=until)) == ["KB-2", "KB-1", "KB-0"]
        assert await found(journal, SaleFilter("till", since=since, until=until)) == ["KB-2", "KB-1"]

    async def test_an_environment_finds_its_own_sales_also_when_it_is_gone(self, journal: Journal) -> None:
        await journal.add_environment(an_environment(identifier="gone"))
        await note(journal, a_sale("KB-1"))
        await note(journal, a_sale("KB-2", environment_id="gone"))
        await journal.remove_environment("gone")
        for text in ("", "till", "KB-2"):
            assert await found(journal, SaleFilter(text, environment_id="gone")) == ["KB-2"]
        assert await found(journal, SaleFilter("KB-1", environment_id="gone")) == []

    async def test_a_key_finds_the_sales_sent_with_it_whatever_it_was_called(self, journal: Journal) -> None:
        for number in range(6):
            sale = replace(a_sale(f"KB-{number}", minutes=number), device=f"till-{number % 3}")
            name = "Till 3" if number < 4 else "Till 3, renamed"
            await note(journal, replace(sale, key_id=f"key-{number % 2}", key_name=name))
        await finish(journal, await journal.sale("KB-2"))
        since = NOW + timedelta(minutes=1)
        assert await found(journal, SaleFilter(key_ids=frozenset({"key-0"}))) == ["KB-4", "KB-2", "KB-0"]
        assert await found(journal, SaleFilter(key_ids=frozenset({"key-0"}), since=since)) == ["KB-4", "KB-2"]
        assert await found(journal, SaleFilter("till-1", key_ids=frozenset({"key-0"}))) == ["KB-4"]
        assert await found(journal, SaleFilter("KB-3", key_ids=frozenset({"key-0"}))) == []
        assert await found(journal, SaleFilter(key_ids=frozenset({"key-0"}), state=Outcome.APPROVED)) == [
            "KB-2"
        ]
        assert await found(journal, SaleFilter(key_ids=frozenset({"key-2"}))) == []
        page = await journal.find_sales(SaleFilter(key_ids=frozenset({"key-1"})), after="KB-4", limit=1)
        assert _references(page) == ["KB-3"]

    async def test_all_conditions_hold_together(self, journal: Journal) -> None:
        for number in range(8):
            sale = a_sale(f"KB-{number}", minutes=number)
            await note(journal, replace(sale, device=f"till-{number % 2}"))
            await finish(journal, sale, Verdict(Outcome.DECLINED if number < 6 else Outcome.APPROVED))
        wanted = SaleFilter("till-1", PRACTICE_ID, Outcome.DECLINED, since=NOW + timedelta(minutes=2))
        assert await found(journal, wanted) == ["KB-5", "KB-3"]
