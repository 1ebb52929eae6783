"""What a text spells: itself, and what is in it once escapes, encodings and unseen characters are undone."""

from __future__ import annotations

import binascii
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html.entities import html5
from typing import Final

#: How often what was undone is undone again: an address in JSON in base64, and some more.
_DEPTH: Final = 6
#: All views together have at most so many times the text's own characters.
_MOST_TIMES: Final = 16
_MOST_OF_SMALL: Final = 4096
#: Fewer characters of base64 stand for so little that anything could be read into them.
_LEAST_DIGITS: Final = 12

#: Each kind of escape by its mark; undone one at a time, for one kind's marks are only characters in another.
_ESCAPES: Final = {
    "\\": re.compile(
        r"""\\u(?P<json>[0-9A-Fa-f]{4}) | \\u\{(?P<braced>[0-9A-Fa-f]{1,6})\} | \\U(?P<long>[0-9A-Fa-f]{8})
          | \\x(?P<byte>[0-9A-Fa-f]{2}) | \\(?P<plain>["'/\\]) | \\(?P<control>[bfnrt])
        """,
        re.VERBOSE,
    ),
    "%": re.compile(r"%(?P<percent>[0-9A-Fa-f]{2})|%u(?P<wide>[0-9A-Fa-f]{4})"),
    "&": re.compile(
        r"""&\#[xX]0*(?P<hexadecimal>[0-9A-Fa-f]{1,6})(?![0-9A-Fa-f]);?
          | &\#0*(?P<decimal>[0-9]{1,7})(?![0-9]);?
          | &(?P<name>[A-Za-z][A-Za-z0-9]{1,31};) | &(?P<old>amp|lt|gt|quot)
        """,
        re.VERBOSE,
    ),
}
_SPECIAL: Final = re.compile(r"[\\%&\0]")
_CONTROLS: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HIGHEST: Final = 0x10FFFF
#: What stands between characters of UTF-16 that were taken for something else, before and after it was kept.
_NOTHING: Final = "\0\N{REPLACEMENT CHARACTER}"
#: Base64 in either alphabet, in one piece or in lines. It begins where no such digit stands before.
_BASE64: Final = re.compile(
    rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{_LEAST_DIGITS},}}+(?:\r?\n[ \t]{{0,8}}[A-Za-z0-9+/_-]++)*+"
)
_URL_ALPHABET: Final = str.maketrans("-_", "+/")
#: Hexadecimal bytes, one behind the other or with a little between them: ``4d61``, ``4D:61``, ``0x4d, 0x61``.
_HEX: Final = re.compile(
    r"""(?:0[xX])?+[0-9A-Fa-f]{2}(?:[ ,:;._|"'\r\n\t-]{0,4}+(?:0[xX])?+[0-9A-Fa-f]{2}){5,}+[0-9A-Fa-f]?"""
)
_HEX_DIGIT: Final = re.compile(r"0[xX](?=[0-9A-Fa-f])|([0-9A-Fa-f])")


class TooEntangled(Exception):
    """There is more to undo in a text than an honest one has, so nobody can tell what it spells."""


@dataclass(frozen=True, slots=True)
class View:
    """One reading of a text, or of its bytes; `starts` is where each character, and the end, stands in it."""

    text: str
    starts: Sequence[int] | None = None
    of_bytes: bool = False

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where in the text the characters from `start` to before `end` come from."""
        if self.starts is None:
            return start, end
        return self.starts[start], self.starts[end]

    def lowered(self) -> str:
        """Return what it spells in small letters, as many as there are characters."""
        lowered = self.text.lower()
        return lowered if len(lowered) == len(self.text) else "".join(map(_lowered, self.text))


def views(text: str, least: int = 0) -> Iterator[View]:
    """Return a text's readings, itself first, together some times its length; TooEntangled if it has more.

    `least` is the length of the shortest value that is looked for in base64 and in hexadecimal bytes; 0 if
    these don't matter.
    """
    room = _MOST_TIMES * len(text) + _MOST_OF_SMALL
    todo, seen = [(View(text), _DEPTH)], set[tuple[str, int]]()
    while todo:
        view, depth = todo.pop()
        reading = view.text, view.span(0, 0)[0]
        if reading in seen:  # the same escapes undone in another order
            continue
        seen.add(reading)
        room -= len(view.text)
        if room < 0:
            raise TooEntangled
        yield view
        if depth:
            todo += [(_seen_through(view, inner), depth - 1) for inner in _undone(view, least)]


def is_plain(text: str, least: int = 0) -> bool:
    """Tell of most texts that they spell nothing but themselves, quicker than `views` does."""
    if not text.isascii() or _SPECIAL.search(text):
        return False
    return not least or len(text) < _base64_length(least) or not (_BASE64.search(text) or _HEX.search(text))


def _base64_length(least: int) -> int:
    return max(_LEAST_DIGITS, (least * 4 + 2) // 3)


def _undone(view: View, least: int) -> Iterator[View]:
    """Return what is spelled by a reading in one way each, if anything is."""
    text = view.text
    for mark, escape in _ESCAPES.items():
        if mark in text and (found := _unescaped(text, escape)):
            yield found
    if not (view.of_bytes or text.isascii()) and (found := _plainly(text)):
        yield found
    for nothing in _NOTHING:
        if nothing in text:
            yield _without(text, nothing)
    if least and len(text) >= least:
        yield from _from_base64(text, least)
        yield from _from_hex(text, least)


def _seen_through(outer: View, inner: View) -> View:
    starts = inner.starts
    if outer.starts is not None and starts is not None:
        starts = [outer.starts[start] for start in starts]
    return View(inner.text, starts, outer.of_bytes or inner.of_bytes)


def _unescaped(text: str, escape: re.Pattern[str]) -> View | None:
    pieces: list[str] = []
    starts: list[int] = []
    done = 0
    for match in escape.finditer(text):
        meaning = _meaning_of(match)
        pieces += (text[done : match.start()], meaning)
        starts += range(done, match.start())
        starts += [match.start()] * len(meaning)
        done = match.end()
    if not done:
        return None
    pieces.append(text[done:])
    starts += range(done, len(text) + 1)
    return View("".join(pieces), starts)


def _meaning_of(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    meaning = match[kind]
    match kind:
        case "plain":
            return meaning
        case "control":
            return _CONTROLS[meaning]
        case "name" | "old":
            return html5.get(meaning, match[0])
        case "decimal":
            code = int(meaning)
        case _:
            code = int(meaning, 16)
    return chr(code) if code <= _HIGHEST else match[0]


def _plainly(text: str) -> View | None:
    """Return a text without unseen characters and with look-alikes of letters and digits as these."""
    pieces = [_plain(character) for character in text]
    if all(piece == character for piece, character in zip(pieces, text, strict=True)):
        return None
    starts = [index for index, piece in enumerate(pieces) for _ in piece]
    return View("".join(pieces), [*starts, len(text)])


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    if unicodedata.category(character) in {"Cf", "Mn", "Me"}:
        return ""
    digit = unicodedata.digit(character, None)
    if digit is not None:
        return str(digit)
    plain = unicodedata.normalize("NFKC", character)
    return plain if plain.isascii() else character


def _lowered(character: str) -> str:
    lowered = character.lower()
    return lowered if len(lowered) == 1 else character


def _without(text: str, left_out: str) -> View:
    starts = [index for index, character in enumerate(text) if character != left_out]
    return View(text.replace(left_out, ""), [*starts, len(text)])


def _from_base64(text: str, least: int) -> Iterator[View]:
    """Return the bytes that runs of base64 stand for, wherever in a run what is looked for begins."""
    needed = _base64_length(least)
    for match in _BASE64.finditer(text):
        if match.end() - match.start() < needed:
            continue
        digits, starts = _compact(match)
        for shift in range(4):
            part = digits[shift:]
            part = part[: len(part) - (len(part) % 4 == 1)]
            found = binascii.a2b_base64(part + "=" * (-len(part) % 4))
            # A byte begins in the digit that has its first bit, and ends in the one that has its last.
            indexes = [starts[shift + byte * 8 // 6] for byte in range(len(found))]
            indexes.append(starts[min(shift - (-len(found) * 8 // 6), len(digits))])
            yield View(found.decode("latin-1"), indexes, of_bytes=True)


def _compact(match: re.Match[str]) -> tuple[str, Sequence[int]]:
    """Return a run's digits without line ends, in the usual alphabet, and where each begins."""
    run, first = match[0], match.start()
    if "\n" not in run:
        return run.translate(_URL_ALPHABET), range(first, match.end() + 1)
    kept = [index for index, character in enumerate(run) if not character.isspace()]
    digits = "".join(run[index] for index in kept).translate(_URL_ALPHABET)
    return digits, [*(first + index for index in kept), match.end()]


def _from_hex(text: str, least: int) -> Iterator[View]:
    """Return the bytes that runs of hexadecimal digits stand for, on either footing."""
    for match in _HEX.finditer(text):
        if match.end() - match.start() < 2 * least:
            continue
        found = _HEX_DIGIT.finditer(text, match.start(), match.end())
        indexes = [digit.start(1) for digit in found if digit[1]]
        for shift in (0, 1):
            whole = indexes[shift : shift + (len(indexes) - shift) // 2 * 2]
            if len(whole) >= 2 * least:
                read = bytes.fromhex("".join(text[index] for index in whole)).decode("latin-1")
                yield View(read, [*whole[::2], whole[-1] + 1], of_bytes=True)
