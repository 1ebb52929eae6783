"""The values in a contract's fields, and the rules that read them from a file."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from keybench.core.personal_data import is_of_people, plain_name
from keybench.core.reasons import Reason
from keybench.gateway.redaction import is_secret_field

_CALL: Final = re.compile(r"(GET|POST|PUT|PATCH|DELETE) (/[!-~]*)")
_PLACEHOLDER: Final = re.compile(r"\{([^{}]*)\}")
_PATH: Final = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
#: The calls that tests, diagnoses and lists make without asking.
_HARMLESS: Final = frozenset({"probe.call", "proof.refused", "calls.devices", "calls.device"})
#: Fields of a contract's tables that name no value which exchanges keep.
_NO_VALUES: Final = frozenset(
    {*("items", "one", "body", "answer", "key"), *("connected", "not_connected", "registration_code")}
)
_SPAN: Final = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


class Wrong(ValueError):
    """A value that breaks the rule of its field."""

    def __init__(self, reason: str, where: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.where = where


class Shape(enum.StrEnum):
    """How a body is written: as JSON, or as a web form's ``name=value&…``."""

    JSON = "json"
    FORM = "form"


class Meaning(enum.StrEnum):
    """What a word or a code of the gateway stands for."""

    GOES_ON = "goes on"
    BY_SUCCESS = "by success"
    BY_CODE = "by code"
    APPROVED = "approved"
    DECLINED = "declined"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    REFUSED = "refused"
    UNKNOWN = "unknown"


#: The reasons behind ``goes on``: whether the device has begun.
_BEGUN: Final = {"begun": True, "not begun": False}


@dataclass(frozen=True, slots=True)
class Word:
    """A meaning, with the stable word for its reason if it has one; written ``meaning: reason``."""

    meaning: Meaning
    reason: str = ""

    @property
    def begun(self) -> bool | None:
        """Whether the device has begun, of a sale that goes on; None where the word doesn't say it."""
        return _BEGUN.get(self.reason) if self.meaning is Meaning.GOES_ON else None


@dataclass(frozen=True, slots=True)
class CodeRange:
    """The gateway's response codes from `first` to `last`, both included; written ``100`` or ``200-264``."""

    first: int
    last: int

    @property
    def width(self) -> int:
        """How many codes it covers; the narrowest range that fits a code counts."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Call:
    """An HTTP method and a path with placeholders such as ``{device_id}``."""

    method: str
    path: str

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def placeholders(self) -> frozenset[str]:
        """The names of its placeholders."""
        return frozenset(_PLACEHOLDER.findall(self.path))


def _as_read(path: str) -> str:
    """Return a path as gateways read it: without its query, case of letters or last slash."""
    return path.partition("?")[0].casefold().rstrip("/")


def text(raw: Any) -> str:
    """Return a text that isn't empty."""
    if not isinstance(raw, str):
        raise Wrong("not a text")
    if not raw:
        raise Wrong("empty")
    return raw


def flag(raw: Any) -> bool:
    """Return true or false."""
    if not isinstance(raw, bool):
        raise Wrong("not true or false")
    return raw


def _texts(raw: Any) -> tuple[str, ...]:
    if not isinstance(raw, list) or not all(isinstance(each, str) and each for each in raw):
        raise Wrong("not a list of texts")
    if not raw:
        raise Wrong("empty")
    return tuple(raw)


def _paths(raw: Any) -> tuple[str, ...]:
    paths = (text(raw),) if isinstance(raw, str) else _texts(raw)
    if not all(path == "." or _PATH.fullmatch(path) for path in paths):
        raise Wrong("not a dotted path")
    return paths


def _kept_names(raw: Any) -> tuple[str, ...]:
    names = _texts(raw)
    if not all(re.fullmatch("[A-Za-z0-9_-]{1,64}", name) for name in names):
        raise Wrong("not a field's name")
    if private := [name for name in names if not names_kept([name])]:
        raise Wrong(f"{private[0]} may hold a secret, a card's or a person's data")
    return names


def names_in(tables: Iterable[object]) -> Iterable[str]:
    """Return the paths of the values in some tables' fields; a list or an object has no value of its own."""
    for value in (value for table in tables for name, value in vars(table).items() if name not in _NO_VALUES):
        if isinstance(value, str):
            yield value
        elif isinstance(value, tuple | Mapping):
            yield from value


def names_kept(paths: Iterable[str]) -> frozenset[str]:
    """Return the last names of dotted paths, without those that say what must not be recorded."""
    names = {path.rpartition(".")[2] for path in paths}
    plain = {plain_name(name) for name in names if not is_secret_field(name)}
    return frozenset(name for name in plain if name and not is_of_people(name))


def json_text(raw: Any) -> str:
    """Return a text that is JSON."""
    try:
        json.loads(text(raw))
    except ValueError:
        raise Wrong("not JSON") from None
    return text(raw)


def form(pattern: str, reason: str) -> Callable[[Any], str]:
    """Return the rule of a text that a regular expression fits."""
    known = re.compile(pattern)

    def rule(raw: Any) -> str:
        if not known.fullmatch(text(raw)):
            raise Wrong(reason)
        return text(raw)

    return rule


def _key_form(raw: Any) -> str:
    if text(raw).count("{key}") != 1 or not raw.isprintable():
        raise Wrong("has not exactly one {key}")
    return text(raw)


def number(least: float, most: float) -> Callable[[Any], float]:
    """Return the rule of a number within bounds, both included."""

    def rule(raw: Any) -> float:
        if isinstance(raw, bool) or not isinstance(raw, int | float) or not least <= raw <= most:
            raise Wrong(f"not a number from {least:g} to {most:g}")
        return float(raw)

    return rule


def statuses(raw: Any) -> tuple[int, ...]:
    """Return a list of HTTP statuses, not empty."""
    usable = range(200, 500)
    if not isinstance(raw, list) or not raw or not all(type(each) is int and each in usable for each in raw):
        raise Wrong("not a list of HTTP statuses")
    return tuple(raw)


def _shape(raw: Any) -> Shape:
    if text(raw) not in set(Shape):
        raise Wrong("neither json nor form")
    return Shape(raw)


def call(
    needs: Collection[str] = (), may: Collection[str] = (), *, harmless: bool = False
) -> Callable[[Any], Call]:
    """Return the rule of a call: the placeholders it needs and those it may have; a harmless one is a GET."""

    def rule(raw: Any) -> Call:
        match = _CALL.fullmatch(text(raw))
        if not match:
            raise Wrong("not a method and a path")
        call = Call(*match.groups())
        if set(_PLACEHOLDER.sub("", call.path)) & set("{}"):
            raise Wrong("a brace without its other half")
        if strange := sorted(call.placeholders - {*needs, *may}):
            raise Wrong(f"unknown placeholder {strange[0]}")
        if missing := sorted(set(needs) - call.placeholders):
            raise Wrong(f"placeholder {missing[0]} is missing")
        if harmless and call.method != "GET":  # it must change nothing where a key turns out to be allowed
            raise Wrong("not a GET, so it may change something")
        return call

    return rule


def refuse_selling(tables: Mapping[str, object], sales: Collection[Call]) -> None:
    """Refuse a harmless call at a path that sells, by whichever method, and any other that would sell."""
    paths = {sale: _PLACEHOLDER.split(_as_read(sale.path))[::2] for sale in sales}
    for table, found in tables.items():
        for name, call in getattr(found, "__dict__", {}).items():
            where = f"{table}.{name}"
            for sale, pieces in paths.items() if isinstance(call, Call) else ():
                if where not in _HARMLESS and call.method != sale.method:
                    continue
                if re.fullmatch("[^/]+".join(map(re.escape, pieces)), _as_read(call.path)):
                    raise Wrong(f"at a path that sells, {sale}", where)


def word(*without: Meaning) -> Callable[[Any], Word]:
    """Return the rule of a word, written ``meaning`` or ``meaning: reason``, but for some meanings."""

    def rule(raw: Any) -> Word:
        meaning, _, reason = text(raw).partition(":")
        if meaning.strip() not in set(Meaning):
            raise Wrong(f"unknown meaning {meaning.strip()}")
        if meaning.strip() in without:
            raise Wrong(f"{meaning.strip()} has no place here")
        return Word(Meaning(meaning.strip()), reason.strip())

    return rule


def codes(raw: str) -> CodeRange:
    """Return a range of codes."""
    match = _SPAN.fullmatch(raw)
    if not match or int(match[2] or match[1]) < int(match[1]):
        raise Wrong("not a code or a range of codes")
    return CodeRange(int(match[1]), int(match[2] or match[1]))


def refusal(raw: Any) -> Reason:
    """Return a reason that a refusal may have."""
    for reason in (Reason.RATE_LIMIT, Reason.DEVICE_OFFLINE, Reason.DEVICE_BUSY, Reason.REQUEST_UNKNOWN):
        if text(raw) == reason:
            return reason
    raise Wrong(f"unknown reason {raw}")


#: A dotted path, to write a body field by.
Path = Annotated[str, form(_PATH.pattern, "not a dotted path")]
#: Dotted paths into an answer; the first one that is there counts, and ``.`` is the answer itself.
Paths = Annotated[tuple[str, ...], _paths]
Texts = Annotated[tuple[str, ...], _texts]
KeptNames = Annotated[tuple[str, ...], _kept_names]
HeaderName = Annotated[str, form(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", "not a header name")]
KeyForm = Annotated[str, _key_form]
BodyShape = Annotated[Shape, _shape]
