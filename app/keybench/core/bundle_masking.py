"""Taking out of a bundle what must not be in it, and a second look at the finished files for the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from keybench.core.bundle import (
    CARD,
    COMPUTER,
    DIAGNOSIS,
    HAR,
    OURS,
    SETTINGS,
    TIMELINE,
    USER,
    VERSIONS,
    BundleFile,
    Documents,
    taken_out,
)
from keybench.core.card_data import holds_card_data
from keybench.core.value_finder import ValueFinder

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
    """Put placeholders into documents, and return the lines of what was taken out."""
    taken: Counter[tuple[str, str]] = Counter()

    def masked(plain: Any, field: str, where: str) -> Any:
        if isinstance(plain, dict):
            return {name: masked(value, name, where) for name, value in plain.items()}
        if isinstance(plain, list):
            return [masked(value, field, where) for value in plain]
        if not isinstance(plain, str) or field in _FIXED:
            return plain
        text, marks = _masked(plain, finder, names)
        taken.update((mark, where) for mark in marks)
        return text

    for place, part in _parts(documents):
        for name in part:
            part[name] = masked(part[name], name, f"{place}/{name}")
    return [taken_out(what, where, count) for (what, where), count in sorted(taken.items())]


def _parts(documents: Documents) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return what is looked through, each with its place: sales and exchanges one by one."""
    yield from ((f"sales/{sale['reference']}", sale) for sale in documents[TIMELINE]["sales"])
    counted: Counter[str] = Counter()
    for entry in documents[HAR]["log"]["entries"]:
        reference = entry[OURS]["sale"]
        counted[reference] += 1
        yield f"exchanges/{reference}/{counted[reference]}", entry
    yield from ((name.partition(".")[0], documents[name]) for name in (DIAGNOSIS, VERSIONS, SETTINGS))


def _masked(text: str, finder: ValueFinder, names: Names) -> tuple[str, list[str]]:
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
