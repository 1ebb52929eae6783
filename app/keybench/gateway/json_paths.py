"""Reading an answer's JSON by dotted paths, tolerant of form and strict about what can be used."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl

from keybench.core.errors import AnswerLost, AnswerUnreadable
from keybench.core.personal_data import without_personal_data
from keybench.core.reasons import Reason
from keybench.gateway.contract_rules import Paths, Shape
from keybench.gateway.messages import Answer
from keybench.gateway.redaction import Redactor

#: The most of the gateway's own words that is shown, in characters.
WORDS_LIMIT: Final = 300
ID_LIMIT: Final = 200
#: More devices than any account has.
ITEMS_LIMIT: Final = 10_000
#: A hint that is longer than this isn't followed: a sale's outcome is worth another poll.
HINT_LIMIT_S: Final = 60.0
_MOST_FORM_FIELDS: Final = 500
_MALFORMED: Final = {Shape.JSON: Reason.NOT_JSON, Shape.FORM: Reason.NOT_A_FORM}
_NO: Final = frozenset({"", "false", "0", "no", "null", "none"})
#: What gateways call a payment request or its identifier; without case or separators.
_REQUEST_NAMES: Final = frozenset(
    {"paymentrequest", "paymentrequestid", "paymentrequestguid", "requestid", "asyncstatusguid"}
)
_NUMBER: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")
_SINCE_1970: Final = re.compile(r"([0-9]{10})(?:\.[0-9]{1,9})?|[0-9]{13}")
_LINK: Final = re.compile(r"""<([^<>]*)>[^<>,]*?;\s*rel\s*=\s*"?([^";,<>]*)""", re.IGNORECASE)
_WHOLE: Final = re.compile(r"[0-9]+", re.ASCII)


class NameTwice(ValueError):
    """A name stands more than once in an object: parsers differ in which value they take."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NameTwice
    return found


_DECODER: Final = json.JSONDecoder(
    parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_object
)


def parse(text: str) -> Any:
    """Return JSON with every number as the text it came as."""
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("too deep") from None


def whole(answer: Answer, shape: Shape = Shape.JSON) -> Any:
    """Return a successful answer's fields: a JSON object or list, or a web form as an object."""
    if answer.lost:
        raise AnswerLost(answer.lost, status=answer.status)
    reason = _fault(answer)
    if not reason:
        try:
            document = _parse_form(answer.text) if shape is Shape.FORM else parse(answer.text)
        except NameTwice:
            reason = Reason.NAME_TWICE
        except ValueError:
            reason = _MALFORMED[shape]
        else:
            if isinstance(document, dict | list):
                return document
            reason = Reason.NOT_AN_OBJECT
    raise AnswerUnreadable(reason, status=answer.status)


def plain(answer: Answer) -> Any:
    """Return a practice gateway's answer with numbers as such, None if it is empty; raises as `whole`."""
    if not answer.text:
        return None
    whole(answer)  # or it says what is the matter; numbers are texts in it
    return json.loads(answer.text)


def document_in(answer: Answer) -> Any:
    """Return an answer's JSON object or list, whatever its status; None where it has none."""
    try:
        document = parse(answer.text)
    except ValueError:
        return None
    return document if isinstance(document, dict | list) and not answer.unreadable else None


def _parse_form(text: str) -> dict[str, str]:
    pairs = parse_qsl(text.strip(), keep_blank_values=True, max_num_fields=_MOST_FORM_FIELDS)
    if not pairs or text.lstrip()[:1] in {"<", "{", "["}:
        raise ValueError("no form")
    return _object([(name, value) for name, value in pairs if value])


def _fault(answer: Answer) -> Reason | None:
    if not 200 <= answer.status < 300:  # noqa: PLR2004 - HTTP's own classes
        is_redirect = answer.status >= 300  # noqa: PLR2004 - HTTP's redirects begin there
        return Reason.REDIRECT if is_redirect else Reason.UPGRADE
    if answer.status == HTTPStatus.PARTIAL_CONTENT:
        return Reason.PART
    if answer.unreadable:
        return answer.unreadable
    return None if answer.text.strip() else Reason.EMPTY


def find(document: Any, paths: Paths) -> Any:
    """Return what stands at the first of `paths` that is there, or None; ``.`` is the document itself."""
    for path in paths:
        found = document
        for step in () if path == "." else path.split("."):
            found = found.get(step) if isinstance(found, dict) else None
        if found is not None and not (path == "." and not isinstance(document, list)):
            return found
    return None


def find_all(document: Any, paths: Paths) -> list[Any]:
    """Return all that stands at any of `paths`, also in lists on the way.

    What an answer tells is read by `find`; this is for what else in it may deny that. Where something else
    stands than the object that a path leads through, that is returned. Null and blanks aren't there.
    """
    found: list[Any] = []
    for path in paths:
        at = [document]
        for step in path.split("."):
            at = [value for one in _unlisted(at) for value in _named(one, step)]
        found += _unlisted(at)
    return [value for value in found if value is not None and str(value).strip()]


def _unlisted(values: list[Any]) -> list[Any]:
    flat: list[Any] = []
    waiting = list(reversed(values))
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += reversed(value)
        else:
            flat.append(value)
    return flat


def _named(value: Any, name: str) -> list[Any]:
    if not isinstance(value, dict):
        return [value]
    return [value[name]] if name in value else []


def find_requests(document: Any, paths: Paths) -> set[str]:
    """Return every identifier of a payment request in an answer: at `paths`, and by names outside lists.

    One that isn't a text is the empty text.
    """
    found, waiting = find_all(document, paths), [document]
    while waiting:
        value = waiting.pop()
        for name, told in value.items() if isinstance(value, dict) else ():
            if "".join(filter(str.isalnum, name.casefold())) in _REQUEST_NAMES:
                found.append(told.get("id") if isinstance(told, dict) else told)
            waiting.append(told)
    return {told if isinstance(told, str) else "" for told in found if told is not None}


def objects_in(document: Any) -> list[dict[str, Any]]:
    """Return the objects in an answer, itself included, however deep."""
    found: list[dict[str, Any]] = []
    waiting = [document]
    while waiting:
        for value in _unlisted([waiting.pop()]):
            if isinstance(value, dict):
                found.append(value)
                waiting += value.values()
    return found


def find_text(document: Any, paths: Paths) -> str:
    """Return a text, made harmless, or the empty text if there is none."""
    found = find(document, paths)
    return harmless(found) if isinstance(found, str) else ""


def find_words(document: Any, paths: Paths, redactor: Redactor) -> str:
    """Return the gateway's own words for people: redacted, on one line, and cut."""
    return words(find_text(document, paths), redactor)


def words(text: str, redactor: Redactor) -> str:
    """Return any text of the gateway fit for people: redacted, on one line, and cut."""
    # More than is shown: where the cut is, what stands there must still be known for what it is.
    return without_personal_data(_one_line(redactor.text_within(text, 2 * WORDS_LIMIT)))[:WORDS_LIMIT]


def raw_words(text: str, redactor: Redactor, kept: AbstractSet[str] = frozenset()) -> str:
    """Return the beginning of an answer nobody understood, fit for people; of its fields the kept ones."""
    return _one_line(redactor.body(text, 2 * WORDS_LIMIT, kept))[:WORDS_LIMIT]


def _one_line(text: str) -> str:
    return " ".join(harmless(text).split())


def find_seconds(document: Any, paths: Paths) -> float | None:
    """Return a suggested pause in seconds, within `HINT_LIMIT_S`, or None if there is no such number."""
    text = find_text(document, paths)
    return min(float(text), HINT_LIMIT_S) if _NUMBER.fullmatch(text) else None


def find_moment(document: Any, paths: Paths) -> datetime | None:
    """Return a moment in UTC, which one without a zone is taken to be in; None if there is none."""
    text = find_text(document, paths).strip()
    try:
        if match := _SINCE_1970.fullmatch(text):
            return datetime.fromtimestamp(float(text) / (1 if match[1] else 1000), UTC)
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


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


def next_link(header: str) -> str:
    """Return the address of the next page from a ``Link`` header (RFC 8288), or the empty text."""
    links = (match for match in _LINK.finditer(header) if "next" in match[2].lower().split())
    return next((match[1].strip() for match in links), "")


def is_no(text: str) -> bool:
    """Tell whether a text says no, or none."""
    return text.strip().lower() in _NO


def looks_whole(document: Any, pattern: Any, items: Sequence[Any], listed: int, leads: str) -> bool:
    """Tell whether a page of a list looks as a contract says that one does, with nothing beside it.

    Args:
        document: The page.
        pattern: How it looks. ``{items}`` stands for the page's list, ``{count}`` for a number of sales,
            ``{next}`` for what leads to the next page and ``{more}`` for whether there is one.
        items: The page's list.
        listed: How many sales this page and those before it list.
        leads: What leads to the next page; empty on the last one.
    """
    match pattern:
        case "{items}":
            return document is items
        case "{count}":
            is_number = isinstance(document, str) and bool(_WHOLE.fullmatch(document))
            return is_number and (bool(leads) or int(document[:9]) in {len(items), listed})
        case "{next}":
            return document in (None, "", leads)
        case "{more}":
            return document is bool(leads)
        case dict():
            return (
                isinstance(document, dict)
                and document.keys() <= pattern.keys()
                and all(
                    looks_whole(document.get(name), at, items, listed, leads) for name, at in pattern.items()
                )
            )
        case _:
            return bool(document == pattern)


def stands_alone(document: Any, items: Sequence[Any]) -> bool:
    """Tell whether nothing stands beside a list in its answer but its length, and what says no or nothing."""
    beside = document.values() if isinstance(document, dict) else ()
    return document == items or all(
        not one or one == items or (isinstance(one, str) and (is_no(one) or one == str(len(items))))
        for one in beside
    )
