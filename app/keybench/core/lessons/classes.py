"""A class as a learner's console knows it: where it is, what proves that it is the one, and a seat in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from keybench.core.input_errors import JoinInvalid

#: Where a class is served unless its join text says otherwise.
CLASS_PORT: Final = 8443
_CODE: Final = re.compile(r"[a-z]+(?:-[a-z]+)*-[0-9]+")


@dataclass(frozen=True, slots=True)
class MetClass:
    """A class that was met, and told nothing yet.

    Attributes:
        address: Its host and port, as in a URL.
        code: The join code, as it was entered.
        certificate: What it showed, in PEM.
        words: The certificate's four words, to be compared with the board.
    """

    address: str
    code: str
    certificate: str
    words: str


@dataclass(frozen=True, slots=True)
class ClassSeat:
    """A learner's seat in a class, as the lesson's folder keeps it.

    Attributes:
        address: The class's host and port, as in a URL.
        code: The join code.
        certificate: The only one that counts, in PEM.
        learner: The learner's number, such as ``07``.
        word: What gives the same seat on any computer.
        lesson: The id of the lesson that the folder is for; empty before there is one.
        toml: That lesson's file; only as it was told, it isn't kept with the seat.
    """

    address: str
    code: str
    certificate: str
    learner: str = ""
    word: str = ""
    lesson: str = ""
    toml: str = field(default="", repr=False)


def parse_join_text(text: str) -> tuple[str, str]:
    """Return the code and the address in a board's text, ``otter-maple-42@192.0.2.10:8443``.

    Spaces, capitals, a scheme and a final slash don't matter, nor does a port that is left out. JoinInvalid
    if it is no such text.
    """
    code, _at, address = re.sub(r"\s|https?://", "", text.lower()).rstrip("/").rpartition("@")
    try:
        parts = urlsplit(f"https://{address}")
        host, port = parts.hostname, parts.port or CLASS_PORT
    except ValueError:
        raise JoinInvalid(JoinInvalid.NOT_ONE) from None
    if not host or parts.netloc != address or not _CODE.fullmatch(code):
        raise JoinInvalid(JoinInvalid.NOT_ONE)
    return code, f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
