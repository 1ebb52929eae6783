"""Networks that are broken in one way each, of real parts: sockets, TLS, certificates, proxies.

Each is a context manager that yields a `Place`: what to look at, and with whose eyes.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import ssl
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from email.utils import format_datetime
from pathlib import Path
from socket import AF_INET, AF_INET6, SO_REUSEADDR, SOL_SOCKET, socket

from contracts.probing_contract import Looked
from fakes.clock import MovedClock
from gateway.certificates import certificate, serving, trusting
from gateway.hostile import Hostile, Play, hostile
from keybench.core.diagnosis.checks import Check, CheckFinding, Observation
from keybench.core.environments.environment import NO_PROXY, Environment, EnvironmentKind
from keybench.core.ports import Clock
from keybench.core.secret import Secret
from keybench.gateway.diagnosis.probing import HttpProbing
from keybench.gateway.network import LookUp
from keybench.gateway.proxies import Proxies
from keybench.runtime.clock import SystemClock

KEY = Secret("MadeUpForTests0123456789abcdefgh")
#: Known to a proxy, or to a look-up of the test's own, and to nobody else.
NAME = "gateway.example"
#: For looks in which nothing should be silent: a busy machine may take its time.
PATIENT_S = 30.0
#: For looks in which something is silent, which has to be waited for.
SOON_S = 0.5
PAGE = b"<!DOCTYPE html><html><title>Welcome</title><form>Sign in to our network</form></html>"


@dataclass
class Place:
    """A base URL, and what looks at it.

    Attributes:
        trusts: What this computer trusts.
        public: What anybody trusts.
        look_up: How names are looked up.
    """

    base_url: str
    proxy: str = NO_PROXY
    trusts: ssl.SSLContext | None = None
    public: ssl.SSLContext | None = None
    look_up: LookUp | None = None
    clock: Clock = field(default_factory=SystemClock)
    limit_s: float = PATIENT_S

    @property
    def environment(self) -> Environment:
        made = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
        shop = Environment("e1", "Shop", EnvironmentKind.TEST, self.base_url, "v5", made)
        return replace(shop, proxy=self.proxy)

    @asynccontextmanager
    async def looking(self) -> AsyncIterator[Looking]:
        """Yield what looks at the place."""
        probing = HttpProbing(
            self.clock,
            tls=self.trusts,
            public=self.public or self.trusts,
            proxies=Proxies(is_near=lambda _host: False),
            look_up=self.look_up,
            limit_s=self.limit_s,
        )
        try:
            yield Looking(probing, self.environment)
        finally:
            await probing.close()

    async def findings(self) -> list[CheckFinding]:
        """Make every check, those that can be beside one another, as a diagnosis does."""
        async with self.looking() as looking:
            return await looking.findings()


@dataclass
class Looking:
    """The checks of the network and the gateway at one place."""

    probing: HttpProbing
    environment: Environment

    async def check(self, check: Check, value: Secret = KEY) -> Sequence[Observation]:
        looked = Looked(self.probing, self.environment, self.environment.base_url, value)
        return await looked.check(check)

    async def findings(self) -> list[CheckFinding]:
        looked = Looked(self.probing, self.environment, self.environment.base_url, KEY)
        return await looked.findings()


def answers(*, now: Callable[[], dt.datetime] | None = None, log: list[bytes] | None = None) -> Play:
    """Play a gateway that knows `KEY`, bare in `Authorization`, and whose clock is `now`."""

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            if log is not None:
                log.append(head)
            date = format_datetime((now or _now)().astimezone(dt.UTC), usegmt=True)
            writer.write(_answer(head, date))
            await writer.drain()

    return play


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def _answer(head: bytes, date: str) -> bytes:
    is_known = f"\r\nAuthorization: {KEY.reveal()}\r\n".encode() in head
    told = {"devices": []} if is_known else {"message": "No valid key", "error_code": "E_KEY", "ref_id": "r7"}
    body = json.dumps(told).encode()
    status = "200 OK" if is_known else "401 Unauthorized"
    lines = [f"HTTP/1.1 {status}", f"Date: {date}", "Content-Type: application/json"]
    lines += [f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + (b"" if head.startswith(b"HEAD") else body)


def says_to_all(answer: bytes) -> Play:
    """Play a server that gives the same answer to whatever is asked."""

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()

    return play


def slowly(beginning: bytes = b"") -> Play:
    """Play a server that sends a byte a second."""

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(beginning)
        for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n" * 9:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(1)

    return play


async def refuses_what_is_not_http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer as web servers do to what they can't read, such as TLS."""
    await reader.read(4096)
    writer.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    await writer.drain()


async def takes_all(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Take whatever comes and say nothing, as the other end of a half-open connection."""
    while await reader.read(4096):
        pass


@asynccontextmanager
async def plain(play: Play | None = None, **more: object) -> AsyncIterator[Place]:
    """Serve over plain HTTP."""
    async with hostile(play or answers(), reads=False) as server:
        yield Place(server.base_url, **more)  # type: ignore[arg-type]


@asynccontextmanager
async def secure(
    folder: Path,
    play: Play | None = None,
    *,
    address: str = "127.0.0.1",
    starts: int = -60,
    ends: int = 60,
    trusted: bool = True,
    **more: object,
) -> AsyncIterator[Place]:
    """Serve over TLS, with a certificate for an address; times are in days from now."""
    made = certificate(folder / "gateway", address=address, starts=starts, ends=ends)
    other = certificate(folder / "other")
    async with hostile(play or answers(), reads=False, tls=serving(made)) as server:
        yield Place(server.base_url, trusts=trusting(made if trusted else other), **more)  # type: ignore[arg-type]


@contextmanager
def dark(host: str = "127.0.0.1", port: int = 0) -> Iterator[int]:
    """Yield a port that takes no connection and refuses none: whoever listens there is full."""
    family = AF_INET6 if ":" in host else AF_INET
    with socket(family) as listening:
        listening.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(0)
        filling = []
        try:
            for _ in range(4):
                one = socket(family)
                filling.append(one)
                one.setblocking(False)
                with suppress(BlockingIOError):
                    one.connect((host, listening.getsockname()[1]))
            yield listening.getsockname()[1]
        finally:
            for one in filling:
                one.close()


@contextmanager
def shut() -> Iterator[int]:
    """Yield a port that refuses connections, and that nobody else gets meanwhile."""
    with socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def proxy_that(opens: bytes | None, port: int = 0, *, inside: bytes = b"") -> Play:
    """Play a proxy: it answers `opens`, then leads to a port of this computer, or says `inside` itself.

    Where `opens` is None it gives no answer at all.
    """

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        if opens is None:
            await reader.read()
            return
        writer.write(opens)
        await writer.drain()
        if inside:
            await reader.read(4096)
            writer.write(inside)
        elif port:
            onward = await asyncio.open_connection("127.0.0.1", port)
            try:
                await asyncio.gather(_pump(reader, onward[1]), _pump(onward[0], writer))
            finally:
                onward[1].close()

    return play


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(65536):
        writer.write(piece)
        await writer.drain()
    writer.close()


@asynccontextmanager
async def proxied(play: Play) -> AsyncIterator[Hostile]:
    """Serve a proxy."""
    async with hostile(play, reads=False) as server:
        yield server


def port_of(base_url: str) -> int:
    """Return the port of a base URL that names one."""
    return int(base_url.rpartition(":")[2])


def named(place: Place) -> Place:
    """Return a place by the name that only a proxy can find."""
    return replace(place, base_url=place.base_url.replace("127.0.0.1", NAME))


def clock_off(days: float) -> MovedClock:
    """Return a clock that is ahead by so many days, and stands still."""
    return MovedClock(dt.datetime.now(dt.UTC) + dt.timedelta(days=days))
