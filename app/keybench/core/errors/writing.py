"""What happened couldn't be kept or read, a file couldn't be saved, a contract can't be used."""

from __future__ import annotations

from keybench.core.errors.root import KeybenchError


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
    """Its file is damaged: it isn't a database, broke off, is empty, or holds a value that can't be.

    Attributes:
        place: The file, as text.
        is_empty: Whether the file has no content at all.
    """

    def __init__(self, place: str, *, is_empty: bool = False) -> None:
        super().__init__(place)
        self.place = place
        self.is_empty = is_empty


class JournalUnfamiliar(JournalError):
    """Its file is a sound database, but not with the tables of any Keybench's journal; it was not touched.

    Attributes:
        place: The file, as text.
        missing: The first table or column of a journal that it hasn't got.
    """

    def __init__(self, place: str, missing: str) -> None:
        super().__init__(f"{place}: no {missing}")
        self.place = place
        self.missing = missing


class JournalBusy(JournalError):
    """Another program holds it for longer than we wait."""


class KeyNotNoted(JournalError):
    """A key was made and its value is kept; only the journal doesn't list it yet. Its plan leads to it.

    Attributes:
        name: The key's.
        key_id: Ours, which its plan is found by.
        cause: Why the journal didn't take it.
    """

    def __init__(self, name: str, key_id: str, cause: JournalError) -> None:
        super().__init__(f"{name}: {cause}")
        self.name = name
        self.key_id = key_id
        self.cause = cause


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
