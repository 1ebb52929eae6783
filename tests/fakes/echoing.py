"""A console with many keys and sales, whose gateway says keys' values back; made from a seed."""

from __future__ import annotations

import json
import random
import string
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Final

from fakes.spelled import SPELLINGS
from fakes.world import Bench
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.exchange import Exchange, Timings
from keybench.core.keys.key import KeyKind, SecurityKey
from keybench.core.money import Money
from keybench.core.ports import Device, PollNote, entry_of
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent, SaleMode, SaleStage, Verdict
from keybench.core.secret import MASK, Secret, fingerprint, folded_fingerprint
from keybench.journal.environments import remember_devices
from keybench.journal.keys import KEYS
from keybench.journal.sales import note_polls, note_sale

BEGAN: Final = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
#: The forms in which it says them: those that a bundle is searched for.
SAID: Final = (
    *("raw", "lower case", "upper case", "base64", "base64 without padding", "url-safe base64"),
    *("url-encoded", "json", "hex", "hex, capitals", "html"),
)
_ALPHABET: Final = string.ascii_letters + string.digits
_FORMS: Final = ("{}", "checkout_public_{}", "v4_secret_{}")


@dataclass
class Echoing:
    """What was made.

    Attributes:
        values: Every value that the keystore has.
        references: Of the sales, the oldest first.
    """

    bench: Bench
    values: list[str]
    references: list[str]


def made_value(rng: random.Random) -> str:
    match rng.randrange(5):
        case 0:
            return "-".join("".join(rng.choices(_ALPHABET, k=6)) for _ in range(4))
        case 1:
            return "".join(rng.choices("0123456789abcdef", k=40))
        case kind:
            return _FORMS[kind - 2].format("".join(rng.choices(_ALPHABET, k=32)))


def echoes(rng: random.Random, value: str, reference: str) -> tuple[list[tuple[str, str]], str]:
    """Return an answer's headers and body that say a value in some form."""
    headers = [("content-type", "application/json"), ("date", "Sun, 01 Mar 2026 08:00:00 GMT")]
    body: dict[str, object] = {"id": reference, "status": "inProgress", "amount": "10.00"}
    spelt = SPELLINGS[rng.choice(SAID)](value)
    match rng.randrange(6):
        case 0:
            headers.append(("x-echo", spelt))
        case 1:
            body["message"] = f"unknown key {spelt}"
        case 2:
            body["parts"] = [spelt, spelt]
        case 3:
            body["inner"] = json.dumps({"token_of_yours": spelt})
        case 4:
            headers.append((f"x-{value}", "1"))
            body[value] = True
        case _:
            body["request_id"] = f"R-{value}"
    text = json.dumps(body)
    return headers, text if rng.random() < 0.8 else text + spelt


def honest(rng: random.Random, reference: str) -> tuple[list[tuple[str, str]], str]:
    """Return an answer's headers and body as honest gateways write them."""
    headers = [
        ("content-type", "application/json"),
        ("etag", f'W/"{rng.getrandbits(160):040x}"'),
        ("x-request-id", f"{rng.getrandbits(128):032x}"),
        ("set-cookie", f"session={''.join(rng.choices(_ALPHABET, k=32))}"),
    ]
    body = {"id": f"{rng.getrandbits(128):032x}", "status": "inProgress", "order_details": {"id": reference}}
    return headers, json.dumps(body | {"transaction": str(rng.randrange(10**10, 10**11))})


def exchange_of(
    rng: random.Random, at: datetime, value: str, reference: str, *, poll: bool, says: bool
) -> Exchange:
    headers, body = echoes(rng, value, reference) if says else honest(rng, reference)
    path = f"/api/v5/payment_requests/{reference}" if poll else "/api/v5/payment_requests"
    asked = "" if poll else json.dumps({"amount": "10.00", "order_details": {"id": reference}})
    return Exchange(
        at,
        "GET" if poll else "POST",
        f"https://gateway.example{path}",
        (("authorization", MASK), ("accept", "application/json")),
        asked,
        200,
        tuple(headers),
        body,
        "",
        Timings(0.21, connect_s=0.01, wait_s=0.18, read_s=0.02),
    )


def echoing(
    seed: int, *, keys: int = 50, sales: int = 10_000, told: int = 200, polls: int = 4, says: bool = True
) -> Echoing:
    """Return a console on fakes in which a gateway has said values back, unmasked, wherever it could.

    Args:
        seed: What is made follows from it.
        keys: How many there are.
        sales: How many there are.
        told: How many of the newest have exchanges.
        polls: How many exchanges each of these has besides its first.
        says: Whether the gateway says values back; else it is an honest one.
    """
    rng = random.Random(seed)
    bench = Bench()
    journal = bench.journal
    held: list[tuple[SecurityKey, str]] = []
    for number in range(keys):
        value = made_value(rng)
        key = SecurityKey(
            f"key-{number}",
            PRACTICE_ID,
            f"Till {number}",
            "mira",
            "API",
            KeyKind.PRIVATE,
            "",
            fingerprint(Secret(value)),
            BEGAN,
            folded_fingerprint=folded_fingerprint(Secret(value)),
        )
        journal.change(partial(KEYS.add, record=key))
        bench.keystore.change(entry_of(key), Secret(value))
        held.append((key, value))
    counter = Device("D-1", "Front counter", "connected")
    journal.change(partial(remember_devices, environment_id=PRACTICE_ID, devices=[counter]))
    references: list[str] = []
    for number in range(sales):
        key, value = rng.choice(held)
        is_told = number >= sales - told
        _sell(rng, bench, key, value, number, is_told=is_told, polls=polls, says=says, references=references)
    return Echoing(bench, [value for _, value in held], references)


def _sell(
    rng: random.Random,
    bench: Bench,
    key: SecurityKey,
    value: str,
    number: int,
    *,
    is_told: bool,
    polls: int,
    says: bool,
    references: list[str],
) -> None:
    at = BEGAN + timedelta(minutes=number)
    letters = rng.choices("0123456789ABCDEFGHJKMNPQRSTVWXYZ", k=12)
    reference = "-".join(("KB", *("".join(letters[i : i + 4]) for i in (0, 4, 8))))
    references.append(reference)
    chances = [says and rng.random() < chance for chance in (0.1, 0.05)]
    verdict = Verdict(
        rng.choice([Outcome.DECLINED, Outcome.APPROVED, Outcome.REFUSED]),
        message=f"The key {SPELLINGS[rng.choice(SAID)](value)} is wrong" if chances[0] else "fine",
        status=200,
        gateway_status="interactionComplete",
        transaction_id=value if chances[1] else str(rng.randrange(10**10, 10**11)),
        authorisation="083421",
        response_code="100",
    )
    sale = Sale(
        reference,
        PRACTICE_ID,
        key.id,
        key.name,
        "D-1",
        Money(Decimal("10.00"), "USD"),
        SaleMode.ASYNCHRONOUS,
        SaleStage.FINISHED,
        at,
        at,
        at + timedelta(seconds=5),
        f"{rng.getrandbits(128):032x}",
        verdict,
        polls=4,
    )
    journal = bench.journal
    journal.change(partial(note_sale, sale=sale, event=SaleEvent(reference, at, Mark.NOTED)))
    if is_told:
        trouble = SPELLINGS["hex"](value) if says else "timeout"
        exchanges = [
            exchange_of(rng, at + timedelta(seconds=poll), value, reference, poll=poll > 0, says=says)
            for poll in range(polls + 1)
        ]
        met = PollNote(SaleEvent(reference, at, Mark.TROUBLE, trouble), tuple(exchanges))
        journal.change(partial(note_polls, notes=[met]))
