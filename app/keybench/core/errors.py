"""Everything that can go wrong and that a person can meet, as one tree.

::

    KeybenchError
    ├── InputInvalid                what was entered can't be used; nothing was done
    │   ├── AmountInvalid, AmountOverLimit, CurrencyInvalid, NameInvalid, NameTaken, NotFound
    │   ├── BaseUrlInvalid, PortalUrlInvalid, ProxyInvalid, KeyValueInvalid, CardDataRefused, ValueMisplaced
    │   ├── NamedInvalid            it breaks the class's one rule
    │   │   ├── KeyKindUnfit, KeyWithoutValue, KeyUnderWay, RotationUnderWay
    │   │   ├── EnvironmentBuiltIn, EnvironmentFixed, LiveNotConfirmed, LiveBarred
    │   │   └── DeregistrationNotConfirmed
    │   ├── ModeNotOffered, SalesUnderWay, NotChecked, KeysUnsettled, MoveNotConfirmed
    │   ├── ListInvalid (DeviceListInvalid, KeyListInvalid)
    │   ├── RotationBarred, SettingInvalid, DiagnosisInvalid, JoinInvalid
    │   └── JournalMoveBarred
    ├── KeystoreError               where values are kept did not serve
    │   ├── KeystoreMissing (KeystoreGone), KeystoreLocked, KeystoreDenied, KeystoreSilent
    │   └── ValueTooLong, ValueLost (ValueNeverHere), ValueDiffers, KeystoreFailed
    ├── JournalError                what happened could not be kept or read; no sale starts
    │   ├── JournalUnwritable, JournalNewer, JournalDamaged, JournalUnfamiliar, JournalGone
    │   ├── JournalBusy, JournalInUse, JournalAway, JournalForbidden
    │   └── KeyNotNoted
    ├── BundleUnsafe                a support bundle would hold what must not leave; it isn't written
    ├── FileNotSaved                a file a person wanted isn't there; an older one is as it was
    ├── KeyUnsettled                a key that was to be added may be at the gateway; its plan leads to it
    ├── ContractInvalid             a gateway's contract file can't be used; nothing was sent
    ├── LessonInvalid               a lesson's file can't be used, or what it says doesn't hold
    └── GatewayError                a call to the gateway did not give its answer
        ├── NotSent                 certain: nothing reached the gateway
        ├── AnswerLost              the request may have reached it; nobody can tell
        ├── AnswerUnreadable        it answered, and the answer isn't understood
        ├── Refused                 it answered no: 4xx; nothing was done
        │   ├── KeyRefused          401: the key isn't accepted here
        │   ├── Forbidden           403: its user may not, the account is restricted, or the rate limit
        │   └── KeyMadeBefore       409: the same wish made a key already, whose value is shown only once
        ├── GatewayFailed           5xx or 408: what it did before that is unknown
        └── PracticeUnavailable     the practice gateway can't be started

A declined sale is a value (see outcome), not an error; an unknown outcome is a state of a sale.
The sentences people read are in ``keybench.words``; ``str()`` of these is for logs and developers.
No error holds card data, a key's value, or what a list or proxy that was entered says.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from keybench.core.input_errors import *  # noqa: F403 - the rest of the tree
from keybench.core.input_errors import KeybenchError
from keybench.core.reasons import Reason


class KeystoreError(KeybenchError):
    """The keystore did not do what was asked; nothing half-made is left behind."""

    reason: ClassVar[Reason] = Reason.KEYSTORE_FAILED


class Lack(enum.StrEnum):
    """What isn't there, where a keystore is missing."""

    BUS = "no session bus"
    PROGRAM = "no program on the session bus that keeps secrets"
    SCREEN = "no keyring yet, and no screen to ask for its password"


@dataclass(eq=False, repr=False)
class KeystoreMissing(KeystoreError):
    """This system has no keystore that Keybench knows; `lack` is a `Lack`, or other words."""

    reason = Reason.KEYSTORE_MISSING
    lack: str = ""


class KeystoreGone(KeystoreMissing):
    """A keystore that this installation has used isn't there now; what is kept in it is there with it."""

    reason = Reason.KEYSTORE_GONE

    def __init__(self, name: str, lack: str = "") -> None:
        super().__init__(lack)
        self.name = name


class KeystoreLocked(KeystoreError):
    """There is one, and it is locked."""

    reason = Reason.KEYSTORE_LOCKED


class KeystoreDenied(KeystoreError):
    """The system or a person refused access, or the person would rather not be asked."""

    reason = Reason.KEYSTORE_DENIED


class KeystoreSilent(KeystoreError):
    """It gave no answer within the limit, and nobody was asked anything meanwhile."""

    reason = Reason.KEYSTORE_SILENT


class KeystoreFailed(KeystoreError):
    """It failed in a way none of the others names; carries the native error's class name only."""


@dataclass(eq=False, repr=False)
class ValueTooLong(KeystoreError):
    """The value has more characters than the `limit` that this keystore can keep."""

    reason = Reason.VALUE_TOO_LONG
    limit: int


class ValueLost(KeystoreError):
    """The keystore has no value for a key the journal knows, or gave back another than was written."""

    reason = Reason.VALUE_LOST


class ValueNeverHere(ValueLost):
    """A key whose description alone was imported: no value of it was ever kept here."""

    reason = Reason.VALUE_NEVER_HERE


@dataclass(eq=False, repr=False)
class ValueDiffers(KeystoreError):
    """The keystore has another value for a key than the journal knows; both are told by fingerprint."""

    reason = Reason.VALUE_DIFFERS
    name: str
    expected: str
    found: str


class JournalError(KeybenchError):
    """The journal can't be read or written. `path`, where there is one, is its folder or file."""


@dataclass(eq=False, repr=False)
class JournalUnwritable(JournalError):
    """The data folder or the disk doesn't take it; `reason` is the system's words, or `NOT_KEPT`."""

    NOT_KEPT = "gone with the sandbox"
    LONG_PATH = "path too long"
    IO_FAILED = "input or output failed"
    SERVER_FULL = "no room on the server"
    path: str
    reason: str


@dataclass(eq=False, repr=False)
class JournalNewer(JournalError):
    """It was written by a newer Keybench, and was not touched.

    `found` and `known` are versions of the schema, `writer` the Keybench that brought it there, if
    that was noted; `copy` is the latest copy from before an upgrade that this Keybench can read, or empty.
    """

    path: str
    found: int
    known: int
    writer: str = ""
    copy: str = ""


@dataclass(eq=False, repr=False)
class JournalDamaged(JournalError):
    """Its file is damaged: it isn't a database, broke off, is empty, or holds a value that can't be."""

    path: str
    _: KW_ONLY
    is_empty: bool = False


@dataclass(eq=False, repr=False)
class JournalUnfamiliar(JournalError):
    """Its file is a sound database without a journal's table or column `missing`; it was not touched."""

    path: str
    missing: str


@dataclass(eq=False, repr=False)
class JournalGone(JournalError):
    """Its file isn't where it was; `is_open` where it went, or another took its place, under this program."""

    path: str
    _: KW_ONLY
    is_open: bool = False


class JournalBusy(JournalError):
    """Another program holds it for longer than we wait."""


@dataclass(eq=False, repr=False)
class JournalInUse(JournalError):
    """Another program has it open, on a file system of this `kind`, where one at a time can."""

    path: str
    kind: str


@dataclass(eq=False, repr=False)
class JournalAway(JournalError):
    """The team's server at `path`, its URL, doesn't answer, for a `reason` in its own words.

    Nothing was done; only of a write that it was about to commit nobody can tell.
    """

    path: str
    reason: str = ""


@dataclass(eq=False, repr=False)
class JournalForbidden(JournalError):
    """The team's server lets its role do no such thing; nothing was done.

    `reason` is `LOGIN` where the role isn't let in, and `TABLES` where the tables aren't there or are older:
    then `owner` is who may make them or bring them up to date.
    """

    LOGIN = "login"
    TABLES = "tables"
    path: str
    reason: str = ""
    owner: str = ""


@dataclass(eq=False, repr=False)
class KeyNotNoted(JournalError):
    """A key was made and its value is kept; only the journal doesn't list it yet. Its plan leads to it."""

    name: str
    key_id: str
    cause: JournalError


@dataclass(eq=False, repr=False)
class BundleUnsafe(KeybenchError):
    """A finished support bundle held what must not leave this computer, so it wasn't written.

    `places` are what was found (a placeholder, never the text itself), in which file, and where in that.
    """

    places: Sequence[tuple[str, str, str]]


@dataclass(eq=False, repr=False)
class FileNotSaved(KeybenchError):
    """A file that couldn't be written; `reason` is the system's words, `FORMAT` or `NOT_KEPT`."""

    FORMAT = "neither .csv nor .json"
    NOT_KEPT = "gone with the sandbox"
    path: str
    reason: str


@dataclass(eq=False, repr=False)
class ContractInvalid(KeybenchError):
    """A contract file that can't be read or breaks a rule; `where` is the field, empty for the whole file."""

    file: str
    where: str
    reason: str


@dataclass(eq=False, repr=False)
class LessonInvalid(KeybenchError):
    """A lesson's file that can't be read, or a lesson that can't be learnt; see `ContractInvalid`."""

    file: str
    where: str
    reason: str


@dataclass(eq=False, repr=False)
class GatewayError(KeybenchError):
    """A call that did not give its answer.

    `message` are the gateway's own words, redacted; `status` is the HTTP status, 0 without an answer;
    `reference` is the gateway's own for the failure (`ref_id`); `retry_after_s` how long it asked us to wait.
    """

    reason: Reason
    _: KW_ONLY
    message: str = ""
    status: int = 0
    reference: str = ""
    retry_after_s: float | None = None

    def __str__(self) -> str:
        return f"{self.reason} {self.status}" if self.status else self.reason

    @property
    def asks_to_wait(self) -> bool:
        """Whether the gateway wants to be called less often, which tells nothing of the key or the call."""
        return self.reason == Reason.RATE_LIMIT or self.retry_after_s is not None


class NotSent(GatewayError):
    """For certain nothing reached the gateway."""


class AnswerLost(GatewayError):
    """The request may have reached the gateway, and no answer came."""


class AnswerUnreadable(GatewayError):
    """There was an answer, and it isn't one the contract understands."""


class Refused(GatewayError):
    """The gateway answered no: nothing was done."""


class KeyRefused(Refused):
    """401: the key isn't accepted here."""


class Forbidden(Refused):
    """403: the key's user may not, the account is restricted, or the rate limit was exceeded."""


class KeyMadeBefore(Refused):
    """409: the same wish made a key before, the gateway's `gateway_id`; empty if it didn't say."""

    def __init__(self, gateway_id: str, *, status: int = 409) -> None:
        super().__init__(Reason.REPEATED, status=status)
        self.gateway_id = gateway_id


class GatewayFailed(GatewayError):
    """5xx or 408: the gateway itself failed, and what it did before that is unknown."""


class PracticeUnavailable(GatewayError):
    """The practice gateway can't be started."""


@dataclass(eq=False, repr=False)
class KeyUnsettled(KeybenchError):
    """A key that was to be added may be at the gateway; its plan, found by `key_id`, leads to it.

    `is_made` if the gateway did make it: then its value couldn't be kept, and it isn't deleted yet.
    """

    name: str
    key_id: str
    cause: KeybenchError
    _: KW_ONLY
    is_made: bool
