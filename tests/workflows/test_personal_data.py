"""What a chatty gateway tells of a person or a card is in nothing that is kept, shown or given away."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes.clock import HurriedClock
from fakes.own_search import zip_texts
from fakes.world import Bench, build_world
from gateway.hostile import hostile, http, in_turn, says
from keybench.cli.commands.sale import sale_record, sale_text
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.exchange import Exchange, Timings
from keybench.core.ports import KeptAnswer
from keybench.core.sales.history import SaleFilter
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent, Verdict
from keybench.gateway.client import HttpGateway
from keybench.gateway.diagnosis.probing import HttpProbing
from keybench.journal import SqlJournal
from keybench.runtime.clock import SystemClock
from keybench.ui.shared.sales.exchange_text import pieces_of
from keybench.words.sales.outcomes import explain_sale
from keybench.words.sales.ticket import SaleRecord, ticket_text
from keybench.words.support.page import bundle_page
from keybench.workflows.console import Console
from keybench.workflows.support.bundles import Bundles

#: With what stands before them where figures alone may stand anywhere.
PRIVATE = (
    *("JANE", "Doe", "jane.doe", "Main Street", "555 0199", "5550199", "DE8937", "DE89 37", "0532 0130"),
    *("1980-04-12", "cvv 737", "04/27", '"0427', '"10115'),
)
WORDS = (
    "cvv 737 of Cardholder: JANE Doe, exp. 04/27; mail jane.doe@example.org, +1 212 555 0199, "
    "IBAN DE89 3704 0044 0532 0130 00, date of birth: 1980-04-12"
)
PERSON = {
    "cardholder": {"name": "JANE Doe", "id": "JANE-1", "message": "JANE Doe"},
    "customer": {"email": "jane.doe@example.org", "address": {"street": "Main Street 5", "code": "10115"}},
    "phone": 5550199,
    "iban": "DE89370400440532013000",
    "birth_date": "1980-04-12",
    "expiry": "04/27",
    "exp": "0427",
    "notes": ["JANE Doe", {"deep": "Main Street 5"}],
    "jane.doe@example.org": {"status": "known"},
    "link": "https://portal.example/people?name=JANE+Doe",
    "told": json.dumps({"holder": "JANE Doe"}),
    "response_text": json.dumps({"holder": "JANE Doe", "message": WORDS}),
}
HEADERS = (
    "X-Receipt-To: jane.doe@example.org",
    "Location: https://portal.example/people?name=JANE+Doe",
    'Link: </people?name=JANE+Doe>; rel="next"',
)


def answer(head: str, **fields: Any) -> bytes:
    return http(head, json.dumps({**PERSON, **fields}).encode(), *HEADERS)


def sold(**transaction: Any) -> bytes:
    return answer("200 OK", id="r1", status="interactionComplete", transaction=transaction)


TAKEN = answer("202 Accepted", id="r1", status="pending")
APPROVED = sold(success=True, id="t1", auth_code="A1", response_text=f"Approved {WORDS}")
DECLINED = sold(success=False, id="t1", response_text=f"Declined: {WORDS}")
PLAIN = f"Declined: {WORDS}".encode()
ENDS: dict[str, tuple[Outcome, Sequence[bytes]]] = {
    "approved": (Outcome.APPROVED, (TAKEN, APPROVED)),
    "declined": (Outcome.DECLINED, (TAKEN, DECLINED)),
    "an error": (Outcome.REFUSED, (answer("400 Bad", message=f"Bad: {WORDS}"),)),
    "an error without words": (Outcome.REFUSED, (answer("422 Bad"),)),
    "a refused key": (Outcome.REFUSED, (answer("401 No", message=f"No: {WORDS}"),)),
    "an error as text": (Outcome.REFUSED, (http("400 Bad", PLAIN, "Content-Type: text/plain"),)),
    "an error as a page": (Outcome.REFUSED, (http("400 Bad", b"<html><p>" + PLAIN + b"</p></html>"),)),
    "an error as XML": (Outcome.UNKNOWN, (http("500 Bad", b"<sale><name>JANE Doe</name></sale>"),)),
    "nobody understands": (Outcome.UNKNOWN, (answer("202 Accepted"),)),
    "cut": (Outcome.UNKNOWN, (http("202 Accepted", json.dumps(PERSON).encode()[:-30]),)),
}


async def program(folder: Path) -> Bench:
    """Return a program with a real journal that speaks HTTP."""
    bench, clock = Bench(), HurriedClock()
    journal = SqlJournal(folder / "journal.sqlite3", clock)
    gateway = HttpGateway(clock)
    bench.console = Console(replace(build_world(bench), clock=clock, journal=journal, gateway=gateway))
    bench.journal = journal  # type: ignore[assignment]  # another journal, the same port
    await journal.open()
    return bench


async def ways_out(bench: Bench, sale: Sale, where: Environment, folder: Path) -> dict[str, str]:
    """Return everything that is kept, shown or given away of a sale."""
    console = bench.console
    exchanges = await console.exchanges(sale.reference)
    events = await console.timeline(sale.reference)
    told = SaleRecord(sale, events, exchanges, sale.device, where, "four plain words here")
    out = {
        "the command line": f"{sale_record(sale, where)} {sale_text(sale, where)}",
        "the ticket": ticket_text(told),
        "the verdict": str(explain_sale(sale, where.kind)),
        "the timeline": str(events),
        "the exchanges": str(pieces_of(exchanges, headers=True)),
        "HAR": await console.history.har(sale.reference),
    }
    for name in ("sales.csv", "sales.json"):
        await console.history.export(SaleFilter(), folder / name)
        out[name] = (folder / name).read_text("utf-8")
    prepared = await Bundles(console, bundle_page).prepare(sale.reference, asked=exchanges)
    return out | zip_texts(prepared.data)


def found_in(texts: dict[str, str]) -> list[str]:
    return [f"{word} in {name}" for name, text in texts.items() for word in PRIVATE if word in text]


@pytest.mark.parametrize("end", ENDS)
async def test_what_a_gateway_tells_of_a_person_stays_nowhere(
    tmp_path: Path, end: str, caplog: pytest.LogCaptureFixture
) -> None:
    outcome, answers = ENDS[end]
    (tmp_path / "data").mkdir()
    bench = await program(tmp_path / "data")
    async with hostile(in_turn(*map(says, answers))) as server:
        where = await bench.console.environments.add("Sandbox", EnvironmentKind.TEST, server.base_url)
        await bench.add_key(where)
        noted = await bench.console.sell.note(await bench.draft(environment=where))
        sale = await bench.console.sell.carry_out(noted)
        await bench.console.world.gateway.close()
    assert sale.outcome is outcome
    texts = await ways_out(bench, sale, where, tmp_path)
    kept = KeptAnswer.of(sale)
    if kept:
        await bench.journal.keep_answer(kept)
    await bench.journal.close()
    for file in (tmp_path / "data").iterdir():
        texts[file.name] = file.read_bytes().decode("utf-8", "replace")
    assert found_in(texts | {"the log": caplog.text}) == []
    assert '"amount": "10.00"' in texts["HAR"].replace("\\", "")


async def test_a_probe_and_what_a_diagnosis_sees_of_it_hold_nothing_of_a_person(tmp_path: Path) -> None:
    bench = await program(tmp_path)
    refused = answer("401 Unauthorized", message=f"Invalid API key. {WORDS}")
    async with hostile(says(refused)) as server:
        where = await bench.console.environments.add("Sandbox", EnvironmentKind.TEST, server.base_url)
        kept: list[Exchange] = []
        probing = HttpProbing(SystemClock())
        seen = await probing.gateway(where, server.base_url, kept.append)
        await probing.close()
    await bench.journal.close()
    assert "Invalid API key" in str(seen)
    assert found_in({"evidence": str(seen), "exchanges": str(kept)}) == []


async def test_what_an_older_journal_holds_of_a_person_leaves_by_no_way(tmp_path: Path) -> None:
    bench = await program(tmp_path)
    where = await bench.console.environments.add("Sandbox", EnvironmentKind.TEST, "https://gateway.example")
    await bench.add_key(where)
    noted = await bench.console.sell.note(await bench.draft(environment=where))
    now = bench.console.clock.now()
    told = Exchange(
        *(now, "GET", "https://gateway.example/", (), "", 200, ()),
        *(DECLINED.partition(b"\r\n\r\n")[2].decode(), "", Timings(0.1)),
    )
    await bench.journal.advance_sale(
        noted.reference,
        lambda stored: stored.finish(Verdict(Outcome.DECLINED, message=WORDS, status=200), now),
        [SaleEvent(noted.reference, now, Mark.STATUS, WORDS)],
        [told],
    )
    sale = await bench.console.sale(noted.reference)
    texts = await ways_out(bench, sale, where, tmp_path)
    await bench.journal.close()
    assert found_in(texts) == []
    assert '\\"status\\": \\"interactionComplete\\"' in texts["HAR"]
