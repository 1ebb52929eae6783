"""A kept key's value as the keystore has it, checked against the fingerprint it was kept with."""

from __future__ import annotations

from keybench.core.errors import ValueDiffers, ValueLost
from keybench.core.ports import Keystore, entry_of
from keybench.core.secret import Secret, fingerprint
from keybench.core.security_key import SecurityKey


async def kept_value(keystore: Keystore, key: SecurityKey) -> Secret:
    """Return the value of a key.

    Another program, or another version of a synchronised keyring, may have put a value of its own under the
    key's entry. It isn't the one that was tested here, so it is neither sent nor shown.

    Raises:
        ValueLost: The keystore has none, or none was ever kept.
        ValueDiffers: It has another than the one that was kept.
        KeystoreError: It can't be read.
    """
    if not key.fingerprint:
        raise ValueLost("never kept")
    value = await keystore.read(entry_of(key))
    if (found := fingerprint(value)) != key.fingerprint:
        raise ValueDiffers(key.name, key.fingerprint, found)
    return value
