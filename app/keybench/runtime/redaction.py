"""Takes out of a text what is secret, for the log and for what a person sends of it."""

from __future__ import annotations

import re
from typing import Final

from keybench.core.personal_data import without_queries
from keybench.core.secret import MASK, living
from keybench.core.support.masking import Names, ValueFinder, cleaned

#: What stands behind the name of a secret, as in a header, in JSON, in a form or in Python.
_NAMED: Final = re.compile(
    r"((?<![A-Za-z])[\w-]{0,40}(?:key|token|secret|passw(?:or)?d|authorization|cookie|credentials?|session(?:[_-]?id)?)"
    r"(?:\\?[\"'])?\s{0,3}[:=]\s{0,3})(?:b?(\\?[\"'])(?:\\.|.)*?(?:\2|$)"
    r"|(?:(?:bearer|basic)\s+)?[^\s,;&)}\]\"']+(?:;\s?[\w-]+=[^\s,;\"']+)*)",
    re.IGNORECASE | re.MULTILINE,
)
#: Keys in the forms that services give them, other long texts with figures, and who a URL lets in.
_TOKEN: Final = re.compile(
    r"(?<![\w-])(?:v[0-9]_secret_\w{8,}|checkout_(?:public|secret)_\w{8,}|[A-Za-z0-9]{6}(?:-[A-Za-z0-9]{6}){3}"
    r"|(?![0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![\w-]))(?=(?:[A-Za-z_-]*[0-9]){3})[\w-]{24,}"
    r"|(?<=://)[^\s/@:]*:[^\s/@]+(?=@))(?![\w-])",
    re.ASCII,
)


def redacted(text: str) -> str:
    """Return a text without values of keys, headers and secret fields, card numbers, and people's data."""
    finder = ValueFinder((MASK, value) for value in living() if value)
    text = cleaned(text, finder, Names())[0]
    return without_queries(_TOKEN.sub(MASK, _NAMED.sub(rf"\1\2{MASK}\2", text)))
