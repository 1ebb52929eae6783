"""Through a proxy: asked for a tunnel before anything is sent, and what it answers is told apart."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from gateway.callers import MADE_UP_KEY, ORDER, MakeCaller
from gateway.certificates import certificate, serving, trusting
from gateway.hostile import Hostile, Play, hostile, http, is_silent, resets, says, trickles
from gateway.test_failures import free_port
from keybench.core.environments.addresses import is_loopback
from keybench.core.environments.environment import NO_PROXY, SYSTEM_PROXY
from keybench.core.errors import AnswerLost, AnswerUnreadable, KeystoreLocked, NotSent, ValueLost
from keybench.core.exchange import Exchange
from keybench.core.ports import Accepted, Caller
from keybench.core.secret import Secret
from keybench.gateway.client import HttpGateway
from keybench.gateway.messages import CallFailed, Limits
from keybench.gateway.proxies import Proxies, system_way
from keybench.words.reasons import reason_sentence

WORD = "made-up Wörd: of the proxy"
TAKEN = http("202 Accepted", b'{"id": "r1"}')
GOES_ON = http("200 OK", b'{"status": "inFlight"}')


class Passwords:
    """A keystore with one proxy's password, and how often it was asked for."""

    def __init__(self, word: str = WORD) -> None:
        self.word = word
        self.failure: Exception | None = None
        self.reads: list[str] = []

    async def read(self, entry: str) -> Secret:
        self.reads.append(entry)
        await asyncio.sleep(0)
        if self.failure:
            raise self.failure
        return Secret(self.word)


@pytest.fixture
def passwords() -> Passwords:
    return Passwords()


@pytest.fixture
async def gateway(passwords: Passwords) -> AsyncIterator[HttpGateway]:
    """A client that goes through proxies to loopback, too."""
    gateway = client(passwords)
    yield gateway
    await gateway.close()


def client(passwords: Passwords, **options: object) -> HttpGateway:
    proxies = Proxies(passwords.read, is_near=lambda _host: False)
    return HttpGateway(proxies=proxies, **options)  # type: ignore[arg-type]


def through(caller: Caller, proxy: str) -> Caller:
    return replace(caller, environment=replace(caller.environment, proxy=proxy))


def signed(server: Hostile, user: str = "anna") -> str:
    return server.base_url.replace("://", f"://{user}@")


def relays(
    *, cut_after: int | None = None, opens: bytes = b"HTTP/1.1 200 Connection established\r\n\r\n"
) -> Play:
    """Play a proxy that leads to where it is asked to, and breaks off after so many bytes of the request."""

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = play.server.requests[-1].split(b" ")[1].decode()  # type: ignore[attr-defined]
        host, _, port = asked.rpartition(":")
        onward = await asyncio.open_connection(host.replace(NAME, "127.0.0.1"), int(port))
        writer.write(opens)
        try:
            await asyncio.gather(
                _pump(reader, onward[1], cut_after), _pump(onward[0], writer, None), return_exceptions=True
            )
        finally:
            onward[1].close()

    return play


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, most: int | None) -> None:
    passed = 0
    while piece := await reader.read(4096):
        passed += len(piece)
        if most is not None and passed > most:
            break
        writer.write(piece)
        await writer.drain()
    writer.close()


NAME = "gateway.example"


@asynccontextmanager
async def relaying(play: Play, **options: object) -> AsyncIterator[Hostile]:
    async with hostile(play, **options) as server:  # type: ignore[arg-type]
        play.server = server  # type: ignore[attr-defined]
        yield server


async def test_every_manner_of_call_goes_through_the_proxy(
    gateway: HttpGateway, caller: MakeCaller, exchanges: list[Exchange]
) -> None:
    async with hostile(says(TAKEN)) as server, relaying(relays()) as proxy:
        at = through(caller(server.base_url.replace("127.0.0.1", NAME)), proxy.base_url)
        assert await gateway.start_sale(at, ORDER) == Accepted("r1")
        with pytest.raises(AnswerUnreadable):
            await gateway.look_up(at, ORDER)
    place = f"{NAME}:{urlsplit(server.base_url).port}".encode()
    assert [one.split(b"\r\n")[:2] for one in proxy.requests] == [
        [b"CONNECT %s HTTP/1.1" % place, b"Host: %s" % place]
    ] * 2
    assert [one.split(b" ")[0] for one in server.requests] == [b"POST", b"GET"]
    assert not any(MADE_UP_KEY.encode() in one for one in proxy.requests)
    assert exchanges[0].timings.connect_s is not None


async def test_questions_share_a_tunnel(gateway: HttpGateway, caller: MakeCaller) -> None:
    async def answers_three(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for number in range(3):
            if number:
                await reader.readuntil(b"\r\n\r\n")
            writer.write(GOES_ON)
            await writer.drain()

    async with hostile(answers_three) as server, relaying(relays()) as proxy:
        for _ in range(3):
            await gateway.sale_status(through(caller(server.base_url), proxy.base_url), ORDER, "r1")
    assert (len(proxy.requests), len(server.requests)) == (1, 1)


@pytest.mark.parametrize("proxy_scheme", ["http", "https"])
async def test_tls_goes_through_and_the_gateways_own_certificate_is_checked(
    tmp_path: Path, passwords: Passwords, caller: MakeCaller, proxy_scheme: str
) -> None:
    named, other = certificate(tmp_path / "a", name=NAME), certificate(tmp_path / "b", name="other.example")
    for_proxy = certificate(tmp_path / "p")
    for path, reason in ((named, ""), (other, "tls wrong host")):
        tls = trusting(path)
        tls.load_verify_locations(for_proxy)
        gateway = client(passwords, tls=tls)
        proxy_tls = serving(for_proxy) if proxy_scheme == "https" else None
        async with (
            hostile(says(TAKEN), tls=serving(path)) as server,
            relaying(relays(), tls=proxy_tls) as proxy,
        ):
            at = through(caller(server.base_url.replace("127.0.0.1", NAME)), proxy.base_url)
            if reason:
                with pytest.raises(NotSent) as raised:
                    await gateway.start_sale(at, ORDER)
                assert raised.value.reason == reason
                assert server.requests == []
            else:
                assert await gateway.start_sale(at, ORDER) == Accepted("r1")
            await gateway.close()


async def test_the_user_and_the_password_go_to_the_proxy_and_nowhere_else(
    gateway: HttpGateway,
    passwords: Passwords,
    caller: MakeCaller,
    exchanges: list[Exchange],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    async with hostile(says(TAKEN)) as server, relaying(relays()) as proxy:
        at = through(caller(server.base_url), signed(proxy, "OFFICE%5Canna"))
        await gateway.start_sale(at, ORDER)
        await gateway.start_sale(at, ORDER)
    word = b64encode(f"OFFICE\\anna:{WORD}".encode())
    assert all(b"\r\nProxy-Authorization: Basic " + word + b"\r\n" in one for one in proxy.requests)
    assert passwords.reads == ["e1/proxy"]
    leaked = any(
        secret in f"{exchanges} {caplog.text} {server.requests} {vars(gateway)}"
        for secret in (WORD, word.decode())
    )
    assert not leaked


@pytest.mark.parametrize(
    ("play", "user", "reason"),
    [
        (says(http("407 Proxy Authentication Required")), "", "proxy password wanted"),
        (says(http("407 Needed", b"", 'Proxy-Authenticate: Basic realm="x"')), "", "proxy password wanted"),
        (
            says(http("407 Needed", b"", 'Proxy-Authenticate: basic realm="x"')),
            "anna",
            "proxy password refused",
        ),
        (says(http("407 Needed", b"", "Proxy-Authenticate: NTLM")), "anna", "proxy sign-in"),
        (says(http("403 Forbidden", b"<html>no</html>")), "", "proxy refused"),
        (says(http("405 Method Not Allowed")), "", "proxy refused"),
        (says(http("302 Found", b"", "Location: http://127.0.0.1:1/")), "", "proxy refused"),
        (says(http("502 Bad Gateway")), "", "proxy in vain"),
        (says(http("503 Service Unavailable")), "", "proxy in vain"),
        (says(http("504 Gateway Timeout")), "", "proxy in vain"),
        (says(b""), "", "proxy closed"),
        (says(b"HTTP/1.1 2"), "", "proxy closed"),
        (resets, "", "proxy closed"),
        (says(b"SSH-2.0-OpenSSH_9\r\n\r\n"), "", "not a proxy"),
        (is_silent, "", "proxy silent"),
        (trickles(b"HTTP/1.1 200 OK\r\nX: "), "", "proxy silent"),
    ],
)
async def test_a_proxy_that_lets_nothing_through_is_told_and_nothing_was_sent(
    passwords: Passwords, caller: MakeCaller, play: Play, user: str, reason: str
) -> None:
    silent = reason == "proxy silent"
    gateway = client(passwords, limits=Limits(proxy_s=0.3) if silent else Limits())
    async with hostile(says(TAKEN)) as server, hostile(play) as proxy:
        at = through(caller(server.base_url), signed(proxy, user) if user else proxy.base_url)
        for call in (gateway.start_sale(at, ORDER), gateway.sale_status(at, ORDER, "r1")):
            with pytest.raises(NotSent) as raised:
                await call
            assert raised.value.reason == reason
            assert raised.value.__context__ is None
        assert server.requests == []
        assert {one.split(b" ")[0] for one in proxy.requests} == {b"CONNECT"}
        assert len(proxy.requests) == 2
    await gateway.close()
    assert "The proxy" in reason_sentence(reason) or "the proxy" in reason_sentence(reason)


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://127.0.0.1:{port}", "proxy unreachable"),
        ("http://no-such-proxy.invalid:3128", "proxy not found"),
    ],
)
async def test_a_proxy_that_is_not_there_is_told(
    gateway: HttpGateway, caller: MakeCaller, address: str, reason: str
) -> None:
    at = through(caller("http://gateway.invalid"), address.format(port=free_port()))
    with pytest.raises(NotSent) as raised:
        await gateway.start_sale(at, ORDER)
    assert raised.value.reason == reason


@pytest.mark.parametrize(("serves_tls", "reason"), [(True, "proxy untrusted"), (False, "proxy tls")])
async def test_a_proxy_whose_own_certificate_is_not_trusted_is_told(
    tmp_path: Path, passwords: Passwords, caller: MakeCaller, reason: str, *, serves_tls: bool
) -> None:
    made = certificate(tmp_path / "proxy")
    gateway = client(passwords, tls=trusting(certificate(tmp_path / "other")))
    async with hostile(
        says(http("400 Bad")), reads=False, tls=serving(made) if serves_tls else None
    ) as proxy:
        at = through(caller("https://gateway.invalid"), proxy.base_url.replace("http:", "https:"))
        with pytest.raises(NotSent) as raised:
            await gateway.start_sale(at, ORDER)
    await gateway.close()
    assert raised.value.reason == reason


@pytest.mark.parametrize("cut_after", [0, 20])
async def test_a_tunnel_that_breaks_after_the_request_began_leaves_it_unknown(
    gateway: HttpGateway, caller: MakeCaller, cut_after: int
) -> None:
    async with hostile(says(TAKEN)) as server, relaying(relays(cut_after=cut_after)) as proxy:
        with pytest.raises(AnswerLost):
            await gateway.start_sale(through(caller(server.base_url), proxy.base_url), ORDER)
    assert len(proxy.requests) == 1


async def test_many_calls_at_once_ask_the_keystore_once(
    gateway: HttpGateway, passwords: Passwords, caller: MakeCaller
) -> None:
    async with hostile(says(TAKEN)) as server, relaying(relays()) as proxy:
        at = through(caller(server.base_url), signed(proxy))
        await asyncio.gather(*(gateway.start_sale(at, ORDER) for _ in range(5)))
    assert len(passwords.reads) == 1


async def test_a_password_is_read_again_after_it_failed(
    gateway: HttpGateway, passwords: Passwords, caller: MakeCaller
) -> None:
    passwords.word = "old"
    async with hostile(says(TAKEN)) as server:
        async with hostile(says(http("407 Needed"))) as proxy:
            at = through(caller(server.base_url), signed(proxy))
            with pytest.raises(NotSent):
                await gateway.start_sale(at, ORDER)
        passwords.word = WORD
        async with relaying(relays()) as proxy:
            assert await gateway.start_sale(through(at, signed(proxy)), ORDER) == Accepted("r1")
    assert b64encode(f"anna:{WORD}".encode()) in proxy.requests[0]
    assert len(passwords.reads) == 2


@pytest.mark.parametrize(
    ("failure", "reason"),
    [(ValueLost(), "proxy password missing"), (KeystoreLocked(), "proxy password unread")],
)
async def test_a_password_that_cannot_be_had_is_told_and_nothing_is_sent(
    gateway: HttpGateway, passwords: Passwords, caller: MakeCaller, failure: Exception, reason: str
) -> None:
    passwords.failure = failure
    async with hostile(says(TAKEN)) as server, relaying(relays()) as proxy:
        at = through(caller(server.base_url), signed(proxy))
        with pytest.raises(NotSent) as raised:
            await gateway.start_sale(at, ORDER)
        assert raised.value.reason == reason
        passwords.failure = None
        assert await gateway.start_sale(at, ORDER) == Accepted("r1")


@pytest.mark.parametrize(
    ("host", "near"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("localhost", True),
        ("::1", True),
        ("10.0.0.1", False),
        ("gateway.example", False),
        ("localhost.example", False),
        ("127.0.0.1.example", False),
    ],
)
async def test_this_computer_is_never_called_through_a_proxy(
    monkeypatch: pytest.MonkeyPatch, caller: MakeCaller, host: str, *, near: bool
) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    assert is_loopback(host) is near
    for setting in (SYSTEM_PROXY, "http://proxy.example:3128"):
        at = through(caller("https://x"), setting).environment
        assert (await Proxies().way_to(at, host, 443) is None) is near


async def test_loopback_and_none_go_straight(caller: MakeCaller, passwords: Passwords) -> None:
    straight, far = HttpGateway(), client(passwords)
    async with hostile(says(TAKEN)) as server, relaying(relays()) as proxy:
        await straight.start_sale(through(caller(server.base_url), proxy.base_url), ORDER)
        await far.start_sale(through(caller(server.base_url), NO_PROXY), ORDER)
    assert proxy.requests == []
    await straight.close()
    await far.close()


@pytest.mark.parametrize(
    ("variables", "found"),
    [
        ({}, None),
        ({"https_proxy": "http://proxy.example:3128"}, "http://proxy.example:3128"),
        ({"HTTPS_PROXY": "proxy.example:3128"}, "http://proxy.example:3128"),
        ({"https_proxy": "http://proxy.example"}, "http://proxy.example:80"),
        ({"https_proxy": "https://proxy.example"}, "https://proxy.example:443"),
        ({"ALL_PROXY": "http://proxy.example:3128/"}, "http://proxy.example:3128"),
        ({"http_proxy": "http://proxy.example:3128"}, None),
        ({"https_proxy": "http://proxy.example:3128", "no_proxy": "other.example,.example"}, None),
        ({"https_proxy": "http://proxy.example:3128", "no_proxy": "gateway.example:443"}, None),
        ({"https_proxy": "http://proxy.example:3128", "no_proxy": "*"}, None),
        (
            {"https_proxy": "http://proxy.example:3128", "no_proxy": "other.example"},
            "http://proxy.example:3128",
        ),
        ({"https_proxy": "http://anna:w%40rd@proxy.example:3128"}, "http://anna@proxy.example:3128"),
    ],
)
def test_the_systems_proxy_is_what_its_variables_say(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], found: str | None
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    way = system_way("gateway.example", 443)
    assert (str(way.proxy) if way else None) == found
    assert "w@rd" not in repr(way)
    if found and "anna" in found:
        assert way
        assert way.password
        assert way.password.matches(Secret("w@rd"))


@pytest.mark.parametrize("address", ["socks5://proxy.example:1080", "http://[::1", "http://proxy.example:x"])
def test_a_systems_proxy_that_cannot_be_used_is_not_passed_by(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("all_proxy", address)
    with pytest.raises(CallFailed) as raised:
        system_way("gateway.example", 443)
    assert raised.value.reason == "proxy setting"


async def test_the_systems_proxy_is_looked_at_again_after_a_connection_failed(
    gateway: HttpGateway, caller: MakeCaller, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hostile(says(TAKEN)) as server, relaying(relays()) as proxy:
        at = caller(server.base_url)
        monkeypatch.setenv("all_proxy", f"http://127.0.0.1:{free_port()}")
        with pytest.raises(NotSent):
            await gateway.start_sale(at, ORDER)
        monkeypatch.setenv("all_proxy", proxy.base_url)
        assert await gateway.start_sale(at, ORDER) == Accepted("r1")
    assert len(proxy.requests) == 1
