"""Reading an answer's JSON by dotted paths, tolerant of form and strict about what can be used."""

from __future__ import annotations

import json
from typing import Any, Final

from keybench.core.errors import AnswerLost, AnswerUnreadable
from keybench.gateway.contract_model import Paths
from keybench.gateway.messages import Answer
from keybench.gateway.redaction import Redactor

#: The most of the gateway's own words that is shown, in characters.
WORDS_LIMIT: Final = 300
ID_LIMIT: Final = 200


def parse(text: str) -> Any:
    """Return JSON with every number as the text it came as; of a name that comes twice the last counts.

    Raises:
        ValueError: It isn't JSON, or it is nested deeper than Python follows.
    """
    try:
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except RecursionError:
        raise ValueError("too deep") from None


def whole(answer: Answer) -> Any:
    """Return a successful answer's JSON, an object or a list.

    Raises:
        AnswerLost: It broke off.
        AnswerUnreadable: It is a redirect, empty, too big, in an unknown encoding, or not such JSON.
    """
    if answer.lost:
        raise AnswerLost(answer.lost, status=answer.status)
    reason = _fault(answer)
    if not reason:
        try:
            document = parse(answer.text)
        except ValueError:
            reason = "not json"
        else:
            if isinstance(document, dict | list):
                return document
            reason = "not an object"
    raise AnswerUnreadable(reason, status=answer.status)


def _fault(answer: Answer) -> str:
    if not 200 <= answer.status < 300:  # noqa: PLR2004 - HTTP's own classes
        return "redirect" if answer.status >= 300 else "upgrade"  # noqa: PLR2004 - HTTP's redirects begin there
    if answer.unreadable:
        return answer.unreadable
    return "" if answer.text.strip() else "empty"


def find(document: Any, paths: Paths) -> Any:
    """Return what stands at the first of `paths` that is there, or None; ``.`` is the document itself."""
    for path in paths:
        found = document
        for step in () if path == "." else path.split("."):
            found = found.get(step) if isinstance(found, dict) else None
        if found is not None and not (path == "." and not isinstance(document, list)):
            return found
    return None


def find_text(document: Any, paths: Paths) -> str:
    """Return a text, made harmless, or the empty text if there is none."""
    found = find(document, paths)
    return harmless(found) if isinstance(found, str) else ""


def find_words(document: Any, paths: Paths, redactor: Redactor) -> str:
    """Return the gateway's own words for people: redacted, on one line, and cut."""
    return words(find_text(document, paths), redactor)


def words(text: str, redactor: Redactor) -> str:
    """Return any text of the gateway fit for people: redacted, on one line, and cut."""
    return " ".join(redactor.text(harmless(text)).split())[:WORDS_LIMIT]


def harmless(text: str) -> str:
    """Return `text` without what breaks stores and screens: halves of surrogate pairs, control characters."""
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)


def find_id(document: Any, paths: Paths) -> str:
    """Return an identifier, or the empty text if it is missing or can't be one: we build URLs from it."""
    found = find(document, paths)
    usable = isinstance(found, str) and 0 < len(found) <= ID_LIMIT and found.isprintable()
    return found if usable and found.strip(". ") else ""


def find_items(document: Any, paths: Paths) -> list[Any] | None:
    """Return a list, or None if there is none."""
    found = find(document, paths)
    return found if isinstance(found, list) else None
