"""Finding values, and parts of them, in what is about to leave this computer.

Where `core.text_search` undoes what spells a value, this spells the values: each is written in the ways in
which a gateway may say it back, and texts are looked through for any run of these. So the two don't miss the
same thing. What stands between letters and digits doesn't count, so a value is also found that was cut
into pieces which stand side by side: in the fields of a JSON document, in headers, in the cells of a table.

A run is a hit if it is long enough not to be there by chance: see `SURE`.
"""

from __future__ import annotations

import base64
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import unescape as html_unescape
from itertools import accumulate
from typing import Any, Final
from urllib.parse import unquote

from keybench.core.secret import Secret

_LETTERS: Final = b"abcdefghijklmnopqrstuvwxyz"
_DIGITS: Final = b"0123456789"
_HEX_DIGITS: Final = b"0123456789abcdef"
_FOLD: Final = bytes.maketrans(_LETTERS.upper(), _LETTERS)
_REST: Final = bytes(set(range(256)) - set(_LETTERS + _LETTERS.upper() + _DIGITS))
#: A run is looked for by pieces of so many characters, see `ValueFinder`.
_WINDOW: Final = 7
#: How many bits each character of a run tells: less in digits, letters and hexadecimal digits than where
#: letters and digits are mixed; least in letters of a value that may be made of words.
_DIGIT_BITS: Final = 3.32
_WORD_BITS: Final = 3.2
_LETTER_BITS: Final = 4.0
_HEX_BITS: Final = 4.0
_MIXED_BITS: Final = 5.17
#: From so many bits on a run isn't there by chance: of ten thousand bundles of ten million characters one has
#: a run of one of fifty values.
SURE: Final = 50.0
#: From so many on it is suspicious: what is taken out for that is one of a thousand texts that hold nothing.
SUSPICIOUS: Final = 40.0
#: A whole value of fewer characters is looked for as a word of its own.
_SHORT: Final = 8
#: What stands before a value's secret part says what kind of key it is: ``checkout_public_``, ``v4_secret_``.
_FORM: Final = re.compile(r"(?:(?:[a-z]{2,}|[A-Z]{2,}|v[0-9]{1,2})[_-])+(?=.{24})", re.ASCII)
#: A value with all of these isn't made of words.
_RANDOM: Final = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9].*[0-9])", re.ASCII)
_ESCAPED: Final = re.compile(
    r"\\u(?P<json>[0-9A-Fa-f]{4})|\\x(?P<byte>[0-9A-Fa-f]{2})|\\(?P<plain>[\"'/\\])|\\[bfnrt]"
    r"|(?P<percent>(?:%[0-9A-Fa-f]{2})+)|(?P<entity>&(?:#[0-9]{2,7};?|#[xX][0-9A-Fa-f]{2,6};?|[A-Za-z0-9]{2,8};))"
)
#: How often escapes of escapes are undone.
_ROUNDS: Final = 4
#: How deep JSON within JSON is read.
_DEPTH: Final = 4
_PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class Hit:
    """A place where a value, or enough of it, stands.

    Attributes:
        label: Whose value it is.
        where: In words of the text: a path in a document, or a line.
        spans: Which pieces of the text it covers, each by its number with its first and last character there,
            the last one excluded; None for the whole piece.
    """

    label: str
    where: str
    spans: tuple[tuple[int, tuple[int, int] | None], ...] = ()


@dataclass(slots=True)
class Leaf:
    """One text in a document, and where it stands, so that another can be put there.

    Attributes:
        outer: The text that has this one as JSON within JSON; None if none has.
        inner: What the text is as JSON, in a list of its own; None if it isn't any.
    """

    text: str
    path: str
    holder: Any
    place: Any
    outer: Leaf | None = None
    inner: list[Any] | None = None
    is_stale: bool = False

    @property
    def name(self) -> str:
        """The name of its field."""
        return self.path.rpartition(".")[2].partition("[")[0]

    def put(self, text: str) -> None:
        """Put another text there."""
        self.text = text
        self.holder[self.place] = text
        if self.outer:
            self.outer.is_stale = True


@dataclass(slots=True)
class Tree:
    """The texts of a document in JSON's own kinds, in its order, those of JSON within JSON included.

    Attributes:
        leaves: The texts.
        names: The names of fields, each with the path of its holder.
        columns: The numbers of the leaves that are told apart by nothing but their place: those of fields of
            one name, and those at one position of pairs.
    """

    plain: Any
    leaves: list[Leaf] = field(default_factory=list)
    names: list[tuple[str, str]] = field(default_factory=list)
    columns: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._walk([self.plain], 0, "", "", [])

    def close(self) -> None:
        """Write JSON within JSON again where another text was put into it."""
        for leaf in reversed(self.leaves):
            if leaf.is_stale and leaf.inner:
                leaf.put(json.dumps(leaf.inner[0], ensure_ascii=False))

    def _walk(self, holder: Any, place: Any, path: str, column: str, outer: list[Leaf]) -> None:
        value = holder[place]
        if isinstance(value, str):
            if value:
                leaf = Leaf(value, path, holder, place, outer[-1] if outer else None)
                self._add(leaf, column, outer)
        elif isinstance(value, dict):
            for name in list(value):
                self.names.append((str(name), path))
                self._walk(value, name, f"{path}.{name}" if path else str(name), str(name), outer)
        elif isinstance(value, list):
            is_pair = len(value) == _PAIR and all(isinstance(one, str) for one in value)
            for index in range(len(value)):
                inner = f"{column}/{index}" if is_pair else column
                self._walk(value, index, f"{path}[{index}]", inner, outer)

    def _add(self, leaf: Leaf, column: str, outer: list[Leaf]) -> None:
        self.columns.setdefault(column, []).append(len(self.leaves))
        self.leaves.append(leaf)
        if len(outer) < _DEPTH and leaf.text[:1] in {"{", "["}:
            with suppress(ValueError, RecursionError):  # it only begins like JSON
                leaf.inner = [json.loads(leaf.text)]
                self._walk(leaf.inner, 0, f"{leaf.path}:", column, [*outer, leaf])


class ValueFinder:
    """Looks texts through for values.

    Args:
        values: The values, each with what to call it.
        enough: How many bits a run must tell to be a hit.
    """

    def __init__(self, values: Iterable[tuple[str, Secret]], enough: float = SURE) -> None:
        self._enough = enough
        # The shortest hit has a whole piece that begins at one of the places that are looked at.
        self._stride = int(-(-enough // _MIXED_BITS)) - _WINDOW + 1
        self._forms: list[tuple[str, bytes, float, float]] = []
        self._windows: dict[bytes, list[tuple[int, int]]] = {}
        self._whole: list[tuple[str, bytes]] = []
        self._words: list[tuple[str, re.Pattern[str]]] = []
        for label, value in values:
            text = value.reveal()
            if text and len(compact(text)) < _SHORT:
                self._words.append((label, re.compile(rf"(?<!\w){re.escape(text)}(?!\w)", re.IGNORECASE)))
            else:
                letter_bits = _LETTER_BITS if _RANDOM.match(text) else _WORD_BITS
                for form, bits in sorted(_forms(text).items()):
                    self._add(label, form, bits, letter_bits)

    def in_text(self, text: str) -> Iterator[Hit]:
        """Return where values stand in a text, each with its line."""
        read = unescaped(text)
        for label, word in self._words:
            if found := word.search(read):
                yield Hit(label, f"line {read.count(chr(10), 0, found.start()) + 1}")
        lines = read.split("\n")
        for label, first, _last in self._runs([compact(line) for line in lines]):
            yield Hit(label, f"line {first[0] + 1}")

    def in_tree(self, tree: Tree) -> Iterator[Hit]:
        """Return where values stand in a document: in a text, in several one after another, or in names."""
        texts = [unescaped(leaf.text) for leaf in tree.leaves]
        pieces = [compact(text) for text in texts]
        streams = [range(len(pieces)), *tree.columns.values()]
        seen: set[tuple[object, ...]] = set()
        for stream in streams:
            for label, first, last in self._runs([pieces[index] for index in stream]):
                spans = tuple(_spans(tree, texts, stream, first, last))
                if (label, spans) not in seen:
                    seen.add((label, spans))
                    yield Hit(label, tree.leaves[spans[0][0]].path, spans)
        yield from self._words_in(tree, texts)
        for label, first, _last in self._runs([compact(unescaped(name)) for name, _ in tree.names]):
            yield Hit(label, tree.names[first[0]][1] or "names")

    def _words_in(self, tree: Tree, texts: Sequence[str]) -> Iterator[Hit]:
        for label, word in self._words:
            for index, text in enumerate(texts):
                if word.search(text):
                    yield Hit(label, tree.leaves[index].path, ((index, None),))

    def _add(self, label: str, form: bytes, bits: float, letter_bits: float) -> None:
        if _bits_of(form, bits, letter_bits) < self._enough:
            # Parts of it would be found in innocent words.
            self._whole += [(label, form)] if len(form) >= _SHORT else []
            return
        number = len(self._forms)
        self._forms.append((label, form, bits, letter_bits))
        for at in range(len(form) - _WINDOW + 1):
            self._windows.setdefault(form[at : at + _WINDOW], []).append((number, at))

    def _runs(self, pieces: Sequence[bytes]) -> Iterator[tuple[str, tuple[int, int], tuple[int, int]]]:
        """Return the runs in pieces that stand side by side.

        Returns:
            Whose value it is; the piece it begins in and where there; the same for its last character.
        """
        joined = b"".join(pieces)
        windows = self._windows
        found = [
            at
            for at in range(0, len(joined) - _WINDOW + 1, self._stride)
            if joined[at : at + _WINDOW] in windows
        ]
        ends = list(accumulate(map(len, pieces)))
        for label, form in self._whole:
            if (at := joined.find(form)) >= 0:
                yield label, _place(ends, at), _place(ends, at + len(form) - 1)
        done: dict[str, int] = {}
        for at in found:
            for number, offset in windows[joined[at : at + _WINDOW]]:
                label, form, bits, letter_bits = self._forms[number]
                if done.get(label, -1) > at:
                    continue
                start, end = _grown(joined, form, at, offset)
                if _bits_of(joined[start:end], bits, letter_bits) >= self._enough:
                    done[label] = end
                    yield label, _place(ends, start), _place(ends, end - 1)


def _place(ends: Sequence[int], at: int) -> tuple[int, int]:
    index = bisect_right(ends, at)
    return index, at - (ends[index - 1] if index else 0)


def _grown(text: bytes, form: bytes, at: int, offset: int) -> tuple[int, int]:
    """Return the longest run around a piece in which text and form are the same."""
    start, end, left, right = at, at + _WINDOW, offset, offset + _WINDOW
    while start and left and text[start - 1] == form[left - 1]:
        start, left = start - 1, left - 1
    while end < len(text) and right < len(form) and text[end] == form[right]:
        end, right = end + 1, right + 1
    return start, end


def _bits_of(run: bytes, most: float, letter_bits: float) -> float:
    """Return how many bits a run tells, if each of its characters tells `most` at the most."""
    kinds = ((_DIGITS, _DIGIT_BITS), (_LETTERS, letter_bits), (_HEX_DIGITS, _HEX_BITS))
    bits = next((bits for kind, bits in kinds if not run.translate(None, kind)), _MIXED_BITS)
    return min(bits, most) * len(run)


def _spans(
    tree: Tree, texts: Sequence[str], stream: Sequence[int], first: tuple[int, int], last: tuple[int, int]
) -> Iterator[tuple[int, tuple[int, int] | None]]:
    """Return which characters of which leaves a run covers."""
    for position in range(first[0], last[0] + 1):
        index = stream[position]
        text = tree.leaves[index].text
        if not texts[index]:
            continue
        if text != texts[index] or not text.isascii():
            yield index, None
            continue
        kept = [at for at, character in enumerate(text) if character.isalnum()]
        if not kept:
            continue
        begin = kept[first[1]] if position == first[0] else kept[0]
        end = kept[last[1]] if position == last[0] else kept[-1]
        yield index, (begin, end + 1)


def compact(text: str) -> bytes:
    """Return the letters and digits of a text, the letters small; nothing else."""
    return _folded(text.encode("utf-8", "surrogatepass"))


def _forms(text: str) -> dict[bytes, float]:
    """Return the ways in which a value may be written, as `compact` leaves them.

    Returns:
        Each with how much a character of it tells: what takes more characters tells less with each.
    """
    secret = text[form.end() :] if (form := _FORM.match(text)) else text
    forms = {compact(secret): _MIXED_BITS, compact(secret[::-1]): _MIXED_BITS}
    for written in (secret, secret.lower(), secret.upper(), secret[::-1]):
        narrow = written.encode("utf-8", "surrogatepass")
        for data, each in ((narrow, 1), (written.encode("utf-16-le", "surrogatepass"), 2)):
            bits = _MIXED_BITS / each
            digits = data.hex()
            forms.setdefault(digits.encode(), bits / 2)
            forms.setdefault(
                "".join(f"0x{digits[i : i + 2]}" for i in range(0, len(digits), 2)).encode(), bits / 4
            )
            for once in _base64(data):
                forms.setdefault(_folded(once), bits * 3 / 4)
                for twice in _base64(once):
                    forms.setdefault(_folded(twice), bits * 9 / 16)
            for once in _base64(digits.encode()):
                forms.setdefault(_folded(once), bits * 3 / 8)
    return forms


def _folded(digits: bytes) -> bytes:
    return digits.translate(_FOLD, _REST)


def _base64(data: bytes) -> Iterator[bytes]:
    """Return what stands for bytes in base64, wherever they begin, without what is their neighbours', too."""
    for before in range(3):
        digits = base64.b64encode(bytes(before) + data).rstrip(b"=")
        yield digits[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]


def unescaped(text: str) -> str:
    """Return a text with what its escapes stand for, and what these stand for then."""
    for _round in range(_ROUNDS):
        if not ("\\" in text or "%" in text or "&" in text):
            break
        read = _ESCAPED.sub(_meaning, text)
        if read == text:
            break
        text = read
    return text


def _meaning(match: re.Match[str]) -> str:
    match match.lastgroup:
        case "json" | "byte":
            return chr(int(match[match.lastgroup], 16))
        case "plain":
            return match["plain"]
        case "percent":
            return unquote(match["percent"], errors="replace")
        case "entity":
            return html_unescape(match["entity"])
        case _:
            return " "
