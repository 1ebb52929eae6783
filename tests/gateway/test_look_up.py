"""A look-up by our reference: none is known only from an empty list that is whole, pages and all."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Final

import pytest

from gateway.callers import ORDER, MakeCaller
from gateway.hostile import Hostile, Play, hostile, http, says
from keybench.core.errors import AnswerUnreadable, ContractInvalid
from keybench.core.reasons import Reason
from keybench.core.sale import Outcome
from keybench.gateway.client import MOST_PAGES, HttpGateway
from keybench.gateway.contracts import Contracts
from keybench.words.explain import explain

PAGED: Final = """
extends = "practice"
title = "Paged"
[calls]
look_up_next = ["links.next", "next"]
"""
BY_CURSOR: Final = """
extends = "practice"
title = "Paged by cursor"
[calls]
look_up_next = "after"
look_up_page = "GET /api/v5/devices/{device_id}/payment-requests?order_id={reference}&after={next}"
"""


def sold(request_id: str, status: str, reference: str = "ref-1", **more: Any) -> dict[str, Any]:
    return {"id": request_id, "status": status, "order_details": {"id": reference}, **more}


def approved(request_id: str, **more: Any) -> dict[str, Any]:
    return sold(request_id, "interactionComplete", transaction={"success": True}, **more)


def page(items: list[Any], *headers: str, **more: Any) -> bytes:
    return http("200 OK", json.dumps({"payment_requests": items, **more}).encode(), *headers)


def pages(*answers: bytes) -> Play:
    """Play one answer a request; the last one goes on."""
    waiting = list(answers)

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await says(waiting.pop(0) if len(waiting) > 1 else waiting[0])(reader, writer)

    return play


def paths(server: Hostile) -> list[str]:
    return [request.split(b" ")[1].decode() for request in server.requests]


@pytest.fixture
def paging(tmp_path: Path) -> HttpGateway:
    (tmp_path / "paged.toml").write_text(PAGED, encoding="utf-8")
    (tmp_path / "cursor.toml").write_text(BY_CURSOR, encoding="utf-8")
    return HttpGateway(contracts=Contracts(tmp_path))


async def test_an_empty_list_is_of_a_sale_that_nobody_knows(gateway: HttpGateway, caller: MakeCaller) -> None:
    whole = {"has_more": False, "next": None, "total": 0, "links": {"next": ""}, "page": 1, "pages": 1}
    for answer in (page([]), page([], **whole), page([], 'Link: <http://x/>; rel="prev"')):
        async with hostile(says(answer)) as server:
            assert await gateway.look_up(caller(server.base_url), ORDER) is None


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


MORE: Final[list[tuple[list[str], dict[str, Any]]]] = [
    ([], {"has_more": True}),
    ([], {"hasMore": "true"}),
    ([], {"next": "/api/v5/more"}),
    ([], {"links": {"next": {"href": "/api/v5/more"}}}),
    ([], {"_links": {"self": "/", "next": "/api/v5/more"}}),
    ([], {"meta": {"pagination": {"next_cursor": "c2"}}}),
    ([], {"nextPageToken": "t"}),
    ([], {"total": 1}),
    ([], {"meta": {"total_count": "120"}}),
    ([], {"page": 1, "total_pages": 2}),
    ([], {"truncated": True}),
    (['Link: <https://x.example/?page=2>; rel="next"'], {}),
    (['Link: </a>; rel="prev", </b>; title="x"; rel=next'], {}),
]


@pytest.mark.parametrize(("headers", "more"), MORE)
async def test_a_list_with_more_pages_than_the_contract_knows_tells_nothing(
    gateway: HttpGateway, caller: MakeCaller, headers: list[str], more: dict[str, Any]
) -> None:
    for items in ([], [sold("r1", "cancelled")]):
        told = {name: value + len(items) if isinstance(value, int) else value for name, value in more.items()}
        async with hostile(says(page(items, *headers, **told))) as server:
            with pytest.raises(AnswerUnreadable) as raised:
                await gateway.look_up(caller(server.base_url), ORDER)
        assert raised.value.reason == "more pages"
    assert "on pages that can't be fetched" in explain(raised.value).title


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
    async with hostile(pages(page([], **{name: leads}, has_more=True), page([], **ends))) as server:
        assert await paging.look_up(caller(server.base_url, contract=contract), ORDER) is None
    assert paths(server) == [first, second]
    async with hostile(pages(page([], **{name: leads}), page([sold("r1", "cancelled")]))) as server:
        found = await paging.look_up(caller(server.base_url, contract=contract), ORDER)
    assert found
    assert found.request_id == "r1"
    async with hostile(
        pages(page([approved("r1")], **{name: leads}), page([sold("r2", "cancelled")]))
    ) as server:
        found = await paging.look_up(caller(server.base_url, contract=contract), ORDER)
    assert found
    assert found.verdict
    assert found.verdict.outcome is Outcome.UNKNOWN
    await paging.close()


async def test_pages_are_followed_by_the_link_header_too(paging: HttpGateway, caller: MakeCaller) -> None:
    linked = page([], 'Link: </api/v5/page2>; rel="next"')
    async with hostile(pages(linked, page([]))) as server:
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
        assert calls["answer to sale sync"] == (
            "compared with the order: amount (amount), currency (currency), device (device_id), "
            "reference (order_details.id)"
        )
        assert calls["answer about a sale"].startswith("compared with the order: amount (amount or tr")
