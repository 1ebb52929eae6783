"""Everything that can go wrong and that a person can meet, as one tree.

::

    KeybenchError
    ├── InputInvalid                what was typed can't be used; nothing was done
    │   ├── AmountInvalid, CurrencyInvalid, NameInvalid, NameTaken, BaseUrlInvalid
    │   ├── KeyValueInvalid, CardDataRefused, KeyKindUnfit, NotFound, EnvironmentBuiltIn
    │   ├── LiveNotConfirmed, LiveBarred, AmountOverLimit
    │   ├── ModeNotOffered, SalesUnderWay, DeviceListInvalid, NotChecked
    │   └── RotationBarred, RotationUnderWay, KeyListInvalid, SettingInvalid
    ├── KeystoreError               where values are kept did not serve
    │   ├── KeystoreMissing, KeystoreLocked, KeystoreDenied, KeystoreSilent
    │   └── ValueTooLong, ValueLost, ValueDiffers, KeystoreFailed
    ├── JournalError                what happened could not be kept or read; no sale starts
    │   ├── JournalUnwritable, JournalNewer, JournalDamaged
    │   └── JournalBusy
    ├── FileNotSaved                a file a person wanted isn't there; an older one is as it was
    ├── ContractInvalid             a gateway's contract file can't be used; nothing was sent
    └── GatewayError                a call to the gateway did not give its answer
        ├── NotSent                 certain: nothing reached the gateway
        ├── AnswerLost              the request may have reached it; nobody can tell
        ├── AnswerUnreadable        it answered, and the answer isn't understood
        ├── Refused                 it answered no: 4xx
        │   ├── KeyRefused          401
        │   ├── Forbidden           403
        │   └── KeyMadeBefore       409: the same wish made a key already, whose value is shown only once
        ├── GatewayFailed           it answered 5xx or 408
        └── PracticeUnavailable     the practice gateway can't be started

A declined sale is a value (see outcome), not an error; an unknown outcome is a state of a sale.
The sentences people read are in ``keybench.words``; ``str()`` of these is for logs and developers.
"""

from __future__ import annotations

from typing import ClassVar


class KeybenchError(Exception):
    """The root: anything Keybench itself can explain."""


# --- input -------------------------------------------------------------------------------------------


class InputInvalid(KeybenchError):
    """What was entered can't be used.

    Attributes:
        field: Which field it concerns, as a stable word (``amount``, ``name``, …).
        reason: Which rule it broke, as a stable word; each class lists its own.
    """

    field: ClassVar[str] = "input"

    def __init__(self, reason: str) -> None:
        super().__init__(f"{self.field}: {reason}")
        self.reason = reason


class AmountInvalid(InputInvalid):
    """An amount that isn't a plain figure above zero."""

    field = "amount"
    EMPTY = "empty"
    NOT_A_FIGURE = "not a figure"
    TOO_PRECISE = "too many decimal places"
    ZERO = "zero"

    def __init__(self, text: str, reason: str, *, places: int = 2) -> None:
        super().__init__(reason)
        self.text = text
        self.places = places


class CurrencyInvalid(InputInvalid):
    """A currency that isn't three letters."""

    field = "currency"

    def __init__(self, text: str) -> None:
        super().__init__("not three letters")
        self.text = text


class NameInvalid(InputInvalid):
    """A name, username, purpose or identifier that is empty, too long or has control characters."""

    EMPTY = "empty"
    TOO_LONG = "too long"
    CONTROL_CHARACTERS = "control characters"

    def __init__(self, what: str, reason: str, *, limit: int) -> None:
        super().__init__(reason)
        self.what = what
        self.limit = limit


class NameTaken(InputInvalid):
    """A name that another key or environment already has."""

    field = "name"

    def __init__(self, what: str, name: str) -> None:
        super().__init__("taken")
        self.what = what
        self.name = name


class BaseUrlInvalid(InputInvalid):
    """A base URL that can't be a gateway's address."""

    field = "base_url"
    EMPTY = "empty"
    NO_SCHEME = "no scheme"
    NOT_HTTPS = "not https"
    CREDENTIALS = "credentials in it"
    NO_HOST = "no host"
    EXTRA = "query or fragment"
    MALFORMED = "malformed"


class KeyValueInvalid(InputInvalid):
    """A pasted key value that can't be a key."""

    field = "value"
    EMPTY = "empty"
    LINE_BREAKS = "line breaks"
    TOO_LONG = "too long"
    UNPRINTABLE = "unprintable"

    def __init__(self, reason: str, *, length: int = 0, limit: int = 0) -> None:
        super().__init__(reason)
        self.length = length
        self.limit = limit


class CardDataRefused(InputInvalid):
    """Card data was entered; it is neither kept nor sent, and it isn't in this error either."""

    field = "card data"
    NUMBER = "card number"
    FIELD = "card field"

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(reason)
        self.where = where


class KeyKindUnfit(InputInvalid):
    """A public key was chosen for something only a private one can do."""

    field = "key"

    def __init__(self, name: str) -> None:
        super().__init__("public key")
        self.name = name


class NotFound(InputInvalid):
    """A name for which the journal has no environment, key or sale."""

    field = "name"

    def __init__(self, what: str, name: str) -> None:
        super().__init__("not found")
        self.what = what
        self.name = name


class EnvironmentBuiltIn(InputInvalid):
    """The practice environment was to be removed; it belongs to the program."""

    field = "environment"

    def __init__(self, environment: str) -> None:
        super().__init__("built in")
        self.environment = environment


class LiveNotConfirmed(InputInvalid):
    """A live sale that nobody confirmed."""

    field = "environment"

    def __init__(self, environment: str) -> None:
        super().__init__("live, not confirmed")
        self.environment = environment


class LiveBarred(InputInvalid):
    """A live sale while keys are kept in this session's memory only."""

    field = "environment"

    def __init__(self, environment: str) -> None:
        super().__init__("live, no keystore")
        self.environment = environment


class AmountOverLimit(InputInvalid):
    """A sale above its environment's amount limit.

    Attributes:
        amount: What was asked for, with its currency.
        limit: The most that is allowed, as a figure.
        environment: The environment's name.
    """

    field = "amount"

    def __init__(self, amount: str, limit: str, environment: str) -> None:
        super().__init__("over the limit")
        self.amount = amount
        self.limit = limit
        self.environment = environment


class ModeNotOffered(InputInvalid):
    """A way to sell that the environment's gateway doesn't have."""

    field = "mode"

    def __init__(self, mode: str, contract: str) -> None:
        super().__init__("not offered")
        self.mode = mode
        self.contract = contract


class SalesUnderWay(InputInvalid):
    """Something can't be taken away while sales that need it are under way."""

    field = "environment"

    def __init__(self, name: str, count: int) -> None:
        super().__init__("sales under way")
        self.name = name
        self.count = count


class NotChecked(InputInvalid):
    """A sale that may have been made was to be sent again before anybody checked."""

    field = "sale"

    def __init__(self, reference: str) -> None:
        super().__init__("not checked")
        self.reference = reference


class DeviceListInvalid(InputInvalid):
    """A file that can't be read as a list of devices; it holds nothing of the file."""

    field = "devices"
    EMPTY = "empty"
    NOT_CSV = "not csv"
    NOT_TEXT = "not text"
    TOO_LARGE = "too large"
    TOO_MANY = "too many rows"
    NO_DEVICE_COLUMN = "no device column"
    COLUMN_TWICE = "a column twice"
    UNREADABLE = "can't be read"
    WRONG_ROWS = "wrong rows"


class RotationBarred(InputInvalid):
    """A step of a rotation that doesn't fit where the rotation stands; nothing was changed."""

    field = "rotation"
    OVER = "finished or abandoned"
    NO_REPLACEMENT = "no replacement yet"
    REPLACED_ALREADY = "has a replacement"
    IN_USE = "replacement in use"
    NOT_CHANGED = "application not changed"
    NOT_LISTED = "application not listed"
    NOT_TESTED = "not every application seen working"
    NOT_ASKED = "deletion not asked for"
    NOT_DELETED = "old key not deleted"
    NOT_REFUSED = "old key not seen refused"
    DELETED = "old key deleted"
    NOT_COMPROMISED = "not compromised"
    REASON_MISSING = "no reason given"
    NOT_PLANNED = "no replacement planned"
    SAME_VALUE = "replacement is the old key"
    STILL_ACCEPTED = "old key still accepted"
    ELSEWHERE = "another program is at it"


class RotationUnderWay(InputInvalid):
    """A key that is being rotated can't be rotated twice, nor forgotten meanwhile.

    Attributes:
        name: The key's.
    """

    field = "key"

    def __init__(self, name: str) -> None:
        super().__init__("rotation under way")
        self.name = name


class KeyListInvalid(InputInvalid):
    """A list of keys' descriptions, or a row of one, that can't be used; it holds nothing of the file.

    Attributes:
        line: The line of the file it is about, counted from 1; 0 for the whole file.
    """

    field = "keys"
    EMPTY = "empty"
    NOT_CSV = "not csv"
    NOT_TEXT = "not text"
    TOO_LARGE = "too large"
    TOO_MANY = "too many rows"
    NO_NAME_COLUMN = "no name column"
    COLUMN_TWICE = "a column twice"
    VALUE_COLUMN = "a column of values"
    VALUE_CELL = "a value in a cell"
    KIND = "kind"
    CREATED = "created"
    UNREADABLE = "can't be read"
    WRONG_ROWS = "wrong rows"

    def __init__(self, reason: str, *, line: int = 0) -> None:
        super().__init__(reason)
        self.line = line


class SettingInvalid(InputInvalid):
    """A setting of the key review that can't be used.

    Attributes:
        setting: Its name, see `core.admin_settings`.
        least: The least it may be.
        most: The most it may be, or the most characters it may have.
        line: The line that isn't a time; empty for other reasons.
    """

    field = "setting"
    NOT_A_FIGURE = "not a figure"
    OUT_OF_RANGE = "out of range"
    TOO_LONG = "too long"
    NOT_A_TIME = "not a time"

    def __init__(self, setting: str, reason: str, *, least: int = 0, most: int = 0, line: str = "") -> None:
        super().__init__(reason)
        self.setting = setting
        self.least = least
        self.most = most
        self.line = line


# --- keystore ----------------------------------------------------------------------------------------


class KeystoreError(KeybenchError):
    """The keystore did not do what was asked; nothing half-made is left behind."""


class KeystoreMissing(KeystoreError):
    """This system has no keystore that Keybench knows."""


class KeystoreLocked(KeystoreError):
    """There is one, and it is locked."""


class KeystoreDenied(KeystoreError):
    """The system or a person refused access."""


class KeystoreSilent(KeystoreError):
    """It gave no answer within the limit; perhaps it waits for a prompt nobody sees."""


class ValueTooLong(KeystoreError):
    """The value is longer than this keystore can keep.

    Attributes:
        limit: The longest it keeps, in characters.
    """

    def __init__(self, limit: int) -> None:
        super().__init__(f"more than {limit} characters")
        self.limit = limit


class ValueLost(KeystoreError):
    """The keystore has no value for a key the journal knows, or gave back another than was written."""


class ValueDiffers(KeystoreError):
    """The keystore has another value for a key than the one the journal knows by its fingerprint.

    Attributes:
        name: The key's.
        expected: The fingerprint of the value that was kept.
        found: The fingerprint of the value that is there.
    """

    def __init__(self, name: str, expected: str, found: str) -> None:
        super().__init__(f"{name}: {found} instead of {expected}")
        self.name = name
        self.expected = expected
        self.found = found


class KeystoreFailed(KeystoreError):
    """It failed in a way none of the others names; carries the native error's class name only."""


# --- journal -----------------------------------------------------------------------------------------


class JournalError(KeybenchError):
    """The journal can't be read or written."""


class JournalUnwritable(JournalError):
    """The data folder or the disk doesn't take it.

    Attributes:
        place: The folder or file, as text.
    """

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place = place
        self.reason = reason


class JournalNewer(JournalError):
    """It was written by a newer Keybench; it was not touched."""

    def __init__(self, place: str, found: int, known: int) -> None:
        super().__init__(f"{place}: schema {found}, this Keybench knows {known}")
        self.place = place
        self.found = found
        self.known = known


class JournalDamaged(JournalError):
    """It isn't a journal, or its file is damaged; it was not touched."""

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.place = place


class JournalBusy(JournalError):
    """Another program holds it for longer than we wait."""


# --- files ------------------------------------------------------------------------------------------


class FileNotSaved(KeybenchError):
    """A file that couldn't be written; what stood in its place is untouched.

    Attributes:
        place: The file, as text.
        reason: Why, in the system's words, or `FORMAT`.
    """

    FORMAT = "neither .csv nor .json"

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place = place
        self.reason = reason


# --- contract ----------------------------------------------------------------------------------------


class ContractInvalid(KeybenchError):
    """A contract file that can't be read or breaks a rule.

    Attributes:
        file: The file's name.
        where: The field, as a dotted path; empty if it concerns the whole file.
        reason: What is wrong with it, in a few plain words.
    """

    def __init__(self, file: str, where: str, reason: str) -> None:
        super().__init__(f"{file}: {where}: {reason}" if where else f"{file}: {reason}")
        self.file = file
        self.where = where
        self.reason = reason


# --- gateway -----------------------------------------------------------------------------------------


class GatewayError(KeybenchError):
    """A call that did not give its answer.

    Attributes:
        reason: A stable word for what happened on the wire (``connect refused``, ``tls``, ``timeout``, …).
        message: The gateway's own words, redacted; empty if it had none.
        status: The HTTP status, 0 when there was no answer.
        reference: The gateway's own reference for the failure (`ref_id`), if it gave one.
        retry_after_s: How long it asked us to wait, in seconds, or None.
    """

    def __init__(
        self,
        reason: str,
        *,
        message: str = "",
        status: int = 0,
        reference: str = "",
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(f"{reason} {status}".strip() if status else reason)
        self.reason = reason
        self.message = message
        self.status = status
        self.reference = reference
        self.retry_after_s = retry_after_s


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
    """409: the same wish made a key before. The gateway shows a value once, so nobody can have it again.

    Attributes:
        gateway_id: The gateway's identifier of that key; empty if it didn't say.
    """

    def __init__(self, gateway_id: str, *, status: int = 409) -> None:
        super().__init__("repeated", status=status)
        self.gateway_id = gateway_id


class GatewayFailed(GatewayError):
    """5xx or 408: the gateway itself failed, and what it did before that is unknown."""


class PracticeUnavailable(GatewayError):
    """The practice gateway can't be started."""
