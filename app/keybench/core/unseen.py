"""Characters that nobody sees: they make two names that look alike differ, or one read as another."""

from __future__ import annotations

import unicodedata
from typing import Final

_JOINERS: Final = "\u200c\u200d"
#: Letters and symbols of these names join, or are kept from it, by characters that aren't seen themselves.
_JOINING: Final = frozenset(
    """ARABIC SYRIAC MANDAIC NKO MONGOLIAN DEVANAGARI BENGALI GURMUKHI GUJARATI ORIYA TAMIL TELUGU KANNADA
    MALAYALAM SINHALA MYANMAR KHMER TIBETAN""".split()  # noqa: SIM905 - reads better
)
#: Blank although they count as letters, symbols or marks: fillers, the empty braille pattern, a joiner.
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_FLAG: Final = "\U0001f3f4"


def has_unseen(text: str) -> bool:
    """Tell whether there is a character in `text` that isn't seen and that its script doesn't need."""
    return any(_is_unseen(text, place) for place in range(len(text))) if not text.isascii() else False


def _is_unseen(text: str, place: int) -> bool:
    character = text[place]
    before, after = text[place - 1 : place] if place else "", text[place + 1 : place + 2]
    if character in _JOINERS:
        return not (_joins(before) and _joins(after)) and not (
            character == "\u200d" and _is_picture(before) and _is_picture(after)
        )
    if _is_variation(character):
        return not (_is_picture(before) or unicodedata.category(before or " ") in {"Lo", "Nd", "Po"})
    if _is_tag(character):
        return not (before == _FLAG or _is_tag(before))
    return character in _BLANK or unicodedata.category(character) == "Cf"


def _joins(character: str) -> bool:
    return unicodedata.name(character, "").partition(" ")[0] in _JOINING if character else False


def _is_picture(character: str) -> bool:
    return _is_variation(character) or unicodedata.category(character or " ") in {"So", "Sk", "Sm"}


def _is_variation(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def _is_tag(character: str) -> bool:
    return "\U000e0020" <= character <= "\U000e007f"
