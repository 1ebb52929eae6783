"""Playing a support bundle back: the answers that were recorded, in their order and with their timing.

A request is known by its method and path. Each sale that is sent begins the next recorded one, or begins with
the first again when all were played; what is asked about it then is answered as it was. A sale of another
reference gets answers about that one, so that a console doesn't take them for another sale's. No key is
looked at: whatever stands there, such as a placeholder, is accepted or refused as it was recorded. What isn't
recorded is for the practice gateway itself.

It reads the bundle's `exchanges.har` alone, an HTTP archive (HAR 1.2).
"""

import json
import re
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from keybench.practice.gateway import PracticeGateway

_HAR: Final = "exchanges.har"
#: What Python's reader of ZIPs raises at files that are damaged, or lack what is asked for.
_UNZIPPING: Final = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError),
    *(KeyError, ValueError, RuntimeError, NotImplementedError),
)
_MOST_BYTES: Final = 64_000_000
_MOST_ENTRIES: Final = 200_000
_MOST_OF_BODY: Final = 64 * 1024
#: No recorded answer is waited for longer than a device may take.
_LONGEST_S: Final = 600.0
#: Whoever polls a little earlier than was recorded gets the next answer all the same.
_EARLY_S: Final = 0.3
_REFERENCE: Final = re.compile(r"KB(?:-[0-9A-Z]{4}){3}")
_HOP_BY_HOP: Final = frozenset(
    {
        *("connection", "content-encoding", "content-length", "date", "keep-alive", "server"),
        *("transfer-encoding", "upgrade"),
    }
)
_FIRST_OF_SALE: Final = "POST"
_SHOWN_STATUSES: Final = range(200, 600)


class UnreadableRecording(Exception):
    """The file has no exchanges that can be played back; the message says why."""


@dataclass(frozen=True)
class Recorded:
    """One recorded exchange."""

    sale: str
    method: str
    path: str
    after_s: float
    takes_s: float
    status: int
    headers: tuple[tuple[str, str], ...]
    body: str


@dataclass
class _Playing:
    """A sale that is played back."""

    exchanges: Sequence[Recorded]
    began: float
    reference: str
    next: dict[tuple[str, str], int] = field(default_factory=dict)


def read_recording(path: Path) -> list[list[Recorded]]:
    """Return the recorded exchanges of each sale, the oldest sale first."""
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise UnreadableRecording("it isn't an ordinary file")
    try:
        with zipfile.ZipFile(path) as archive, archive.open(_HAR) as file:
            data = file.read(_MOST_BYTES + 1)
    except _UNZIPPING:
        raise UnreadableRecording("it isn't a support bundle") from None
    if len(data) > _MOST_BYTES:
        raise UnreadableRecording("it is larger than any support bundle")
    try:
        entries = json.loads(data)["log"]["entries"][:_MOST_ENTRIES]
        read = [_recorded(entry) for entry in entries]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError):
        raise UnreadableRecording("its exchanges can't be read") from None
    if not read:
        raise UnreadableRecording("no request is recorded in it")
    by_sale: dict[str, list[tuple[datetime, Recorded]]] = {}
    for at, one in read:
        by_sale.setdefault(one.sale, []).append((at, one))
    sales = sorted(by_sale.values(), key=lambda found: min(at for at, _ in found))
    return [_in_time(found) for found in sales]


def _recorded(entry: dict[str, Any]) -> tuple[datetime, Recorded]:
    request, response, ours = entry["request"], entry["response"], entry["_keybench"]
    at = datetime.fromisoformat(ours["at"])
    if at.tzinfo is None:
        raise ValueError(at)
    headers = [(str(one["name"]), str(one["value"])) for one in response["headers"]]
    status = int(response["status"])
    return at, Recorded(
        sale=str(ours["sale"]),
        method=str(request["method"]).upper(),
        path=unquote(urlsplit(str(request["url"])).path),
        after_s=0.0,
        takes_s=min(max(float(ours["timings"]["total_s"]), 0.0), _LONGEST_S),
        status=status if status in _SHOWN_STATUSES else 0,
        headers=tuple(header for header in headers if header[0].lower() not in _HOP_BY_HOP),
        body=str(response["content"]["text"]),
    )


def _in_time(found: list[tuple[datetime, Recorded]]) -> list[Recorded]:
    found.sort(key=lambda pair: pair[0])
    return [replace(one, after_s=(at - found[0][0]).total_seconds()) for at, one in found]


class Replay:
    """Answers what was recorded; everything else goes to the practice gateway."""

    def __init__(self, app: ASGIApp, sales: Sequence[Sequence[Recorded]], gateway: PracticeGateway) -> None:
        self._app = app
        self._sales = sales
        self._gateway = gateway
        self._turn = 0
        self._playing: list[_Playing] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        method, path = scope["method"], unquote(scope["path"])
        begins = [
            sale for sale in self._sales if method == _FIRST_OF_SALE and self._matches(sale[0], method, path)
        ]
        try:
            playing = self._begun(begins, await _read(receive)) if begins else self._about(method, path)
        except ClientDisconnect:
            return
        if playing is None:
            await self._app(scope, receive, send)
        else:
            await self._answer(playing, method, path, scope, receive, send)

    def _matches(self, one: Recorded, method: str, path: str, playing: _Playing | None = None) -> bool:
        """Tell whether a request asks for a recorded answer; where the gateway is mounted doesn't matter."""
        told, recorded = path.rstrip("/"), one.path.rstrip("/")
        if playing is None:
            told, recorded = (_REFERENCE.sub("KB", text) for text in (told, recorded))
        elif playing.reference:
            told = told.replace(playing.reference, one.sale)
        if one.method != method or not (told and recorded):
            return False
        return recorded == told or recorded.endswith(told) or told.endswith(recorded)

    def _begun(self, begins: Sequence[Sequence[Recorded]], body: bytes) -> _Playing:
        """Return the sale that is sent now, by the next of the recorded ones that begin so."""
        sale = begins[self._turn % len(begins)]
        self._turn += 1
        told = _REFERENCE.search(body.decode("utf-8", "replace"))
        playing = _Playing(sale, self._gateway.clock(), told[0] if told else sale[0].sale)
        # An older one of the same record is over: what is asked now is about this one.
        self._playing = [one for one in self._playing if one.exchanges is not sale]
        self._playing.append(playing)
        return playing

    def _about(self, method: str, path: str) -> _Playing | None:
        """Return the newest sale that a request fits, or None."""
        for playing in reversed(self._playing):
            if any(self._matches(one, method, path, playing) for one in playing.exchanges):
                return playing
        for sale in self._sales:
            if any(self._matches(one, method, path) for one in sale):
                playing = _Playing(
                    sale, self._gateway.clock() - sale[-1].after_s / self._gateway.speed, sale[0].sale
                )
                self._playing.append(playing)
                return playing
        return None

    async def _answer(
        self, playing: _Playing, method: str, path: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        fitting = [one for one in playing.exchanges if self._matches(one, method, path, playing)]
        key = method, fitting[0].path
        given = playing.next.get(key, 0)
        elapsed_s = (self._gateway.clock() - playing.began) * self._gateway.speed
        following = min(given, len(fitting) - 1)
        if given and elapsed_s + _EARLY_S < fitting[following].after_s:
            following = min(given, len(fitting)) - 1  # it isn't time for the next one yet
        else:
            playing.next[key] = following + 1
        one = fitting[following]
        await self._gateway.pause(one.takes_s / self._gateway.speed)
        if not one.status:
            return  # the edge closes a connection that got no answer
        text = one.body.replace(one.sale, playing.reference) if one.sale and playing.reference else one.body
        response = Response(text.encode("utf-8", "replace"), one.status)
        for name, value in one.headers:
            if name.isascii() and name.replace("-", "").replace("_", "").isalnum():
                response.headers.append(
                    name,
                    "".join(c for c in value if c.isprintable())
                    .encode("latin-1", "replace")
                    .decode("latin-1"),
                )
        await response(scope, receive, send)


async def _read(receive: Receive) -> bytes:
    body = b""
    async for chunk in Request({"type": "http"}, receive).stream():
        body += chunk
        if len(body) > _MOST_OF_BODY:
            break
    return body
