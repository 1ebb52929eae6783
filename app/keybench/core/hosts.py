"""Host names as they are looked up: in ASCII, so that one that looks like another is seen to be different."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

import idna

#: Scripts that are written together in one word; of others a word has one.
_TOGETHER: Final = (
    frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "CJK", "BOPOMOFO"}),
    frozenset({"LATIN", "CJK", "HANGUL"}),
)
_PLAIN: Final = re.compile(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+(?:%[0-9A-Za-z._-]+)?")


def is_plain_host(host: str) -> bool:
    """Tell whether a host's name, or its address, is in plain ASCII already."""
    return bool(_PLAIN.fullmatch(host))


def mixes_scripts(host: str) -> bool:
    """Tell whether a word of a host's name has letters of scripts that aren't written together."""
    words = (_decoded(word) for word in host.replace("。", ".").split("."))
    return any(not _go_together({_script(c) for c in word if c.isalpha()}) for word in words)


def plain_host(host: str) -> str:
    """Return a host's name as it is looked up, as ``xn--bcher-kva.example`` for ``bücher.example``.

    Raises:
        ValueError: It can't be one.
    """
    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        raise ValueError("no host name") from None


def _decoded(word: str) -> str:
    if not word.lower().startswith("xn--"):
        return word
    try:
        return idna.decode(word)
    except (idna.IDNAError, UnicodeError):
        return word


def _script(letter: str) -> str:
    name = unicodedata.name(unicodedata.normalize("NFKC", letter)[:1], "UNKNOWN")
    return re.split("[ -]", name, maxsplit=1)[0]


def _go_together(scripts: set[str]) -> bool:
    return len(scripts) <= 1 or any(scripts <= together for together in _TOGETHER)
