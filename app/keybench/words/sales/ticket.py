"""One sale as text for a ticket: what happened, where, and each request with its answer. No secret is in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from keybench.core.environments.environment import Environment, marking
from keybench.core.exchange import Exchange
from keybench.core.keys.key import SecurityKey
from keybench.core.sales.sale import Sale, SaleEvent
from keybench.words.formats import both_times, clock_time_exact, duration
from keybench.words.keys.states import key_state, trial_word
from keybench.words.language import _
from keybench.words.sales.card import effort, meaning, waiting_words
from keybench.words.sales.outcomes import event_words, outcome_headline, sale_amount

#: So much of an answer's body says why a key was refused.
_MOST: Final = 500
NOT_RECORDED: Final = _("not recorded")


@dataclass(frozen=True, slots=True)
class SaleRecord:
    """A sale with all that is known of it; no environment or fingerprint where that was removed."""

    sale: Sale
    events: Sequence[SaleEvent]
    exchanges: Sequence[Exchange]
    device: str
    environment: Environment | None
    fingerprint: str


def host_of(exchanges: Sequence[Exchange]) -> str:
    return next((urlsplit(one.url).netloc for one in exchanges), "")


def place_line(told: SaleRecord) -> str:
    fingerprint = told.fingerprint or _("fingerprint not recorded")
    host = host_of(told.exchanges) or _("host not recorded")
    return f"{told.sale.key_name} · {fingerprint} · {host}"


def ticket_text(told: SaleRecord) -> str:
    sale, verdict, kind = told.sale, told.sale.verdict, told.environment.kind if told.environment else None
    title, rest = meaning(sale, told.events, kind)
    facts = [
        (_("Sale"), sale.reference),
        (_("Outcome"), outcome_headline(sale) if verdict else waiting_words(sale, told.events)),
        (_("Meaning"), f"{title} {rest}".strip()),
        (_("The gateway said"), verdict.message if verdict else ""),
        (_("Amount"), sale_amount(sale)),
        (_("Environment"), marking(told.environment) if told.environment else _("removed since")),
        (_("Host"), host_of(told.exchanges) or NOT_RECORDED),
        (_("Device"), sale.device if told.device == sale.device else f"{told.device} ({sale.device})"),
        (_("Key"), f"{sale.key_name} ({told.fingerprint or _('fingerprint not recorded')})"),
        (_("Time"), both_times(sale.noted_at)),
        (_("Took"), effort(sale)),
        (_("Payment request"), sale.request_id or NOT_RECORDED),
        (_("Transaction"), (verdict.transaction_id if verdict else "") or NOT_RECORDED),
        (_("Authorisation"), (verdict.authorisation if verdict else "") or NOT_RECORDED),
        (_("Error reference"), verdict.error_reference if verdict else ""),
    ]
    timeline = [f"{clock_time_exact(one.at)}  {event_words(one)}" for one in told.events]
    lines = [f"{name}: {text}" for name, text in facts if text]
    lines += ["", _("Timeline"), *(timeline or [NOT_RECORDED])]
    lines += ["", _("Requests"), *(map(_exchange_line, told.exchanges) if told.exchanges else [NOT_RECORDED])]
    return "\n".join([*lines, ""])


def key_test_text(key: SecurityKey, environment: Environment, exchanges: Sequence[Exchange]) -> str:
    tested = key.tried_at or key.tested_at
    facts = [
        (_("Key"), f"{key.name} ({key.fingerprint or _('fingerprint not recorded')})"),
        (_("Last test"), trial_word(key.trial) if key.trial else key_state(key).text),
        (_("Environment"), marking(environment)),
        (_("Host"), host_of(exchanges) or NOT_RECORDED),
        (_("Time"), both_times(tested) if tested else NOT_RECORDED),
    ]
    lines = [f"{name}: {text}" for name, text in facts]
    lines += ["", _("Requests")]
    for exchange in exchanges:
        lines += [_exchange_line(exchange), *filter(None, [" ".join(exchange.response_body.split())[:_MOST]])]
    return "\n".join([*lines, ""])


def _exchange_line(exchange: Exchange) -> str:
    parts = urlsplit(exchange.url)
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    answer = str(exchange.status) if exchange.status else _("no answer")
    failure = f" ({exchange.failure})" if exchange.failure else ""
    took = duration(exchange.timings.total_s)
    return f"{clock_time_exact(exchange.at)}  {exchange.method} {path}  {answer}{failure}, {took}"
