"""Exchanges as HAR 1.2, held to the format's rules as its specification has them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.exchange import Exchange, Timings, as_har
from keybench.core.secret import MASK

AT = datetime(2026, 11, 20, 14, 2, 11, 204000, tzinfo=UTC)


def exchange(
    *,
    status: int = 200,
    body: str = '{"id": "PR-1"}',
    failure: str = "",
    timings: Timings | None = None,
    at: datetime = AT,
) -> Exchange:
    return Exchange(
        at,
        "POST",
        "https://gateway.example/api/v5/sale?order_id=KB-1&empty=",
        (("Content-Type", "application/json"), ("Authorization", MASK)),
        '{"amount": "10.00"}',
        status,
        (("Content-Type", "application/json"), ("Content-Length", "14")) if status else (),
        body if status else "",
        failure,
        timings or Timings(0.041, connect_s=0.002, tls_s=0.001, wait_s=0.03, read_s=0.002),
    )


def read(text: str) -> dict[str, Any]:
    """Return the log of a HAR file after checking it against HAR 1.2."""
    whole = json.loads(text)
    assert set(whole) == {"log"}
    log: dict[str, Any] = whole["log"]
    assert log["version"] == "1.2"
    check(log["creator"], {"name": str, "version": str})
    assert isinstance(log["entries"], list)
    for entry in log["entries"]:
        check_entry(entry)
    return log


def check(value: dict[str, Any], fields: dict[str, type | tuple[type, ...]], *optional: str) -> None:
    for name, kind in fields.items():
        assert isinstance(value[name], kind), name
    custom = {name for name in value if name.startswith("_")}
    assert set(value) - set(fields) - {"comment", *optional} - custom == set()


def check_pairs(pairs: object) -> None:
    assert isinstance(pairs, list)
    for pair in pairs:
        check(pair, {"name": str, "value": str})


def check_entry(entry: dict[str, Any]) -> None:
    number = (int, float)
    check(
        entry,
        {
            "startedDateTime": str, "time": number, "request": dict, "response": dict, "cache": dict,
            "timings": dict,
        },
        "pageref", "serverIPAddress", "connection",
    )  # fmt: skip
    assert datetime.fromisoformat(entry["startedDateTime"]).tzinfo is not None
    check_request(entry["request"])
    check_response(entry["response"])
    timings = entry["timings"]
    check(timings, {"send": number, "wait": number, "receive": number}, "blocked", "dns", "connect", "ssl")
    assert all(timings[name] >= 0 for name in ("send", "wait", "receive"))
    assert all(ms >= 0 or ms == -1 for ms in timings.values())
    parts = [ms for name, ms in timings.items() if name != "ssl" and ms != -1]
    assert entry["time"] == pytest.approx(sum(parts), abs=0.01)
    if timings["ssl"] != -1:
        assert timings["connect"] >= timings["ssl"]


def check_request(request: dict[str, Any]) -> None:
    check(
        request,
        {
            "method": str, "url": str, "httpVersion": str, "cookies": list, "headers": list,
            "queryString": list, "headersSize": int, "bodySize": int,
        },
        "postData",
    )  # fmt: skip
    check_pairs(request["headers"])
    check_pairs(request["queryString"])
    if posted := request.get("postData"):
        check(posted, {"mimeType": str, "text": str})


def check_response(response: dict[str, Any]) -> None:
    check(
        response,
        {
            "status": int, "statusText": str, "httpVersion": str, "cookies": list, "headers": list,
            "content": dict, "redirectURL": str, "headersSize": int, "bodySize": int,
        },
    )  # fmt: skip
    check_pairs(response["headers"])
    check(response["content"], {"size": int, "mimeType": str}, "text", "encoding", "compression")


def test_an_exchange_becomes_an_entry() -> None:
    log = read(as_har([exchange()], "\u25cf PRACTICE"))
    assert log["comment"] == "\u25cf PRACTICE"
    (entry,) = log["entries"]
    assert entry["startedDateTime"] == "2026-11-20T14:02:11.204+00:00"
    assert entry["timings"] == {
        "blocked": pytest.approx(6), "dns": -1, "connect": pytest.approx(3), "ssl": pytest.approx(1),
        "send": 0, "wait": pytest.approx(30), "receive": pytest.approx(2),
    }  # fmt: skip
    assert entry["time"] == pytest.approx(41)
    assert entry["request"]["queryString"][1] == {"name": "empty", "value": ""}
    assert entry["request"]["postData"]["text"] == '{"amount": "10.00"}'
    assert {"name": "Authorization", "value": MASK} in entry["request"]["headers"]
    assert entry["response"]["content"]["mimeType"] == "application/json"


def test_a_request_without_an_answer_says_why_and_where_its_time_went() -> None:
    (entry,) = read(
        as_har([exchange(status=0, failure="timeout", timings=Timings(30.0, connect_s=0.003))], "")
    )["entries"]
    assert entry["response"]["status"] == 0
    assert "timeout" in entry["comment"]
    assert entry["timings"]["wait"] == pytest.approx(29997)
    assert entry["timings"]["ssl"] == -1


def test_the_start_is_told_in_universal_time() -> None:
    elsewhere = AT.astimezone(timezone(timedelta(hours=9)))
    (entry,) = read(as_har([exchange(at=elsewhere)], ""))["entries"]
    assert entry["startedDateTime"].endswith("14:02:11.204+00:00")


seconds = st.none() | st.floats(0, 400)


@given(
    body=st.text(st.characters(), max_size=50),
    status=st.sampled_from([0, 200, 204, 401, 599, 799]),
    timings=st.builds(Timings, st.floats(0, 400), seconds, seconds, seconds, seconds, seconds),
)
def test_whatever_came_is_valid(body: str, status: int, timings: Timings) -> None:
    text = as_har([exchange(status=status, body=body, timings=timings)], "")
    assert text.isascii()
    (entry,) = read(text)["entries"]
    assert entry["response"]["content"]["text"] == (body if status else "")


def test_no_exchanges_are_a_valid_archive() -> None:
    assert read(as_har([], "nothing"))["entries"] == []
