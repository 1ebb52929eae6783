"""A language for tests: each sentence between marks, accented and 1.6 times as long, or in Hebrew letters."""

from __future__ import annotations

import gettext
import re
from typing import Final

from keybench.words import language, texts

#: Around each sentence.
OPEN, CLOSE = "«", "»"
#: What a translator leaves as it is: places, tags, code, links, and what Alt picks.
_KEPT: Final = re.compile(r"(\{[^}]*\}|</?\w+[^>]*>|&\w+;|`[^`]*`|\]\([^)]*\)|https?://\S+)")
_LONGER: Final = 1.6
ACCENTED: Final = str.maketrans("aeiouAEIOUncyNCY", "áéíôüÁÉÍÔÜñçýÑÇÝ")
HEBREW: Final = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "אבגדהוזחטיכלמנסעפצקרשתןםףךאבגדהוזחטיכלמנסעפצקרשתןםףך",
)


class MadeUp(gettext.NullTranslations):
    """Says every sentence in letters of its own."""

    def __init__(self, letters: dict[int, int] = ACCENTED) -> None:
        super().__init__()
        self._letters = letters

    def gettext(self, message: str) -> str:
        if message.startswith(OPEN):  # a word of a path that was said already
            return message
        parts = _KEPT.split(message)
        said = "".join(part if at % 2 else part.translate(self._letters) for at, part in enumerate(parts))
        letters = sum(len(part) for part in parts[::2])
        more = "ŵ" if self._letters is ACCENTED else "ש"
        words = " ".join([more * 4] * round(letters * (_LONGER - 1) / 5))
        return f"{OPEN}{said}{' ' if words else ''}{words}{CLOSE}"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


def speak(tag: str = "de", letters: dict[int, int] = ACCENTED) -> None:
    """Speak it from here on, and write as the locale of a tag does; before anything is said."""
    language.use([])
    spoken = language._spoken
    spoken.tag, spoken.catalogue = tag, MadeUp(letters)
    texts.catalogue_of = lambda _domain: spoken.catalogue  # type: ignore[assignment]  # instead of a file
