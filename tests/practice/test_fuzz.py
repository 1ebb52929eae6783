"""Whatever is sent: no failure of the gateway's own, and no key's value in what it keeps or logs."""

import asyncio
import contextlib
import json
import logging
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keybench.practice.faults import Faults
from keybench.practice.keys import mentions_value
from practice.bench import Bench, DroppedError

#: Stand for the value of a key that was made, and for a sale.
KEY, SALE = "{key}", "{sale}"
REQUESTS = "/api/v5/devices/till-1/payment-requests"
ORDER = {"id": "R-1", "order_description": "d"}
FAULTS = Faults(devices={"till-1": "busy"}, answers={"*": {"status": 404}}, next=("reset",)).shown()
#: Requests that are right, before anything is done to them.
RIGHT: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", f"{REQUESTS}/sale", {"amount": "10.00", "dup_seconds": 60, "order_details": ORDER}),
    ("POST", f"{REQUESTS}/sale", {"amount": 90, "processor_id": "p", "billing_address": {"city": "B"}}),
    ("POST", f"{REQUESTS}/{SALE}/cancel", {}),
    ("GET", f"{REQUESTS}/{SALE}", {}),
    ("GET", f"{REQUESTS}?order_id=R-1", {}),
    ("GET", f"/api/asyncstatus/{SALE}?responseMethod=synchronous", {}),
    ("GET", "/api/v5/devices/till-1?include_status=true", {}),
    ("DELETE", "/api/v5/devices/till-2", {}),
    ("PATCH", "/api/v5/devices/till-1", {"nickname": "Fair"}),
    ("POST", "/api/v5/devices", {"registration_code": "T00001", "nickname": "Fair", "default": True}),
    ("POST", "/api/v5/payments/sale", {"amount": 10.5, "device_id": "till-1", "currency": "USD"}),
    ("POST", "/api/classic/sale", {"amount": "15.00", "device_id": "till-1", "api_key": KEY}),
    ("POST", "/api/transact.php", {"amount": "15.00", "poi_device_id": "till-1", "security_key": KEY}),
    ("POST", "/portal/keys", {"name": "T", "username": "web", "permission": "API", "kind": "private"}),
    ("PATCH", "/portal/users/counter1", {"enabled": True}),
    ("POST", "/live/api/v5/payments/sale", {"amount": "10.00", "device_id": "till-1"}),
    ("POST", "/portal/devices", {"id": "till-9", "nickname": "Nine", "connected": False}),
    ("PATCH", "/portal/devices/till-1", {"battery": 5, "signal": -70, "by_hand": True, "slow": 2}),
    ("POST", "/portal/devices/till-1/press", {"button": "approve"}),
    ("PUT", "/portal/clock", {"moved_s": 60}),
    ("PUT", "/portal/applications/a", {"device_id": "till-1", "amount": "1.00", "every_s": 5, "key_id": "x"}),
    ("PUT", "/portal/faults", FAULTS),
    (
        "PUT",
        "/portal/faults",
        {"weather": {"preset": "bad wifi", "seed": 1, "latency_s": [0, 1], "loss": 0.5}},
    ),
    ("PUT", "/portal/faults", {"users": {"counter1": ["sell on devices"]}, "expired_keys": ["x"]}),
    ("PUT", "/portal/faults", {"redirect": "https://x.example", "requests_left": 3, "clock_off_s": 5.5}),
    *(("GET", path, {}) for path in ("/", "/openapi.json", "/health", "/api/v5/security_keys")),
    *(("GET", f"/portal/{page}", {}) for page in ("users", "permissions", "keys", "faults", "log?limit=5")),
]

word = st.sampled_from(
    [KEY, f"x{KEY}x", f"{KEY}/", "A1b2C3d4" * 4, "v4_secret_abcdefgh", "4111111111111111", "\ud800", "", " "]
) | st.text(max_size=6)
number = st.integers() | st.floats() | st.sampled_from([0.1 + 0.2, 1e400, 10**30, -0.0, 403.0])
value = st.recursive(
    st.none() | st.booleans() | number | word,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(word, inner, max_size=2),
    max_leaves=4,
)


class Sent(NamedTuple):
    """One request as it comes off the wire."""

    method: str
    target: str
    headers: dict[str, str]
    body: str


@st.composite
def requests(draw: st.DrawFn) -> Sent:
    """A request that is right but for one thing or two."""
    method, target, told = draw(st.sampled_from(RIGHT))
    fields: dict[str, Any] = json.loads(json.dumps(told))
    form = target.endswith(".php")
    headers = {
        "authorization": f"Bearer {KEY}" if "async" in target else KEY,
        "content-type": "application/x-www-form-urlencoded" if form else "application/json",
        "x-practice-portal": "1",
        "host": "127.0.0.1",
    }
    raw = None
    for what in draw(
        st.lists(st.sampled_from(["field"] * 5 + ["target", "header", "method", "raw"]), max_size=2)
    ):
        if what == "field":
            inner = [one for one in fields.values() if isinstance(one, dict)]
            at = draw(st.sampled_from([fields, *inner]))
            at[draw(st.sampled_from([*at, "note"]) | word)] = draw(value)
        elif what == "target":
            parts = target.split("/")
            parts[draw(st.integers(1, len(parts) - 1))] = draw(word)
            target = "/".join(parts)
        elif what == "header":
            headers[draw(st.sampled_from([*headers, "content-length", "x-api-key"]))] = draw(word)
        elif what == "method":
            method = draw(st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "TRACE", KEY]))
        else:
            raw = draw(word | st.sampled_from(["[" * 20_000, "[1]", '{"amount": 1e999999}', '{"a": NaN}']))
    written = "&".join(f"{name}={text}" for name, text in fields.items()) if form else json.dumps(fields)
    return Sent(method, target, headers, written if raw is None else raw)


async def send(app: Any, sent: Sent, known: dict[str, str]) -> bytes:
    """Send a request past any client that would correct it; return the answer's body, if one came."""

    def raw(text: str) -> bytes:
        for name, meant in known.items():
            text = text.replace(name, meant)
        return text.encode("utf-8", "surrogatepass")

    answer: list[Any] = []
    coming = [{"type": "http.request", "body": raw(sent.body), "more_body": False}]

    async def receive() -> Any:
        return coming.pop() if coming else await asyncio.get_running_loop().create_future()

    async def said(message: Any) -> None:
        answer.append(message)

    path, _, query = raw(sent.target).partition(b"?")
    scope = {
        "type": "http",
        "method": raw(sent.method).decode(),
        "path": path.decode("utf-8", "replace"),
        "query_string": query,
        "headers": [(name.encode(), raw(text)) for name, text in sent.headers.items()],
        "http_version": "1.1",
        "scheme": "http",
        "root_path": "",
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    with contextlib.suppress(DroppedError):
        await app(scope, receive, said)
    return b"".join(one.get("body", b"") for one in answer)


@pytest.mark.parametrize(
    "examples", [60, pytest.param(3000, marks=[pytest.mark.sweep, pytest.mark.timeout(900)])]
)
@pytest.mark.logs
def test_nothing_that_is_sent_fails_the_gateway_or_leaves_a_value(
    examples: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for noisy in ("httpx", "asyncio"):
        caplog.set_level(logging.WARNING, noisy)

    async def play(sent: list[Sent]) -> None:
        bench = Bench()
        try:
            key = await bench.key("admin")
            known = {KEY: key, SALE: (await bench.sell(key, order_details=ORDER)).json()["id"]}
            transport: Any = bench.client._transport
            for one in sent:
                assert b"its log says why" not in await send(transport.app, one, known)
            for entry in bench.state.log.latest(100):
                kept = " ".join(str(getattr(entry, name)) for name in entry.__slots__)
                leaked = mentions_value(kept) or key in kept
                assert not leaked
        finally:
            await bench.close()

    @settings(max_examples=examples)
    @given(st.lists(requests(), min_size=1, max_size=6))
    def fuzzed(sent: list[Sent]) -> None:
        caplog.clear()
        asyncio.run(play(sent))
        leaked = mentions_value(caplog.text.replace("A1b2C3d4" * 4, ""))
        assert not leaked

    fuzzed()
