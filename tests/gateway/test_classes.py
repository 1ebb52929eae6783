"""A class met, joined and left: by the certificate that was compared, with a ticket that nobody records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from keybench import class_identity
from keybench.class_identity import certificate_of, new_identity, words_of
from keybench.core.errors import GatewayError, NotSent, Refused
from keybench.core.exchange import Exchange
from keybench.core.input_errors import JoinInvalid
from keybench.core.lessons.classes import ClassSeat, MetClass, parse_join_text
from keybench.core.reasons import Reason
from keybench.gateway.classes import ClassPractice, HttpClasses
from keybench.gateway.messages import ConnectionUse, Request
from keybench.gateway.transport import Transport
from keybench.gateway.trust import Trust
from keybench.words.explain import explain
from keybench.workflows.lessons.files import found
from practice.class_bench import ServedClass

LESSON = "the-rate-limit"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedClass]:
    with ServedClass(tmp_path_factory.mktemp("class"), "--lesson", str(found(LESSON))) as one:
        yield one


def practice(
    seat: ClassSeat, trust: Trust, told: list[tuple[bool | None, str]] | None = None
) -> ClassPractice:
    seen = [] if told is None else told
    return ClassPractice(seat, trust, lambda up, base_url: seen.append((up, base_url)))


@pytest.mark.parametrize(
    "text",
    [
        "otter-maple-42@192.0.2.10:8443",
        " Otter-Maple-42 @ 192.0.2.10 ",
        "https://otter-maple-42@192.0.2.10:8443/",
        "otter-maple-42@HTTPS://192.0.2.10",
    ],
)
def test_a_join_text_is_read_however_it_is_typed(text: str) -> None:
    assert parse_join_text(text) == ("otter-maple-42", "192.0.2.10:8443")
    assert parse_join_text("a-b-1@[2001:DB8::1]:9") == ("a-b-1", "[2001:db8::1]:9")


@pytest.mark.parametrize(
    "text", ["", "otter-maple-42", "192.0.2.10:8443", "a-1@", "a-1@h:x", "a-1@h/p", "a@h"]
)
def test_what_is_no_join_text_is_said(text: str) -> None:
    with pytest.raises(JoinInvalid):
        parse_join_text(text)


async def test_a_class_is_met_without_trust_and_joined_by_code_and_word(served: ServedClass) -> None:
    classes = HttpClasses()
    met = await classes.meet(served.told["join"].upper())
    assert (met.words, met.address) == (served.told["words"], served.told["join"].partition("@")[2])
    assert served.seen()["learners"] == []
    seat = await classes.join(met)
    assert (seat.learner, seat.lesson) == ("01", LESSON)
    assert seat.toml == found(LESSON).read_text("utf-8")
    assert (await classes.join(met, seat.word)).learner == "01"
    for wrong, word, reason in (
        (replace(met, code="otter-otter-10"), "", Reason.CLASS_CODE),
        (met, "otter-otter-10", Reason.CLASS_WORD),
    ):
        with pytest.raises(Refused) as caught:
            await classes.join(wrong, word)
        assert caught.value.reason == reason


async def test_a_learner_whose_clock_is_wrong_joins_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_identity, "_LASTS", timedelta(hours=-1))  # it is over, as that clock has it
    with ServedClass(tmp_path, "--lesson", str(found(LESSON))) as late:
        met = await HttpClasses().meet(late.told["join"])
        assert (await HttpClasses().join(met)).learner == "01"


async def test_another_certificate_than_the_compared_one_is_told_and_hears_nothing(
    served: ServedClass,
) -> None:
    classes = HttpClasses()
    met = await classes.meet(served.told["join"])
    other = certificate_of(new_identity("127.0.0.1"))  # of the same name, by another key
    before = len(served.seen()["learners"])
    with pytest.raises(NotSent) as caught:
        await classes.join(MetClass(met.address, met.code, other, words_of(other)))
    assert explain(caught.value).title == (
        "The class shows another certificate than the one you compared. Join again and compare the words."
    )
    assert len(served.seen()["learners"]) == before


async def test_what_isnt_there_or_speaks_no_tls_is_told_as_everywhere(served: ServedClass) -> None:
    for address, reason in (
        ("127.0.0.1:1", Reason.CONNECTION_REFUSED),
        (served.told["board_url"], Reason.TLS),
    ):
        with pytest.raises(NotSent) as caught:
            await HttpClasses().meet(f"a-1@{address}")
        assert caught.value.reason == reason


async def test_the_ticket_goes_to_the_class_alone_and_is_in_no_exchange(served: ServedClass) -> None:
    classes, trust, told = HttpClasses(), Trust(), list[tuple[bool | None, str]]()
    mine = practice(await classes.join(await classes.meet(served.told["join"])), trust, told)
    base_url = await mine.ensure()
    assert told == [(True, base_url)]
    seen: list[Exchange] = []
    transport = Transport(tls=trust)
    request = Request(
        None, "GET", f"{base_url}/portal/users", {"X-Practice-Portal": "1"}, None, (), seen.append
    )
    assert (await transport.send(request, ConnectionUse.SHARED)).status == 200
    assert trust.pin
    assert trust.pin.ticket
    assert "ticket" not in repr(seen).lower()
    assert trust.pin.ticket.reveal() not in repr(seen)
    trust.pin.place = ("127.0.0.1", 1)  # so that the class is another place
    with pytest.raises(NotSent) as caught:
        await transport.send(request, ConnectionUse.ALONE)
    assert caught.value.reason in {Reason.TLS_SELF_SIGNED, Reason.TLS_UNTRUSTED}
    await transport.close()
    await mine.stop()


async def test_a_seat_is_taken_by_another_computer_and_back_only_at_a_wish(served: ServedClass) -> None:
    classes = HttpClasses()
    seat = await classes.join(await classes.meet(served.told["join"]))
    here, there = practice(seat, Trust()), practice(seat, Trust())
    assert (await here.ask("GET", "/class/seat"))["learner"] == seat.learner
    await there.ensure()
    for _ in range(2):
        with pytest.raises(Refused) as caught:
            await here.ask("GET", "/class/seat")
        assert explain(caught.value).title == "This seat is used on another computer now."
    assert (await there.ask("GET", "/class/seat"))["learner"] == seat.learner
    await here.stop()
    assert (await here.ask("GET", "/class/seat"))["learner"] == seat.learner
    with pytest.raises(Refused):
        await there.ask("GET", "/class/seat")
    for one in (here, there):
        await one.stop()


async def test_calls_fail_while_the_class_is_away_and_go_on_when_it_is_back(tmp_path: Path) -> None:
    told: list[tuple[bool | None, str]] = []
    with ServedClass(tmp_path, "--lesson", str(found(LESSON))) as served:
        classes = HttpClasses()
        mine = practice(await classes.join(await classes.meet(served.told["join"])), Trust(), told)
        await mine.ask("GET", "/class/seat")
        served.process.kill()
        served.process.wait()
        with pytest.raises(GatewayError):
            await mine.ask("GET", "/class/seat")
        assert told[-1] == (False, served.told["base_url"])
        served.kill()
        assert (await mine.ask("GET", "/class/seat"))["learner"] == "01"
        assert told[-1][0] is True
        await mine.stop()
