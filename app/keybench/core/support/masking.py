"""Taking out of a bundle what must not be in it, and a second look at the finished files for the same.

Values of keys are found as they are, in base64 and in hexadecimal, in any case of letters.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final
from urllib.parse import quote

from keybench.core.card_data import holds_card_data
from keybench.core.secret import Secret
from keybench.core.support.bundle import (
    CARD,
    COMPUTER,
    DIAGNOSIS,
    HAR,
    SETTINGS,
    TIMELINE,
    USER,
    VERSIONS,
    BundleFile,
    Documents,
    taken_out,
)

#: Fields that hold the program's own words, figures or times and nothing else: no placeholder fits in there.
_FIXED: Final = frozenset(
    {
        *("kind", "mode", "stage", "mark", "outcome", "at", "noted_at", "accepted_at", "finished_at"),
        *("tested_at", "currency", "amount", "state", "fingerprint", "reference"),
        *("startedDateTime", "method", "httpVersion", "version"),
    }
)
_CARD_RUN: Final = re.compile(r"[0-9](?:[ ,._/*-]{0,3}[0-9]){12,}")
#: What may be a card's in a finished file: a number with what stands round it, or a track.
_CARD_IN_FILE: Final = re.compile(
    r"[0-9A-Za-z-]{0,64}(?<![0-9])[0-9](?:[ ,._/*-]{0,3}[0-9]){12,}[0-9A-Za-z-]{0,64}"
    r"|%B[0-9 ]{12,22}\^|;[0-9]{12,19}=[0-9]{4}"
)
#: Shorter names are found in innocent words.
_SHORTEST_NAME: Final = 3
#: A piece of so many bytes tells which values may stand where it is.
_PIECE: Final = 8
#: What stands before a value's secret part says what kind of key it is: ``checkout_public_``, ``v4_secret_``.
_KIND: Final = re.compile(r"(?:(?:[a-z]{2,}|[A-Z]{2,}|v[0-9]{1,2})[_-])+(?=.{24})", re.ASCII)


class ValueFinder:
    """Finds values in texts, each with what to call it. A value of fewer than 8 bytes is found as a word."""

    def __init__(self, values: Iterable[tuple[str, Secret]]) -> None:
        forms: dict[bytes, str] = {}
        self._words: list[tuple[str, re.Pattern[bytes]]] = []
        for label, value in values:
            text = value.reveal()
            if text and len(text.encode("utf-8", "surrogatepass")) < _PIECE:
                word = re.escape(text.encode("utf-8", "surrogatepass").lower())
                self._words.append((label, re.compile(rb"(?<![a-z0-9_])" + word + rb"(?![a-z0-9_])")))
            else:
                forms |= dict.fromkeys(_forms(text), label)
        # Every whole form has a piece that begins where a text is looked at: at each so many bytes.
        self._stride = min(map(len, forms), default=_PIECE) - _PIECE + 1
        self._pieces: dict[bytes, list[tuple[bytes, int, str]]] = {}
        for form, label in forms.items():
            for offset in range(self._stride):
                self._pieces.setdefault(form[offset : offset + _PIECE], []).append((form, offset, label))

    def spans(self, text: bytes) -> set[tuple[int, int, str]]:
        """Return where values stand: from which byte to before which, and what each is called."""
        return set(self._found(text.lower()))  # of bytes only ASCII letters change

    def _found(self, text: bytes) -> Iterator[tuple[int, int, str]]:
        for label, word in self._words:
            yield from ((*match.span(), label) for match in word.finditer(text))
        pieces = self._pieces
        for at in range(0, len(text) - _PIECE + 1, self._stride) if pieces else ():
            for form, offset, label in pieces.get(text[at : at + _PIECE], ()):
                if at >= offset and text.startswith(form, at - offset):
                    yield at - offset, at - offset + len(form), label


def _forms(text: str) -> set[bytes]:
    """Return what to look for, in small letters: as it is, as files and addresses write it, and encoded."""
    secret = text[kind.end() :] if (kind := _KIND.match(text)) else text
    written = {secret, secret.upper(), json.dumps(secret)[1:-1], html.escape(secret), quote(secret, safe="")}
    forms = {one.encode("utf-8", "surrogatepass") for one in written}
    data = secret.encode("utf-8", "surrogatepass")
    forms.add(data.hex().encode())
    # Wherever it begins in what was encoded, without the digits it shares with others.
    for before in range(3):
        digits = base64.b64encode(bytes(before) + data)
        inner = digits[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        forms |= {inner, inner.translate(bytes.maketrans(b"+/", b"-_"))}
    return {form.lower() for form in forms}


class Names:
    """The names of the computer and its user; none that is too short to be told from words."""

    def __init__(self, computer: Iterable[str] = (), user: Iterable[str] = ()) -> None:
        told = [(name.strip(), COMPUTER) for name in computer] + [(name.strip(), USER) for name in user]
        self._marks = {name.lower(): mark for name, mark in told if len(name) >= _SHORTEST_NAME}
        longest_first = sorted(self._marks, key=lambda name: (-len(name), name))
        words = "|".join(map(re.escape, longest_first))
        self._pattern = re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])", re.IGNORECASE) if words else None

    def replaced(self, text: str) -> tuple[str, list[str]]:
        """Return a text with a placeholder for each name that is a word of its own, and the placeholders."""
        if self._pattern is None:
            return text, []
        marks = [self._marks[match[0].lower()] for match in self._pattern.finditer(text)]
        return self._pattern.sub(lambda match: self._marks[match[0].lower()], text), marks


def mask(documents: Documents, finder: ValueFinder, names: Names) -> list[dict[str, Any]]:
    """Put placeholders into documents, and return the lines of what was taken out of which fields."""
    taken: Counter[tuple[str, str]] = Counter()

    def masked(plain: Any, document: str, field: str) -> Any:
        if isinstance(plain, dict):
            return {name: masked(value, document, name) for name, value in plain.items()}
        if isinstance(plain, list):
            return [masked(value, document, field) for value in plain]
        if not isinstance(plain, str) or field in _FIXED:
            return plain
        text, marks = cleaned(plain, finder, names)
        taken.update((mark, f"{document.partition('.')[0]}/{field}") for mark in marks)
        return text

    for name in (TIMELINE, HAR, DIAGNOSIS, VERSIONS, SETTINGS):
        documents[name] = masked(documents[name], name, "")
    return [taken_out(what, where, count) for (what, where), count in sorted(taken.items())]


def cleaned(text: str, finder: ValueFinder, names: Names) -> tuple[str, list[str]]:
    """Return a text with placeholders for values, card numbers and names, and these placeholders."""
    marks = []
    data = text.encode("utf-8", "surrogatepass")
    if spans := finder.spans(data):
        pieces, done = [], 0
        for start, end, label in sorted(spans):
            if start >= done:
                pieces += [data[done:start], label.encode()]
                marks.append(label)
            done = max(done, end)
        text = b"".join([*pieces, data[done:]]).decode("utf-8", "surrogatepass")
    if (_CARD_RUN.search(text) or "%B" in text or ";" in text) and holds_card_data(text):
        text = _CARD_RUN.sub(lambda run: CARD if holds_card_data(run[0]) else run[0], text)
        text = CARD if holds_card_data(text) else text
        marks.append(CARD)
    text, found = names.replaced(text)
    return text, marks + found


def unsafe_places(files: Sequence[BundleFile], finder: ValueFinder) -> list[tuple[str, str, str]]:
    """Return what finished files hold of values and card numbers, in which file, and where."""
    found: dict[tuple[str, str, str], None] = {}
    for file in files:
        seen = [(label, start) for start, _end, label in sorted(finder.spans(file.data))]
        runs = _CARD_IN_FILE.finditer(file.data.decode("latin-1"))
        seen += [(CARD, run.start()) for run in runs if holds_card_data(run[0])]
        for what, at in seen:
            line = file.data.count(b"\n", 0, at) + 1
            found[what, file.name, f"line {line}"] = None
    return list(found)
