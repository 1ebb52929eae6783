"""A hostile gateway, one row a misdeed: a sale over real HTTP ends in a state that answers for the money.

`ON_SENDING` has misdeeds while the sale is sent, `ON_POLLING` misdeeds after it was accepted: some of
each, from end to end. What each is called is shown by `test_bodies.py`, `test_failures.py` and `test_tls.py`,
what it means for the sale by `workflows/test_sell.py`. Whatever happens, the sale is posted once at the most.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from fakes.clock import HurriedClock
from fakes.world import MADE_UP, Bench
from gateway.hostile import Hostile, Play, hostile, http, in_turn, is_silent, resets, says
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.sales.sale import Outcome, Sale, Verdict
from keybench.gateway.client import HttpGateway
from keybench.gateway.messages import Limits
from keybench.words.sales.outcomes import explain_sale

UNKNOWN, REFUSED, APPROVED = Outcome.UNKNOWN, Outcome.REFUSED, Outcome.APPROVED
MONEY = {
    UNKNOWN: "The sale may have gone through: nobody can tell yet.",
    REFUSED: "Nothing was sold and no money moved.",
    APPROVED: "This is a test, so no money moved.",
}
#: For misdeeds that last for ever.
QUICK = Limits(read_s=0.3, total_s=1.0, held_s=0.3)
LASTING = {"silence", "an outage that ends"}
ELSEWHERE = "Location: http://127.0.0.1:9/"
DONE = b'{"id": "r1", "status": "interactionComplete", "transaction": {"success": true, "id": "t1"}}'
SAID = b'"response_code": "100", "response_text": "APPROVED", "auth_code": "A1"'


def ok(body: bytes, *headers: str) -> Play:
    return says(http("200 OK", body, *headers))


def taken(body: bytes = b'{"id": "r1", "status": "pending"}', *headers: str) -> Play:
    return says(http("202 Accepted", body, *headers))


async def floods(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send 500 MB, or as much as the caller takes."""
    writer.write(b"HTTP/1.1 202 Accepted\r\nContent-Length: 524288000\r\n\r\n")
    sent = 0
    while sent < 500 * 1024 * 1024:
        writer.write(b'"' * 65536)
        await writer.drain()  # raises when the caller has hung up
        sent += 65536
    raise AssertionError("the caller took 500 MB")


ON_SENDING: list[tuple[str, Play, Outcome, str]] = [
    ("reset after the request", resets, UNKNOWN, "connection reset"),
    ("silence", is_silent, UNKNOWN, "timeout"),
    ("500 MB", floods, UNKNOWN, "too big"),
    ("redirect to another host", says(http("307 Moved", b"", ELSEWHERE)), UNKNOWN, "redirect"),
    (
        "409 with an identifier",
        in_turn(says(http("409 Conflict", b'{"id": "r1", "status": "pending"}')), ok(DONE)),
        APPROVED,
        "",
    ),
    ("500 with an identifier", in_turn(says(http("500 Oops", b'{"id": "r1"}')), ok(DONE)), APPROVED, ""),
    (
        "409 with another's identifier",
        says(http("409 Conflict", b'{"id": "r0", "message": "Device in use"}')),
        UNKNOWN,
        "contradictory answer: http 409; request r0",
    ),
    ("half a refusal", says(http("403 Forbidden", b'{"id": "r1"}' * 9)[:-40]), UNKNOWN, "connection closed"),
    ("two identifiers", taken(b'{"id": "old", "id": "r1"}'), UNKNOWN, "name twice"),
    ("401", says(http("401 Unauthorized", b"{}")), REFUSED, "unauthorised"),
    (
        "403 that asks for patience",
        says(http("403 Forbidden", b"{}", "Retry-After: 9")),
        REFUSED,
        "rate limit",
    ),
    ("500", says(http("500 Internal Server Error", b"oops")), UNKNOWN, "failed"),
]

ON_POLLING: list[tuple[str, Play, Outcome, str]] = [
    (
        "401 in the middle",
        in_turn(ok(b'{"status": "pending"}'), says(http("401 Unauthorized", b"{}"))),
        UNKNOWN,
        "refused while following",
    ),
    (
        "an outage that ends",
        in_turn(resets, says(http("503 Down", b"")), is_silent, says(b""), ok(DONE)),
        APPROVED,
        "",
    ),
    ("429 that ends", in_turn(says(http("429 Too Many", b"{}", "Retry-After: 3")), ok(DONE)), APPROVED, ""),
    ("broken answers for ever", ok(b'{"status": "pend'), UNKNOWN, "deadline"),
    ("an unknown word for ever", ok(b'{"id": "r1", "status": "askingTheOracle"}'), UNKNOWN, "deadline"),
    (
        "another sale's outcome",
        ok(DONE.replace(b"{", b'{"order_details": {"id": "not-ours"}, ', 1)),
        UNKNOWN,
        "deadline",
    ),
    (
        "success missing, and code, text and authorisation of an approval",
        ok(DONE.replace(b'"success": true', SAID)),
        UNKNOWN,
        (
            "contradictory answer: status by success; code approved; text APPROVED; authorisation A1; "
            "flag missing"
        ),
    ),
    (
        "an approval of another amount",
        ok(DONE.replace(b'{"id"', b'{"amount": "999.99", "currency": "EUR", "id"', 1)),
        UNKNOWN,
        (
            "contradictory answer: status by success; flag approved; amount 999.99 instead of 10.00; "
            "currency EUR instead of USD"
        ),
    ),
]


def rows(table: list[tuple[str, Play, Outcome, str]]) -> list[object]:
    return [pytest.param(*row[1:], id=row[0]) for row in table]


@dataclass
class Selling:
    """A program on fakes that sells over real HTTP."""

    bench: Bench
    gateway: HttpGateway

    async def sell(self, base_url: str, times: int = 1) -> list[Sale]:
        await self.bench.journal.open()
        where = await self.bench.console.environments.add("Sandbox", EnvironmentKind.TEST, base_url)
        await self.bench.add_key(where)
        sold = []
        for _ in range(times):
            noted = await self.bench.console.sell.note(await self.bench.draft(environment=where))
            sold.append(await self.bench.console.sell.carry_out(noted))
        await self.gateway.close()
        return sold


def program(gateway: HttpGateway | None = None) -> Selling:
    http_gateway = gateway or HttpGateway()
    # The bench is made for a scripted gateway; any that fits the port will do.
    return Selling(Bench(clock=HurriedClock(), gateway=http_gateway), http_gateway)  # type: ignore[arg-type]


def client_for(request: pytest.FixtureRequest) -> HttpGateway:
    """Return a client that waits for a misdeed's end, or gives up where there is none."""
    case = request.node.callspec.id
    return HttpGateway(limits=QUICK if any(name in case for name in LASTING) else Limits())


def is_explained(sale: Sale, outcome: Outcome, reason: str) -> Verdict:
    """Check a sale's end, that its words answer for the money, and that the key is in none of them."""
    verdict = sale.verdict
    assert verdict
    assert (verdict.outcome, verdict.reason) == (outcome, reason)
    told = explain_sale(sale, EnvironmentKind.TEST)
    assert told.money == MONEY.get(outcome, "Nothing was taken.")
    assert told.title
    shows_key = MADE_UP in f"{verdict} {told}"
    assert not shows_key
    return verdict


def posts(server: Hostile) -> int:
    return sum(request.startswith(b"POST") for request in server.requests)


@pytest.mark.parametrize(("play", "outcome", "reason"), rows(ON_SENDING))
async def test_a_misdeed_while_the_sale_is_sent(
    play: Play, outcome: Outcome, reason: str, request: pytest.FixtureRequest
) -> None:
    async with hostile(play) as server:
        (sale,) = await program(client_for(request)).sell(server.base_url)
    is_explained(sale, outcome, reason)
    assert posts(server) == 1


@pytest.mark.parametrize(("play", "outcome", "reason"), rows(ON_POLLING))
async def test_a_misdeed_after_the_sale_was_accepted(
    play: Play, outcome: Outcome, reason: str, request: pytest.FixtureRequest
) -> None:
    async with hostile(in_turn(taken(), play)) as server:
        (sale,) = await program(client_for(request)).sell(server.base_url)
    is_explained(sale, outcome, reason)
    assert posts(server) == 1


async def test_two_sales_answered_with_one_id() -> None:
    async with hostile(in_turn(taken(), ok(DONE), taken(), ok(DONE))) as server:
        first, second = await program().sell(server.base_url, times=2)
    is_explained(first, APPROVED, "")
    is_explained(second, UNKNOWN, "identifier given twice")
    assert "an identifier that another sale has already" in explain_sale(second, EnvironmentKind.TEST).title
    assert posts(server) == 2


async def test_an_answer_nobody_understands_is_kept_in_its_form() -> None:
    body = b'{"reply": "taken", "title": "come back later", "api_key": "%s"}' % MADE_UP.encode()
    async with hostile(taken(body)) as server:
        (sale,) = await program().sell(server.base_url)
    verdict = is_explained(sale, UNKNOWN, "no identifier")
    form = '{"reply": "\u20395 characters\u203a", "title": "come back later", "api_key": "'
    assert verdict.message.startswith(form)


async def test_an_unknown_word_is_shown_as_it_came() -> None:
    async with hostile(in_turn(taken(), ok(b'{"status": "askingTheOracle"}'), ok(DONE))) as server:
        selling = program()
        (sale,) = await selling.sell(server.base_url)
    is_explained(sale, APPROVED, "")
    events = await selling.bench.journal.sale_events(sale.reference)
    assert "askingTheOracle" in [event.detail for event in events]
