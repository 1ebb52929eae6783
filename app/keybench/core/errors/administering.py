"""What was entered about keys, their rotations and their limits can't be used; nothing was done."""

from __future__ import annotations

from collections.abc import Sequence

from keybench.core.errors.entered import InputInvalid


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


class RotationUnderWay(InputInvalid):
    """A key that is being rotated can't be rotated twice, nor forgotten meanwhile.

    Attributes:
        name: The key's.
    """

    field = "key"

    def __init__(self, name: str) -> None:
        super().__init__("rotation under way")
        self.name = name


class KeyUnderWay(InputInvalid):
    """Another program is just adding a key of that name.

    Attributes:
        name: The key's.
    """

    field = "name"

    def __init__(self, name: str) -> None:
        super().__init__("being added")
        self.name = name


class KeysUnsettled(InputInvalid):
    """An environment isn't removed while its gateway may have keys that nobody knows of.

    Attributes:
        names: What they were to be called.
    """

    field = "environment"

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__("keys unsettled")
        self.names = tuple(names)


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


class TextNotErasable(InputInvalid):
    """A text that can't be erased from what is kept; nothing was. It isn't in this error.

    Attributes:
        where: What needs it: a sale's reference, a rotation's identifier, an environment's name, or a table.
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
