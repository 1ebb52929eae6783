"""A text that must never be shown by accident: a key's value on its way between keystore and gateway."""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
from typing import Final, NoReturn, SupportsIndex

MASK: Final = "••••••"
#: Stands where a text was erased from what is kept; behind it comes the number of the line that says so.
ERASED: Final = "[erased"


class Secret:
    """A secret text whose every ordinary rendering is a mask.

    It can't be pickled, copied, hashed, iterated or turned to JSON; only `reveal()` gives the text,
    and only the keystore, the gateway client and the reveal/copy control may call it.
    """

    __slots__ = ("__text", "__weakref__")

    def __init__(self, text: str) -> None:
        self.__text = text

    def reveal(self) -> str:
        """Return the secret text itself; use it in one expression and keep no name for it."""
        return self.__text

    def matches(self, other: Secret) -> bool:
        """Tell whether both hold the same text, in a time that doesn't depend on where they differ."""
        return hmac.compare_digest(_encoded(self.__text), _encoded(other.__text))

    def keyed_hash(self, key: bytes) -> bytes:
        """Return the HMAC-SHA-256 of the text under `key`: 32 bytes that don't lead back to it."""
        return hmac.new(key, _encoded(self.__text), hashlib.sha256).digest()

    def folded(self) -> Secret:
        """Return the text in the form in which two that differ only in the case of letters are equal."""
        return Secret(self.__text.casefold())

    def tidied(self) -> Secret:
        """Return the text without white space around it, in the Unicode form in which texts are kept."""
        return Secret(unicodedata.normalize("NFC", self.__text).strip())

    def __len__(self) -> int:
        return len(self.__text)

    def __bool__(self) -> bool:
        return bool(self.__text)

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    def __str__(self) -> str:
        return MASK

    def __format__(self, format_spec: str) -> str:
        return format(MASK, format_spec)

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError("Secrets are compared with matches(), so that no assertion prints them")

    __hash__ = None  # type: ignore[assignment]  # a hash would let a secret become a dictionary key

    def __copy__(self) -> NoReturn:
        raise TypeError("A secret can't be copied")

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise TypeError("A secret can't be copied")

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError("A secret can't be pickled")

    def __getstate__(self) -> NoReturn:
        raise TypeError("A secret can't be pickled")


def _encoded(text: str) -> bytes:
    # An encoding that failed would raise an error with the whole text in it.
    return text.encode("utf-8", "surrogatepass")
