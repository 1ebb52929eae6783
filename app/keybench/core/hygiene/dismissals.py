"""Dismissed findings: somebody wrote down why one may stay until a day, and then it is told again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Dismissal:
    """A finding that may stay for a while.

    Attributes:
        identity: Which, see `Finding.identity`.
        reason: Why, in the person's words.
        until: From when on it is told again, UTC.
        by: Who dismissed it.
        at: When, UTC.
    """

    identity: str
    reason: str
    until: datetime
    by: str
    at: datetime


def as_text(dismissals: Iterable[Dismissal]) -> str:
    """Return dismissals as the journal keeps them."""
    return json.dumps([_record(one) for one in dismissals], ensure_ascii=False)


def from_text(text: str, now: datetime) -> dict[str, Dismissal]:
    """Return the dismissals in force by what they dismiss; what can't be read dismisses nothing."""
    try:
        records = json.loads(text) if text else []
    except ValueError:
        return {}
    read = (_dismissal(record) for record in records) if isinstance(records, list) else ()
    return {one.identity: one for one in read if one is not None and one.until > now}


def _record(one: Dismissal) -> Mapping[str, str]:
    return {
        "finding": one.identity,
        "reason": one.reason,
        "until": one.until.isoformat(),
        "by": one.by,
        "at": one.at.isoformat(),
    }


def _dismissal(record: Any) -> Dismissal | None:
    try:
        until, at = datetime.fromisoformat(record["until"]), datetime.fromisoformat(record["at"])
        texts = [record[name] for name in ("finding", "reason", "by")]
    except (KeyError, TypeError, ValueError):
        return None
    if until.tzinfo is None or at.tzinfo is None or not all(isinstance(text, str) for text in texts):
        return None
    identity, reason, by = texts
    return Dismissal(identity, reason, until, by, at)
