"""A look-up by our reference: none is known only from an empty list that is whole, pages and all."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Final

import pytest

from gateway.callers import ORDER, MakeCaller
from gateway.hostile import Hostile, Play, hostile, http, in_turn, says
from keybench.core.errors import AnswerUnreadable, ContractInvalid
from keybench.core.reasons import Reason
from keybench.core.sales.sale import Outcome
from keybench.gateway.client import MOST_PAGES, HttpGateway
from keybench.gateway.contracts import Contracts
from keybench.words.explain import explain

PAGED: Final = """
extends = "practice"
title = "Paged"
[calls]
look_up_next = ["links.next", "next"]
look_up_whole = '{"payment_requests": "{items}", "next": "{next}", "has_more": "{more}", "total": "{count}"}'
"""
BY_CURSOR: Final = """
extends = "practice"
title = "Paged by cursor"
[calls]
look_up_next = "after"
look_up_page = "GET /api/v5/devices/{device_id}/payment-requests?order_id={reference}&after={next}"
look_up_whole = '{"payment_requests": "{items}", "after": "{next}", "has_more": "{more}", "total": "{count}"}'
"""


def sold(request_id: str, status: str, reference: str = "ref-1", /, **more: Any) -> dict[str, Any]:
    return {"id": request_id, "status": status, "order_details": {"id": reference}, **more}


def approved(request_id: str, **more: Any) -> dict[str, Any]:
    return sold(request_id, "interactionComplete", transaction={"success": True}, **more)


def page(items: list[Any], /, *headers: str, **more: Any) -> bytes:
    return http("200 OK", json.dumps({"payment_requests": items, **more}).encode(), *headers)


def pages(*answers: bytes) -> Play:
    return in_turn(*map(says, answers))


def paths(server: Hostile) -> list[str]:
    return [request.split(b" ")[1].decode() for request in server.requests]


@pytest.fixture
def paging(tmp_path: Path) -> HttpGateway:
    (tmp_path / "paged.toml").write_text(PAGED, encoding="utf-8")
    (tmp_path / "cursor.toml").write_text(BY_CURSOR, encoding="utf-8")
    return HttpGateway(contracts=Contracts(tmp_path))


async def test_an_empty_list_that_is_whole_is_of_a_sale_that_nobody_knows(
    gateway: HttpGateway, paging: HttpGateway, caller: MakeCaller
) -> None:
    for answer in (page([]), page([], 'Link: <http://x/>; rel="prev"', "X-Total-Count: 0")):
        async with hostile(says(answer)) as server:
            assert await gateway.look_up(caller(server.base_url), ORDER) is None
    last = {"has_more": False, "total": 0}
    for answer in (page([], **last), page([], **last, next=None), page([], **last, next="")):
        async with hostile(says(answer)) as server:
            assert await paging.look_up(caller(server.base_url, contract="paged"), ORDER) is None
    await paging.close()


#: What may stand beside an empty list: that there is more, that it isn't one, or nobody knows what.
BESIDE: Final[dict[str, Any]] = {
    **dict.fromkeys(
        ("has_more", "hasMore", "more", "more_results", "truncated", "partial", "timed_out"), True
    ),
    **dict.fromkeys(("last", "isLastPage", "complete", "ok", "success"), False),
    **dict.fromkeys(("remaining", "numFound", "hits", "totalElements", "total", "count", "X"), 3),
    **dict.fromkeys(("next", "cursor", "continuation", "nextPageToken", "error", "message", "status"), "c2"),
    **{key: [{"id": "r1"}] for key in ("warnings", "errors", "failed_shards", "items", "data")},
    **{key: {"next": "/p2", "total": 7} for key in ("links", "_links", "meta", "page", "result")},
    **dict.fromkeys(("warning", "skipped", "note"), None),
}
HEADERS: Final = (
    *("Content-Range: items 0-0/50", "X-Total-Count: 7", 'Link: </p2>; rel="next"', "X-Next-Page: 2"),
    *(
        "X-Has-More: true",
        "Warning: 214 - transformed",
        "X-Pagination: {}",
        "X-Truncated: yes",
        "X-Cursor: a",
    ),
)
EMPTY: Final = b'{"payment_requests": []}'
NOT_WHOLE: Final = {
    **{f"{name} {told}": page([], **{name: told}) for name, told in BESIDE.items()},
    **{header: page([], header) for header in HEADERS},
    **{
        status: http(status, EMPTY)
        for status in ("201 Created", "202 Accepted", "203 Other", "206 Partial Content", "302 Found")
    },
    "the list twice": http("200 OK", b'{"payment_requests": [{"id": "r1"}], "payment_requests": []}'),
    "an empty list twice": http("200 OK", b'{"payment_requests": [], "payment_requests": []}'),
    "another list": http("200 OK", b'{"payment_requests": [], "payment_requests_archive": []}'),
    "the list alone": http("200 OK", b"[]"),
    "a list of nothing": http("200 OK", b'{"payment_requests": [null]}'),
    "an object": http("200 OK", b'{"payment_requests": {}}'),
    "null": http("200 OK", b'{"payment_requests": null}'),
    "nothing": http("200 OK", b"{}"),
    "in capitals": http("200 OK", b'{"Payment_Requests": []}'),
    "nested": http("200 OK", b'{"data": {"payment_requests": []}}'),
    "in a list": http("200 OK", b'[{"payment_requests": []}]'),
}


@pytest.mark.parametrize("answer", [pytest.param(answer, id=name) for name, answer in NOT_WHOLE.items()])
async def test_an_empty_list_that_may_not_be_whole_tells_nothing(
    gateway: HttpGateway, caller: MakeCaller, answer: bytes
) -> None:
    async with hostile(says(answer)) as server:
        with pytest.raises(AnswerUnreadable):
            await gateway.look_up(caller(server.base_url), ORDER)


async def test_without_knowing_how_a_whole_list_looks_none_is(tmp_path: Path, caller: MakeCaller) -> None:
    call = 'look_up = "GET /d?o={reference}&d={device_id}"\nlook_up_items = "."'
    content = f'extends = "v5"\ntitle = "Ours"\n[calls]\n{call}'
    (tmp_path / "ours.toml").write_text(content, encoding="utf-8")
    gateway = HttpGateway(contracts=Contracts(tmp_path))
    for items in ([], [sold("r1", "cancelled")]):
        async with hostile(says(http("200 OK", json.dumps(items).encode()))) as server:
            with pytest.raises(AnswerUnreadable) as raised:
                await gateway.look_up(caller(server.base_url, contract="ours"), ORDER)
        assert raised.value.reason == "not whole"
        assert "Nothing shows that the gateway's list is whole" in explain(raised.value).title
    await gateway.close()


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        ([{"id": "r1", "status": "pending"}], "no reference"),
        (
            [{"id": "r1", "status": "interactionComplete", "order_details": {"id": 7.5, "no": 1}}],
            "other sales",
        ),
        ([sold("r1", "pending", "")], "no reference"),
        ([sold("r1", "pending", "another"), {"id": "r2"}], "no reference"),
        ([{"id": "r1", "order_details": [{"id": "ref-1"}]}], "no reference"),
        (["r1", None], "no reference"),
        ([[]], "no reference"),
        ([sold("r1", "pending", "another")], "other sales"),
        ([sold("r1", "pending", "REF-1 ")], "other sales"),
        ([sold("r1", "cancelled"), {"id": "r2"}], "no reference"),
    ],
)
async def test_a_list_that_may_hide_our_sale_tells_nothing(
    gateway: HttpGateway, caller: MakeCaller, items: list[Any], reason: str
) -> None:
    async with hostile(says(page(items))) as server:
        with pytest.raises(AnswerUnreadable) as raised:
            await gateway.look_up(caller(server.base_url), ORDER)
    assert (raised.value.reason, raised.value.status) == (reason, 200)
    assert explain(raised.value).title.startswith("The gateway's list has ")


@pytest.mark.parametrize(
    ("items", "request_id", "outcome"),
    [
        ([sold("r1", "pending")], "r1", None),
        ([sold("r1", "pending", "another"), sold("r2", "pending")], "r2", None),
        ([{"id": "r1"}, sold("r2", "pending")], "r2", None),
        ([{"id": "r1"}, approved("r2")], "r2", Outcome.APPROVED),
        ([sold("r1", "cancelled"), sold("r2", "pending")], "r2", None),
        ([approved("r1"), approved("r1")], "r1", Outcome.APPROVED),
        ([sold("r1", "cancelled"), sold("r2", "cancelled")], "r1", Outcome.CANCELLED),
    ],
)
async def test_our_sale_is_found_among_others(
    gateway: HttpGateway, caller: MakeCaller, items: list[Any], request_id: str, outcome: Outcome | None
) -> None:
    async with hostile(says(page(items))) as server:
        found = await gateway.look_up(caller(server.base_url), ORDER)
    assert found
    assert (found.request_id, found.verdict and found.verdict.outcome) == (request_id, outcome)


@pytest.mark.parametrize(
    "items",
    [
        [approved("r1"), sold("r2", "cancelled")],
        [approved("r1"), sold("r1", "cancelled")],
        [sold("r1", "cancelled"), sold("r2", "cancelledByTimeout")],
        [approved("r1"), approved("r2")],
        [approved("r1"), sold("r2", "pending")],
        [approved(""), approved("")],
        [sold("r1", "cancelled"), approved("r2", amount="999.99")],
    ],
)
async def test_sales_under_one_reference_that_ended_otherwise_can_not_be_told(
    gateway: HttpGateway, caller: MakeCaller, items: list[Any]
) -> None:
    async with hostile(says(page(items))) as server:
        found = await gateway.look_up(caller(server.base_url), ORDER)
    assert found
    assert found.verdict
    assert found.verdict.outcome is Outcome.UNKNOWN
    assert found.verdict.reason.startswith(f"{Reason.CONTRADICTORY}: found ")
    assert found.request_id == ""


async def test_that_nothing_was_taken_is_told_from_a_whole_list_only(
    gateway: HttpGateway, caller: MakeCaller
) -> None:
    beside = [{"has_more": True}, {"total": 2}, {"meta": {"next": "/p2"}}, {"complete": False}]
    for answer in [page([sold("r1", "cancelled")], **more) for more in beside]:
        async with hostile(says(answer)) as server:
            with pytest.raises(AnswerUnreadable) as raised:
                await gateway.look_up(caller(server.base_url), ORDER)
        assert raised.value.reason == "not whole"


async def test_an_approval_counts_also_from_a_list_that_goes_on(
    gateway: HttpGateway, caller: MakeCaller
) -> None:
    async with hostile(says(page([approved("r1")], has_more=True))) as server:
        found = await gateway.look_up(caller(server.base_url), ORDER)
    assert found
    assert found.verdict
    assert found.verdict.outcome is Outcome.APPROVED


@pytest.mark.parametrize(("contract", "name"), [("paged", "next"), ("cursor", "after")])
async def test_all_pages_are_asked_for(
    paging: HttpGateway, caller: MakeCaller, contract: str, name: str
) -> None:
    first = "/api/v5/devices/till-1/payment-requests?order_id=ref-1"
    second = first + "&after=c+2" if contract == "paged" else first + "&after=c%202"
    leads = second if contract == "paged" else "c 2"
    ends = {name: None, "has_more": False, "total": 0}
    begins = {name: leads, "has_more": True, "total": 0}
    async with hostile(pages(page([], **begins), page([], **ends))) as server:
        assert await paging.look_up(caller(server.base_url, contract=contract), ORDER) is None
    assert paths(server) == [first, second]
    ends |= {"total": 1}
    for first_page in ({name: leads}, begins | {"error": "shard 2 is down"}):
        async with hostile(pages(page([], **first_page), page([sold("r1", "cancelled")], **ends))) as server:
            with pytest.raises(AnswerUnreadable):
                await paging.look_up(caller(server.base_url, contract=contract), ORDER)
    async with hostile(pages(page([], **begins), page([sold("r1", "cancelled")], **ends))) as server:
        found = await paging.look_up(caller(server.base_url, contract=contract), ORDER)
    assert found
    assert found.request_id == "r1"
    async with hostile(
        pages(page([approved("r1")], **begins), page([sold("r2", "cancelled")], **ends))
    ) as server:
        found = await paging.look_up(caller(server.base_url, contract=contract), ORDER)
    assert found
    assert found.verdict
    assert found.verdict.outcome is Outcome.UNKNOWN
    await paging.close()


async def test_pages_are_followed_by_the_link_header_too(paging: HttpGateway, caller: MakeCaller) -> None:
    linked = page([], 'Link: </api/v5/page2>; rel="next"', has_more=True, total=0)
    async with hostile(pages(linked, page([], has_more=False, total=0))) as server:
        assert await paging.look_up(caller(server.base_url, contract="paged"), ORDER) is None
    assert paths(server)[1:] == ["/api/v5/page2"]
    await paging.close()


@pytest.mark.parametrize(
    "leads",
    [
        "https://elsewhere.example/api",
        "//elsewhere.example/api",
        "http://127.0.0.1:9/api",
        "ftp://127.0.0.1/",
        "a b",
    ],
)
async def test_no_page_is_asked_for_at_another_host(
    paging: HttpGateway, caller: MakeCaller, leads: str
) -> None:
    async with hostile(says(page([], next=leads))) as server:
        with pytest.raises(AnswerUnreadable) as raised:
            await paging.look_up(caller(server.base_url, contract="paged"), ORDER)
    assert raised.value.reason == "page elsewhere"
    assert len(server.requests) == 1
    await paging.close()


async def test_pages_without_an_end_tell_nothing(paging: HttpGateway, caller: MakeCaller) -> None:
    count = 0

    async def always_more(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        count += 1
        await says(page([], next=f"/api/v5/page{count}"))(reader, writer)

    for play, asked in ((always_more, MOST_PAGES), (says(page([], next="/api/v5/again")), 2)):
        async with hostile(play) as server:
            with pytest.raises(AnswerUnreadable) as raised:
                await paging.look_up(caller(server.base_url, contract="paged"), ORDER)
        assert raised.value.reason == "more pages"
        assert len(server.requests) == asked
    await paging.close()


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("look_up_whole = '{items'", "calls.look_up_whole"),
        ('look_up_page = "GET /p?c={next}"', "calls.look_up_next"),
        ('look_up_next = "c"\nlook_up_page = "GET /p"', "calls.look_up_page"),
        ('look_up_next = "c"\nlook_up_page = "GET /p/{next}/{request_id}"', "calls.look_up_page"),
    ],
)
def test_a_contract_says_how_pages_follow(tmp_path: Path, line: str, where: str) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(f'extends = "practice"\n[calls]\n{line}\n', encoding="utf-8")
    with pytest.raises(ContractInvalid) as raised:
        Contracts().checked(path)
    assert raised.value.where == where


def test_checking_a_contract_tells_how_it_pages_and_what_it_compares(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    for content, told in ((PAGED, "GET the address at links.next or next"), (BY_CURSOR, "after={next}")):
        path.write_text(content, encoding="utf-8")
        calls = Contracts().checked(path).calls
        assert told in calls["look up, next page"]
        assert '"has_more": "{more}"' in calls["look up, whole list"]
        assert calls["answer to sale sync"] == (
            "compared with the order: amount (amount), "
            "approved amount (amount_authorized or approved_amount), "
            "currency (currency), device (device_id), reference (order_details.id)"
        )
        assert "approved amount (transaction.amount_authorized or" in calls["answer about a sale"]
