"""Laws: whatever sale, key, application, line or exchange goes in comes out the same."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.journal_samples import a_point, a_sale
from journal.anything import Plain, any_of
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.exchange import Exchange
from keybench.core.keys.application import Application
from keybench.core.keys.key import SecurityKey
from keybench.core.money import Money, decimal_places
from keybench.core.ports import Activity, ActivityFilter
from keybench.core.sales.sale import Sale, SaleEvent
from keybench.journal import SqlJournal
from sweeps import examples

# One journal serves all examples of a test: each example has a fresh reference or key.
LAW: Final = settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])

fresh = st.builds(lambda: uuid.uuid4().hex)
PLAIN: Final[Plain] = {
    # NUL is left out: it is replaced, because not every database takes it.
    str: st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40),
    int: st.integers(0, 10_000),
    float: st.floats(min_value=0, max_value=1e6, allow_nan=False),
    Decimal: st.decimals(0, 10**9, places=2),
    datetime: st.datetimes(timezones=st.just(UTC)),
}


def _money(units: int, currency: str) -> Money:
    return Money(Decimal(units).scaleb(-decimal_places(currency)), currency)


money = st.builds(_money, st.integers(1, 10**12), st.sampled_from(["USD", "EUR", "JPY", "KWD"]))
sales = any_of(Sale, PLAIN, reference=fresh, environment_id=fresh, key_id=fresh, money=money)
points = any_of(SaleEvent, PLAIN)
here = st.just(PRACTICE_ID)
keys = any_of(SecurityKey, PLAIN, id=fresh, environment_id=here, compromised=st.just(value=False))
applications = any_of(Application, PLAIN, id=fresh, environment_id=here)
lines = any_of(Activity, PLAIN, number=st.just(0))
exchanges = any_of(Exchange, PLAIN)


@LAW
@given(sale=sales, point=points)
async def test_a_sale_comes_back(journal: SqlJournal, sale: Sale, point: SaleEvent) -> None:
    event = replace(point, reference=sale.reference)
    await journal.note_sale(sale, event)
    stored = await journal.sale(sale.reference)
    assert stored == sale
    assert str(stored.money) == str(sale.money)
    assert list(await journal.sale_events(sale.reference)) == [event]


@LAW
@given(before=sales, after=sales)
async def test_a_moved_sale_comes_back(journal: SqlJournal, before: Sale, after: Sale) -> None:
    await journal.note_sale(before, a_point(before))
    after = replace(after, reference=before.reference)
    told = await journal.advance_sale(before.reference, lambda _: after)
    assert told == after
    assert await journal.sale(before.reference) == after


@LAW
@given(key=keys)
async def test_a_key_comes_back(journal: SqlJournal, key: SecurityKey) -> None:
    await journal.add_key(key)
    assert list(await journal.keys(PRACTICE_ID)) == [key]
    await journal.remove_key(key.id)


@LAW
@given(application=applications)
async def test_an_application_comes_back(journal: SqlJournal, application: Application) -> None:
    await journal.add_application(application)
    assert list(await journal.applications()) == [application]
    await journal.remove_application(application.id)


@LAW
@given(line=lines)
async def test_a_line_of_activity_comes_back(journal: SqlJournal, line: Activity) -> None:
    # Its place is a new one, so that the lines of other examples aren't between.
    line = replace(line, environment_id=uuid.uuid4().hex)
    await journal.record_activity(line)
    (stored,) = await journal.activities(2, ActivityFilter(environment_id=line.environment_id))
    assert replace(stored, number=0) == line
    assert stored.number > 0


@LAW
@given(exchange=exchanges)
async def test_an_exchange_comes_back(journal: SqlJournal, exchange: Exchange) -> None:
    sale = a_sale(uuid.uuid4().hex)
    await journal.note_sale(sale, a_point(sale))
    await journal.advance_sale(sale.reference, lambda sale: sale, exchanges=[exchange])
    assert list(await journal.exchanges(sale.reference)) == [exchange]
