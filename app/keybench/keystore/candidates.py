"""The short list: which native keystores Keybench looks for on which system, in which order.

keyring's own choice is never asked: configuration files and variables can point it at any class, also at
one that drops what it is given or writes it to a plain file.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from keybench.keystore.keyring_store import KeyringStore
from keybench.keystore.native import Candidate, NativeStore
from keybench.keystore.secret_service import SecretServiceStore
from keybench.keystore.traits import MACOS, SECRET_SERVICE, WINDOWS


def candidates_for(platform: str) -> Sequence[Candidate]:
    """Return what to look for, best first.

    Args:
        platform: As `sys.platform` names it.
    """
    if platform == "darwin":
        return (Candidate(MACOS, _macos),)
    if platform == "win32":
        return (Candidate(WINDOWS, _windows),)
    # KDE Wallet serves secrets that way, too: kwalletd since 5.97, for which its own way isn't needed.
    return (Candidate(SECRET_SERVICE, _secret_service),)


def _secret_service(namespace: str) -> NativeStore:
    screen = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return SecretServiceStore(namespace, prompts_visible=screen)


def _macos(namespace: str) -> NativeStore:
    from keyring.backends.macOS import Keyring  # noqa: PLC0415 - slow: the window comes first

    return KeyringStore(namespace, Keyring, MACOS)


def _windows(namespace: str) -> NativeStore:
    from keyring.backends.Windows import WinVaultKeyring  # noqa: PLC0415 - slow: the window comes first

    return KeyringStore(namespace, WinVaultKeyring, WINDOWS)
