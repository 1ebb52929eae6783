"""Building requests by the contract: URLs from path templates, headers with the key, bodies of sales."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final
from urllib.parse import quote, urljoin, urlsplit

from keybench.core.errors import AnswerUnreadable
from keybench.core.money import Money
from keybench.core.ports import Caller, SaleOrder
from keybench.core.reasons import Reason
from keybench.gateway.contract_model import Call, Contract, SaleForm, Shape
from keybench.gateway.messages import Request

_DOTS: Final = frozenset({".", ".."})
_USUAL_PLACES: Final = 2
_URL: Final = re.compile(r"[!-~]{1,2000}")
#: A gateway that holds an answer to its limit still has to send it.
_HELD_MARGIN_S: Final = 10.0


def url_of(base_url: str, call: Call, parts: Mapping[str, str]) -> str:
    """Return a call's URL; each part stays one path segment or query value, whatever is in it."""
    path = call.path
    for name, value in parts.items():
        path = path.replace(f"{{{name}}}", _segment(value))
    return base_url.rstrip("/") + path


def _segment(text: str) -> str:
    if text in _DOTS:  # a path would be walked up by them
        return text.replace(".", "%2E")
    return quote(text.encode("utf-8", "replace"), safe="")


def keyed_request(
    caller: Caller,
    contract: Contract,
    call: Call,
    parts: Mapping[str, str],
    body: Mapping[str, Any] | None = None,
    shape: Shape = Shape.JSON,
    *,
    key_form: str = "",
    held_s: float = math.inf,
) -> Request:
    """Return a request that carries the caller's key in the contract's header, in its usual form if empty."""
    form = key_form or contract.key_form
    return Request(
        caller.environment,
        method=call.method,
        url=url_of(caller.base_url, call, parts),
        headers={contract.key_header: form.replace("{key}", caller.value.reveal())},
        body=body,
        secrets=(caller.value,),
        sink=caller.on_exchange,
        shape=shape,
        held_s=held_s,
    )


def status_request(caller: Caller, contract: Contract, parts: Mapping[str, str]) -> Request:
    """Return the request for a sale's status: the contract's long poll where it has one."""
    poll = contract.long_poll
    return keyed_request(
        caller,
        contract,
        poll.call if poll else contract.status,
        parts,
        key_form=contract.status_key_form,
        held_s=poll.held_s + _HELD_MARGIN_S if poll else math.inf,
    )


def next_page_url(
    caller: Caller, contract: Contract, request: Request, parts: Mapping[str, str], leads: str
) -> str:
    """Return the URL of a list's next page, or the empty text if there is none.

    Raises:
        AnswerUnreadable: It is at another host: the key goes nowhere but to the gateway.
    """
    if not leads:
        return ""
    if contract.look_up_page:
        return url_of(caller.base_url, contract.look_up_page, {**parts, "next": leads})
    url = urljoin(request.url, leads)
    if not _URL.fullmatch(url) or urlsplit(url)[:2] != urlsplit(request.url)[:2]:
        raise AnswerUnreadable(Reason.PAGE_ELSEWHERE)
    return url


def sale_request(caller: Caller, contract: Contract, form: SaleForm, order: SaleOrder) -> Request:
    """Return the request that starts a sale; the key is in the header or, in Classic's form, in the body."""
    body: dict[str, Any] = dict(form.fixed)
    _put(body, form.amount, _figure(order.money))
    _put(body, form.currency, order.money.currency)
    _put(body, form.reference, order.reference)
    if form.device:
        _put(body, form.device, order.device)
    parts = {"device_id": order.device}
    if not form.key:
        return keyed_request(caller, contract, form.call, parts, body, form.shape)
    _put(body, form.key, caller.value.reveal())
    url = url_of(caller.base_url, form.call, parts)
    return Request(
        caller.environment, form.call.method, url, {}, body, (caller.value,), caller.on_exchange, form.shape
    )


def _figure(money: Money) -> str | int | float:
    """Return the amount as the service takes it: a text of two decimals, else a number."""
    exponent = money.amount.as_tuple().exponent
    places = -exponent if isinstance(exponent, int) else 0
    if places == _USUAL_PLACES:
        return money.figure
    return int(money.amount) if places == 0 else float(Decimal(money.amount))


def _put(body: dict[str, Any], path: str, value: object) -> None:
    *steps, last = path.split(".")
    for step in steps:
        body = body.setdefault(step, {})
    body[last] = value
