"""A connection through an HTTP proxy: asked for by CONNECT before anything of a request is sent.

Whatever goes wrong here, nothing reached the gateway.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Final

import httpcore

from keybench.core.reasons import Reason
from keybench.gateway.failures import at_the_proxy
from keybench.gateway.messages import CannotConnect
from keybench.gateway.network import Stream
from keybench.gateway.proxies import Way
from keybench.runtime.deadline import within

_NO_ANSWER: Final = (TimeoutError, httpcore.NetworkError, httpcore.ProtocolError)
_ASKS_TO_SIGN_IN: Final = 407
#: The proxy's own word for a gateway that it can't reach (RFC 9110, 15.6).
_IN_VAIN: Final = range(500, 600)


async def through(stream: Stream, way: Way, host: str, port: int, limit_s: float) -> Stream:
    """Ask the proxy at a stream's other end for the way to a host, and return the stream that leads there.

    Args:
        stream: The connection to the proxy; closed if it doesn't lead on.
        way: What it takes to be let through.
        host: Where to, without brackets.
        port: Its port.
        limit_s: How long the proxy may take to get there, in seconds.

    Raises:
        CannotConnect: It doesn't let us through.
    """
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    url = httpcore.URL(scheme="http", host=host, port=port, target=place)
    headers = [("Host", place), ("User-Agent", "keybench"), *_signature(way)]
    connection = httpcore.AsyncHTTP11Connection(url.origin, stream)
    try:
        async with within(limit_s):
            answer = await connection.handle_async_request(httpcore.Request("CONNECT", url, headers=headers))
    except _NO_ANSWER as error:
        raise CannotConnect(at_the_proxy(error)) from None
    if not 200 <= answer.status < 300:  # noqa: PLR2004 - HTTP's class of success
        await connection.aclose()
        raise CannotConnect(_refusal(answer, signed=bool(way.proxy.user)))
    onward: Stream = answer.extensions["network_stream"]
    return onward


def _signature(way: Way) -> list[tuple[str, str]]:
    if not way.proxy.user:
        return []
    known = way.password.reveal() if way.password else ""
    signed = b64encode(f"{way.proxy.user}:{known}".encode()).decode("ascii")
    return [("Proxy-Authorization", f"Basic {signed}")]


def _refusal(answer: httpcore.Response, *, signed: bool) -> Reason:
    if answer.status == _ASKS_TO_SIGN_IN:
        offered = [value for name, value in answer.headers if name.lower() == b"proxy-authenticate"]
        if offered and not any(one.lower().startswith(b"basic") for one in offered):
            return Reason.PROXY_SIGN_IN
        return Reason.PROXY_PASSWORD_REFUSED if signed else Reason.PROXY_PASSWORD_WANTED
    return Reason.PROXY_IN_VAIN if answer.status in _IN_VAIN else Reason.PROXY_REFUSED
