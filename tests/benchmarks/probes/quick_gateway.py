"""A gateway that costs next to nothing: it takes sales, lets each end at a random moment, and keeps count.

Arguments: how long the slowest sale takes, in seconds, and the seed of the moments; or how long each sale
takes, and the word ``each``; then, where not all are, how many requests are taken in any second from ``POST
/begin`` on, others being refused with 429. It prints its port, and serves until it is ended. The moments
count from each sale's acceptance, those of a seed at the earliest from ``POST /begin``, before which no
sale ends. ``GET /count`` tells of each sale when its outcome was there (on the system's monotonic clock,
which all programs share), how long it lasted and how often it was asked for, ``GET /refused`` how many
requests were, by their method.
"""

from __future__ import annotations

import asyncio
import json
import math
import random
import sys
import time
from collections import Counter, deque
from dataclasses import dataclass
from typing import Any

ACCEPTED = 202
FOUND = 200
TOO_OFTEN = 429
_HEAD = "HTTP/1.1 {status} OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"


@dataclass(slots=True)
class Sold:
    """A sale as the gateway knows it: how long it lasts, and how often it was asked for."""

    reference: str
    begun: float
    lasts_s: float
    polls: int = 0


class Till:
    """Takes sales and tells what became of them."""

    def __init__(self, slowest_s: float, seed: str, takes_per_s: int) -> None:
        self._slowest_s = slowest_s
        self._begun = math.inf
        self._taken = deque[float](maxlen=takes_per_s or None)
        self._refused = Counter[str]()
        self._moments = None if seed == "each" else random.Random(int(seed))
        self._sold: dict[str, Sold] = {}

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, Any]:
        """Return a status and a document for a request."""
        if path == "/begin":
            self._begun = time.monotonic()
            for one in self._sold.values():
                one.begun = self._begun
            return FOUND, {}
        if path.startswith("/api/") and self._is_too_often():
            self._refused[method] += 1
            return TOO_OFTEN, {"error_code": "E_RATE_LIMIT", "message": "too many requests"}
        if method == "POST":
            return ACCEPTED, self._take(json.loads(body)["order_details"]["id"])
        if path == "/count":
            return FOUND, {
                one.reference: [one.begun + one.lasts_s, one.lasts_s, one.polls]
                for one in self._sold.values()
            }
        if path == "/refused":
            return FOUND, self._refused
        return FOUND, self._tell(path.rpartition("/")[2])

    def _is_too_often(self) -> bool:
        now, most = time.monotonic(), self._taken.maxlen
        if not most or self._begun == math.inf:
            return False
        if len(self._taken) == most and now - self._taken[0] < 1.0:
            return True
        self._taken.append(now)
        return False

    def _take(self, reference: str) -> dict[str, Any]:
        number = f"PR-{len(self._sold)}"
        if self._moments:
            begun = math.inf if self._begun == math.inf else time.monotonic()
            self._sold[number] = Sold(reference, begun, self._moments.uniform(0, self._slowest_s))
        else:
            self._sold[number] = Sold(reference, time.monotonic(), self._slowest_s)
        return {"id": number, "status": "pending"}

    def _tell(self, number: str) -> dict[str, Any]:
        sold = self._sold[number]
        sold.polls += 1
        if time.monotonic() < sold.begun + sold.lasts_s:
            return {"id": number, "status": "inFlight"}
        paid = {"success": True, "id": f"T-{number}", "auth_code": "A1B2C3", "response_code": "100"}
        return {"id": number, "status": "interactionComplete", "transaction": paid}


class Connection(asyncio.Protocol):
    """Reads requests off one connection and answers them; knows as much of HTTP as its two callers use."""

    def __init__(self, till: Till) -> None:
        self._till = till
        self._pending = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer every request that is whole."""
        self._pending += data
        while b"\r\n\r\n" in self._pending:
            head, _, rest = self._pending.partition(b"\r\n\r\n")
            length = _content_length(head)
            if len(rest) < length:
                return
            self._pending = rest[length:]
            method, path, _version = head.partition(b"\r\n")[0].decode().split(" ")
            status, document = self._till.answer(method, path, rest[:length])
            content = json.dumps(document)
            self._transport.write((_HEAD.format(status=status, length=len(content)) + content).encode())


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


async def serve(slowest_s: float, seed: str, takes_per_s: int) -> None:
    """Serve on a free port until ended."""
    till = Till(slowest_s, seed, takes_per_s)
    server = await asyncio.get_running_loop().create_server(lambda: Connection(till), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]), sys.argv[2], int((*sys.argv, "0")[3])))
