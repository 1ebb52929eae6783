"""A search for values in a ZIP that shares no code with the program's: it undoes, and compares."""

from __future__ import annotations

import base64
import binascii
import html
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from urllib.parse import unquote


def zip_texts(data: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name).decode("utf-8") for name in archive.namelist()}


def leaks(data: bytes, values: Sequence[str]) -> list[str]:
    """Return in which files, and in which reading of them, the secret part of a value stands."""
    secrets = {re.sub(r"^(checkout_public_|v4_secret_)", "", value).lower() for value in values}
    found = [
        f"{name}: {reading}"
        for name, text in zip_texts(data).items()
        for reading, said in _readings(text)
        if any(secret in said.lower() for secret in secrets)
    ]
    if any(secret.encode() in data.lower() for secret in secrets):
        found.append("zip")
    return found


def _readings(text: str) -> Iterator[tuple[str, str]]:
    yield "as it is", text
    undone = html.unescape(unquote(text, errors="replace")).replace("\\", "")
    yield "undone", undone
    yield "base64", "\n".join(_from_base64(undone))
    yield "hex", "\n".join(_from_hex(undone))


def _from_base64(text: str) -> Iterator[str]:
    for run in re.findall(r"[A-Za-z0-9+/_-]{16,}", text):
        digits = run.translate(str.maketrans("-_", "+/"))
        for shift in range(4):
            part = digits[shift:]
            try:
                yield base64.b64decode(part[: len(part) // 4 * 4]).decode("latin-1")
            except binascii.Error:
                continue


def _from_hex(text: str) -> Iterator[str]:
    for digits in re.findall(r"[0-9a-fA-F]{20,}", text):
        for shift in (0, 1):
            part = digits[shift:]
            yield bytes.fromhex(part[: len(part) // 2 * 2]).decode("latin-1")


def rezipped(texts: dict[str, str]) -> bytes:
    """Return files as a ZIP again."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in texts.items():
            archive.writestr(name, text.encode("utf-8", "replace"))
    return out.getvalue()
