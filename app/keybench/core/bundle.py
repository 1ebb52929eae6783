"""A support bundle: what of a console's records goes to a colleague, in one ZIP.

Only what has a field here can get into one. Values of keys have none: where one stood there is a placeholder
such as ``<key:kiosk>``, which says whose it was. `core.bundle_masking` puts it there, `workflows.bundle_file`
makes the file and reads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from keybench.core.environment import Environment, EnvironmentKind
from keybench.core.exchange import Exchange
from keybench.core.money import Money
from keybench.core.personal_data import without_personal_data
from keybench.core.sale import Mark, Outcome, Sale, SaleEvent, SaleMode, SaleStage, Verdict
from keybench.core.secret import MASK
from keybench.core.security_key import SecurityKey

#: The version of the form; what is newer isn't read.
VERSION: Final = 1
#: Stands where something was masked when it was recorded, and nobody knows what it was.
MASKED: Final = "<masked>"
#: Stand for a card's number, and for the names of the user and the computer.
CARD: Final = "<card number>"
USER: Final = "<user>"
COMPUTER: Final = "<computer>"
#: The header that carries the key.
_KEY_HEADER: Final = "authorization"
#: No amount has more digits before its point, or behind it.
_MOST_DIGITS: Final = 20


@dataclass(frozen=True, slots=True)
class Versions:
    """What the bundle was made with.

    Attributes:
        system: The operating system with its version; never the computer's name.
        libraries: Names and versions of the libraries that speak with gateway, keystore and journal.
    """

    keybench: str
    python: str
    system: str
    libraries: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class BundleEnvironment:
    """An environment; a proxy's user and password have no field."""

    name: str
    kind: EnvironmentKind
    base_url: str
    contract: str
    amount_limit: str = ""
    proxy: str = ""


@dataclass(frozen=True, slots=True)
class BundleDevice:
    """A device of the environment of that name."""

    environment: str
    identifier: str
    nickname: str = ""
    connection: str = ""


@dataclass(frozen=True, slots=True)
class BundleKey:
    """What is known of a key, but its value.

    Attributes:
        placeholder: What stands where its value stood.
        has_value: Whether its value was in the keystore, and so was searched for.
    """

    placeholder: str
    environment: str
    name: str
    username: str
    permission: str
    kind: str
    fingerprint: str
    state: str
    status: int
    tested_at: datetime | None
    has_value: bool


@dataclass(frozen=True, slots=True)
class BundleSettings:
    """How the console is set up.

    Attributes:
        review: The limits of the review by their names.
        window: The window's settings by their ids.
    """

    environments: tuple[BundleEnvironment, ...] = ()
    devices: tuple[BundleDevice, ...] = ()
    keys: tuple[BundleKey, ...] = ()
    review: tuple[tuple[str, str], ...] = ()
    window: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class BundleEvent:
    """One point on a sale's timeline."""

    at: datetime
    mark: Mark
    detail: str = ""
    took_s: float | None = None


@dataclass(frozen=True, slots=True)
class BundleSale:
    """A sale, with its timeline if it is told in full.

    Attributes:
        environment: What its environment is called.
        key: The placeholder of its key's value.
    """

    reference: str
    environment: str
    key: str
    key_name: str
    device: str
    amount: str
    currency: str
    mode: SaleMode
    stage: SaleStage
    noted_at: datetime
    accepted_at: datetime | None = None
    finished_at: datetime | None = None
    request_id: str = ""
    polls: int = 0
    lasted_s: float | None = None
    outcome: Outcome | None = None
    reason: str = ""
    message: str = ""
    status: int = 0
    gateway_status: str = ""
    transaction_id: str = ""
    authorisation: str = ""
    response_code: str = ""
    error_reference: str = ""
    approved_amount: str = ""
    is_told: bool = False
    events: tuple[BundleEvent, ...] = ()

    def sale(self) -> Sale:
        """Return it as a sale again; what named it in its journal is named by its names."""
        verdict = None
        if self.outcome is not None:
            verdict = Verdict(
                *(self.outcome, self.reason, self.message, self.status, self.gateway_status),
                *(self.transaction_id, self.authorisation, self.response_code, self.error_reference),
                _figure(self.approved_amount) if self.approved_amount else None,
            )
        return Sale(
            reference=self.reference,
            environment_id=self.environment,
            key_id=self.key,
            key_name=self.key_name,
            device=self.device,
            money=Money(_figure(self.amount), self.currency),
            mode=self.mode,
            stage=self.stage,
            noted_at=self.noted_at,
            accepted_at=self.accepted_at,
            finished_at=self.finished_at,
            request_id=self.request_id,
            verdict=verdict,
            polls=self.polls,
            lasted_s=self.lasted_s,
        )

    def timeline(self) -> tuple[SaleEvent, ...]:
        """Return its timeline as events again."""
        return tuple(
            SaleEvent(self.reference, one.at, one.mark, one.detail, one.took_s) for one in self.events
        )


@dataclass(frozen=True, slots=True)
class BundleExchange:
    """A request and its answer, and the sale they belong to."""

    sale: str
    exchange: Exchange


@dataclass(frozen=True, slots=True)
class BundleCheck:
    """A check of a diagnosis, as `keybench diagnose --json` prints it."""

    check: str
    result: str
    evidence: str = ""
    rules_out: tuple[str, ...] = ()
    took_s: float | None = None


@dataclass(frozen=True, slots=True)
class BundleCause:
    """A cause that a diagnosis weighed."""

    cause: str
    standing: str
    because: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class BundleDiagnosis:
    """A diagnosis: whose trouble it is, and why. Empty if none was made.

    Attributes:
        text: All of it in some lines, for people.
    """

    verdict: str = ""
    text: str = ""
    checks: tuple[BundleCheck, ...] = ()
    causes: tuple[BundleCause, ...] = ()


@dataclass(frozen=True, slots=True)
class TakenOut:
    """One thing that isn't in the bundle.

    Attributes:
        what: A placeholder that stands in its place, or the stable word of a rule, see `words.bundle`.
        where: A path in the bundle, such as ``sales/KB-7Q2M-X4T9-KD3F/message``; empty for no one place.
        count: How many there were.
    """

    what: str
    where: str = ""
    count: int = 1


@dataclass(frozen=True, slots=True)
class Bundle:
    """Everything that is in a support bundle.

    Attributes:
        about: The reference of the sale it is about; empty for all that happened lately.
        taken_out: What isn't in it, line by line.
    """

    saved_at: datetime
    versions: Versions
    settings: BundleSettings
    sales: tuple[BundleSale, ...] = ()
    exchanges: tuple[BundleExchange, ...] = ()
    diagnosis: BundleDiagnosis = BundleDiagnosis()
    about: str = ""
    taken_out: tuple[TakenOut, ...] = ()

    def environment(self, name: str) -> Environment | None:
        """Return an environment as the window shows it; None if there is none of that name."""
        for one in self.settings.environments:
            if one.name == name:
                return Environment(one.name, one.name, one.kind, one.base_url, one.contract, self.saved_at)
        return None

    def exchanges_of(self, sale: BundleSale) -> list[Exchange]:
        """Return a sale's exchanges; the key's placeholder is masked in headers as it is everywhere else."""
        return [
            replace(one.exchange, request_headers=_masked(one.exchange.request_headers, sale.key))
            for one in self.exchanges
            if one.sale == sale.reference
        ]

    def nickname(self, sale: BundleSale) -> str:
        """Return what a sale's device is called."""
        for one in self.settings.devices:
            if one.environment == sale.environment and one.identifier == sale.device and one.nickname:
                return one.nickname
        return sale.device

    def fingerprint(self, sale: BundleSale) -> str:
        """Return the fingerprint of a sale's key; empty if the key is no longer known."""
        return next((one.fingerprint for one in self.settings.keys if one.placeholder == sale.key), "")


def placeholder_of(name: str, environment: str = "") -> str:
    """Return what stands for the value of a key, such as ``<key:kiosk>``.

    Args:
        name: The key's.
        environment: Given where keys of two environments have that name.
    """
    told = f"{name}@{environment}" if environment else name
    return f"<key:{''.join(c for c in told if c.isprintable() and c not in '<>')}>"


def placeholders(keys: Sequence[SecurityKey], environments: Mapping[str, str]) -> dict[str, str]:
    """Return the placeholder of each key by its id; no two have the same.

    Args:
        keys: All keys.
        environments: What environments are called, by id.
    """
    plain = [placeholder_of(key.name).casefold() for key in keys]
    found: dict[str, str] = {}
    for key, one in zip(keys, plain, strict=True):
        place = environments.get(key.environment_id, key.environment_id) if plain.count(one) > 1 else ""
        told, number = placeholder_of(key.name, place), 1
        while told in found.values():
            number += 1
            told = placeholder_of(f"{key.name} {number}", place)
        found[key.id] = told
    return found


def bundled_sale(sale: Sale, environment: str, key: str, events: Sequence[SaleEvent] | None) -> BundleSale:
    """Return a sale as it is bundled.

    Args:
        sale: Which.
        environment: What its environment is called.
        key: The placeholder of its key's value.
        events: Its timeline; None if it isn't told in full.
    """
    verdict = sale.verdict
    told = BundleSale(
        reference=sale.reference,
        environment=environment,
        key=key,
        key_name=sale.key_name,
        device=sale.device,
        amount=sale.money.figure,
        currency=sale.money.currency,
        mode=sale.mode,
        stage=sale.stage,
        noted_at=sale.noted_at,
        accepted_at=sale.accepted_at,
        finished_at=sale.finished_at,
        request_id=sale.request_id,
        polls=sale.polls,
        lasted_s=sale.lasted_s,
        is_told=events is not None,
        events=tuple(BundleEvent(one.at, one.mark, one.detail, one.took_s) for one in events or ()),
    )
    if verdict is None:
        return told
    return replace(
        told,
        outcome=verdict.outcome,
        reason=str(verdict.reason),
        message=verdict.message,
        status=verdict.status,
        gateway_status=verdict.gateway_status,
        transaction_id=verdict.transaction_id,
        authorisation=verdict.authorisation,
        response_code=verdict.response_code,
        error_reference=verdict.error_reference,
        approved_amount=sale.approved.figure if sale.approved and sale.approved != sale.money else "",
    )


def bundled_exchange(exchange: Exchange, sale: str, key: str) -> BundleExchange:
    """Return an exchange as it is bundled: masks become placeholders, the key's in its header.

    Args:
        exchange: As it was kept, so without the value it was sent with.
        sale: The sale's reference.
        key: The placeholder of the value it was sent with; empty where it isn't known.
    """
    headers = tuple(
        (name, value.replace(MASK, (key if name.lower() == _KEY_HEADER else "") or MASKED))
        for name, value in exchange.request_headers
    )
    return BundleExchange(
        sale,
        replace(
            exchange,
            url=exchange.url.replace(MASK, MASKED),
            failure=str(exchange.failure),
            request_headers=headers,
            request_body=exchange.request_body.replace(MASK, MASKED),
            response_headers=tuple(
                (name, value.replace(MASK, MASKED)) for name, value in exchange.response_headers
            ),
            response_body=exchange.response_body.replace(MASK, MASKED),
        ),
    )


def diagnosis_of(lines: Sequence[Mapping[str, Any]]) -> BundleDiagnosis:
    """Return a diagnosis from the lines that `keybench diagnose --json` prints; unknown fields stay out."""
    last = lines[-1] if lines else {}
    checks = [
        BundleCheck(
            _text(one.get("check")),
            _text(one.get("result")),
            _text(one.get("evidence")),
            _texts(one.get("rules_out")),
            _seconds(one.get("took_s")),
        )
        for one in lines
        if "check" in one
    ]
    weighed = last.get("causes")
    causes = [
        BundleCause(*(_text(one.get(name)) for name in ("cause", "standing", "because", "remedy")))
        for one in (weighed if isinstance(weighed, (list, tuple)) else ())
        if isinstance(one, Mapping)
    ]
    return BundleDiagnosis(_text(last.get("verdict")), checks=tuple(checks), causes=tuple(causes))


def _masked(headers: Sequence[tuple[str, str]], key: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, value.replace(key, MASK) if key else value) for name, value in headers)


def _figure(text: str) -> Decimal:
    try:
        figure = Decimal(text)
    except InvalidOperation:
        raise ValueError("amount") from None
    if not figure.is_finite() or abs(figure.adjusted()) > _MOST_DIGITS:
        raise ValueError("amount")
    return figure


def _text(value: object) -> str:
    return without_personal_data(value) if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(map(_text, value)) if isinstance(value, (list, tuple)) else ()


def _seconds(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
