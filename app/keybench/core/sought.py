"""Texts that are looked for in other texts, however they are spelled there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from keybench.core.secret import Secret
from keybench.core.spellings import TooEntangled, View, is_plain, views

#: Texts of fewer characters aren't looked for backwards, nor in another case unless that is asked for.
SHORT: Final = 8
#: From so many on they are looked for in encoded bytes: any text can be taken for some that hold fewer.
_IN_BYTES: Final = 6


class Sought:
    """What is looked for: as it is, backwards, in any case of letters, as `core.spellings` reads a text.

    Args:
        values: The texts; empty ones are left out.
        any_case_from: A text of fewer characters is looked for as it is written only.

    Attributes:
        longest: The length of the longest, in characters; 0 if there is none.
        shortest: The length of the shortest; None if there is none.
        least: The length of the shortest that is looked for in encoded bytes; 0 if none is.
    """

    def __init__(self, values: Iterable[Secret], *, any_case_from: int = SHORT) -> None:
        texts = {value.reveal() for value in values} - {""}
        self._as_written = {text for text in texts if len(text) < any_case_from}
        self._in_any_case = {form for text in texts - self._as_written for form in _forms(text.lower())}
        self.longest = max(map(len, texts), default=0)
        self.shortest = min(map(len, texts), default=None)
        self.least = min((len(text) for text in texts if len(text) >= _IN_BYTES), default=0)

    def in_view(self, view: View) -> Iterator[tuple[int, int]]:
        """Return where the texts stand in a reading: from which of its characters to before which."""
        for form in self._as_written:
            yield from _found(form, view.text)
        if self._in_any_case:
            lowered = view.lowered()
            for form in self._in_any_case:
                yield from _found(form, lowered)

    def readings(self, text: str) -> Iterable[View]:
        """Return the readings of a text in which the texts are to be looked for.

        Raises:
            TooEntangled: While they are gone through: there is more to undo than an honest text has.
        """
        return [View(text)] if is_plain(text, self.least) else views(text, self.least)

    def may_be_in(self, text: str) -> bool:
        """Tell whether one of the texts stands in `text`, or nobody can tell what that spells."""
        try:
            return any(True for view in self.readings(text) for _ in self.in_view(view))
        except TooEntangled:
            return True


def _forms(value: str) -> set[str]:
    """Return what to look for in small letters: the value, in a form, as bytes, and each backwards."""
    forms = {value, value.replace(" ", "+"), value.encode("utf-8", "surrogatepass").decode("latin-1")}
    return forms if len(value) < SHORT else forms | {form[::-1] for form in forms}


def _found(form: str, text: str) -> Iterator[tuple[int, int]]:
    start = text.find(form)
    while start >= 0:
        yield start, start + len(form)
        start = text.find(form, start + 1)
