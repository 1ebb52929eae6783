"""A key that is to be created: planned before the gateway is asked for it, deleted if nobody wants it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from datetime import datetime

from keybench.core.security_key import KeyDraft, SecurityKey


@dataclass(frozen=True, slots=True)
class PlannedKey:
    """A key that is to be created, noted before anything is.

    Both identifiers are new for every attempt, so that after a crash the gateway's "made before" and the
    keystore's entry are known to be about the same key.

    Attributes:
        key_id: Our identifier; names its keystore entry.
        request_id: Keeps the gateway from creating it twice.
        draft: What it shall be.
        by: Who confirmed the differences to the old key; empty if there are none.
        asked_at: When the gateway was first going to be asked for it, UTC; None before.
        owner: The program that works on it, see `core.ports.Owners`; empty if none does.
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

    def asked(self, at: datetime, owner: str, *, durable: bool) -> PlannedKey:
        """Return it as it is when the gateway is going to be asked for the key, by which program."""
        return replace(self, asked_at=self.asked_at or at, owner=owner, durable=self.durable or durable)

    def left(self) -> PlannedKey:
        """Return it as it is when no program works on it any more."""
        return replace(self, owner="")


@dataclass(frozen=True, slots=True)
class OrphanedKey:
    """A key that was created for a rotation, or may have been, and that nobody wants any more.

    Attributes:
        making: What it was planned as.
        gateway_id: The gateway's identifier of it; empty if it isn't known or there is none.
    """

    making: PlannedKey
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
    making: PlannedKey
    gateway_id: str = ""
    is_wanted: bool = True

    @property
    def name(self) -> str:
        """The key's name."""
        return self.making.draft.name

    def unwanted(self, gateway_id: str = "") -> KeyPlan:
        """Return it as it is when its key can't be kept or isn't wanted, and no program works on it."""
        return replace(
            self, making=self.making.left(), gateway_id=gateway_id or self.gateway_id, is_wanted=False
        )


class Cleared(enum.StrEnum):
    """What deleting a key that nobody wants came to."""

    NONE = "none"  # the gateway had no such key
    DELETED = "deleted"
    UNSURE = "unsure"  # whether the gateway has one


@dataclass(frozen=True, slots=True)
class SettledKey:
    """What became of a key of which nobody could tell whether it was created.

    Attributes:
        plan: What it was planned as.
        key: The key, if it is kept.
        cleared: What deleting it came to, if it isn't.
    """

    plan: KeyPlan
    key: SecurityKey | None = None
    cleared: Cleared = Cleared.NONE
