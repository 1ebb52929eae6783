"""Taking secrets and card numbers out of exchanges: by header name, by field name, by what a text spells."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any, Final, TypeVar
from urllib.parse import unquote
from weakref import finalize

from keybench.core.card_data import holds_card_data
from keybench.core.personal_data import plain_name, reduced, without_queries
from keybench.core.secret import MASK, Secret
from keybench.core.spellings import TooEntangled, View
from keybench.core.text_search import SearchTerms

V = TypeVar("V")

#: The most of a body an exchange keeps, in characters.
BODY_LIMIT: Final = 64 * 1024

_HEADER_HINTS: Final = ("auth", "cookie", "key", "token", "secret", "password", "session", "credential")
_SCHEMES: Final = {"bearer", "basic"}
_FIELDS: Final = frozenset(
    {
        *(
            "apikey",
            "securitykey",
            "key",
            "value",
            "token",
            "secret",
            "password",
            "authorization",
            "privatekey",
        ),
        *("cardnumber", "ccnumber", "pan", "ccexp", "expiration", "expirationdate", "expiry", "expdate"),
        *("cvv", "cvc", "cvv2", "cvc2", "securitycode", "track1", "track2", "trackdata"),
    }
)
_FIELD_ENDINGS: Final = ("apikey", "securitykey", "token", "secret", "password")
# Names are looked for from their ends, within bounds: a hostile body must not take more than linear time.
_NAME_END: Final = re.compile(r'"\s{0,64}:\s{0,64}')
_LONGEST_NAME: Final = 64
_PAIR: Final = re.compile(r"((?:\A|[?&])([A-Za-z0-9_.%-]{1,64})=)[^&\s\"'<>]+")
_TEXT: Final = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)', re.DOTALL)
_PLAIN: Final = re.compile(r"[^,}\]\s]*")
_DECODER: Final = json.JSONDecoder()
#: How many characters one of a value may be spelled with.
_WIDEST: Final = 32
#: A run of digits that may be a card number: this many at least, with little between them.
SHORTEST_CARD: Final = 13
#: A part of a value that is masked where it stands alone has so many characters, and there are so many.
_SHORTEST_PART: Final = 6
_MOST_PARTS: Final = 64
#: Texts up to so many characters are remembered, so many of them.
_USUAL_LENGTH: Final = 400
_MOST_KNOWN: Final = 2048
#: The same for bodies: the answers to a sale's polls are equal until there is news.
_USUAL_BODY: Final = 2048
_DIGITS: Final = re.compile(r"[0-9](?:[ ,._/*-]{0,3}[0-9]){12,}+")
_WORD: Final = re.compile(r"[0-9A-Za-z-]{0,64}")
_WORD_BEFORE: Final = re.compile(r"[0-9A-Za-z-]{0,64}\Z")


class Redactor:
    """Masks what must not be kept; it knows the values, so it lives no longer than they do.

    A value is found however it is spelled (see `core.text_search`), also in groups and cut over neighbouring
    fields; a short one as it is written only, or too much else would be taken for it. Card numbers are masked
    but for their last four figures.
    """

    def __init__(self, values: Iterable[Secret] = ()) -> None:
        self._terms = SearchTerms(values)
        self._shortest = min(self._terms.shortest or SHORTEST_CARD, SHORTEST_CARD)
        # The same few headers, addresses and bodies come with each poll; looking through them takes time.
        self._known: dict[tuple[object, ...], Any] = {}
        self._parts: tuple[str, ...] = ()

    def text(self, text: str) -> str:
        """Return `text` with every known value masked, however it is spelled, and every card number."""
        return self._masked(text, len(text))

    def clean(self, text: str) -> str:
        """Return a text that URLs and the journal get: empty if there is anything to mask in it."""
        return "" if self._spans(text) else text

    def headers(self, headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """Return headers with secret ones masked by name, and the rest by known value and people's data.

        The words Bearer and Basic stay: mixing them up with the bare key is a classic fault, to be seen.
        """
        return tuple(self._header(*header) for header in headers)

    def text_within(self, text: str, limit: int) -> str:
        """Return what `text` gives, cut to `limit` characters, in a time that the limit bounds too."""
        return self._masked(text, limit)[:limit]

    def body(self, body: str, limit: int = BODY_LIMIT, kept: AbstractSet[str] = frozenset()) -> str:
        """Return what of a body may be recorded, secret fields and known values masked, cut to `limit`."""
        if not body or len(body) > _USUAL_BODY:
            return self._reduced(body, limit, kept)
        return self._once(("body", body, limit, kept), lambda: self._reduced(body, limit, kept))

    def _reduced(self, body: str, limit: int, kept: AbstractSet[str]) -> str:
        return reduced(mask_form(mask_fields(self._masked(body, limit))), kept)[:limit]

    def _header(self, name: str, value: str) -> tuple[str, str]:
        secret = _is_secret_header(name)

        def shown() -> tuple[str, str]:
            return self.text(name), _masked(value) if secret else without_queries(self.text(value))

        is_usual = not secret and len(name) + len(value) <= _USUAL_LENGTH
        return self._once(("header", name, value), shown) if is_usual else shown()

    def _masked(self, text: str, limit: int) -> str:
        """Return the first `limit` characters masked; more is looked at, as the limit may split a value."""
        pieces: list[str] = []
        done = 0
        for start, end, mask in self._spans(text[: 2 * limit + _WIDEST * self._terms.longest]):
            if start >= limit:
                break
            pieces += (text[done:start], mask)
            done = end
        return "".join((*pieces, text[done:limit])) if done else text[:limit]

    def _spans(self, text: str) -> list[tuple[int, int, str]]:
        """Return what is to be masked, in order: where it begins and ends, and by what."""
        if len(text) < self._shortest:
            return []
        if len(text) > _USUAL_LENGTH:
            return self._looked_for(text)
        return self._once(("text", text), lambda: self._looked_for(text))

    def _once(self, asked: tuple[object, ...], found: Callable[[], V]) -> V:
        """Return what is found, which is remembered; large answers are looked through on other threads."""
        known: V | None = self._known.get(asked)
        if known is None:
            known = found()
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[asked] = known
        return known

    def _looked_for(self, text: str) -> list[tuple[int, int, str]]:
        found: list[tuple[int, int, str]] = []
        try:
            for view in self._terms.readings(text):
                found += [(*view.span(*span), MASK) for span in self._terms.in_view(view)]
                for start, end in self._terms.in_parts(view):
                    found.append((*view.span(start, end), MASK))
                    self._learn(view.text[start:end])
                for part in self._parts:
                    found += [(*view.span(*one.span()), MASK) for one in re.finditer(part, view.text)]
                found += [(*view.span(*span), mask) for *span, mask in _cards(view)]
        except TooEntangled:
            return [(0, len(text), MASK)]
        return _joined(found) if found else found

    def _learn(self, part: str) -> None:
        """Mask a part of a value from now on where it stands alone, as when one field of a body is read."""
        part = re.escape(part)
        if len(part) >= _SHORTEST_PART and part not in self._parts and len(self._parts) < _MOST_PARTS:
            self._parts = (*self._parts, part)
            self._known.clear()


#: The redactor of each value that is in use, by the value's identity.
_IN_USE: Final[dict[int, Redactor]] = {}


def redactor_of(values: tuple[Secret, ...]) -> Redactor:
    """Return what masks the values; of one value the same as before, for as long as the value is in use.

    Hundreds of sales are followed with one value, and finding all its spellings takes a while.
    """
    if len(values) != 1:
        return Redactor(values)
    (value,) = values
    identity = id(value)
    if identity not in _IN_USE:
        _IN_USE[identity] = Redactor(values)
        finalize(value, _IN_USE.pop, identity)  # before another value can have the identity
    return _IN_USE[identity]


def mask_fields(body: str) -> str:
    """Return JSON text, whole or broken, with the values of secret fields masked and all else as it came."""
    kept: list[str] = []
    done = 0
    for match in _NAME_END.finditer(body):
        end = match.start()
        start = body.rfind('"', max(done, end - _LONGEST_NAME - 1), end)
        if start < 0 or not is_secret_field(body[start + 1 : end]):
            continue
        kept += (body[done : match.end()], f'"{MASK}"')
        done = _end_of_value(body, match.end())
    kept.append(body[done:])
    return "".join(kept)


def mask_form(body: str) -> str:
    """Return a web form's text, or a text with addresses in it, with the values of secret fields masked."""
    if "=" not in body:
        return body
    return _PAIR.sub(lambda pair: f"{pair[1]}{MASK}" if is_secret_field(pair[2]) else pair[0], body)


def _end_of_value(body: str, start: int) -> int:
    if start < len(body) and body[start] in "{[":
        try:
            return _DECODER.raw_decode(body, start)[1]
        except (ValueError, RecursionError):
            return len(body)  # where it ends can't be told
    match = _TEXT.match(body, start) or _PLAIN.match(body, start)
    return match.end() if match else start


def _masked(value: str) -> str:
    scheme, space, _ = value.partition(" ")
    return f"{scheme} {MASK}" if space and scheme.lower() in _SCHEMES else MASK


def _is_secret_header(name: str) -> bool:
    plain = plain_name(name)
    return any(hint in plain for hint in _HEADER_HINTS)


@lru_cache(maxsize=1024)
def is_secret_field(name: str) -> bool:
    """Tell it of a name within `_LONGEST_NAME`; the same few come with each answer."""
    if "\\" in name:
        with contextlib.suppress(ValueError):  # a broken escape stays as it is
            name = json.loads(f'"{name}"', strict=False)
    plain = plain_name(unquote(name))
    return plain in _FIELDS or plain.endswith(_FIELD_ENDINGS)


def _cards(view: View) -> Iterator[tuple[int, int, str]]:
    """Return where card numbers stand in a reading; long identifiers made of other digits are none."""
    if view.of_bytes or not _DIGITS.search(view.text) or not holds_card_data(view.text):
        return
    for run in _DIGITS.finditer(view.text):
        start, end = run.span()
        before, after = (
            _WORD_BEFORE.search(view.text, max(start - _LONGEST_NAME, 0), start),
            _WORD.match(view.text, end),
        )
        if holds_card_data(view.text[before.start() if before else start : after.end() if after else end]):
            yield start, end, f"{MASK}{''.join(c for c in run[0] if c.isdigit())[-4:]}"


def _joined(spans: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    spans.sort()
    joined = spans[:1]
    for start, end, mask in spans[1:]:
        last_start, last_end, last_mask = joined[-1]
        if start >= last_end:
            joined.append((start, end, mask))
        else:
            joined[-1] = (last_start, max(end, last_end), last_mask if mask == last_mask else MASK)
    return joined
