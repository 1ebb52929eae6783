"""The root of all errors, drawn in `core.errors`, and those about what was entered: nothing was done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:  # which raises these errors
    from keybench.core.money import Money


class KeybenchError(Exception):
    """Anything Keybench itself can explain; `str()` is the facts it was made with."""

    def __str__(self) -> str:
        return ": ".join(str(fact) for fact in self.args if fact)


class InputInvalid(KeybenchError):
    """What was entered can't be used.

    `field` is a form's field that it concerns, `reason` the rule it broke, both as stable words; a class with
    several rules lists them. `str()` tells no more than the reason: what was entered may be a secret.
    """

    field: ClassVar[str] = ""
    reason: str = ""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        self.__post_init__()

    def __post_init__(self) -> None:
        self.args = (self.reason,)


@dataclass(eq=False, repr=False)
class NamedInvalid(InputInvalid):
    """An input that broke the class's one rule; `name` is what the sentence about it names."""

    name: str


@dataclass(eq=False, repr=False)
class AmountInvalid(InputInvalid):
    """An amount that isn't a plain figure above zero."""

    field = "amount"
    EMPTY = "empty"
    NOT_A_FIGURE = "not a figure"
    TOO_PRECISE = "too many decimal places"
    ZERO = "zero"
    text: str
    reason: str
    _: KW_ONLY
    decimals: int = 2


@dataclass(eq=False, repr=False)
class AmountOverLimit(InputInvalid):
    """A sale above its environment's amount limit."""

    field = "amount"
    amount: Money
    limit: Decimal
    environment: str


@dataclass(eq=False, repr=False)
class CurrencyInvalid(InputInvalid):
    """A currency that isn't three letters, or that ISO 4217 doesn't know."""

    field = "currency"
    NOT_A_CODE = "not three letters"
    UNKNOWN = "not in ISO 4217"
    text: str
    reason: str


@dataclass(eq=False, repr=False)
class NameInvalid(InputInvalid):
    """A name, username, purpose or identifier that is empty, too long or has control characters."""

    EMPTY = "empty"
    TOO_LONG = "too long"
    CONTROL_CHARACTERS = "control characters"
    NOT_A_PERSON = "not a person"
    UNSEEN = "unseen characters"
    what: str
    reason: str
    _: KW_ONLY
    limit: int


@dataclass(eq=False, repr=False)
class NameTaken(InputInvalid):
    """A name that another key or environment already has."""

    field = "name"
    what: str
    name: str


@dataclass(eq=False, repr=False)
class NotFound(InputInvalid):
    """A name for which the journal has no environment, key or sale."""

    field = "name"
    what: str
    name: str


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


class PortalUrlInvalid(InputInvalid):
    """A portal's address that can't be one; its reasons are those of `BaseUrlInvalid`."""

    field = "portal_url"


class ProxyInvalid(InputInvalid):
    """A proxy that can't be used."""

    KIND = "no http proxy"
    MALFORMED = "malformed"
    PASSWORD = "password in it"  # noqa: S105 - a reason, no password
    NO_PASSWORD = "no password"  # noqa: S105 - same
    NO_USER = "no user"
    PRACTICE = "practice"


@dataclass(eq=False, repr=False)
class KeyValueInvalid(InputInvalid):
    """A pasted key value that can't be a key."""

    field = "value"
    EMPTY = "empty"
    LINE_BREAKS = "line breaks"
    TOO_LONG = "too long"
    UNPRINTABLE = "unprintable"
    reason: str
    _: KW_ONLY
    length: int = 0
    limit: int = 0


@dataclass(eq=False, repr=False)
class CardDataRefused(InputInvalid):
    """Card data was entered; it is neither kept nor sent."""

    NUMBER = "card number"
    FIELD = "card field"
    where: str
    reason: str


@dataclass(eq=False, repr=False)
class ValueMisplaced(InputInvalid):
    """A key's value stands in another field than its own; it is neither kept nor sent."""

    where: str


class KeyKindUnfit(NamedInvalid):
    """A public key was chosen for something only a private one can do."""

    field = "key"


class KeyWithoutValue(NamedInvalid):
    """A key was chosen whose value isn't here: it was only described, or the keystore lost it."""

    field = "key"


class KeyUnderWay(NamedInvalid):
    """Another program is just adding a key of that name."""

    field = "name"


@dataclass(eq=False, repr=False)
class KeysUnsettled(InputInvalid):
    """An environment isn't removed while its gateway may have keys, of these names, that nobody knows of."""

    names: Sequence[str]


class EnvironmentBuiltIn(NamedInvalid):
    """The practice environment was to be removed; it belongs to the program."""


class EnvironmentFixed(NamedInvalid):
    """Something of the practice environment was to be changed that belongs to the program."""


@dataclass(eq=False, repr=False)
class MoveNotConfirmed(InputInvalid):
    """An environment was to be called at another address, or otherwise, which nobody confirmed.

    `now` and `then` are the base URL and the contract before and after the change; `keys` have a value that
    would be sent to the new address; of `under_way` sales there is no outcome yet; of the keys `unsettled`
    nobody can tell yet whether the gateway made them.
    """

    field = "base_url"
    name: str
    now: tuple[str, str]
    then: tuple[str, str]
    _: KW_ONLY
    is_live: bool
    keys: int
    under_way: int
    unknown: int
    rotations: Sequence[str]
    unsettled: Sequence[str]


class LiveNotConfirmed(NamedInvalid):
    """A live sale that nobody confirmed."""


class DeregistrationNotConfirmed(NamedInvalid):
    """A device that takes live sales was to be deregistered, which nobody confirmed."""

    field = "device"


class LiveBarred(NamedInvalid):
    """A live sale while keys are kept in this session's memory only."""


@dataclass(eq=False, repr=False)
class SalesUnderWay(InputInvalid):
    """Something can't be taken away while sales that need it are under way."""

    name: str
    count: int


@dataclass(eq=False, repr=False)
class ModeNotOffered(InputInvalid):
    """A way to sell that the environment's gateway doesn't have."""

    mode: str
    contract: str


@dataclass(eq=False, repr=False)
class NotChecked(InputInvalid):
    """A sale that may have been made was to be sent again before anybody checked."""

    reference: str


@dataclass(eq=False, repr=False)
class ListInvalid(InputInvalid):
    """A file that can't be read as a list, or a row of one; `line` counts from 1, and 0 is the whole file.

    `text` is what stands there, if it is a date or names of columns; `missing` are columns that aren't there.
    """

    EMPTY = "empty"
    NOT_CSV = "not csv"
    NOT_TEXT = "not text"
    TOO_LARGE = "too large"
    TOO_MANY = "too many rows"
    COLUMN_TWICE = "a column twice"
    UNREADABLE = "can't be read"
    WORKBOOK = "a workbook"
    WRONG_ROWS = "wrong rows"
    reason: str
    _: KW_ONLY
    line: int = 0
    text: str = ""
    missing: Sequence[str] = ()


class DeviceListInvalid(ListInvalid):
    """A list of devices that can't be used."""

    NO_DEVICE_COLUMN = "no device column"


class KeyListInvalid(ListInvalid):
    """A list of keys' descriptions, or a row of one, that can't be used."""

    NO_COLUMN = "no such column"
    DATES = "dates of two forms"
    VALUE_COLUMN, VALUE_CELL = "a column of values", "a value in a cell"
    KIND, CREATED = "kind", "created"


class JoinInvalid(InputInvalid):
    """A class that can't be joined by what was entered; it was told nothing."""

    field = "join"
    NOT_ONE = "no join text"
    OTHER_WORDS = "other words"
    NOT_COMPARED = "words not compared"
    NO_CLASS = "no class joined before"


class JournalMoveBarred(InputInvalid):
    """The journal can't move there, or not now; nothing was changed."""

    ADDRESS, PASSWORD_SEEN, FOLDER = "no address", "password in it", "not the data folder"
    CODE, OTHER_TEAM, IN_TEAM = "no code", "another team's", "a team's already"
    SALES, KEYS, WAITING = "sales under way", "a key is being added", "something waits for the journal"
    PROGRAMS, NOT_EMPTY, DIFFERS = "open in another program", "something is there", "went on since"


class DiagnosisInvalid(InputInvalid):
    """A file that can't be read as the lines of a diagnosis."""


class RotationBarred(InputInvalid):
    """A step of a rotation that doesn't fit where the rotation stands; nothing was changed."""

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
    WENT_ON = "went on while it was asked about"
    HELD_ELSEWHERE = "other desks hold the old key"


class RotationUnderWay(NamedInvalid):
    """A key that is being rotated can't be rotated twice, nor forgotten meanwhile."""

    field = "key"


@dataclass(eq=False, repr=False)
class SettingInvalid(InputInvalid):
    """A setting of the key review, see `core.keys.admin_settings`, that isn't a number within bounds."""

    NOT_A_FIGURE = "not a figure"
    OUT_OF_RANGE = "out of range"
    setting: str
    reason: str
    _: KW_ONLY
    least: int
    most: int
