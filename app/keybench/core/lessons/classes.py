"""A class as a learner's console knows it: where it is, what proves that it is the one, a seat in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from keybench.core.input_errors import JoinInvalid

_PORT: Final = 8443
_CODE: Final = re.compile(r"[a-z]+(?:-[a-z]+)*-[0-9]+")


@dataclass(frozen=True, slots=True)
class MetClass:
    """A class at an address, host and port as in a URL, with the certificate that it showed, in PEM.

    `code` is what was entered to join it; `words` are the certificate's, to be compared with the board.
    """

    address: str
    code: str
    certificate: str
    words: str


@dataclass(frozen=True, slots=True)
class ClassSeat(MetClass):
    """A learner's seat: their number, such as ``07``, and the word that gives the seat on any computer.

    `lesson` is the id of the class's lesson, empty before there is one, and `toml` what its file says.
    """

    learner: str = ""
    word: str = ""
    lesson: str = ""
    toml: str = field(default="", repr=False)


def parse_join_text(text: str) -> tuple[str, str]:
    """Return the code and address in ``otter-maple-42@192.0.2.10:8443``; JoinInvalid if it is no such text.

    Spaces, capitals and a scheme don't matter, and the port may be left out.
    """
    code, _at, address = re.sub(r"\s|https?://", "", text.lower()).rstrip("/").rpartition("@")
    try:
        parts = urlsplit(f"https://{address}")
        host, port = parts.hostname if parts.netloc == address else None, parts.port or _PORT
    except ValueError:
        host, port = None, 0
    if not host or not _CODE.fullmatch(code):
        raise JoinInvalid(JoinInvalid.NOT_ONE)
    return code, f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
