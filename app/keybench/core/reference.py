"""References: how we name a sale to the gateway, short enough to be read out by telephone."""

from __future__ import annotations

import secrets
from typing import Final

#: Crockford's base 32: no I, L, O or U, which are misheard or misread.
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def new_reference() -> str:
    """Return a new reference such as ``KB-7Q2M-X4T9-KD3F``.

    It has 60 random bits: among a million sales the chance that any two meet is one in two million. The
    journal refuses one that is there already, before anything is sent.
    """
    groups = ("".join(secrets.choice(_ALPHABET) for _ in range(4)) for _ in range(3))
    return "-".join(("KB", *groups))
