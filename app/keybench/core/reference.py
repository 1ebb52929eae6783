"""References: how we name a sale to the gateway, short enough to be read out by telephone."""

from __future__ import annotations

import secrets
from typing import Final

#: Crockford's base 32: no I, L, O or U, which are misheard or misread.
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def new_reference() -> str:
    """Return a new reference such as ``KB-7Q2M-X4T9``: 40 random bits, so two never meet in practice.

    The journal refuses one that is there already.
    """
    letters = [secrets.choice(_ALPHABET) for _ in range(8)]
    return f"KB-{''.join(letters[:4])}-{''.join(letters[4:])}"
