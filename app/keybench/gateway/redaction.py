"""Taking secrets out of exchanges: by header name, by field name, by known value in any spelling."""

from __future__ import annotations

import base64
import contextlib
import html
import json
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final
from urllib.parse import quote, quote_plus
from weakref import ref

from keybench.core.secret import MASK, Secret

#: The most of a body an exchange keeps, in characters.
BODY_LIMIT: Final = 64 * 1024

_HEADER_HINTS: Final = ("auth", "cookie", "key", "token", "secret", "password", "session", "credential")
_SCHEME: Final = "bearer"
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
_LONGEST_HEADER: Final = 64
_PAIR: Final = re.compile(r"((?:\A|[?&])([A-Za-z0-9_.%-]{1,64})=)[^&\s\"'<>]+")
_TEXT: Final = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)', re.DOTALL)
_PLAIN: Final = re.compile(r"[^,}\]\s]*")
_ESCAPE: Final = re.compile(r"%[0-9A-F]{2}")
_DECODER: Final = json.JSONDecoder()
_URL_ALPHABET: Final = str.maketrans("+/", "-_")
#: A piece of a value inside other base64 text is masked from this length on; shorter ones occur by chance.
_PIECE: Final = 8


class Redactor:
    """Masks what must not be kept; it knows the values, so it lives no longer than they do.

    Args:
        values: The values that must not survive, wherever they stand.
    """

    def __init__(self, values: Iterable[Secret] = ()) -> None:
        found = {form for value in values for form in _forms(value.reveal())}
        self._forms = sorted(found, key=len, reverse=True)
        self._shortest = len(self._forms[-1]) if found else 0

    def text(self, text: str) -> str:
        """Return `text` with every known value masked, be it raw, base64, URL-encoded or escaped."""
        if len(text) < self._shortest:
            return text
        for form in self._forms:
            if form in text:
                text = text.replace(form, MASK)
        return text

    def headers(self, headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """Return headers with secret ones masked by name, and the rest by known value.

        The word Bearer stays: mixing it up with the bare key is a classic fault, which must be seen.
        """
        return tuple(
            (self.text(name), _masked(value) if _is_secret_header(name) else self.text(value))
            for name, value in headers
        )

    def text_within(self, text: str, limit: int) -> str:
        """Return what `text` gives, cut to `limit` characters, in a time that the limit bounds too."""
        return self._within(text, limit, lambda beginning: beginning)

    def body(self, body: str, limit: int = BODY_LIMIT) -> str:
        """Return a body with secret fields and known values masked, cut to `limit` characters."""
        return self._within(body, limit, lambda beginning: mask_form(mask_fields(beginning)))

    def _within(self, text: str, limit: int, mask: Callable[[str], str]) -> str:
        """Look at little more than twice the limit.

        A value that this cut may have split is left out at the end: masks are short, so it could otherwise
        move up into what is kept.
        """
        longest = len(self._forms[0]) if self._forms else 0
        seen = 2 * limit + longest
        masked = self.text(mask(text[:seen]))
        if len(text) > seen and longest:
            masked = masked[:-longest]
        return masked[:limit]


#: The redactor of each value that is in use, by the value's identity; it goes when the value goes.
_IN_USE: Final[dict[int, tuple[ref[Secret], Redactor]]] = {}


def redactor_of(values: tuple[Secret, ...]) -> Redactor:
    """Return what masks the values; of one value the same as before, for as long as the value is in use.

    Hundreds of sales are followed with one value, and finding all its spellings takes a while.
    """
    if len(values) != 1:
        return Redactor(values)
    (value,) = values
    known = _IN_USE.get(id(value))
    if known is None or known[0]() is not value:
        place = id(value)
        known = ref(value, lambda gone: _forget(place, gone)), Redactor(values)
        _IN_USE[place] = known
    return known[1]


def _forget(place: int, gone: ref[Secret]) -> None:
    if place in _IN_USE and _IN_USE[place][0] is gone:  # another value may have the place by now
        del _IN_USE[place]


def mask_fields(body: str) -> str:
    """Return JSON text, whole or broken, with the values of secret fields masked and all else as it came."""
    kept: list[str] = []
    done = 0
    for match in _NAME_END.finditer(body):
        end = match.start()
        start = body.rfind('"', max(done, end - _LONGEST_NAME - 1), end)
        if start < 0 or not _is_secret_field(body[start + 1 : end]):
            continue
        kept += (body[done : match.end()], f'"{MASK}"')
        done = _end_of_value(body, match.end())
    kept.append(body[done:])
    return "".join(kept)


def mask_form(body: str) -> str:
    """Return a web form's text, or a text with addresses in it, with the values of secret fields masked."""
    if "=" not in body:
        return body
    return _PAIR.sub(lambda pair: f"{pair[1]}{MASK}" if _is_secret_field(pair[2]) else pair[0], body)


def _end_of_value(body: str, start: int) -> int:
    if start < len(body) and body[start] in "{[":
        try:
            return _DECODER.raw_decode(body, start)[1]
        except (ValueError, RecursionError):
            return len(body)  # where it ends can't be told
    match = _TEXT.match(body, start) or _PLAIN.match(body, start)
    return match.end() if match else start


def _plain_name(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())


def _masked(value: str) -> str:
    scheme, space, _ = value.partition(" ")
    return f"{scheme} {MASK}" if space and scheme.lower() == _SCHEME else MASK


def _is_secret_header(name: str) -> bool:
    return _is_secret_name(name[:_LONGEST_HEADER]) or (
        len(name) > _LONGEST_HEADER and any(hint in _plain_name(name) for hint in _HEADER_HINTS)
    )


@lru_cache(maxsize=256)
def _is_secret_name(name: str) -> bool:
    """Tell it of a header's name of usual length; the same few come with each answer."""
    plain = _plain_name(name)
    return any(hint in plain for hint in _HEADER_HINTS)


@lru_cache(maxsize=1024)
def _is_secret_field(name: str) -> bool:
    """Tell it of a name within `_LONGEST_NAME`; the same few come with each answer."""
    if "\\" in name:
        with contextlib.suppress(ValueError):  # a broken escape stays as it is
            name = json.loads(f'"{name}"', strict=False)
    plain = _plain_name(name)
    return plain in _FIELDS or plain.endswith(_FIELD_ENDINGS)


def _forms(value: str) -> set[str]:
    raw = value.encode("utf-8", "surrogatepass")
    every_byte = f"%{raw.hex('%')}" if raw else ""
    forms = {value, every_byte, every_byte.upper()} | _base64_forms(raw)
    if not (value.isascii() and value.isalnum()):  # else these are all spelled as the value itself
        escaped = json.dumps(value)[1:-1]
        upper = {quote(value, safe=""), quote(value), quote_plus(value)}
        lower = {_ESCAPE.sub(lambda match: match[0].lower(), form) for form in upper}
        forms |= {html.escape(value), escaped, escaped.replace("/", "\\/")} | upper | lower
    return forms - {""}


def _base64_forms(raw: bytes) -> set[str]:
    """Return `raw` in both alphabets, padded or not, and as it looks inside a longer base64 text."""
    whole = base64.b64encode(raw).decode()
    forms = {whole, whole.rstrip("=")}
    for shift, skipped in enumerate((0, 2, 3)):
        piece = base64.b64encode(bytes(shift) + raw).decode()[skipped : (shift + len(raw)) * 8 // 6]
        if len(piece) >= _PIECE:
            forms.add(piece)
    return forms | {form.translate(_URL_ALPHABET) for form in forms if "+" in form or "/" in form}
