"""Undoing an answer's content encoding without letting a small answer grow without bound."""

from __future__ import annotations

import zlib
from typing import Final

_ZLIB_OR_GZIP: Final = 47  # zlib's window bits: the largest window, header recognised by itself


class TooBig(Exception):
    """There is more than the limit; `beginning` is what fits."""

    def __init__(self, beginning: bytes) -> None:
        super().__init__(len(beginning))
        self.beginning = beginning


class Undecodable(Exception):
    """It is in an encoding we didn't ask for and don't know, or it is broken."""


def decoded(raw: bytes, encoding: str, limit: int) -> bytes:
    """Return `raw` without its content encoding.

    Args:
        raw: The body as it came; what a broken connection left of it will do.
        encoding: The ``Content-Encoding`` header. We ask for none, but not every server listens.
        limit: The most bytes to return.

    Raises:
        TooBig: There is more.
        Undecodable: Another encoding than gzip and deflate, or not what it says.
    """
    match encoding.strip().lower():
        case "" | "identity":
            plain = raw
        case "gzip" | "x-gzip" | "deflate":
            try:
                plain = zlib.decompressobj(_ZLIB_OR_GZIP).decompress(raw, limit + 1)
            except zlib.error:
                raise Undecodable from None
        case _:
            raise Undecodable
    if len(plain) > limit:
        raise TooBig(plain[:limit])
    return plain
