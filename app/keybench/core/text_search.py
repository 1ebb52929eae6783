"""Searching texts for secrets, however these are spelled there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import AnyStr, Final

from keybench.core.secret import SHORTEST_SEARCHED, Secret
from keybench.core.spellings import View, is_plain, views

#: Texts of fewer characters are searched for as they are written only.
SHORT: Final = 8
#: From so many on they are searched for in encoded bytes: any text can be taken for some that hold fewer.
_IN_BYTES: Final = 6
#: The name of a field, in JSON or in a form; what stands behind it, up to the next one, is its value.
_NAME: Final = re.compile(r'"([^"]{0,64})"\s{0,9}:')
_FORM_NAME: Final = re.compile(r"(?:\A|[?&\n])([A-Za-z0-9_.%-]{1,64})=")
#: What `_compact` keeps, and what it doesn't.
_PLAIN: Final = re.compile("[0-9A-Za-z]")
_REST: Final = bytes(set(range(256)) - set(b"abcdefghijklmnopqrstuvwxyz0123456789"))
#: Between two parts of a value it shows that these are in different fields or items.
_NEXT: Final = re.compile(r'["&\n]')


class SearchTerms:
    """Texts to search for: as they are, backwards, in any case of letters, as `core.spellings` reads a text.

    `least` is the length of the shortest that is searched for in encoded bytes, 0 if none is.
    """

    def __init__(self, values: Iterable[Secret]) -> None:
        texts = {value.reveal() for value in values} - {""}
        self._as_written = {text for text in texts if len(text) < SHORT}
        self._in_any_case = {form for text in texts - self._as_written for form in _forms(text.lower())}
        plain = {form for form in map(_compact, texts) if len(form) >= SHORTEST_SEARCHED}
        self._plain = plain | {form[::-1] for form in plain}
        self.longest = max(map(len, texts), default=0)
        self.shortest = min(map(len, texts), default=None)
        self.least = min((len(text) for text in texts if len(text) >= _IN_BYTES), default=0)

    def in_view(self, view: View) -> Iterator[tuple[int, int]]:
        """Return where they stand in a reading: from which of its characters to before which."""
        for form in self._as_written:
            yield from _found(form, view.text)
        if self._in_any_case:
            lowered = view.lowered()
            for form in self._in_any_case:
                yield from _found(form, lowered)

    def in_parts(self, view: View) -> Iterator[tuple[int, int]]:
        """Return where parts of them stand in a reading that are whole without what stands between them.

        That is anything but letters and figures, in one text or in neighbours: fields or items of a list one
        behind the other, and fields of one name. Of short texts parts aren't searched for.
        """
        for stream in _streams(view.text) if self._plain else ():
            plain = b"".join(_compact(view.text[start:end]) for start, end in stream)
            if found := {span for form in self._plain for span in _found(form, plain)}:
                kept = [one.start() for span in stream for one in _PLAIN.finditer(view.text, *span)]
                for at, end in found:
                    yield from _parts(view.text, kept[at:end])

    def readings(self, text: str) -> Iterable[View]:
        """Yield the readings of a text to search in; TooEntangled if it has more than an honest one."""
        return [View(text)] if is_plain(text, self.least) else views(text, self.least)


def _forms(value: str) -> set[str]:
    """Return what to search for in lower case: the value, in a form, as bytes, and each backwards."""
    forms = {value, value.replace(" ", "+"), value.encode("utf-8", "surrogatepass").decode("latin-1")}
    return forms if len(value) < SHORT else forms | {form[::-1] for form in forms}


def _compact(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass").lower().translate(None, _REST)


def _streams(text: str) -> Iterator[Sequence[tuple[int, int]]]:
    """Return what of a text is read as one: all of it, that without fields' names, and fields of one name."""
    yield [(0, len(text))]
    if names := [*(_NAME if '"' in text else _FORM_NAME).finditer(text)]:
        ends = [*(name.start() for name in names[1:]), len(text)]
        fields = [(name.end(), end) for name, end in zip(names, ends, strict=True)]
        yield fields
        alike: dict[str, list[tuple[int, int]]] = {}
        for name, span in zip(names, fields, strict=True):
            alike.setdefault(name[1], []).append(span)
        yield from (spans for spans in alike.values() if len(spans) > 1)


def _parts(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Return what letters and figures in these places cover, each field or item by itself."""
    start = places[0]
    for before, place in pairwise(places):
        if place != before + 1 and _NEXT.search(text, before + 1, place):
            yield start, before + 1
            start = place
    yield start, places[-1] + 1


def _found(form: AnyStr, text: AnyStr) -> Iterator[tuple[int, int]]:
    start = text.find(form)
    while start >= 0:
        yield start, start + len(form)
        start = text.find(form, start + 1)
