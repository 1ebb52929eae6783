"""What is wrong with a text in Add a New Key, worked out while one types."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from keybench.core.card_data import refuse_card_data
from keybench.core.input_errors import CardDataRefused, InputInvalid, NameTaken
from keybench.core.security_key import KeyKind, tidy_value
from keybench.core.text import NAME_LIMIT, PURPOSE_LIMIT, clean_text
from keybench.ui.tokens import Tone
from keybench.words.fields import field_sentence
from keybench.words.keys import hint_sentence, trimmed_sentence


@dataclass(frozen=True, slots=True)
class Finding:
    """What a field's message line says.

    Attributes:
        text: A sentence, or empty when there is nothing to say.
        tone: ``bad`` for a fault; ``good`` and ``warning`` don't keep the key from being added.
        card_data: Whether the field holds card data and must be emptied.
    """

    text: str = ""
    tone: Tone = "good"
    card_data: bool = False

    @property
    def is_fault(self) -> bool:
        """Whether the key can't be added like this."""
        return self.tone == "bad"


def check_name(text: str, taken: Collection[str]) -> Finding:
    """Look at a key name; `taken` are the names of the keys there are."""
    try:
        name = clean_text("key name", text)
        if name.casefold() in {other.casefold() for other in taken}:
            raise NameTaken("key", name)
    except InputInvalid as error:
        return _fault(error)
    return Finding()


def check_username(text: str) -> Finding:
    """Look at a username."""
    return _check("username", text)


def check_permission(text: str) -> Finding:
    """Look at a permission type."""
    return _check("permission", text)


def check_purpose(text: str) -> Finding:
    """Look at a purpose, which may be empty."""
    return _check("purpose", text, limit=PURPOSE_LIMIT, required=False)


def check_value(text: str, kind: KeyKind) -> Finding:
    """Look at a pasted value: a fault, or what was left out and what is odd about its form."""
    try:
        refuse_card_data("key value", text)
        tidy = tidy_value(text, kind)
    except InputInvalid as error:
        return _fault(error)
    trimmed, hint = trimmed_sentence(tidy.trimmed), hint_sentence(tidy.hint)
    if hint:
        return Finding(f"{trimmed} {hint}".strip(), "warning")
    return Finding(f"✓ {trimmed}" if trimmed else "", "good")


def _check(what: str, text: str, *, limit: int = NAME_LIMIT, required: bool = True) -> Finding:
    try:
        clean_text(what, text, limit=limit, required=required)
    except InputInvalid as error:
        return _fault(error)
    return Finding()


def _fault(error: InputInvalid) -> Finding:
    return Finding(field_sentence(error), "bad", isinstance(error, CardDataRefused))
