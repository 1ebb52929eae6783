"""The root of all errors, and those about what was entered: it can't be used, and nothing was done.

Their tree is drawn in `core.errors`, which has all errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar


class KeybenchError(Exception):
    """Anything Keybench itself can explain."""


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


class NamedInvalid(InputInvalid):
    """An input that broke the class's one `rule`; `name` is what the sentence about it names."""

    rule: ClassVar[str]

    def __init__(self, name: str) -> None:
        super().__init__(self.rule)
        self.name = name


class AmountInvalid(InputInvalid):
    """An amount that isn't a plain figure above zero."""

    field = "amount"
    EMPTY = "empty"
    NOT_A_FIGURE = "not a figure"
    TOO_PRECISE = "too many decimal places"
    ZERO = "zero"

    def __init__(self, text: str, reason: str, *, decimals: int = 2) -> None:
        super().__init__(reason)
        self.text = text
        self.decimals = decimals


class AmountOverLimit(InputInvalid):
    """A sale above its environment's amount limit."""

    field = "amount"

    def __init__(self, amount: str, limit: str, environment: str) -> None:
        super().__init__("over the limit")
        self.amount = amount
        self.limit = limit
        self.environment = environment


class CurrencyInvalid(InputInvalid):
    """A currency that isn't three letters, or that ISO 4217 doesn't know."""

    field = "currency"
    NOT_A_CODE = "not three letters"
    UNKNOWN = "not in ISO 4217"

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(reason)
        self.text = text


class NameInvalid(InputInvalid):
    """A name, username, purpose or identifier that is empty, too long or has control characters."""

    EMPTY = "empty"
    TOO_LONG = "too long"
    CONTROL_CHARACTERS = "control characters"
    NOT_A_PERSON = "not a person"
    UNSEEN = "unseen characters"

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


class NotFound(InputInvalid):
    """A name for which the journal has no environment, key or sale."""

    field = "name"

    def __init__(self, what: str, name: str) -> None:
        super().__init__("not found")
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
    LOOK_ALIKE = "scripts mixed"


class PortalUrlInvalid(InputInvalid):
    """A portal's address that can't be one; its reasons are those of `BaseUrlInvalid`."""

    field = "portal_url"


class ProxyInvalid(InputInvalid):
    """A proxy that can't be used."""

    field = "proxy"
    KIND = "no http proxy"
    MALFORMED = "malformed"
    PASSWORD = "password in it"  # noqa: S105 - a reason, no password
    NO_PASSWORD = "no password"  # noqa: S105 - same
    NO_USER = "no user"
    PRACTICE = "practice"


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
    """Card data was entered; it is neither kept nor sent."""

    field = "card data"
    NUMBER = "card number"
    FIELD = "card field"

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(reason)
        self.where = where


class ValueMisplaced(InputInvalid):
    """A key's value stands in another field than its own; it is neither kept nor sent."""

    field = "key value"

    def __init__(self, where: str) -> None:
        super().__init__("in another field")
        self.where = where


class KeyKindUnfit(NamedInvalid):
    """A public key was chosen for something only a private one can do."""

    field = "key"
    rule = "public key"


class KeyWithoutValue(NamedInvalid):
    """A key was chosen whose value isn't here: it was only described, or the keystore lost it."""

    field = "key"
    rule = "key without value"


class KeyUnderWay(NamedInvalid):
    """Another program is just adding a key of that name."""

    field = "name"
    rule = "being added"


class KeysUnsettled(InputInvalid):
    """An environment isn't removed while its gateway may have keys, of these names, that nobody knows of."""

    field = "environment"

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__("keys unsettled")
        self.names = tuple(names)


class EnvironmentBuiltIn(NamedInvalid):
    """The practice environment was to be removed; it belongs to the program."""

    field = "environment"
    rule = "built in"


class EnvironmentFixed(NamedInvalid):
    """Something of the practice environment was to be changed that belongs to the program."""

    field = "environment"
    rule = "built in, not edited"


class MoveNotConfirmed(InputInvalid):
    """An environment was to be called at another address, or otherwise, which nobody confirmed.

    Attributes:
        name: The environment's.
        now: Where and how it is called now: its base URL and its contract.
        then: The same after the change.
        is_live: Whether real money moves there.
        keys: How many keys have a value that would be sent to the new address.
        under_way: How many of its sales have no outcome yet.
        unknown: How many of its sales are unknown.
        rotations: The names of the keys that are being rotated.
        unsettled: The names of keys of which nobody can tell yet whether the gateway made them.
    """

    field = "base_url"

    def __init__(
        self,
        name: str,
        now: tuple[str, str],
        then: tuple[str, str],
        *,
        is_live: bool,
        keys: int,
        under_way: int,
        unknown: int,
        rotations: Sequence[str],
        unsettled: Sequence[str],
    ) -> None:
        super().__init__("not confirmed")
        self.name = name
        self.now, self.then = now, then
        self.is_live = is_live
        self.keys = keys
        self.under_way, self.unknown = under_way, unknown
        self.rotations, self.unsettled = tuple(rotations), tuple(unsettled)


class LiveNotConfirmed(NamedInvalid):
    """A live sale that nobody confirmed."""

    field = "environment"
    rule = "live, not confirmed"


class DeregistrationNotConfirmed(NamedInvalid):
    """A device that takes live sales was to be deregistered, which nobody confirmed."""

    field = "device"
    rule = "deregistering in live, not confirmed"


class LiveBarred(NamedInvalid):
    """A live sale while keys are kept in this session's memory only."""

    field = "environment"
    rule = "live, no keystore"


class SalesUnderWay(InputInvalid):
    """Something can't be taken away while sales that need it are under way."""

    field = "environment"

    def __init__(self, name: str, count: int) -> None:
        super().__init__("sales under way")
        self.name = name
        self.count = count


class ModeNotOffered(InputInvalid):
    """A way to sell that the environment's gateway doesn't have."""

    field = "mode"

    def __init__(self, mode: str, contract: str) -> None:
        super().__init__("not offered")
        self.mode = mode
        self.contract = contract


class NotChecked(InputInvalid):
    """A sale that may have been made was to be sent again before anybody checked."""

    field = "sale"

    def __init__(self, reference: str) -> None:
        super().__init__("not checked")
        self.reference = reference


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

    def __init__(self, reason: str, *, line: int = 0, text: str = "", missing: Sequence[str] = ()) -> None:
        super().__init__(reason)
        self.line, self.text, self.missing = line, text, missing


class DeviceListInvalid(ListInvalid):
    """A list of devices that can't be used."""

    field = "devices"
    NO_DEVICE_COLUMN = "no device column"


class KeyListInvalid(ListInvalid):
    """A list of keys' descriptions, or a row of one, that can't be used."""

    field = "keys"
    NO_COLUMN = "no such column"
    DATES = "dates of two forms"
    VALUE_COLUMN, VALUE_CELL = "a column of values", "a value in a cell"
    KIND, CREATED = "kind", "created"


class SettingsFileInvalid(InputInvalid):
    """A file of settings, or an entry of one, that can't be used."""

    field = "settings file"
    UNREADABLE = "can't be read"
    TOO_LARGE = "too large"
    NOT_SETTINGS = "no settings"
    DIFFERS = "differs from what is here"
    KIND = "kind"


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
    WENT_ON = "went on while it was asked about"


class RotationUnderWay(NamedInvalid):
    """A key that is being rotated can't be rotated twice, nor forgotten meanwhile."""

    field = "key"
    rule = "rotation under way"


class SettingInvalid(InputInvalid):
    """A setting of the key review, see `core.admin_settings`, that isn't a number within bounds."""

    field = "setting"
    NOT_A_FIGURE = "not a figure"
    OUT_OF_RANGE = "out of range"

    def __init__(self, setting: str, reason: str, *, least: int, most: int) -> None:
        super().__init__(reason)
        self.setting = setting
        self.least = least
        self.most = most


class TextNotErasable(InputInvalid):
    """A text that can't be erased from what is kept; nothing was.

    `where` tells what needs it: a sale's reference, a rotation's identifier, an environment's name, a table.
    """

    field = "text"
    TOO_SHORT = "too short"
    OWN_WORD = "one of the program's words"
    IDENTIFIER = "part of an identifier"
    SALE = "in a sale that isn't settled"
    ROTATION = "in an open rotation"
    KEY_PLAN = "in a key that is being added"
    ENVIRONMENT = "in an environment's settings"
    SETTING = "in a setting"

    def __init__(self, reason: str, where: str = "") -> None:
        super().__init__(reason)
        self.where = where
