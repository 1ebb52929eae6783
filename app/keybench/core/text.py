"""Rules for the short texts people give things: names, usernames, purposes, device identifiers."""

from __future__ import annotations

import unicodedata
from typing import Final

from keybench.core.card_data import refuse_card_data
from keybench.core.input_errors import NameInvalid

NAME_LIMIT: Final = 100
PURPOSE_LIMIT: Final = 200
NOTE_LIMIT: Final = 4000
#: Bidirectional controls (Unicode Standard Annex 9): they make a text read otherwise than it is.
_TURNS_TEXT_ROUND: Final = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}

#: Characters that join letters or pictures, or keep them from it, and aren't seen themselves.
_JOINERS: Final = "\u200c\u200d"
#: Behind what kinds of characters one that isn't seen changes how they look: letters without case, their
#: marks, pictures; a variation also behind figures and punctuation, as in keycaps.
_CHANGED: Final = frozenset({"Lo", "Mn", "Mc", "So", "Sk", "Sm"})
_VARIED: Final = _CHANGED | {"Nd", "Po"}
#: Blank although they count as letters, symbols or marks: fillers, the empty braille pattern, a joiner.
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_FLAG: Final = "\U0001f3f4"


def clean_text(what: str, text: str, *, limit: int = NAME_LIMIT, required: bool = True) -> str:
    """Return `text` trimmed and in one Unicode form; else NameInvalid or CardDataRefused.

    Refused are control characters, line breaks, and what is unseen or turns the direction of reading round.
    `what` is the field's stable word for the message (``key name``, ``username``, …).
    """
    refuse_card_data(what, text)  # first: whatever else is wrong with it, this is what matters
    tidy = _ruled(what, _tidy(text), limit, required=required, allowed="")
    if _has_unseen(tidy):
        raise NameInvalid(what, NameInvalid.UNSEEN, limit=limit)
    return tidy


def clean_note(what: str, text: str, *, limit: int = NOTE_LIMIT, required: bool = True) -> str:
    """Return a note of any number of lines, each without white space behind it; else as `clean_text`."""
    refuse_card_data(what, text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    tidy = _tidy("\n".join(line.rstrip() for line in lines))
    return _ruled(what, tidy, limit, required=required, allowed="\n\t")


def _tidy(text: str) -> str:
    """Return a text trimmed and in one Unicode form; empty if nothing of it is to be seen."""
    tidy = unicodedata.normalize("NFC", text).strip()
    return tidy if any(c.isprintable() and not c.isspace() for c in tidy) else ""


def _ruled(what: str, tidy: str, limit: int, *, required: bool, allowed: str) -> str:
    if required and not tidy:
        raise NameInvalid(what, NameInvalid.EMPTY, limit=limit)
    if len(tidy) > limit:
        raise NameInvalid(what, NameInvalid.TOO_LONG, limit=limit)
    if any(_is_control(c) for c in tidy if c not in allowed):
        raise NameInvalid(what, NameInvalid.CONTROL_CHARACTERS, limit=limit)
    return tidy


def _is_control(character: str) -> bool:
    category, direction = unicodedata.category(character), unicodedata.bidirectional(character)
    return category in {"Cc", "Cs", "Zl", "Zp"} or direction in _TURNS_TEXT_ROUND


def _has_unseen(text: str) -> bool:
    return any(_is_unseen(text, index) for index in range(len(text))) if not text.isascii() else False


def _is_unseen(text: str, index: int) -> bool:
    character, before = text[index], text[index - 1] if index else " "
    kind = "Mn" if _is_variation(before) else unicodedata.category(before)
    if character in _JOINERS:
        return kind not in _CHANGED or index + 1 == len(text) or text[index + 1].isascii()
    if _is_variation(character):
        return kind not in _VARIED
    if _is_tag(character):
        return not (before == _FLAG or _is_tag(before))
    return character in _BLANK or unicodedata.category(character) == "Cf"


def _is_variation(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def _is_tag(character: str) -> bool:
    return "\U000e0020" <= character <= "\U000e007f"
