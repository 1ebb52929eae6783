"""Erasing a text that should not have been kept: a mark replaces it, and everything else stays as it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Final, TypeVar, cast

from keybench.core.input_errors import TextNotErasable
from keybench.core.rotation import THIS_CONSOLE
from keybench.core.secret import ERASED, MASK, Secret
from keybench.core.spellings import TooEntangled
from keybench.core.text_search import SearchTerms

T = TypeVar("T")

#: A shorter text would be found in innocent words.
SHORTEST: Final = 6
#: What that line says was done.
ACTION: Final = "text erased"
#: What the program finds things by, in what it keeps as one document, and its own words there.
_IDENTIFIERS: Final = frozenset(
    {
        *("id", "environment_id", "key_id", "application_id", "request_id", "gateway_id", "fingerprint"),
        *("sale", "what"),
    }
)


@dataclass(frozen=True, slots=True)
class Erasure:
    """What erasing a text came to, or would come to.

    Attributes:
        occurrences: How often the text was found.
        copies: How many copies from before an upgrade are next to the journal; they go when a text is erased.
        number: The number of the activity's line that says that it was erased; 0 if it was only looked for.
        is_swept: Whether nothing of it is left in unused parts of the journal's files.
    """

    occurrences: int
    copies: int = 0
    number: int = 0
    is_swept: bool = False


class Eraser:
    """Replaces one text by marks.

    Two spellings of it get two marks, so that names which differed before still differ. Of a text that
    nobody can read to its end (see `core.spellings`) goes what was found until then.

    Args:
        text: What is erased, without white space around it.
        number: The number of the line that says so.

    Attributes:
        occurrences: How often it was found so far.

    Raises:
        TextNotErasable: It is too short, or one of the program's own words.
    """

    def __init__(self, text: Secret, number: int = 0) -> None:
        if len(text) < SHORTEST:
            raise TextNotErasable(TextNotErasable.TOO_SHORT)
        self._terms = SearchTerms([text], any_case_from=SHORTEST)
        self._number = number
        self._marks: dict[str, str] = {}
        self.occurrences = 0
        if any(map(self.is_in, (THIS_CONSOLE, ACTION, self._mark_of("")))):
            raise TextNotErasable(TextNotErasable.OWN_WORD)
        self._marks.clear()

    def is_in(self, text: str) -> bool:
        """Tell whether it stands in a text."""
        return bool(self._found(text))

    def may_be_in(self, text: str) -> bool:
        """Tell whether it stands in a text, as quickly as can be; true also where nobody can tell."""
        return self._terms.may_be_in(text)

    def erased(self, text: str) -> str:
        """Return a text with a mark for each occurrence, and count these."""
        found = self._found(text)
        if not found:
            return text
        self.occurrences += len(found)
        pieces: list[str] = []
        done = 0
        for start, end in found:
            pieces += (text[done:start], self._mark_of(text[start:end]))
            done = end
        left = "".join((*pieces, text[done:]))
        return self._mark_of(text) if self._found(left) else left

    def needed(self, text: str, error: TextNotErasable) -> str:
        """Return a text in which nothing may be erased.

        Raises:
            TextNotErasable: It stands there; `error` says what needs the text.
        """
        if self.is_in(text):
            raise error
        return text

    def masked(self, text: str) -> str:
        """Return a text for a message, masked if it contains what is erased."""
        return MASK if self.is_in(text) else text

    def in_record(self, record: T, needed: TextNotErasable, fixed: frozenset[str] = frozenset()) -> T:
        """Return a record with marks in all its texts, however deep they stand.

        Args:
            record: A frozen dataclass whose texts, tuples and records are looked through.
            needed: Raised if the text stands in what the program finds things by, or in a field of `fixed`.
            fixed: Names of fields in which nothing may be erased.
        """
        names = [field.name for field in fields(cast("Any", record))]
        kept = fixed | _IDENTIFIERS
        changed = {
            name: self._in_value(getattr(record, name), needed, is_fixed=name in kept) for name in names
        }
        return cast("T", replace(cast("Any", record), **changed))

    def in_json(self, document: str, needed: TextNotErasable) -> str:
        """Return a JSON document with marks in its texts; nothing is erased in what isn't one.

        Raises:
            TextNotErasable: It stands in a text that is no document of JSON.
        """
        try:
            plain = json.loads(document)
        except ValueError:
            return self.needed(document, needed)
        if not isinstance(plain, (list, dict)):
            return self.needed(document, needed)
        before = self.occurrences
        changed = _in_json(plain, self.erased)
        return json.dumps(changed, ensure_ascii=False) if self.occurrences > before else document

    def _in_value(self, value: Any, needed: TextNotErasable, *, is_fixed: bool) -> Any:
        if type(value) is str:  # an enumeration's words are ours
            return self.needed(value, needed) if is_fixed else self.erased(value)
        if isinstance(value, tuple):
            return tuple(self._in_value(each, needed, is_fixed=is_fixed) for each in value)
        if is_dataclass(value):
            names = frozenset(field.name for field in fields(value)) if is_fixed else frozenset[str]()
            return self.in_record(value, needed, names)
        return value

    def _found(self, text: str) -> list[tuple[int, int]]:
        """Return where it is found, in order; spans that touch one another as one."""
        spans: list[tuple[int, int]] = []
        try:
            for view in self._terms.readings(text):
                spans += [view.span(*span) for span in self._terms.in_view(view)]
        except TooEntangled:
            pass  # an honest text has been read by then
        spans.sort()
        joined = spans[:1]
        for start, end in spans[1:]:
            last_start, last_end = joined[-1]
            if start >= last_end:
                joined.append((start, end))
            else:
                joined[-1] = (last_start, max(end, last_end))
        return joined

    def _mark_of(self, spelling: str) -> str:
        if spelling not in self._marks:
            number = len(self._marks) + 1
            self._marks[spelling] = f"{ERASED} #{self._number}{'' if number == 1 else f'.{number}'}]"
        return self._marks[spelling]


def _in_json(plain: Any, change: Callable[[str], str]) -> Any:
    match plain:
        case str():
            return change(plain)
        case list():
            return [_in_json(each, change) for each in plain]
        case dict():
            return {name: _in_json(each, change) for name, each in plain.items()}
        case _:
            return plain
