"""Made-up environments, keys, sales and exchanges for tests that speak to a journal."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from keybench.core.environments.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.exchange import Exchange, Timings
from keybench.core.keys.key import KeyKind, SecurityKey
from keybench.core.money import Money
from keybench.core.ports import Journal
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent, SaleMode, SaleStage, Verdict

NOW: Final = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)
APPROVED: Final = Verdict(Outcome.APPROVED, status=200, transaction_id="8000001", authorisation="A1B2C3")


def an_environment(name: str = "Sandbox", *, identifier: str = "") -> Environment:
    return Environment(
        identifier or f"id-of-{name}", name, EnvironmentKind.TEST, "https://gateway.example", "v5", NOW
    )


def a_key(name: str = "Till 3", *, environment_id: str = PRACTICE_ID, identifier: str = "") -> SecurityKey:
    return SecurityKey(
        id=identifier or f"id-of-{name}",
        environment_id=environment_id,
        name=name,
        username="mira",
        permission="Sale",
        kind=KeyKind.PRIVATE,
        purpose="training",
        fingerprint=f"amber lake seven {name}",
        created_at=NOW,
    )


def a_sale(reference: str = "KB-1", *, environment_id: str = PRACTICE_ID, minutes: float = 0) -> Sale:
    return Sale(
        reference=reference,
        environment_id=environment_id,
        key_id="id-of-Till 3",
        key_name="Till 3",
        device="D-1",
        money=Money(Decimal("10.00"), "USD"),
        mode=SaleMode.ASYNCHRONOUS,
        stage=SaleStage.NOTED,
        noted_at=NOW + timedelta(minutes=minutes),
        owner="a-program",
    )


def a_point(sale: Sale, mark: Mark = Mark.NOTED, detail: str = "") -> SaleEvent:
    return SaleEvent(sale.reference, sale.noted_at, mark, detail, 0.25)


def an_exchange(url: str = "https://gateway.example/api/v5/devices") -> Exchange:
    return Exchange(
        at=NOW,
        method="POST",
        url=url,
        request_headers=(("Authorization", "(redacted)"), ("X-Twice", "1"), ("X-Twice", "2")),
        request_body='{"amount": "10.00"}',
        status=200,
        response_headers=(),
        response_body="grüß dich",
        failure="",
        timings=Timings(total_s=0.3, connect_s=0.1, wait_s=0.2),
    )


async def note(journal: Journal, sale: Sale) -> Sale:
    await journal.note_sale(sale, a_point(sale))
    return sale
