"""Edits of records that people share, merged field by field with what others wrote meanwhile."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from keybench.core.ports.journal import Activity

Texts = Mapping[str, str]


class Edited(enum.StrEnum):
    """What an edit is of."""

    KEY = "key"
    APPLICATION = "application"
    DEVICE = "device"


@dataclass(frozen=True, slots=True)
class Edit:
    """What somebody wants of a record, and what they saw of it when they began.

    Attributes:
        what: None where only the line is to be kept.
        seen: The fields they saw; none of a record that is to be added.
        wanted: The fields as they are to be; none of one that is to be removed.
        line: What the activity says of it, when it was made and by whom. An edit is known by it.
    """

    what: Edited | None
    environment_id: str
    record_id: str
    seen: dict[str, str]
    wanted: dict[str, str]
    line: Activity


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two edits of one field by people who didn't know of each other: one stands, the other waits.

    Attributes:
        record: What the record is called.
        field: Empty where one of them removed the record.
        kept: What stands there, in words for people; empty where the record was removed.
        other: What `other_by` wrote; empty where they removed the record.
    """

    number: int
    at: datetime
    what: Edited
    record_id: str
    environment_id: str
    record: str
    field: str
    kept: str
    other: str
    other_by: str


def merge(stored: Texts, seen: Texts, wanted: Texts) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the fields to change, and those that contradict: somebody changed them otherwise meanwhile.

    A field that the person left as they saw it stays as it is stored.
    """
    touched = {name: text for name, text in wanted.items() if text != seen.get(name, "")}
    changes = {name: text for name, text in touched.items() if stored[name] == seen.get(name, "")}
    others = (name for name, text in touched.items() if stored[name] not in {seen.get(name, ""), text})
    return changes, tuple(others)
