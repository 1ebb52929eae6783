"""Where values are kept did not serve."""

from __future__ import annotations

from keybench.core.errors.root import KeybenchError


class KeystoreError(KeybenchError):
    """The keystore did not do what was asked; nothing half-made is left behind."""


class KeystoreMissing(KeystoreError):
    """This system has no keystore that Keybench knows."""


class KeystoreGone(KeystoreMissing):
    """A keystore that this installation has used isn't there now; what is kept in it is there with it.

    Attributes:
        name: What people call it.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class KeystoreLocked(KeystoreError):
    """There is one, and it is locked."""


class KeystoreDenied(KeystoreError):
    """The system or a person refused access, or the person would rather not be asked."""


class KeystoreSilent(KeystoreError):
    """It gave no answer within the limit, and nobody was asked anything meanwhile."""


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
