"""Finds values of known keys in what a person enters, by the fingerprints that are kept of them."""

from __future__ import annotations

from collections.abc import Iterable

from keybench.core.keys.key import SecurityKey
from keybench.core.secret import (
    SEARCHED,
    SHORTEST_SEARCHED,
    Secret,
    bits_of,
    bits_of_text,
    folded_fingerprint,
)


class KeptValues:
    """The values that no text may contain."""

    def __init__(self, keys: Iterable[SecurityKey], added: Iterable[Secret] = ()) -> None:
        self._by_length: dict[int, set[bytes]] = {}
        #: Of values with few letters and figures, and of those that an older Keybench kept.
        self._as_written: set[bytes] = set()
        for words in (
            *(key.folded_fingerprint or key.fingerprint for key in keys),
            *map(folded_fingerprint, added),
        ):
            bits = bits_of(words) if words else b""
            if len(bits) > SEARCHED:
                length = int.from_bytes(bits[SEARCHED:])
                self._by_length.setdefault(length, set()).add(bits[:SEARCHED])
            elif bits:
                self._as_written.add(bits)

    def are_in(self, text: str) -> bool:
        """Tell whether whole words of a text are one of the values, whatever separates its parts."""
        words = "".join(c if c.isalnum() else " " for c in text.casefold()).split()
        longest = max(self._by_length, default=0)
        for start in range(len(words)):
            joined = ""
            for word in words[start:]:
                joined += word
                if len(joined) > longest:
                    break
                known = self._by_length.get(len(joined))
                if known and bits_of_text(joined, SEARCHED) in known:
                    return True
        long = [word for word in text.split() if len(word) >= SHORTEST_SEARCHED]
        forms = {bits_of_text(form) for word in long for form in (word, word.casefold())}
        return not self._as_written.isdisjoint(forms)
