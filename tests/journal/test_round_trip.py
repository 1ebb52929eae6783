"""Laws: whatever sale, key, application, line or exchange goes in comes out the same."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import UTC
from decimal import Decimal
from typing import Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.journal_samples import a_point, a_sale
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.exchange import Exchange, Timings
from keybench.core.keys.application import Application
from keybench.core.keys.key import KeyKind, KeyState, SecurityKey
from keybench.core.money import Money, decimal_places
from keybench.core.ports import Activity, ActivityFilter
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent, SaleMode, SaleStage, Verdict
from keybench.journal import SqlJournal

# One journal serves all examples of a test: each example has a fresh reference or key.
LAW: Final = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

# NUL is left out: it is replaced, because not every database takes it.
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)
times = st.datetimes(timezones=st.just(UTC))
seconds = st.floats(min_value=0, max_value=1e6, allow_nan=False)
statuses = st.integers(0, 599)
fresh = st.builds(lambda: uuid.uuid4().hex)
headers = st.lists(st.tuples(texts, texts), max_size=4).map(tuple)


def _money(units: int, currency: str) -> Money:
    return Money(Decimal(units).scaleb(-decimal_places(currency)), currency)


money = st.builds(_money, st.integers(1, 10**12), st.sampled_from(["USD", "EUR", "JPY", "KWD"]))
verdicts = st.builds(
    Verdict,
    outcome=st.sampled_from(Outcome),
    reason=texts,
    message=texts,
    status=statuses,
    gateway_status=texts,
    transaction_id=texts,
    authorisation=texts,
    response_code=texts,
    error_reference=texts,
    approved_amount=st.none() | st.decimals(0, 10**9, places=2),
)
sales = st.builds(
    Sale,
    reference=fresh,
    environment_id=fresh,
    key_id=fresh,
    key_name=texts,
    device=texts,
    money=money,
    mode=st.sampled_from(SaleMode),
    stage=st.sampled_from(SaleStage),
    noted_at=times,
    accepted_at=st.none() | times,
    finished_at=st.none() | times,
    request_id=texts,
    verdict=st.none() | verdicts,
    polls=st.integers(0, 10_000),
    owner=st.just("") | fresh,
)
points = st.builds(
    SaleEvent,
    reference=st.just(""),
    at=times,
    mark=st.sampled_from(Mark),
    detail=texts,
    took_s=st.none() | seconds,
)
keys = st.builds(
    SecurityKey,
    id=fresh,
    environment_id=st.just(PRACTICE_ID),
    name=texts,
    username=texts,
    permission=texts,
    kind=st.sampled_from(KeyKind),
    purpose=texts,
    fingerprint=texts,
    created_at=times,
    gateway_id=texts,
    state=st.sampled_from(KeyState),
    status=statuses,
    tested_at=st.none() | times,
    owner=texts,
    used_at=st.none() | times,
)
applications = st.builds(
    Application,
    id=fresh,
    environment_id=st.just(PRACTICE_ID),
    key_id=fresh,
    name=texts,
    owner=texts,
    contact=texts,
    place=texts,
    instructions=texts,
    changed_at=st.none() | times,
    changed_by=texts,
    seen_at=st.none() | times,
    seen_by=texts,
)
lines = st.builds(
    Activity,
    at=times,
    action=texts,
    environment_id=texts,
    subject=texts,
    result=texts,
    who=texts,
    number=st.just(0),
)
timings = st.builds(
    Timings,
    total_s=seconds,
    connect_s=st.none() | seconds,
    tls_s=st.none() | seconds,
    wait_s=st.none() | seconds,
    read_s=st.none() | seconds,
)
exchanges = st.builds(
    Exchange,
    at=times,
    method=texts,
    url=texts,
    request_headers=headers,
    request_body=texts,
    status=statuses,
    response_headers=headers,
    response_body=texts,
    failure=texts,
    timings=timings,
)


@LAW
@given(sale=sales, point=points)
async def test_a_sale_comes_back(journal: SqlJournal, sale: Sale, point: SaleEvent) -> None:
    event = SaleEvent(sale.reference, point.at, point.mark, point.detail, point.took_s)

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
