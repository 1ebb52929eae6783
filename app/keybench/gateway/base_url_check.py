"""Trying an address: one harmless call without a key, and what its answer shows."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from keybench.core.environments.connection import BaseUrlFound, ConnectionResult, redirected
from keybench.core.environments.environment import Environment
from keybench.core.errors import GatewayError, NotSent
from keybench.core.exchange import Exchange
from keybench.gateway.json_paths import document_in
from keybench.gateway.messages import Answer, ConnectionUse, Limits, Request, off_the_loop
from keybench.gateway.redaction import Redactor
from keybench.gateway.transport import Transport

#: A person waits for it, and a script.
LIMITS: Final = Limits(proxy_s=8.0, read_s=8.0, total_s=10.0)
#: The most of an answer that is read: enough to see what it is.
MOST: Final = 64 * 1024
_BY_CLASS: Final = {3: BaseUrlFound.REDIRECT, 5: BaseUrlFound.FAILING}


async def try_address(transport: Transport, environment: Environment, url: str) -> ConnectionResult:
    """Ask for a URL once, without a key, and return what answered."""
    exchanges: list[Exchange] = []  # which nobody else keeps
    request = Request(environment, "GET", url, {}, None, (), exchanges.append, most=MOST)
    base_url = environment.base_url
    try:
        answer = await transport.send(request, ConnectionUse.ALONE)
    except GatewayError as error:
        found = BaseUrlFound.NOT_REACHED if isinstance(error, NotSent) else BaseUrlFound.NO_ANSWER
        return ConnectionResult(base_url, found, exchanges[-1].timings.total_s, reason=error.reason)
    seen = await off_the_loop(answer, lambda: found_in(answer))
    is_redirect = seen is BaseUrlFound.REDIRECT
    leads_to = Redactor().text(redirected(url, answer.header("location")))[:200] if is_redirect else ""
    return ConnectionResult(base_url, seen, exchanges[-1].timings.total_s, answer.status, leads_to=leads_to)


def found_in(answer: Answer) -> BaseUrlFound:
    """Return what the answer to a call without a key shows."""
    status = answer.status
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return BaseUrlFound.TOO_OFTEN
    if found := _BY_CLASS.get(status // 100):
        return found
    if is_page(answer):
        return BaseUrlFound.PAGE
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return BaseUrlFound.GATEWAY
    if status >= HTTPStatus.BAD_REQUEST:
        return BaseUrlFound.NO_PATH
    is_data = not answer.lost and document_in(answer) is not None
    return BaseUrlFound.OPEN if is_data else BaseUrlFound.OTHER


def is_page(answer: Answer) -> bool:
    """Tell whether an answer is a page for people."""
    kind = answer.header("content-type").partition(";")[0].strip().lower()
    begins = answer.text.lstrip()[:15].lower()
    return kind in {"text/html", "application/xhtml+xml"} or begins.startswith(("<!doctype html", "<html"))
