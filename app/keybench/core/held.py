"""Finding in a text the values of keys that only their fingerprints are known of.

A keystore may ask a person each time a value is read, so none is read for this: pieces of the text are
compared by fingerprint. That another text's piece has one of them happens once in four thousand million.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from keybench.core.fingerprint import bits_of, bits_of_text, folded_fingerprint
from keybench.core.secret import Secret
from keybench.core.security_key import SHORTEST_SOUGHT, SecurityKey
from keybench.core.spellings import TooEntangled, views

_LONGEST: Final = 128
#: In a word of up to so many characters a value may begin and end anywhere.
_WORD: Final = 160
#: In a longer one it has one of these lengths: those of known gateways' keys, and what tools usually make.
_USUAL: Final = (24, 27, 32, 36, 40, 42, 43, 44, 48, 64)
#: When so many pieces were compared, which takes some tenths of a second, only the usual lengths are left.
_MOST: Final = 100_000
#: More is longer than any text that is kept.
_TEXT_LIMIT: Final = 20_000
_LONG: Final = re.compile(rf"[!-~]{{{SHORTEST_SOUGHT},}}")


class HeldValues:
    """The values that no text may contain.

    Args:
        keys: Keys whose values are held.
        added: Values that are being added just now.
    """

    def __init__(self, keys: Iterable[SecurityKey], added: Iterable[Secret] = ()) -> None:
        exact: set[str] = set()
        folded: set[str] = set()
        self._sizes = set(_USUAL)
        for key in keys:
            # One that was kept before there were folded ones is found in its own case alone.
            (folded if key.folded_fingerprint else exact).add(key.folded_fingerprint or key.fingerprint)
        for value in added:
            folded.add(folded_fingerprint(value))
            self._sizes.add(len(value))
        self._exact = {bits_of(words) for words in exact - {""}}
        self._folded = {bits_of(words) for words in folded}

    def are_in(self, text: str) -> bool:
        """Tell whether `text` contains one of the values, however it is spelled."""
        try:
            words = long_words(text)
        except TooEntangled:
            return bool(self._exact or self._folded)
        return any(map(self._is_held, _pieces(words, self._sizes)))

    def _is_held(self, piece: str) -> bool:
        if not self._exact.isdisjoint((bits_of_text(piece), bits_of_text(piece[::-1]))):
            return True
        if not self._folded:
            return False
        piece = piece.lower()
        return not self._folded.isdisjoint((bits_of_text(piece), bits_of_text(piece[::-1])))


def long_words(text: str) -> set[str]:
    """Return what in `text`, however it is spelled, is long enough to contain a value.

    Raises:
        TooEntangled: Nobody can tell what it spells.
    """
    return {word for view in views(text[:_TEXT_LIMIT], SHORTEST_SOUGHT) for word in _LONG.findall(view.text)}


def _pieces(words: Iterable[str], sizes: Iterable[int]) -> Iterator[str]:
    """Return the pieces of words that may be a value."""
    usual, room = sorted(sizes), _MOST
    for word in sorted(words, key=len):
        length = len(word)
        every = range(SHORTEST_SOUGHT, min(length, _LONGEST) + 1) if length <= _WORD and room > 0 else usual
        for size in every:
            for start in range(length - size + 1):
                yield word[start : start + size]
            room -= max(length - size + 1, 0)
        yield word
