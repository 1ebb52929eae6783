"""Reading one table of a contract file strictly: each field's type and form, and none that isn't known."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

from keybench.core.errors import ContractInvalid
from keybench.core.reasons import Reason
from keybench.gateway.contract_model import Call, CodeRange, Meaning, Paths, Shape, Word

_CALL: Final = re.compile(r"(GET|POST|PUT|PATCH|DELETE) (/[!-~]*)")
_PLACEHOLDER: Final = re.compile(r"\{([^{}]*)\}")
_PATH: Final = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SPAN: Final = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


class Table:
    """A table of the file; call `finish()` when all its fields were asked for.

    Args:
        content: The table.
        file: The file's name, for errors.
        where: The table's dotted path; empty for the whole file.
    """

    def __init__(self, content: Mapping[str, Any], file: str, where: str = "") -> None:
        self._content = content
        self._file = file
        self._where = where
        self._asked: set[str] = set()

    def wrong(self, name: str, reason: str) -> ContractInvalid:
        """Return the error for a field of this table."""
        return ContractInvalid(self._file, f"{self._where}.{name}".strip("."), reason)

    def has(self, name: str) -> bool:
        """Tell whether the field is there."""
        return name in self._content

    def names(self) -> tuple[str, ...]:
        """Return the names of all fields, in the file's order."""
        return tuple(self._content)

    def finish(self) -> None:
        """Refuse fields nobody asked for: most often a misspelt name.

        Raises:
            ContractInvalid: There is one.
        """
        for name in self._content:
            if name not in self._asked:
                raise self.wrong(name, "unknown field")

    def _take(self, name: str) -> Any:
        self._asked.add(name)
        if name not in self._content:
            raise self.wrong(name, "missing")
        return self._content[name]

    def table(self, name: str) -> Table:
        """Return a table within this one."""
        inner = self._take(name)
        if not isinstance(inner, dict):
            raise self.wrong(name, "not a table")
        return Table(inner, self._file, f"{self._where}.{name}".strip("."))

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text that isn't empty, or `default` if the field is left out."""
        if default is not None and not self.has(name):
            return default
        value = self._take(name)
        if not isinstance(value, str):
            raise self.wrong(name, "not a text")
        if not value:
            raise self.wrong(name, "empty")
        return value

    def flag(self, name: str, *, default: bool) -> bool:
        """Return true or false."""
        value = self._take(name) if self.has(name) else default
        if not isinstance(value, bool):
            raise self.wrong(name, "not true or false")
        return value

    def number(self, name: str, default: float, *, least: float, most: float) -> float:
        """Return a number within bounds, both included, or `default` if the field is left out."""
        value = self._take(name) if self.has(name) else default
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise self.wrong(name, f"not a number from {least:g} to {most:g}")
        return float(value)

    def shape(self, name: str) -> Shape:
        """Return how a body is written; JSON if the field is left out."""
        try:
            return Shape(self.text(name, default=Shape.JSON))
        except ValueError:
            raise self.wrong(name, "neither json nor form") from None

    def key_form(self, name: str, default: str | None = None) -> str:
        """Return a header's value with the place for the key in it."""
        value = self.text(name, default)
        if value.count("{key}") != 1 or not value.isprintable():
            raise self.wrong(name, "has not exactly one {key}")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts, not empty."""
        values = self._take(name)
        if not isinstance(values, list) or not all(isinstance(value, str) and value for value in values):
            raise self.wrong(name, "not a list of texts")
        if not values:
            raise self.wrong(name, "empty")
        return tuple(values)

    def statuses(self, name: str) -> tuple[int, ...]:
        """Return a list of HTTP statuses, not empty."""
        values = self._take(name)
        if not isinstance(values, list) or not values:
            raise self.wrong(name, "not a list of HTTP statuses")
        if not all(type(value) is int and 200 <= value < 500 for value in values):  # noqa: PLR2004 - HTTP's
            raise self.wrong(name, "not a list of HTTP statuses")
        return tuple(values)

    def path(self, name: str) -> str:
        """Return one dotted path, to write a body field by."""
        value = self.text(name)
        if not _PATH.fullmatch(value):
            raise self.wrong(name, "not a dotted path")
        return value

    def paths(self, name: str, *, required: bool = True) -> Paths:
        """Return one or several dotted paths, to read an answer by; ``.`` is the answer itself."""
        if not required and not self.has(name):
            return ()
        values = (self.text(name),) if isinstance(self._content.get(name), str) else self.texts(name)
        if not all(value == "." or _PATH.fullmatch(value) for value in values):
            raise self.wrong(name, "not a dotted path")
        return values

    def header(self, name: str) -> str:
        """Return an HTTP header's name."""
        value = self.text(name)
        if not _HEADER.fullmatch(value):
            raise self.wrong(name, "not a header name")
        return value

    def call(self, name: str, *, needs: Collection[str] = (), may: Collection[str] = ()) -> Call:
        """Return a method and a path, checked for the placeholders it needs and may have."""
        match = _CALL.fullmatch(self.text(name))
        if not match:
            raise self.wrong(name, "not a method and a path")
        method, path = match.groups()
        found = _PLACEHOLDER.findall(path)
        if set(_PLACEHOLDER.sub("", path)) & set("{}"):
            raise self.wrong(name, "a brace without its other half")
        if strange := sorted(set(found) - set(needs) - set(may)):
            raise self.wrong(name, f"unknown placeholder {strange[0]}")
        if missing := sorted(set(needs) - set(found)):
            raise self.wrong(name, f"placeholder {missing[0]} is missing")
        return Call(method, path)

    def word(self, name: str, *, without: Collection[Meaning] = ()) -> Word:
        """Return what a word stands for, written ``meaning`` or ``meaning: reason``."""
        meaning, _, reason = self.text(name).partition(":")
        try:
            known = Meaning(meaning.strip())
        except ValueError:
            raise self.wrong(name, f"unknown meaning {meaning.strip()}") from None
        if known in without:
            raise self.wrong(name, f"{known} has no place here")
        return Word(known, reason.strip())

    def fixed(self) -> dict[str, str]:
        """Return the whole table as body fields and their texts."""
        return {name: self.text(name) for name in self.names()}

    def reasons(self, known: Collection[Reason]) -> dict[str, Reason]:
        """Return the whole table as codes and the reasons they stand for, each one of `known`."""
        found = self.fixed()
        for name, reason in found.items():
            if reason not in known:
                raise self.wrong(name, f"unknown reason {reason}")
        return {name: Reason(reason) for name, reason in found.items()}

    def words(self, *, without: Collection[Meaning] = ()) -> dict[str, Word]:
        """Return the whole table as words and what they stand for."""
        return {name: self.word(name, without=without) for name in self.names()}

    def code_ranges(self) -> tuple[CodeRange, ...]:
        """Return the whole table as ranges of codes, written ``100`` or ``200-264``."""
        ranges = []
        for name, word in self.words(without={Meaning.BY_CODE, Meaning.BY_SUCCESS}).items():
            match = _SPAN.fullmatch(name)
            if not match or int(match[2] or match[1]) < int(match[1]):
                raise self.wrong(name, "not a code or a range of codes")
            ranges.append(CodeRange(int(match[1]), int(match[2] or match[1]), word))
        return tuple(ranges)
