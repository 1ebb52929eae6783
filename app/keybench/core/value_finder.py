"""Finds values of keys in texts: as they are, in base64 and in hexadecimal, in any case of letters."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote

from keybench.core.secret import Secret

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
    for before in range(
        3
    ):  # wherever it begins in what was encoded, without the digits it shares with others
        digits = base64.b64encode(bytes(before) + data)
        inner = digits[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        forms |= {inner, inner.translate(bytes.maketrans(b"+/", b"-_"))}
    return {form.lower() for form in forms}
