"""``diagnose``: its JSON and its statuses are a promise to scripts; it never sells, and shows no value."""

from __future__ import annotations

import signal

import pytest

from fakes.clock import MovedClock
from fakes.world import Bench
from keybench.core.diagnosis.causes import Cause, Trouble
from keybench.core.diagnosis.checks import Check, Result, Sign, saw
from keybench.core.diagnosis.conclusion import Standing
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import KeyRefused, KeystoreLocked, NotSent
from keybench.core.reasons import Reason

from .conftest import CommandLine, Composed, Ended, shows_value

DIAGNOSE = ["diagnose", "--environment", "practice", "--key", "till"]


class InterruptedClock(MovedClock):
    """Interrupts the program the first time anybody sleeps."""

    has_interrupted = False

    async def sleep(self, seconds: float) -> None:
        if not self.has_interrupted:
            self.has_interrupted = True
            signal.raise_signal(signal.SIGINT)
        await super().sleep(seconds)


@pytest.fixture
def keybench(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setattr("logging.basicConfig", lambda **_settings: None)  # the test's own log goes on
    return CommandLine(Composed(Bench()), capsys, monkeypatch)  # a hurried clock would end every check


@pytest.fixture
def refused(with_key: CommandLine) -> CommandLine:
    with_key.bench.probing.sees |= {
        Check.CALL: (
            saw(Sign.CALL_UNAUTHORISED, status=401, message="the key was deleted"),
            saw(Sign.WORDS_KEY_ENDED),
        ),
        Check.FORMS: (saw(Sign.OTHER_FORMS_REFUSED),),
    }
    return with_key


def diagnose(keybench: CommandLine, *more: str) -> Ended:
    ended = keybench(*DIAGNOSE, *more)
    assert keybench.bench.gateway.posts == []
    assert not shows_value(ended.out, ended.err)
    return ended


def test_each_check_has_a_line_and_the_last_is_the_verdict(refused: CommandLine) -> None:
    ended = diagnose(refused, "--device", "D-1", "--json")
    *lines, last = ended.records
    assert ended.status == 1
    for line in lines:
        assert set(line) == {"check", "result", "evidence", "rules_out", "took_s"}
        assert Check(line["check"])
        assert Result(line["result"])
        assert line["evidence"]
        assert all(Cause(one) for one in line["rules_out"])
    assert len({line["check"] for line in lines}) == len(lines)
    assert {"name", "connect", "proxy", "tls", "clock", "gateway", "call", "device"} <= {
        line["check"] for line in lines
    }
    assert set(last) == {"verdict", "causes", "explained", "next_check", "took_s"}
    assert Trouble(last["verdict"]) is Trouble.OURS
    assert [set(one) for one in last["causes"]] == [{"cause", "standing", "because", "remedy"}] * len(Cause)
    standings = [list(Standing).index(Standing(one["standing"])) for one in last["causes"]]
    assert standings == sorted(standings)
    assert all(one["because"] and one["remedy"] for one in last["causes"])
    assert last["causes"][0]["cause"] == "key_expired_or_deleted"
    assert {"check": "device", "by": last["causes"][0]["cause"]} in last["explained"]
    assert last["next_check"] is None  # there is no other environment of this gateway


def test_people_read_it_aligned_with_what_to_do(refused: CommandLine) -> None:
    ended = diagnose(refused, "--device", "D-1")
    lines = ended.out.splitlines()
    checks = lines[: lines.index("")]
    begins = {line.index("  ", 20) for line in checks if line[:5].strip() in {"fine", "FAULT", "?"}}
    assert checks[0].split()[0] in {"fine", "FAULT", "?"}
    assert begins
    assert max(map(len, lines)) <= 110
    assert "Our side: " in ended.out
    assert "likely: " in ended.out
    assert "Ruled out: " in ended.out
    assert "Could not tell: " in ended.out


def test_a_keystore_in_trouble_is_a_finding_and_no_end(with_key: CommandLine) -> None:
    sound = diagnose(with_key, "--json")
    assert (sound.status, sound.records[-1]["verdict"]) == (0, "none")
    with_key.bench.keystore.failure = KeystoreLocked("locked")
    ended = diagnose(with_key, "--json")
    assert (ended.status, ended.records[-1]["causes"][0]["cause"]) == (1, "keystore")
    assert {line["check"]: line["result"] for line in ended.records[:-1]}["gateway"] == "fine"


@pytest.mark.parametrize(
    "wrong",
    [
        ["diagnose"],
        ["diagnose", "--environment", "nowhere"],
        ["diagnose", "--environment", "practice", "--key", "nobody"],
        ["diagnose", "--sale", "KB-0000"],
        [*DIAGNOSE, "--device", "4111 1111 1111 1111"],
        [*DIAGNOSE, "--elsewhere", "nowhere"],
    ],
)
def test_what_isnt_there_is_wrong_use(with_key: CommandLine, wrong: list[str]) -> None:
    ended = with_key(*wrong)
    assert ended.status == 2
    assert ended.err
    assert "4111" not in ended.err


def test_a_sale_says_where_with_which_key_and_on_which_device(with_key: CommandLine) -> None:
    with_key.bench.gateway.to_post = [KeyRefused(Reason.UNAUTHORISED, status=401, message="unknown key")]
    sale = ["sale", "--environment", "practice", "--key", "till", "--device", "D-1", "--amount", "10.00"]
    sold = with_key(*sale, "--json")
    reference = sold.records[-1]["reference"]
    sales = len(with_key.bench.gateway.posts)
    ended = with_key("diagnose", "--sale", reference.removeprefix("KB-").lower(), "--json")
    assert len(with_key.bench.gateway.posts) == sales
    found = {line["check"]: line for line in ended.records[:-1]}
    assert found["failure"]["result"] == "fault"
    assert "unknown key" in found["failure"]["evidence"]
    assert "device" in found
    assert with_key(*DIAGNOSE, "--sale", reference).status == 1


def test_an_interrupt_stops_at_once_and_concludes(with_key: CommandLine) -> None:
    bench = Bench(clock=InterruptedClock(), journal_to_share=with_key.bench.journal)
    with_key.composed.bench = bench
    bench.probing.held = {Check.TLS}
    before = signal.getsignal(signal.SIGINT)
    ended = with_key(*DIAGNOSE, "--json")
    assert signal.getsignal(signal.SIGINT) is before
    assert "what is known so far" in ended.err
    assert ended.records[-1]["verdict"]
    assert {line["check"]: line["result"] for line in ended.records[:-1]}["tls"] == "could_not_tell"


def test_the_key_goes_elsewhere_with_consent_alone(refused: CommandLine) -> None:
    bench = refused.bench

    async def add() -> None:
        add = bench.console.environments.add
        sandbox = await add("Sandbox", EnvironmentKind.TEST, "https://sandbox.pay.example")
        await add("Live", EnvironmentKind.LIVE, "https://secure.pay.example")
        await add("Stranger", EnvironmentKind.TEST, "https://sandbox.other.example")
        await bench.add_key(sandbox, "Shop")

    refused.do(add())
    words = ["diagnose", "--environment", "Sandbox", "--key", "Shop", "--json"]
    without = refused(*words)
    found = {line["check"]: line for line in without.records[:-1]}
    assert found["elsewhere"]["evidence"].startswith("Not asked")
    assert without.records[-1]["next_check"] == "elsewhere"
    assert "Next: One harmless call with this key" in refused(*words[:-1]).out.replace("\n", " ")
    stranger = refused(*words, "--elsewhere", "Stranger")
    assert "isn't of the same gateway" in stranger.err
    bench.probing.asked.clear()
    ended = refused(*words, "--elsewhere", "Live", "Stranger")
    assert bench.probing.asked.count(Check.CALL) == 2
    assert {line["check"]: line for line in ended.records[:-1]}["elsewhere"]["evidence"].startswith("Live")


def test_in_live_other_forms_are_tried_by_an_option_alone(refused: CommandLine) -> None:
    bench = refused.bench

    async def add() -> None:
        live = await bench.console.environments.add(
            "Live", EnvironmentKind.LIVE, "https://secure.pay.example"
        )
        await bench.add_key(live, "Shop")

    refused.do(add())
    words = ["diagnose", "--environment", "Live", "--key", "Shop", "--json"]
    for option, times, result in (([], 0, "could_not_tell"), (["--other-forms"], 1, "fine")):
        ended = refused(*words, *option)
        found = {line["check"]: line for line in ended.records[:-1]}
        assert (bench.probing.asked.count(Check.FORMS), found["forms"]["result"]) == (times, result)
        assert ended.status == 1


def test_a_key_test_that_fails_names_its_first_causes(with_key: CommandLine) -> None:
    with_key.bench.gateway.to_probe = [NotSent(Reason.NAME_NOT_FOUND)]
    words = ["key", "test", "--environment", "practice", "--name", "till"]
    assert with_key(*words, "--json").records[-1]["causes"][0]["cause"] == "name_resolution"
    assert "Likely: The gateway's host name isn't found." in with_key(*words).err
