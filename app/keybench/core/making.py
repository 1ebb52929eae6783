"""A key that is to be made: planned before the gateway is asked for it, cleared away if nobody wants it."""

from __future__ import annotations

import enum
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol

from keybench.core.security_key import KeyDraft, KeyKind, SecurityKey
from keybench.core.text import NAME_LIMIT

#: A year at the end of a name, and the number that `next_name` may have put behind it.
_YEAR: Final = re.compile(r"[ _-]*\b20\d\d(?: \(\d+\))?$")


@dataclass(frozen=True, slots=True)
class Making:
    """A key that is to be made, noted before anything is made.

    Both identifiers are new for every attempt, so that after a crash the gateway's "made before" and the
    keystore's entry are known to be about the same key.

    Attributes:
        key_id: Our identifier; names its keystore entry.
        request_id: Keeps the gateway from making it twice.
        draft: What it shall be.
        by: Who confirmed the differences to the old key; empty if there are none.
        asked_at: When the gateway was first going to be asked for it, UTC; None before.
        owner: The program that is at it, see `core.ports.Owners`; empty if none is.
        durable: Whether its value may be in a keystore that outlives the program. Then only that keystore can
            tell that it has none.
    """

    key_id: str
    request_id: str
    draft: KeyDraft
    by: str = ""
    asked_at: datetime | None = None
    owner: str = ""
    durable: bool = False

    def asked(self, at: datetime, owner: str, *, durable: bool) -> Making:
        """Return it as it is when the gateway is going to be asked for the key, by which program."""
        return replace(self, asked_at=self.asked_at or at, owner=owner, durable=self.durable or durable)

    def left(self) -> Making:
        """Return it as it is when no program is at it any more."""
        return replace(self, owner="")


@dataclass(frozen=True, slots=True)
class Leftover:
    """A key that was made for a rotation, or may have been, and that nobody wants any more.

    Attributes:
        making: What it was planned as.
        gateway_id: The gateway's identifier of it; empty if it isn't known or there is none.
    """

    making: Making
    gateway_id: str = ""


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """A key that is to be added, noted before the gateway is asked for it, and gone once the key is known.

    Attributes:
        environment_id: Where.
        making: What it is to be.
        gateway_id: The gateway's identifier of it; empty as long as none is known.
        is_wanted: Whether it is still to be added; else it is deleted at the gateway, if it was made.
    """

    environment_id: str
    making: Making
    gateway_id: str = ""
    is_wanted: bool = True

    @property
    def name(self) -> str:
        """The key's name."""
        return self.making.draft.name

    def unwanted(self, gateway_id: str = "") -> KeyPlan:
        """Return it as it is when its key can't be kept or isn't wanted, and nobody is at it."""
        return replace(
            self, making=self.making.left(), gateway_id=gateway_id or self.gateway_id, is_wanted=False
        )


class Cleared(enum.StrEnum):
    """What clearing away a key that nobody wants came to."""

    #: The gateway had none.
    NONE = "none"
    #: It had one, which is deleted.
    DELETED = "deleted"
    #: Nobody can tell whether it has one.
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class SettledKey:
    """How a key turned out of which nobody could tell whether it was made.

    Attributes:
        plan: What it was planned as.
        key: The key, if it is kept.
        cleared: What became of it at the gateway, if it isn't.
    """

    plan: KeyPlan
    key: SecurityKey | None = None
    cleared: Cleared = Cleared.NONE


@dataclass(frozen=True, slots=True)
class Difference:
    """Something in which a replacement isn't like the old key.

    Attributes:
        field: ``user``, ``permission`` or ``kind``.
        old: What the old key has.
        new: What the replacement is to have.
    """

    field: str
    old: str
    new: str


class Described(Protocol):
    """What decides what a key may do: a kept key's, a rotation's facts' or a draft's."""

    @property
    def username(self) -> str:
        """The user whose permissions it inherits."""
        ...

    @property
    def permission(self) -> str:
        """Its permission type."""
        ...

    @property
    def kind(self) -> KeyKind:
        """Public or private."""
        ...


def differences(old: Described, new: Described) -> tuple[Difference, ...]:
    """Return in what the new key isn't like the old one, of what decides what a key may do."""
    found = (
        Difference("user", old.username, new.username),
        Difference("permission", old.permission, new.permission),
        Difference("kind", old.kind.value, new.kind.value),
    )
    return tuple(one for one in found if one.old != one.new)


def next_name(name: str, taken: Collection[str], year: int) -> str:
    """Return a free name for a key that follows the one called `name`: with the year it is made in.

    Args:
        name: The old key's (``web shop 2024``).
        taken: The names that can't be used, in any case of letters.
        year: The year of the new key's making.
    """
    folded = {one.casefold() for one in taken}
    stem = _YEAR.sub("", name) or name
    # More numbers than names are taken, so one of them is free.
    for number in range(1, len(folded) + 2):
        ending = f" {year}" if number == 1 else f" {year} ({number})"
        proposed = stem[: NAME_LIMIT - len(ending)].rstrip() + ending
        if proposed.casefold() not in folded:
            return proposed
    raise AssertionError("there are more numbers than names")
