"""The guard against tens of thousands of made-up texts: numbers are found, identifiers are let through.

The numbers are generated with a fixed seed and belong to nobody; the identifiers are of the kinds that people
and programs really put into these fields.
"""

from __future__ import annotations

import json
import random
import string
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from keybench.core.card_data import holds_card_data, holds_card_fields, passes_luhn
from keybench.core.sales.sale import new_reference

NUMBERS = 24_000
IDENTIFIERS = 12_000
#: The first digits and the lengths that the schemes give out.
SCHEMES = {
    "Visa": (("4",), (13, 16, 19)),
    "Mastercard": (("51", "55", "2221", "2300", "2720"), (16,)),
    "American Express": (("34", "37"), (15,)),
    "Diners Club": (("300", "305", "36", "38"), (14,)),
    "Discover": (("6011", "644", "65"), (16, 19)),
    "JCB": (("3528", "3589"), (16,)),
    "UnionPay": (("62", "81"), (16, 17, 18, 19)),
    "Maestro": (("50", "56", "58", "6304", "67"), (16, 18, 19)),
    "Mir": (("2200", "2204"), (16,)),
}
DIGITS = {"Arabic": 0x0660, "Persian": 0x06F0, "Devanagari": 0x0966, "full width": 0xFF10}


def numbers(chance: random.Random) -> Iterator[str]:
    """Yield numbers of every scheme in turn, with the right check digit."""
    while True:
        for starts, lengths in SCHEMES.values():
            start, length = chance.choice(starts), chance.choice(lengths)
            body = start + "".join(chance.choices(string.digits, k=length - len(start) - 1))
            yield next(body + check for check in string.digits if passes_luhn(body + check))


def grouped(number: str, between: str) -> str:
    if len(number) in {14, 15}:
        groups = [number[:4], number[4:10], number[10:]]
    else:
        groups = [number[at : at + 4] for at in range(0, len(number), 4)]
    return between.join(groups)


def in_digits_of(number: str, zero: int) -> str:
    return "".join(chr(zero + int(digit)) if digit.isdigit() else digit for digit in number)


SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": lambda number: number,
    "spaced": lambda number: grouped(number, " "),
    "dashed": lambda number: grouped(number, "-"),
    "dotted": lambda number: grouped(number, "."),
    "no-break spaces": lambda number: grouped(number, "\u00a0"),
    "long dashes": lambda number: grouped(number, "\u2013"),
    "digit by digit": " ".join,
    **{name: lambda number, zero=zero: in_digits_of(number, zero) for name, zero in DIGITS.items()},
    "full width, spaced": lambda number: in_digits_of(grouped(number, " "), DIGITS["full width"]),
    "Arabic, dashed": lambda number: in_digits_of(grouped(number, "-"), DIGITS["Arabic"]),
    "in a sentence": lambda number: f"Mira's card is {grouped(number, ' ')}, please try",
    "in JSON": lambda number: json.dumps({"amount": "10.00", "ccnumber": number, "ccexp": "1227"}),
    "in JSON as a figure": lambda number: f'{{"n":{number},"cvv":123}}',
    "in an address": lambda number: f"https://shop.example/pay?n={number}&v=1",
    "on track 2": lambda number: f";{number}=27121010000012300000?",
    "behind a name": lambda number: f"card-{number}",
}


def moments(chance: random.Random) -> datetime:
    return datetime(2015, 1, 1, tzinfo=UTC) + timedelta(
        microseconds=chance.randrange(20 * 365 * 86_400 * 10**6)
    )


def digits(chance: random.Random, count: int) -> str:
    return "".join(chance.choices(string.digits, k=count))


def iban(chance: random.Random) -> str:
    country, length = chance.choice([("DE", 22), ("GB", 22), ("FR", 27), ("CH", 21), ("NL", 18), ("ES", 24)])
    body = ("ABNA" if country in {"GB", "NL"} else "") + digits(chance, length)
    return f"{country}{digits(chance, 2)}{body}"[:length]


def spaced_iban(chance: random.Random) -> str:
    whole = iban(chance)
    return " ".join(whole[at : at + 4] for at in range(0, len(whole), 4))


#: Identifiers of ours and of gateways: none of them may ever be refused.
NEVER_REFUSED: dict[str, Callable[[random.Random], str]] = {
    "our reference": lambda _chance: new_reference(),
    "a UUID": lambda chance: str(uuid.UUID(int=chance.getrandbits(128), version=4)),
    "a UUID in capitals": lambda chance: str(uuid.UUID(int=chance.getrandbits(128), version=4)).upper(),
    "a simulated device": lambda chance: f"{uuid.UUID(int=chance.getrandbits(128))!s:.23}-000000000000",
    "a device's name": lambda chance: (
        f"{chance.choice(['till', 'kiosk', 'counter'])}-{chance.randrange(9999)}"
    ),
    "a serial number": lambda chance: f"PRA-{digits(chance, 4)}-{digits(chance, 6)}",
    "a key of 32 hexadecimal digits": lambda chance: f"{chance.getrandbits(124):031x}f",
    "a key of 32 letters and digits": lambda chance: "x".join(
        "".join(chance.choices(string.ascii_letters + string.digits, k=10)) for _ in range(3)
    ),
    "an order with a year": lambda chance: f"ORD-{chance.randrange(2020, 2030)}-{digits(chance, 6)}",
    "a time": lambda chance: moments(chance).isoformat(),
    "a time in words": lambda chance: f"{moments(chance):%d.%m.%Y %H:%M:%S}",
    "a compact time": lambda chance: f"{moments(chance):%Y%m%d-%H%M%S}",
    "seconds since 1970": lambda chance: f"{moments(chance).timestamp():.0f}",
    "milliseconds since 1970": lambda chance: f"{moments(chance).timestamp() * 1000:.0f}",
    "a telephone number": lambda chance: f"+{chance.choice(['49', '44', '1', '81'])} {digits(chance, 10)}",
    "a telephone number in groups": lambda chance: (
        f"+1 ({digits(chance, 3)}) {digits(chance, 3)}-{digits(chance, 4)}"
    ),
    "an IP address and port": lambda chance: (
        f"10.{chance.randrange(255)}.{chance.randrange(255)}.7:{chance.randrange(65536)}"
    ),
    "an amount": lambda chance: f"{chance.randrange(10**7) / 100:.2f}",
    "twelve digits": lambda chance: digits(chance, 12),
}
#: Bare runs of as many digits as a card has: one in ten passes the check, and few begin as a scheme does.
SELDOM_REFUSED: dict[str, tuple[Callable[[random.Random], str], float]] = {
    "16 digits of any kind": (lambda chance: digits(chance, 16), 0.05),
    "an order of 14 digits that begins with the day": (
        lambda chance: f"{moments(chance):%Y%m%d}{digits(chance, 6)}",
        0.0,
    ),
    "an IBAN": (iban, 0.05),
    "an IBAN in groups": (spaced_iban, 0.05),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_number_is_found_however_it_is_spelt(spelling: str) -> None:
    spell = SPELLINGS[spelling]
    source = numbers(random.Random(spelling))
    missed = sum(not holds_card_data(spell(next(source))) for _ in range(NUMBERS // len(SPELLINGS)))
    assert missed == 0


@pytest.mark.parametrize("kind", NEVER_REFUSED)
def test_no_identifier_of_these_kinds_is_ever_refused(kind: str) -> None:
    chance = random.Random(kind)
    made = [NEVER_REFUSED[kind](chance) for _ in range(IDENTIFIERS // len(NEVER_REFUSED) * 4)]
    assert [text for text in made if holds_card_data(text) or holds_card_fields(text)] == []


@pytest.mark.parametrize("kind", SELDOM_REFUSED)
def test_figures_that_merely_have_a_cards_length_are_seldom_refused(kind: str) -> None:
    make, at_most = SELDOM_REFUSED[kind]
    chance = random.Random(kind)
    count = 4000
    rate = sum(holds_card_data(make(chance)) for _ in range(count)) / count
    print(f"{kind}: {rate:.2%} refused")
    assert rate <= at_most


@pytest.mark.parametrize("reference", range(4))
def test_an_identifier_beside_a_number_hides_nothing(reference: int) -> None:
    chance = random.Random(reference)
    source = numbers(chance)
    for _ in range(500):
        around = [make(chance) for make in chance.choices(list(NEVER_REFUSED.values()), k=2)]
        assert holds_card_data(f"{around[0]}; {next(source)} {around[1]}"[:4000]) or around[0].startswith("+")
