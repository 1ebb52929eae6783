"""Whatever is sent: no failure of the gateway's own, and no key's value in what it keeps or logs."""

import asyncio
import json
import logging
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.routing import Route

from keybench.practice import devices, pages, portal, sales
from keybench.practice.faults import Faults
from keybench.practice.keys import mentions_value
from practice.bench import Bench, DroppedError

#: Stands for the value of a key that was made.
KEY = "{key}"
CARD = "4111111111111111"
ROUTES: list[Route] = [*sales.ROUTES, *devices.ROUTES, *portal.ROUTES, *pages.ROUTES]

BODIES: list[dict[str, Any]] = [
    {"amount": "10.00", "currency": "USD", "processor_id": "p", "dup_seconds": 60},
    {"amount": 10.5, "device_id": "till-1", "api_key": KEY, "response_method": "asynchronous"},
    {
        "amount": 20,
        "order_details": {"id": "R-1", "order_description": "d"},
        "billing_address": {"city": "B"},
    },
    {"amount": "15.00", "poi_device_id": "till-1", "security_key": KEY, "type": "sale", "orderid": "R-1"},
    {"registration_code": "T00001", "nickname": "Fair", "default": True},
    {"name": "Till", "username": "counter1", "permission": "API", "kind": "private", "request_id": "1"},
    {"enabled": True},
    Faults(devices={"till-1": "busy"}, answers={"*": {"status": 404}}, next=("reset",)).shown(),
    {"weather": {"preset": "bad wifi", "seed": 1, "latency_s": [0, 1], "loss": 0.5, "limit_per_s": 1}},
]

word = st.sampled_from(
    [KEY, f"x{KEY}", f"{KEY}/", "A1b2C3d4" * 4, "v4_secret_abcdefgh", CARD, "\ud800", "", " ", "till-1"]
) | st.text(max_size=6)
number = st.integers() | st.floats() | st.sampled_from([0.1 + 0.2, 1e400, 10**30, -0.0])
value = st.recursive(
    st.none() | st.booleans() | number | word,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(word, inner, max_size=3),
    max_leaves=5,
)


@st.composite
def jsons(draw: st.DrawFn) -> str:
    """A body that is nearly right: a field or two are replaced, left out or added, at any depth."""
    body: dict[str, Any] = json.loads(json.dumps(draw(st.sampled_from(BODIES))))
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.sampled_from([body, *(one for one in body.values() if isinstance(one, dict))]))
        at[draw(st.sampled_from([*at, "x"]) | word)] = draw(value)
    return json.dumps(body)


class Sent(NamedTuple):
    """One request as it comes off the wire."""

    method: str
    path: str
    query: str
    headers: list[tuple[str, str]]
    body: str


@st.composite
def requests(draw: st.DrawFn) -> Sent:
    route = draw(st.sampled_from(ROUTES))
    path = route.path
    for name in route.param_convertors:
        known = {"device_id": "till-1", "username": "counter1"}.get(name, "none")
        path = path.replace(f"{{{name}}}", draw(st.just(known) | word))
    form = draw(st.booleans())
    types = ["application/json", "application/x-www-form-urlencoded", "text/plain", KEY]
    headers = [
        *draw(st.lists(st.tuples(st.just("authorization"), st.sampled_from([KEY, f"Bearer {KEY}"]) | word))),
        ("content-type", types[form] if draw(st.integers(0, 9)) else draw(st.sampled_from(types))),
        ("x-practice-portal", "1"),
        ("host", draw(st.sampled_from(["127.0.0.1", "localhost:80", "elsewhere.example"]))),
        *draw(
            st.lists(st.tuples(st.sampled_from(["content-length", "x-api-key", "cookie"]), word), max_size=1)
        ),
    ]
    pairs = draw(
        st.lists(st.tuples(st.sampled_from(["order_id", "limit", "responseMethod"]), word), max_size=2)
    )
    query = "&".join("=".join(pair) for pair in pairs)
    flat = [*draw(st.sampled_from(BODIES)).items(), *draw(st.lists(st.tuples(word, word), max_size=1))]
    written = st.just("&".join(f"{name}={text}" for name, text in flat)) if form else jsons()
    body = draw(written | word | st.just("[" * 20_000))
    methods = [*(route.methods or ())] * 9 + ["GET", "POST", "PUT", "TRACE", KEY]
    return Sent(draw(st.sampled_from(methods)), path, query, headers, body)


async def send(app: Any, sent: Sent, key: str) -> tuple[int, bytes]:
    """Send a request past any client that would correct it; the status is 0 if no answer came."""

    def raw(text: str) -> bytes:
        return text.replace(KEY, key).encode("utf-8", "surrogatepass")

    answer: list[Any] = []
    coming = [{"type": "http.request", "body": raw(sent.body), "more_body": False}]

    async def receive() -> Any:
        return coming.pop() if coming else {"type": "http.disconnect"}

    async def said(message: Any) -> None:
        answer.append(message)

    scope = {
        "type": "http",
        "method": sent.method.replace(KEY, key),
        "http_version": "1.1",
        "scheme": "http",
        "path": raw(sent.path).decode("utf-8", "replace"),
        "query_string": raw(sent.query),
        "root_path": "",
        "server": ("127.0.0.1", 80),
        "client": ("127.0.0.1", 1),
        "headers": [(name.encode(), raw(text)) for name, text in sent.headers],
    }
    try:
        await app(scope, receive, said)
    except DroppedError:
        return 0, b""
    return answer[0]["status"], b"".join(one.get("body", b"") for one in answer[1:])


@pytest.mark.parametrize(
    "examples", [60, pytest.param(5000, marks=[pytest.mark.sweep, pytest.mark.timeout(900)])]
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
            app: Any = bench.client._transport
            for one in sent:
                _status, body = await send(app.app, one, key)
                assert b"its log says why" not in body
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
