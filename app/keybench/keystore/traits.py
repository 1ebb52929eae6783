"""What is known of each native keystore: its name, its limit and its habits, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from keybench.core.security_key import VALUE_LIMIT


@dataclass(frozen=True, slots=True)
class Traits:
    """A native keystore's recorded facts.

    Attributes:
        name: What people call it, as long as nothing more exact is found out.
        value_limit: The longest value Keybench gives it, in UTF-16 code units. The same everywhere, so that
            a key that is kept on one system can be kept on every other.
        replaces_by_removing: A write over an existing value removes that one first, so a failed write has
            lost it and it has to be put back.
        erase_before_write: A write over an existing value would leave a copy of the old one behind.
    """

    name: str
    value_limit: int = VALUE_LIMIT
    replaces_by_removing: bool = False
    erase_before_write: bool = False


#: gnome-keyring, KeePassXC and KDE's service keep megabytes; an item is replaced in one step.
SECRET_SERVICE: Final = Traits("Secret Service")

#: keyring's backend deletes the item and adds a new one (keyring.backends.macOS.api.set_generic_password).
MACOS: Final = Traits("macOS Keychain", replaces_by_removing=True)

#: CRED_MAX_CREDENTIAL_BLOB_SIZE is 5 * 512 bytes, which is 1,280 units of UTF-16. Where a value exists,
#: keyring's backend saves it under a second name before it writes the new one.
WINDOWS: Final = Traits("Windows Credential Locker", replaces_by_removing=True, erase_before_write=True)
