"""What a gateway's own words name, where they name one cause plainly: words differ, so this is no proof."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from keybench.core.diagnosis.checks import Sign

#: As much of a message is looked at.
_MOST: Final = 600
_OFF: Final = r"disabled|deactivated|inactive|suspended|blocked|locked|closed|restrict\w*|terminated"
#: The first that fits counts: what is said of a user or an account before what is said of the key.
_NAMED: Final[Mapping[Sign, re.Pattern[str]]] = {
    seen: re.compile(rf"\b(?:{words})", re.IGNORECASE)
    for seen, words in {
        Sign.WORDS_RATE: r"rate.?limit|too (?:many|often)|throttl|slow down|quota",
        Sign.WORDS_KIND: r"publishable|(?:public|private|client.side|partner)( api)? key|key.?(?:kind|type)",
        Sign.WORDS_USER: rf"(?:user|operator|login|employee)\b[^.;]{{0,60}}\b(?:{_OFF})",
        Sign.WORDS_ACCOUNT: rf"(?:account|merchant|company)\b[^.;]{{0,60}}\b(?:{_OFF})",
        Sign.WORDS_PERMISSION: r"permission|privilege|scopes?\b|entitle|not (?:allowed|authori[sz]ed) to",
        Sign.WORDS_HEADER: r"headers?\b|(?:auth\w* )?schemes?\b|bearer\b",
        Sign.WORDS_ENVIRONMENT: r"sandbox|production\b|environments?\b|(?:test|live) mode",
        Sign.WORDS_KEY_FORM: r"malformed|formats?\b|length\b",
        Sign.WORDS_KEY_ENDED: r"(?<!not )(?:expired|revoked|deleted)\b|no longer (?:valid|active)",
    }.items()
}
_URL: Final = re.compile(r"\b(?:https?://|www\.)\S*", re.IGNORECASE)
#: A text that lists what it may be names none of it.
_LISTS: Final = re.compile(r"\b(?:or|either)\b", re.IGNORECASE)
_TOO_MANY: Final = 429
_VARIES: Final = re.compile(r"\S*[0-9*•…]\S*")


def hint(status: int, code: str, message: str) -> Sign | None:
    """Return what an answer's words name; None where they name nothing, or several things."""
    if status == _TOO_MANY:
        return Sign.WORDS_RATE
    for text in (message, code.replace("_", " ")):
        plain = _URL.sub(" ", text[:_MOST])
        found = [seen for seen, words in _NAMED.items() if words.search(plain)]
        if found:
            return None if _LISTS.search(plain) or (len(found) > 1 and "," in plain) else found[0]
    return None


def likeness(status: int, code: str, message: str) -> str:
    """Return what is left of an answer without what differs each time: identifiers, figures, masked values.

    Two answers with the same likeness say the same.
    """
    return " ".join((str(status), code, " ".join(_VARIES.sub("#", message).split())))
