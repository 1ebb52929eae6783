"""Rules for the short texts people give things: names, usernames, purposes, device identifiers."""

from __future__ import annotations

import unicodedata
from typing import Final

from keybench.core.card_data import refuse_card_data
from keybench.core.errors import NameInvalid
from keybench.core.unseen import has_unseen

NAME_LIMIT: Final = 100
PURPOSE_LIMIT: Final = 200
NOTE_LIMIT: Final = 4000
#: Bidirectional controls (Unicode Standard Annex 9): they make a text read otherwise than it is.
_TURNS_TEXT_ROUND: Final = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def clean_text(what: str, text: str, *, limit: int = NAME_LIMIT, required: bool = True) -> str:
    """Return `text` trimmed and in one Unicode form, or say which rule it breaks.

    Args:
        what: The field's stable word, for the message (``key name``, ``username``, …).
        text: What was entered.
        limit: The most characters allowed.
        required: Whether an empty text is refused.

    Raises:
        NameInvalid: Empty or with nothing to be seen, longer than `limit`, or with control characters,
            line breaks, characters that turn the direction of reading round, or unseen ones.
        CardDataRefused: It holds card data.
    """
    refuse_card_data(what, text)  # first: whatever else is wrong with it, this is what matters
    tidy = _ruled(what, _tidy(text), limit, required=required, allowed="")
    if has_unseen(tidy):
        raise NameInvalid(what, NameInvalid.UNSEEN, limit=limit)
    return tidy


def clean_note(what: str, text: str, *, limit: int = NOTE_LIMIT, required: bool = True) -> str:
    """Return a note of any number of lines, each without white space behind it, or say which rule it breaks.

    Args:
        what: The field's stable word, for the message (``reason``, ``findings``, …).
        text: What was entered.
        limit: The most characters allowed.
        required: Whether an empty text is refused.

    Raises:
        NameInvalid, CardDataRefused: As `clean_text`, but line breaks and tabs are allowed.
    """
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
