"""Reading back the PDF that Qt writes: the text of its pages and its title."""

from __future__ import annotations

import re
import zlib
from typing import Final

_OBJECT: Final = re.compile(rb"(\d+) 0 obj\n(.*?)\nendobj", re.DOTALL)
_STREAM: Final = re.compile(rb"stream\n(.*)\nendstream", re.DOTALL)
_SHOWN: Final = re.compile(rb"/F(\d+) [\d.]+ Tf|<([0-9A-F]+)> Tj")
_RANGE: Final = re.compile(rb"<([0-9A-F]{4})> <[0-9A-F]{4}> \[(.*?)\]", re.DOTALL)
#: Letters that are drawn as one.
_LIGATURES: Final = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl"}


def title_of(pdf: bytes) -> str:
    """Return the document's title."""
    found = re.search(rb"/Title \(\xfe\xff(.*?)(?<!\\)\)\n", pdf, re.DOTALL)
    assert found, "it has no title"
    return re.sub(rb"\\([()\\])", rb"\1", found[1]).decode("utf-16-be")


def pages_of(pdf: bytes) -> list[str]:
    """Return the text of each page, its letters in the order they were drawn and without spaces."""
    objects = {int(number): content for number, content in _OBJECT.findall(pdf)}
    letters = {
        number: _letters(objects, content) for number, content in objects.items() if b"/ToUnicode" in content
    }
    contents = [found[1] for found in re.finditer(rb"/Type /Page\n.*?/Contents (\d+) 0 R", pdf, re.DOTALL)]
    return [_text(_stream(objects[int(number)]), letters) for number in contents]


def _letters(objects: dict[int, bytes], font: bytes) -> dict[int, str]:
    found = re.search(rb"/ToUnicode (\d+) 0 R", font)
    assert found
    letters = {}
    for first, codes in _RANGE.findall(_stream(objects[int(found[1])])):
        for offset, code in enumerate(re.findall(rb"<([0-9A-F]+)>", codes)):
            letters[int(first, 16) + offset] = bytes.fromhex(code.decode()).decode("utf-16-be")
    return letters


def _stream(content: bytes) -> bytes:
    found = _STREAM.search(content)
    assert found
    return zlib.decompress(found[1]) if b"/FlateDecode" in content else found[1]


def _text(drawn: bytes, letters: dict[int, dict[int, str]]) -> str:
    text, font = "", 0
    for number, code in _SHOWN.findall(drawn):
        if number:
            font = int(number)
        else:
            text += letters[font].get(int(code, 16), "\ufffd")
    return "".join(text.translate(_LIGATURES).split())
