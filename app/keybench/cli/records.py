"""What commands tell of environments, keys and sales: as a record for JSON and as a line for people."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from keybench.core.environment import SYSTEM_PROXY, Environment
from keybench.core.sale import Sale
from keybench.core.security_key import SecurityKey
from keybench.words.formats import day_and_time, duration
from keybench.words.keys import key_state, test_words
from keybench.words.outcomes import UNDER_WAY, explain_sale, outcome_headline

Record = dict[str, Any]


def environment_record(environment: Environment) -> Record:
    """Return an environment for JSON."""
    return {
        "name": environment.name,
        "kind": environment.kind.value,
        "base_url": environment.base_url,
        "contract": environment.contract,
        "proxy": environment.proxy,
        "amount_limit": None if environment.amount_limit is None else str(environment.amount_limit),
    }


def environment_line(environment: Environment) -> str:
    """Return an environment in a line."""
    address = environment.base_url or "built in"
    line = f"{environment.name:<24} {environment.kind.value.upper():<9} {environment.contract:<10} {address}"
    proxy = "" if environment.proxy == SYSTEM_PROXY else f"  proxy: {environment.proxy}"
    return line + proxy


def key_record(key: SecurityKey, environment: Environment) -> Record:
    """Return a key for JSON, without its value."""
    return {
        "environment": environment.name,
        "name": key.name,
        "username": key.username,
        "permission": key.permission,
        "kind": key.kind.value,
        "purpose": key.purpose,
        "fingerprint": key.fingerprint,
        "state": key.standing,
        "status": key.status,
        "created": key.created_at.isoformat(),
        "tested": key.tested_at.isoformat() if key.tested_at else None,
        "tried": key.tried_at.isoformat() if key.tried_at else None,
        "trial": key.trial.value if key.trial else None,
        "compromised": key.compromised,
    }


def key_line(key: SecurityKey, environment: Environment, now: datetime) -> str:
    """Return a key in a line, without its value."""
    return (
        f"{environment.name:<12} {key.name:<24} {key.kind.value:<8} {key.username:<14} {key.permission:<14} "
        f"{key_state(key).text:<14} {test_words(key, now):<21} {key.fingerprint}"
    )


def sale_record(sale: Sale, environment: Environment | None) -> Record:
    """Return a sale for JSON; `state` is its outcome, or ``under_way``."""
    verdict = sale.verdict
    explanation = explain_sale(sale, environment.kind if environment else None)
    record: Record = {
        "state": verdict.outcome.value if verdict else "under_way",
        "reference": sale.reference,
        "request_id": sale.request_id,
        "environment": environment.name if environment else "removed",
        "key": sale.key_name,
        "device": sale.device,
        "amount": sale.money.figure,
        "currency": sale.money.currency,
        "mode": sale.mode.value,
        "noted": sale.noted_at.isoformat(),
        "elapsed_s": round(sale.elapsed_s, 3) if sale.elapsed_s is not None else None,
        "polls": sale.polls,
        "meaning": " ".join(
            part for part in (explanation.title, explanation.money, explanation.next) if part
        ),
    }
    if verdict:
        record |= {
            "status": verdict.status,
            "message": verdict.message,
            "transaction": verdict.transaction_id,
            "authorisation": verdict.authorisation,
        }
    return record


def sale_line(sale: Sale) -> str:
    """Return a sale in a line, for lists."""
    took = duration(sale.elapsed_s) if sale.elapsed_s is not None else ""
    state = outcome_headline(sale) if sale.verdict else UNDER_WAY
    return (
        f"{day_and_time(sale.noted_at):<20} {sale.reference:<17} {sale.device:<14} {sale.money!s:>14} "
        f"{sale.key_name:<20} {state:<16} {took}"
    ).rstrip()


def sale_text(sale: Sale, environment: Environment | None) -> str:
    """Return a sale's outcome in a few lines, for the person who waited for it."""
    explanation = explain_sale(sale, environment.kind if environment else None)
    lines = [f"{outcome_headline(sale)}: {sale.money} on {sale.device}", explanation.title, explanation.text]
    facts = {
        "Reference": sale.reference,
        "Payment request": sale.request_id,
        "Transaction": sale.verdict.transaction_id if sale.verdict else "",
        "Authorisation": sale.verdict.authorisation if sale.verdict else "",
        "Took": f"{duration(sale.elapsed_s)}, {sale.polls} polls" if sale.elapsed_s is not None else "",
    }
    lines += [f"  {name:<16} {fact}" for name, fact in facts.items() if fact]
    return "\n".join(line for line in lines if line)
