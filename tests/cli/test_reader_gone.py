"""Output that nobody takes: what was begun is ended, and the exit status is that of the outcome."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import pytest

from fakes.scripted_gateway import DONE
from keybench.core.errors import AnswerLost
from keybench.core.ports import StatusReading
from keybench.core.sales.sale import Outcome, Verdict

from .conftest import CommandLine

SALE = ("sale", "--environment", "practice", "--key", "till", "--device", "D-1", "--amount", "10.00")
FULL = Path("/dev/full")
Unread = Callable[[], TextIO]


@pytest.fixture
def unread() -> Iterator[Unread]:
    """Make streams into pipes that nobody reads any more."""
    made: list[TextIO] = []

    def make() -> TextIO:
        read, write = os.pipe()
        os.close(read)
        made.append(os.fdopen(write, "w"))
        return made[-1]

    yield make
    for one in made:
        one.close()


def outcomes(keybench: CommandLine) -> list[Outcome | None]:
    return [sale.outcome for sale in keybench.do(keybench.bench.journal.sales(None, 100))]


@pytest.mark.parametrize("streams", [("stdout",), ("stderr",), ("stdout", "stderr")], ids="+".join)
@pytest.mark.parametrize("form", [("--json",), ()], ids=["json", "text"])
@pytest.mark.parametrize(
    ("outcome", "status"), [(Outcome.APPROVED, 0), (Outcome.DECLINED, 10), (Outcome.UNKNOWN, 30)]
)
def test_a_sale_nobody_reads_of_is_followed_to_its_end(
    with_key: CommandLine,
    monkeypatch: pytest.MonkeyPatch,
    unread: Unread,
    streams: tuple[str, ...],
    form: tuple[str, ...],
    outcome: Outcome,
    status: int,
) -> None:
    with_key.bench.gateway.to_poll = [StatusReading("over", Verdict(outcome, status=200))]
    for name in streams:
        monkeypatch.setattr(f"sys.{name}", unread())
    assert with_key(*SALE, *form).status == status
    assert outcomes(with_key) == [outcome]


def test_a_batch_nobody_reads_of_sells_every_row(
    with_key: CommandLine, monkeypatch: pytest.MonkeyPatch, unread: Unread, tmp_path: Path
) -> None:
    rows = tmp_path / "devices.csv"
    rows.write_text("device;amount\n" + "".join(f"D-{number};10.00\n" for number in range(9)))
    monkeypatch.setattr("sys.stdout", unread())
    words = ("sales", "--environment", "practice", "--key", "till", "--devices", str(rows), "--json")
    assert with_key(*words).status == 0
    assert outcomes(with_key) == [Outcome.APPROVED] * 9


def test_a_look_up_and_a_resume_nobody_reads_of_keep_their_status(
    with_key: CommandLine, monkeypatch: pytest.MonkeyPatch, unread: Unread
) -> None:
    gateway = with_key.bench.gateway
    gateway.to_post = [AnswerLost("timeout")]
    with_key(*SALE)
    (lost,) = with_key.do(with_key.bench.journal.sales(None, 1))
    monkeypatch.setattr("sys.stdout", unread())
    monkeypatch.setattr("sys.stderr", unread())
    assert with_key("resume", "--json").status == 30
    gateway.to_look_up = [DONE]
    assert with_key("look-up", lost.reference, "--json").status == 0
    assert with_key("resume", "--json").status == 0


@pytest.mark.skipif(not FULL.exists(), reason="there is no such device here")
def test_results_that_have_no_room_are_told_once(
    with_key: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FULL.open("w") as full:
        monkeypatch.setattr("sys.stdout", full)
        ended = with_key(*SALE, "--json")
    assert ended.status == 0
    assert ended.err.count("No more results can be written") == 1


def test_no_standard_output_at_all_is_no_trouble(
    with_key: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a shell's ``>&-``, and under a window of Windows."""
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(f"sys.{name}", None)
    assert with_key(*SALE).status == 0
