"""Security keys: what is known of a key but its value, what a value's form hints at, and planned keys."""

from __future__ import annotations

import enum
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from keybench.core.card_data import refuse_card_data
from keybench.core.input_errors import KeyValueInvalid
from keybench.core.secret import Secret

#: Windows' Credential Locker keeps 2,560 bytes of UTF-16; the other keystores keep far more.
VALUE_LIMIT: Final = 1280


class KeyKind(enum.StrEnum):
    """Public keys are for client-side use and can't sell; private keys are for servers."""

    PRIVATE = "private"
    PUBLIC = "public"


class KeyState(enum.StrEnum):
    """What the last look at a key showed."""

    KEPT = "kept"
    WORKING = "working"
    REFUSED = "refused"
    FORBIDDEN = "forbidden"
    VALUE_LOST = "value_lost"
    #: Only its description was imported; its value was never here.
    NO_VALUE = "no_value"


class Trial(enum.StrEnum):
    """Why a test told nothing of a key."""

    NOT_REACHED = "not reached"
    NO_ANSWER = "no answer"
    TOO_OFTEN = "rate limit"
    GATEWAY_FAILED = "gateway failed"
    UNCLEAR = "unclear answer"


@dataclass(frozen=True, slots=True)
class SecurityKey:
    """A key without its value, which only the keystore has.

    It was created, UTC, when Keybench came to know it, unless an imported list said otherwise. `tested_at` is
    when a test last told something of it, `tried_at` when one since then told nothing. `used_at` and
    `compromised` the journal alone sets. Its value is searched for in texts by `folded_fingerprint`, which
    has four words, or none, where an older Keybench kept it.
    """

    id: str
    environment_id: str
    name: str
    username: str
    permission: str
    kind: KeyKind
    purpose: str
    fingerprint: str
    created_at: datetime
    gateway_id: str = ""
    state: KeyState = KeyState.KEPT
    status: int = 0
    tested_at: datetime | None = None
    owner: str = ""
    used_at: datetime | None = None
    tried_at: datetime | None = None
    trial: Trial | None = None
    folded_fingerprint: str = ""
    compromised: bool = False
    imported_at: datetime | None = None

    @property
    def known_since(self) -> datetime:
        """When Keybench came to know it, UTC."""
        return self.imported_at or self.created_at

    @property
    def has_value(self) -> bool:
        """Whether its value is thought to be in the keystore; only reading it would tell for sure."""
        return self.state not in {KeyState.NO_VALUE, KeyState.VALUE_LOST}

    @property
    def standing(self) -> str:
        """What programs report first of all: that it is compromised, else what the last look showed."""
        return "compromised" if self.compromised else self.state.value

    @property
    def last_test_at(self) -> datetime | None:
        """When it was last tested, whatever came of that; None if it never was."""
        return self.tried_at or self.tested_at

    def given(self, fingerprint: str, folded_fingerprint: str = "") -> SecurityKey:
        """Return the key with another value, which no test has shown anything of yet."""
        return replace(
            self,
            fingerprint=fingerprint,
            folded_fingerprint=folded_fingerprint,
            state=KeyState.KEPT,
            status=0,
            tested_at=None,
            tried_at=None,
            trial=None,
        )

    def tested(self, state: KeyState, status: int, at: datetime) -> SecurityKey:
        """Return the key after a test that told something."""
        return replace(self, state=state, status=status, tested_at=at, tried_at=None, trial=None)

    def tried(self, trial: Trial, at: datetime) -> SecurityKey:
        """Return the key after a test that told nothing: what was known of it stays."""
        return replace(self, tried_at=at, trial=trial)

    @property
    def can_sell(self) -> bool:
        """Whether its kind may start sales (public keys can't, by gateway-wide rule)."""
        return self.kind is KeyKind.PRIVATE


def alike(keys: Iterable[SecurityKey]) -> dict[str, frozenset[str]]:
    """Return for each key, by id, the ids of all that are one key to its gateway: those of its value.

    What uses one of them stops with any of them, so whoever asks what uses a key asks for all of these.
    """
    known = tuple(keys)
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for key in known:
        found[key.environment_id, key.fingerprint or key.id].add(key.id)
    return {one: group for group in map(frozenset, found.values()) for one in group}


#: A pure change of a key, applied to what is stored.
KeyMove = Callable[[SecurityKey], SecurityKey]


def of_value(fingerprint: str, move: KeyMove) -> KeyMove:
    """Return `move` for as long as the stored key has the value of that fingerprint."""

    def moved(stored: SecurityKey) -> SecurityKey:
        return move(stored) if stored.fingerprint == fingerprint else stored

    return moved


@dataclass(frozen=True, slots=True)
class KeyDraft:
    """What a person enters in Add a New Key, not yet checked."""

    name: str
    username: str
    permission: str
    kind: KeyKind
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class PastedValue:
    """A pasted value, tidied; `hint` is why its form is odd for its kind, as a stable word, or empty."""

    value: Secret = field(repr=False)
    hint: str


HINT_LOOKS_PUBLIC: Final = "looks public"
HINT_LOOKS_PRIVATE: Final = "looks private"
HINT_PARTNER: Final = "partner key"
HINT_BEARER: Final = "scheme word"
HINT_INNER_SPACE: Final = "space inside"
HINT_UNUSUAL: Final = "unusual form"

# The forms seen at the best-known public gateway of this family. Hints only: never a ground to refuse.
_PRIVATE: Final = re.compile(r"[A-Za-z0-9]{32}")
_TOKENIZATION: Final = re.compile(r"[A-Za-z0-9]{6}(-[A-Za-z0-9]{6}){3}")
#: White space, and what comes unseen with a copied text: a zero-width space, a byte-order mark.
_STRAY: Final = "".join(c for c in map(chr, range(0x3001)) if c.isspace()) + "\u200b\ufeff"
#: What stands before a key in a request's header, and isn't part of it.
_SCHEME: Final = re.compile(r"(authorization|bearer|basic|token)\s*[:\s]", re.IGNORECASE)
_CHECKOUT: Final = re.compile(r"checkout_public_[A-Za-z0-9]{32}")


def _form_hint(value: str, kind: KeyKind) -> str:
    if _SCHEME.match(value):
        return HINT_BEARER
    if any(c.isspace() for c in value):
        return HINT_INNER_SPACE
    if value.startswith("v4_secret_"):
        return HINT_PARTNER
    looks_public = bool(_TOKENIZATION.fullmatch(value) or _CHECKOUT.fullmatch(value))
    looks_private = bool(_PRIVATE.fullmatch(value))
    if looks_public:
        return HINT_LOOKS_PUBLIC if kind is KeyKind.PRIVATE else ""
    if looks_private:
        return HINT_LOOKS_PRIVATE if kind is KeyKind.PUBLIC else ""
    return HINT_UNUSUAL


def form_hint(value: Secret, kind: KeyKind) -> str:
    """Return why the form of a kept value is odd for its kind, as a stable word, or the empty text.

    Unlike a pasted one it may have anything around it, since other programs write into a keystore, too.
    """
    text = value.reveal()
    if text != text.strip(_STRAY) or not all(" " <= c <= "~" for c in text):
        return HINT_INNER_SPACE
    return _form_hint(text, kind)


def tidy_value(text: str, kind: KeyKind) -> PastedValue:
    """Take the white space off a pasted value and look at its form."""
    value = text.strip(_STRAY)
    if not value:
        raise KeyValueInvalid(KeyValueInvalid.EMPTY)
    if "\n" in value or "\r" in value:
        raise KeyValueInvalid(KeyValueInvalid.LINE_BREAKS)
    if len(value) > VALUE_LIMIT:
        raise KeyValueInvalid(KeyValueInvalid.TOO_LONG, length=len(value), limit=VALUE_LIMIT)
    # A header carries visible ASCII only, so anything else can't be a key that was ever accepted.
    if not all(" " <= c <= "~" for c in value):
        raise KeyValueInvalid(KeyValueInvalid.UNPRINTABLE)
    refuse_card_data("key value", value)
    return PastedValue(Secret(value), _form_hint(value, kind))


@dataclass(frozen=True, slots=True)
class PlannedKey:
    """A key that is to be created, noted before anything is.

    Both identifiers are new for every attempt, so that after a crash the gateway's "made before" and the
    keystore's entry are known to be about the same key. `by` confirmed the differences to the old key;
    `owner` is the program that works on it. If `durable`, its value may be in a keystore that outlives the
    program, and only that can tell that it has none.
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
    """A key that was created for a rotation, or may have been, and that nobody wants any more."""

    making: PlannedKey
    gateway_id: str = ""


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """A key that is to be added, noted before the gateway is asked for it, and gone once the key is known.

    One that isn't wanted any more is deleted at the gateway, if it was made.
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
    """What became of a key of which nobody could tell whether it was created."""

    plan: KeyPlan
    key: SecurityKey | None = None
    cleared: Cleared = Cleared.NONE
