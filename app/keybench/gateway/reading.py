"""Reading an answer's JSON by dotted paths, tolerant of form and strict about what can be used."""

from __future__ import annotations

import json
import re
from typing import Any, Final
from urllib.parse import parse_qsl

from keybench.core.errors import AnswerLost, AnswerUnreadable
from keybench.gateway.contract_model import Paths, Shape
from keybench.gateway.messages import Answer
from keybench.gateway.redaction import Redactor

#: The most of the gateway's own words that is shown, in characters.
WORDS_LIMIT: Final = 300
ID_LIMIT: Final = 200
#: More devices than any account has.
ITEMS_LIMIT: Final = 10_000
#: A hint that is longer than this isn't followed: a sale's outcome is worth asking for.
HINT_LIMIT_S: Final = 60.0
_MOST_FORM_FIELDS: Final = 500
_NAMES: Final = {Shape.JSON: "json", Shape.FORM: "a form"}
_DECODER: Final = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
_NUMBER: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


def parse(text: str) -> Any:
    """Return JSON with every number as the text it came as; of a name that comes twice the last counts.

    Raises:
        ValueError: It isn't JSON, or it is nested deeper than Python follows.
    """
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("too deep") from None


def whole(answer: Answer, shape: Shape = Shape.JSON) -> Any:
    """Return a successful answer's fields: a JSON object or list, or a web form as an object.

    Raises:
        AnswerLost: It broke off.
        AnswerUnreadable: It is a redirect, empty, too big, in an unknown encoding, or not such JSON.
    """
    if answer.lost:
        raise AnswerLost(answer.lost, status=answer.status)
    reason = _fault(answer)
    if not reason:
        try:
            document = _parse_form(answer.text) if shape is Shape.FORM else parse(answer.text)
        except ValueError:
            reason = f"not {_NAMES[shape]}"
        else:
            if isinstance(document, dict | list):
                return document
            reason = "not an object"
    raise AnswerUnreadable(reason, status=answer.status)


def _parse_form(text: str) -> dict[str, str]:
    """Return a web form's fields; of a name that comes twice the last counts.

    Raises:
        ValueError: It isn't one, or has more fields than any answer.
    """
    fields = dict(parse_qsl(text.strip(), keep_blank_values=True, max_num_fields=_MOST_FORM_FIELDS))
    if not fields or text.lstrip()[:1] in {"<", "{", "["}:
        raise ValueError("no form")
    return {name: value for name, value in fields.items() if value}


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
    return _one_line(redactor.text_within(text, WORDS_LIMIT))


def raw_words(text: str, redactor: Redactor) -> str:
    """Return the beginning of an answer nobody understood, fit for people; secret fields are masked too."""
    return _one_line(redactor.body(text, WORDS_LIMIT))


def _one_line(text: str) -> str:
    return " ".join(harmless(text).split())[:WORDS_LIMIT]


def find_seconds(document: Any, paths: Paths) -> float | None:
    """Return a suggested pause in seconds, within `HINT_LIMIT_S`, or None if there is no such number."""
    text = find_text(document, paths)
    return min(float(text), HINT_LIMIT_S) if _NUMBER.fullmatch(text) else None


def harmless(text: str) -> str:
    """Return `text` without what breaks stores and screens: halves of surrogate pairs, control characters."""
    if text.isprintable():  # nearly always, and a hundred times as quick to tell
        return text
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)


def find_id(document: Any, paths: Paths) -> str:
    """Return an identifier, or the empty text if it is missing or can't be one: we build URLs from it."""
    found = find(document, paths)
    usable = isinstance(found, str) and 0 < len(found) <= ID_LIMIT and found.isprintable()
    return found if usable and found.strip(". ") else ""


def find_items(document: Any, paths: Paths) -> list[Any] | None:
    """Return a list, cut at `ITEMS_LIMIT` items, or None if there is none."""
    found = find(document, paths)
    return found[:ITEMS_LIMIT] if isinstance(found, list) else None
