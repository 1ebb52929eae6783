"""A class: what the network shows, who can reach what, and what a crash, a guess or a sleep changes."""

import contextlib
import http.client
import json
import os
import signal
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from keybench.class_identity import new_identity
from keybench.practice.classes.classroom import Classroom
from keybench.practice.classes.outside import Outside
from keybench.practice.classes.roster import SEATS, ClassLesson
from keybench.practice.classes.serving import tls_of
from practice.bench import PORTAL, Clock
from practice.class_bench import LESSON, SeatedLearner, ServedClass


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedClass]:
    with ServedClass(tmp_path) as made:
        made.board.put("/class", json={"lesson": LESSON}).raise_for_status()
        yield made


def _place(served: ServedClass) -> tuple[str, int]:
    host, _, port = served.told["base_url"].removeprefix("https://").rpartition(":")
    return host, int(port)


# --- what the network shows --------------------------------------------------------------------------------


def test_a_scan_of_the_port_shows_nothing_without_tls(served: ServedClass) -> None:
    for sent in (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"\x00" * 64, b"SSH-2.0-scan\r\n"):
        with socket.create_connection(_place(served)) as scan:
            scan.sendall(sent)
            answered = b"".join(iter(lambda: scan.recv(4096), b""))
        assert b"HTTP" not in answered  # at most an alert of TLS
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    with socket.create_connection(_place(served)) as scan, pytest.raises(ssl.SSLError):
        old.wrap_socket(scan)


PATHS = (
    *("/", "/health", "/openapi.json", "/class", "/class/seat", "/class/account", "/class/learners"),
    *(
        "/class/results",
        "/portal/keys",
        "/portal/users",
        "/portal/log",
        "/portal/faults",
        "/live/portal/keys",
    ),
    *("/api/v5/devices", "/api/v5/payments/sale", "/live/api/v5/devices", "/nowhere", "/class/join"),
)


def test_without_a_ticket_every_call_is_told_the_same_and_nothing(served: ServedClass) -> None:
    with served.caller() as caller:
        told = set()
        for path in PATHS:
            for method in ("GET", "PUT", "DELETE", "PATCH", *(["POST"] if path != "/class/join" else [])):
                answer = caller.request(method, path, json={})
                told.add((answer.status_code, answer.json()["error_code"]))
                assert "server" not in answer.headers
        assert told == {(401, "E_TICKET")}
        assert caller.get("/", headers={"X-Class-Ticket": "guessed"}).status_code == 401


def test_nobody_guesses_in_anothers_name(served: ServedClass) -> None:
    for number in range(6):
        with served.caller(**{"X-Forwarded-For": f"198.51.100.{number}"}) as caller:
            told = caller.post("/class/join", json={"code": "otter-maple-10"})
    assert told.status_code == 429


def test_outside_the_class_loopback_alone_is_served(served: ServedClass) -> None:
    board = httpx.URL(served.told["board_url"])
    assert board.host == "127.0.0.1"
    health = served.board.get("/health").json()
    assert health["service"] == "keybench-practice"
    assert served.board.get("/api/v5/devices").status_code == 404  # the board is nobody's gateway


def test_a_class_on_this_computer_alone_has_no_port_for_others(tmp_path: Path) -> None:
    with ServedClass(tmp_path, host="") as alone:
        assert alone.told["base_url"] == alone.told["board_url"]
        assert (alone.told["join"], alone.seen()["code"]) == ("", "")
        first = alone.board.post("/class/learners").json()["learner"]
        alone.board.put("/class", json={"lesson": LESSON})
        alone.board.put(f"/class/learners/{first}", json={"lesson": "first", "done": 2, "steps": 3})
        assert alone.board.post("/class/learners").json() == {"learner": "02"}
        assert [one["done"] for one in alone.seen()["results"]] == [2]


def test_a_web_page_reaches_neither_learners_nor_the_board(served: ServedClass) -> None:
    ticket = served.join().ticket
    page = [
        ({"Origin": "https://page.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Host": "page.example"}, 421),
        ({"Host": "localhost"}, 421),
        ({"X-Practice-Portal": "0"}, 403),
    ]
    for headers, status in page:
        with served.caller(ticket, **headers) as caller:
            assert caller.get("/portal/keys").status_code == status, headers
            assert caller.put("/class/standing", json={"lesson": "first"}).status_code == status, headers
    for headers in ({"Host": "page.example"}, {"X-Practice-Portal": "0"}):
        for method, path in (("GET", "/class"), ("POST", "/class/reset"), ("POST", "/class/results")):
            assert served.board.request(method, path, headers=headers).status_code in {403, 421}


def test_the_certificates_key_is_in_no_file(served: ServedClass, tmp_path: Path) -> None:
    served.join().make_key()
    for path in tmp_path.rglob("*"):
        assert b"PRIVATE KEY" not in (path.read_bytes() if path.is_file() else b"")


def test_where_no_file_is_in_memory_the_key_goes_by_an_encrypted_one(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Path, bytes]] = []

    load = ssl.SSLContext.load_cert_chain

    def watched(context: ssl.SSLContext, path: Path, password: bytes) -> None:
        seen.append((path, path.read_bytes()))
        load(context, path, password=password)

    monkeypatch.delattr(os, "memfd_create", raising=False)
    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", watched)
    tls_of(new_identity("127.0.0.1"))
    ((path, content),) = seen
    assert b"BEGIN ENCRYPTED PRIVATE KEY" in content
    assert not path.parent.exists()


# --- who can reach what ------------------------------------------------------------------------------------


def test_no_learner_sees_or_touches_anothers_account(served: ServedClass) -> None:
    one, other = served.join(), served.join()
    key_id = other.make_key("theirs")
    one.make_key("mine")
    request_id = other.sell().json()["id"]
    other.client.post("/portal/devices", json={"id": "secret-till", "nickname": "Theirs"})
    application = {"device_id": "till-2", "amount": "1.00", "every_s": 3600, "key_id": key_id}
    other.client.put("/portal/applications/meters", json=application).raise_for_status()
    other.tell(2)
    before = _everything(other)

    tried = {
        "list their keys": one.keys() == ["mine"],
        "list their devices": "secret-till" not in one.client.get("/portal/devices").text,
        "read their log": "secret-till" not in one.client.get("/portal/log").text,
        "list their applications": one.client.get("/portal/applications").json() == {"applications": []},
        "use their key": one.sell(key=other.key).status_code == 401,
        "ask for their sale": one.status(request_id).status_code == 404,
        "delete their key": one.client.delete(f"/portal/keys/{key_id}").status_code == 404,
        "change their device": one.client.patch("/portal/devices/secret-till", json={}).status_code == 404,
        "press at their device": one.client.post(
            "/portal/devices/till-1/press", json={"button": "cancel"}
        ).status_code == 409,
        "restart their application": one.client.post(
            "/portal/applications/meters/restart"
        ).status_code == 404,
        "read the board": one.client.get("/class").status_code == 404,
        "reset them": one.client.post(f"/class/learners/{other.number}/reset").status_code == 404,
        "tell of them": one.client.put(f"/class/learners/{other.number}", json={}).status_code == 404,
        "break their gateway": one.client.put("/portal/faults", json={"restricted": True}).status_code == 200,
        "move their time": one.client.put("/portal/clock", json={"moved_s": 86400}).status_code == 200,
        "disable their user": one.client.patch(
            "/portal/users/counter1", json={"enabled": False}
        ).status_code == 200,
        "begin an account of theirs": one.client.post("/class/account").status_code == 200,
    }  # fmt: skip
    assert all(tried.values()), tried
    assert _everything(other) == before
    assert other.status(request_id).status_code == 200


def _everything(learner: SeatedLearner) -> list[Any]:
    paths = ("/portal/keys", "/portal/users", "/portal/faults", "/class/seat", "/portal/applications")
    told = [learner.client.get(path).json() for path in paths]
    clock = learner.client.get("/portal/clock").json()["moved_s"]
    return [*told, clock, [one["id"] for one in learner.client.get("/portal/devices").json()["devices"]]]


def test_a_learner_comes_back_with_their_word_and_the_ticket_before_ends(served: ServedClass) -> None:
    first = served.join()
    first.make_key("kept")
    first.tell(2, step="Sell", hints=3)
    again = served.join(first.word)
    assert (again.number, again.word, again.keys()) == (first.number, first.word, ["kept"])
    assert again.client.get("/class/seat").json()["standing"]["done"] == 2
    assert first.client.get("/portal/keys").json()["error_code"] == "E_TICKET"


# --- what the trainer does ---------------------------------------------------------------------------------


def test_a_reset_and_the_next_lesson_give_new_accounts_and_keep_results(served: ServedClass) -> None:
    one, other = served.join(), served.join()
    one.make_key("old")
    other.make_key("other")
    one.tell(2, misses=1, missed={"2": 1}, event="key deleted", broken="Deleted while in use")
    account = other.tell(1).json()["account"]
    served.board.post(f"/class/learners/{one.number}/reset").raise_for_status()
    assert (one.keys(), other.keys()) == ([], ["other"])
    assert other.tell(1).json()["account"] == account
    shown = served.seen()["learners"][0]["standing"]
    assert (shown["done"], shown["broken"]) == (2, "Deleted while in use")

    served.board.put("/class", json={"lesson": {**LESSON, "id": "second", "title": "Second"}})
    assert other.client.get("/class/seat").json()["lesson"]["id"] == "second"
    assert other.tell(1).json()["account"] != account
    assert [one["standing"] for one in served.seen()["learners"]] == [None, None]
    assert {one["learner"]: one["done"] for one in served.seen()["results"]} == {"01": 2, "02": 1}


def test_a_call_under_way_is_answered_by_the_account_it_was_made_to(served: ServedClass) -> None:
    learner = served.join()
    learner.make_key()
    host, port = _place(served)
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    held = http.client.HTTPSConnection(host, port, context=trust)
    headers = {"X-Class-Ticket": learner.ticket, "Authorization": learner.key}
    headers["Content-Type"] = "application/json"
    held.request(
        "POST", "/api/v5/payments/sale", json.dumps({"amount": "10.00", "device_id": "till-1"}), headers
    )
    while not any(one["held_by"] for one in learner.client.get("/portal/devices").json()["devices"]):
        pass
    served.board.post("/class/reset").raise_for_status()
    with contextlib.closing(held):
        answer = held.getresponse()
        told = json.loads(answer.read())
        assert (answer.status, told["response_text"]) == (200, "APPROVED")
    assert learner.keys() == []


def test_the_network_for_all_is_everybodys_also_of_who_comes_later(served: ServedClass) -> None:
    early = served.join()
    served.board.put("/class", json={"weather": {"preset": "outage", "seed": 4711}}).raise_for_status()
    late = served.join()
    for learner in (early, late):
        learner.make_key()
        assert any(map(_is_struck, [learner] * 30))
        # What a console sets up in a hurry isn't disturbed.
        learner.client.put("/portal/clock", json={"moved_s": 0, "speed": 20}).raise_for_status()
        assert learner.sell("counter-1").status_code == 202
    served.kill()
    assert served.seen()["weather"] == {"preset": "outage", "seed": 4711}


def _is_struck(learner: SeatedLearner) -> bool:
    try:
        return learner.sell().status_code == 503
    except httpx.RemoteProtocolError:
        return True


# --- a crash -----------------------------------------------------------------------------------------------


def test_a_kill_in_the_middle_loses_nothing(served: ServedClass) -> None:
    learners = [served.join() for _ in range(10)]
    sold: list[tuple[SeatedLearner, str]] = []
    for learner in learners:
        learner.make_key(f"Key {learner.number}")
        learner.tell(int(learner.number), hints=1)
        sold += [(learner, learner.sell(device).json()["id"]) for device in ("till-1", "till-2")]
    before = served.seen()
    served.kill()
    after = served.seen()
    assert [one["standing"] for one in after["learners"]] == [one["standing"] for one in before["learners"]]
    assert {name: after[name] for name in ("code", "join", "words", "lesson")} == {
        name: before[name] for name in ("code", "join", "words", "lesson")
    }
    for learner in learners:  # by the same ticket, and by the same certificate
        assert learner.keys() == [f"Key {learner.number}"]
    for number, (learner, request_id) in enumerate(sold):
        assert learner.status(request_id, ("till-1", "till-2")[number % 2]).status_code == 200


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no process can be put to sleep there")
def test_a_sleep_of_the_trainers_computer_ends_nothing(served: ServedClass) -> None:
    learner = served.join()
    learner.make_key()
    request_id = learner.sell().json()["id"]
    served.process.send_signal(signal.SIGSTOP)
    with pytest.raises(httpx.TimeoutException):
        learner.client.get("/portal/keys", timeout=0.2)
    served.process.send_signal(signal.SIGCONT)
    assert learner.status(request_id).status_code == 200
    assert learner.tell(1).is_success


# --- guesses, and a full class -----------------------------------------------------------------------------


@pytest.fixture
async def inside(tmp_path: Path) -> Any:
    clock = Clock()
    room = Classroom(tmp_path, "four-words", "", "192.0.2.10:8443", clock)
    app = Outside(room, clock)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(
        transport=transport, base_url="https://192.0.2.10", headers=PORTAL
    ) as client:
        yield room, clock, client
    await room.close()


async def test_a_thousand_wrong_codes_a_minute_are_slowed_to_a_few(inside: Any) -> None:
    room, clock, client = inside
    statuses = []
    for _ in range(1000):
        statuses.append((await client.post("/class/join", json={"code": "otter-maple-10"})).status_code)
        clock.now += 0.06
    assert statuses.count(403) <= 11
    refused = await client.post("/class/join", json={"code": room.roster.code})
    assert (refused.status_code, refused.json()["error_code"]) == (429, "E_TOO_MANY")
    clock.now += int(refused.headers["retry-after"])
    assert (
        await client.post("/class/join", json={"code": f" {room.roster.code.upper()} "})
    ).status_code == 200


async def test_wrong_codes_and_the_31st_are_told_plainly(inside: Any) -> None:
    room, _clock, client = inside
    words = set()
    for _ in range(SEATS):
        joined = await client.post("/class/join", json={"code": room.roster.code})
        words.add(joined.json()["word"])
    assert len(words) == SEATS
    for body, told in (
        ({"code": room.roster.code}, (409, "E_CLASS_FULL")),
        ({"code": "wrong-code-11"}, (403, "E_CODE")),
        ({"code": room.roster.code, "word": "no-such-11"}, (403, "E_WORD")),
        ({"code": 3}, (400, "E_VALIDATION")),
        ({}, (400, "E_VALIDATION")),
    ):
        answer = await client.post("/class/join", json=body)
        assert (answer.status_code, answer.json()["error_code"]) == told
    assert (await client.post("/class/join", json={"code": room.roster.code, "word": min(words)})).is_success
    assert len(room.roster.learners.every()) == SEATS


async def test_time_away_or_asleep_is_not_time_on_the_step(inside: Any) -> None:
    room, clock, _client = inside
    await room.begin_lesson(ClassLesson("first", "First", ""))
    learner = room.roster.add()
    told = {"lesson": "first", "done": 1, "steps": 3}
    for pause_s in (0, 2, 2, 8 * 3600, 2):  # the trainer's computer slept, or the learner's
        clock.now += pause_s
        room.hear(learner, told)
    assert room.board()["learners"][0]["on_step_s"] == 2 + 2 + 10 + 2
    room.hear(learner, {**told, "done": 2})
    assert room.board()["learners"][0]["on_step_s"] == 0


async def test_what_a_console_tells_is_read_strictly_and_shows_no_value(inside: Any) -> None:
    room, _clock, _client = inside
    await room.begin_lesson(ClassLesson("first", "First", ""))
    learner = room.roster.add()
    value = "A1b2C3d4E5f6G7h8J9k0L1m2N3p4Q5r6"
    room.hear(learner, {"lesson": "first", "step": value, "fields": {"key": f"Key {value}"}})
    room.hear(learner, {"lesson": "made up", "done": 1})
    assert value not in json.dumps(room.board())
    assert len(room.board()["results"]) == 1
    for wrong in ({"done": -1}, {"done": "1"}, {"name": "Ann"}, {"missed": []}, {"event": "x" * 101}):
        with pytest.raises(Exception, match=r"must|extraParameters"):
            room.hear(learner, {"lesson": "first", **wrong})


# --- results -----------------------------------------------------------------------------------------------


def test_results_are_carried_to_another_class_and_alterations_are_refused(
    served: ServedClass, tmp_path: Path
) -> None:
    served.join().tell(3, misses=2, missed={"2": 2}, seconds=61.5, broken="once")
    file = served.board.get("/class/learners/01/result").json()
    with ServedClass(tmp_path / "other", host="") as other:
        merged = other.board.post("/class/results", json=file)
        assert merged.json() == {"learner": "01", "signed_by": served.told["words"]}
        again = other.board.post("/class/results", json=file)
        assert again.is_success
        (result,) = other.seen()["results"]
        assert (result["done"], result["missed"], result["seconds"]) == (3, {"2": 2}, 61.5)
        assert result["signed_by"] == served.told["words"]
        assert "broken" not in result
        better = {**file, "lessons": [{**file["lessons"][0], "misses": 0}]}
        stranger = {**file, "certificate": other.told["words"]}
        for altered in (
            better,
            {**file, "learner": "02"},
            stranger,
            {**file, "signature": "AA=="},
            {},
            {"class": 1},
        ):
            refused = other.board.post("/class/results", json=altered)
            assert (refused.status_code, refused.json()["error_code"]) == (400, "E_SIGNATURE")
        assert len(other.seen()["results"]) == 1
