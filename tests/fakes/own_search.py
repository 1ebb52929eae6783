"""A search for values in a ZIP that shares no code with the program's: it undoes, joins, and compares."""

from __future__ import annotations

import base64
import binascii
import html
import io
import json
import re
import unicodedata
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import unquote

#: So many characters of a value in a row give a part of it away.
PART = 13


def zip_texts(data: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name).decode("utf-8") for name in archive.namelist()}


def leaks(data: bytes, values: Sequence[str]) -> list[str]:
    """Return in which files, and in which reading of them, a value or a part of one stands."""
    forms = {value.lower() for value in values}
    parts = {
        secret[i : i + PART]
        for value in values
        for told in [re.sub(r"^(checkout_public_|v4_secret_)", "", value).lower()]
        for secret in {_bare(told), _bare(told[::-1])}
        for i in range(len(secret) - PART + 1)
    }
    found = []
    for name, text in zip_texts(data).items():
        for reading, said in _readings(name, text):
            lowered = said.lower()
            whole = [form for form in forms if form in lowered or form[::-1] in lowered]
            bare = _bare(lowered)
            part = [i for i in range(len(bare) - PART + 1) if bare[i : i + PART] in parts]
            if whole or part:
                found.append(f"{name}: {reading}")
    if any(form.encode() in data.lower() for form in forms):
        found.append("zip")
    return found


def _bare(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text)


def _readings(name: str, text: str) -> Iterator[tuple[str, str]]:
    texts = {"as it is": text}
    if name.endswith(".html"):
        texts["without tags"] = re.sub(r"<[^>]*>", "", text)
    else:
        plain = json.loads(text)
        texts["texts together"] = "".join(_strings(plain, names=False))
        texts["names together"] = "".join(_strings(plain, names=True))
        texts |= {f"all {field!r}": "".join(said) for field, said in _by_field(plain).items()}
    for reading, said in texts.items():
        yield reading, said
        if reading == "as it is":
            for depth, undone in enumerate(_undone_again(said)):
                yield f"undone {depth + 1} times", undone
                yield from ((f"{how} at depth {depth}", one) for how, one in _decoded(undone))


def _undone_again(text: str) -> Iterator[str]:
    for _time in range(3):
        text, before = _undone(text), text
        yield text
        if text == before:  # so it would be every time
            return


def _undone(text: str) -> str:
    text = re.sub(r"\\u([0-9A-Fa-f]{4})", lambda m: chr(int(m[1], 16)), text)
    text = re.sub(r"\\x([0-9A-Fa-f]{2})", lambda m: chr(int(m[1], 16)), text)
    text = html.unescape(unquote(text, errors="replace")).replace("\\", "").replace("\0", "")
    plain = unicodedata.normalize("NFKC", text)
    return plain.translate({ord(c): None for c in set(plain) if unicodedata.category(c) == "Cf"})


def _decoded(text: str) -> Iterator[tuple[str, str]]:
    said = _from_base64(text)
    twice = "\n".join(_from_base64("\n".join(said)))
    yield "base64", "\n".join(said)
    yield "base64 twice", twice
    said = []
    for run in re.findall(r"(?:(?:0x)?[0-9a-fA-F]{2}[ ,:]{0,2}){10,}", text):
        digits = re.sub(r"0x|[^0-9a-fA-F]", "", run)
        for shift in (0, 1):
            part = digits[shift:]
            raw = bytes.fromhex(part[: len(part) // 2 * 2])
            said += [raw.decode("latin-1"), raw.replace(b"\0", b"").decode("latin-1")]
    yield "hex", "\n".join(said)


def _from_base64(text: str) -> list[str]:
    said = []
    for run in re.findall(r"[A-Za-z0-9+/_-]{16,}", text):
        digits = run.translate(str.maketrans("-_", "+/"))
        for shift in range(4):
            part = digits[shift:]
            try:
                raw = base64.b64decode(part[: len(part) // 4 * 4])
            except binascii.Error:
                continue
            said += [raw.decode("latin-1"), raw.replace(b"\0", b"").decode("latin-1")]
    return said


def _strings(plain: Any, *, names: bool) -> Iterator[str]:
    if isinstance(plain, dict):
        for name, value in plain.items():
            if names:
                yield name
            yield from _strings(value, names=names)
    elif isinstance(plain, list):
        for value in plain:
            yield from _strings(value, names=names)
    elif isinstance(plain, str):
        inner = _json(plain)
        if inner is not None:
            yield from _strings(inner, names=names)
        elif not names:
            yield plain


def _by_field(plain: Any, field: str = "", found: dict[str, list[str]] | None = None) -> dict[str, list[str]]:
    found = {} if found is None else found
    if isinstance(plain, dict):
        for name, value in plain.items():
            _by_field(value, name, found)
    elif isinstance(plain, list):
        for value in plain:
            _by_field(value, field, found)
    elif isinstance(plain, str):
        inner = _json(plain)
        if inner is not None:
            _by_field(inner, field, found)
        else:
            found.setdefault(field, []).append(plain)
    return found


def _json(text: str) -> Any:
    if text[:1] not in {"{", "["}:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None
