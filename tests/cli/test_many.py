"""`keybench sales`: a line for each row, a summary, and the exit status of the worst of them."""

from __future__ import annotations

import signal
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from fakes.scripted_gateway import APPROVED, PARTLY_APPROVED
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import (
    AnswerLost,
    GatewayError,
    JournalUnwritable,
    KeyRefused,
    KeystoreLocked,
    NotSent,
)
from keybench.core.ports import Accepted, SaleOrder
from keybench.core.sales.sale import Outcome, Verdict
from keybench.workflows.sales import batch as sale_batch

from .conftest import CommandLine, Ended, shows_value

DECLINED = Verdict(Outcome.DECLINED, status=200, transaction_id="9")
CANCELLED = Verdict(Outcome.CANCELLED, status=200)
EXPIRED = Verdict(Outcome.EXPIRED, status=200)
REFUSED = KeyRefused("unauthorised", status=401)
NEVER_SENT = NotSent("connection refused")
LOST = AnswerLost("timeout")
Answer = Accepted | Verdict | GatewayError


@pytest.fixture
def three(tmp_path: Path) -> Path:
    return written(tmp_path, "device,amount\ntill-1,1.00\ntill-2,2.00\ntill-3,3.00\n")


def written(folder: Path, text: str) -> Path:
    path = folder / "devices.csv"
    path.write_text(text, encoding="utf-8")
    return path


def sell(keybench: CommandLine, path: Path, *more: str, environment: str = "practice") -> Ended:
    words = ("--environment", environment, "--key", "till", "--devices", str(path))
    return keybench("sales", *words, *more)


def rows(ended: Ended) -> list[dict[str, Any]]:
    return [record for record in ended.records if "row" in record]


# --- what is told ---------------------------------------------------------------------------------


def test_each_sale_has_a_line_and_the_last_line_counts_them(with_key: CommandLine, three: Path) -> None:
    ended = sell(with_key, three, "--json")
    assert ended.status == 0
    told = {(r["row"], r["device"], r["amount"], r["state"]) for r in rows(ended)}
    assert told == {(n, f"till-{n - 1}", f"{n - 1}.00", "approved") for n in (2, 3, 4)}
    promised = {"reference", "request_id", "currency", "elapsed_s", "polls", "meaning", "status", "message"}
    assert all(promised <= record.keys() for record in rows(ended))
    last = ended.records[-1]
    assert last["summary"] is True
    assert (last["rows"], last["approved"], last["declined"], last["left"]) == (3, 3, 0, 0)
    assert set(Outcome) <= last.keys()
    assert not shows_value(ended.out, ended.err)


def test_text_has_a_line_for_each_and_the_counts(with_key: CommandLine, three: Path) -> None:
    with_key.bench.gateway.to_post = [APPROVED, DECLINED, APPROVED]
    ended = sell(with_key, three)
    *lines, last = ended.out.splitlines()
    assert len(lines) == 3
    assert all("till-" in line for line in lines)
    assert last.startswith("Approved: 2, Declined: 1")
    assert ended.status == 10


def test_devices_that_sell_something_already_are_told_first(with_key: CommandLine, three: Path) -> None:
    async def note() -> None:
        draft = await with_key.bench.draft("9.00")
        await with_key.bench.console.sell.note(replace(draft, device="till-2"))

    with_key.do(note())
    told = "9.00 USD on till-2, begun just now, has no outcome yet."
    one = ("--environment", "practice", "--key", "till", "--device", "till-2", "--amount", "1.00")
    assert with_key("sale", *one).err.startswith(told)
    ended = sell(with_key, three, "--json")
    assert ended.err.startswith(told)
    assert "till-1" not in ended.err
    assert ended.records[-1]["approved"] == 3


@pytest.mark.parametrize(
    ("answers", "status"),
    [
        ([APPROVED, APPROVED, APPROVED], 0),
        ([APPROVED, DECLINED, APPROVED], 10),
        ([DECLINED, CANCELLED, APPROVED], 11),
        ([DECLINED, EXPIRED, APPROVED], 11),
        ([DECLINED, REFUSED, EXPIRED], 20),
        ([DECLINED, REFUSED, NEVER_SENT], 21),
        ([NEVER_SENT, PARTLY_APPROVED, REFUSED], 12),
        ([LOST, PARTLY_APPROVED, NEVER_SENT], 30),
    ],
)
def test_the_exit_status_is_the_worst_of_them(
    with_key: CommandLine, three: Path, answers: list[Answer], status: int
) -> None:
    with_key.bench.gateway.to_post = answers
    assert sell(with_key, three, "--json").status == status


def test_defaults_are_for_rows_without(with_key: CommandLine, tmp_path: Path) -> None:
    path = written(tmp_path, "till-1\ntill-2,5\ntill-3,,CAD\n")
    ended = sell(with_key, path, "--amount", "2,50", "--currency", "eur", "--json")
    assert {(r["amount"], r["currency"]) for r in rows(ended)} == {
        ("2.50", "EUR"),
        ("5.00", "EUR"),
        ("2.50", "CAD"),
    }


# --- what is wrong --------------------------------------------------------------------------------


def test_wrong_rows_are_all_told_and_nothing_is_sold(with_key: CommandLine, tmp_path: Path) -> None:
    path = written(tmp_path, "till-1,1\n,2\ntill-3,x\n4111111111111111,1\n")
    ended = sell(with_key, path, "--json")
    assert ended.status == 2
    assert [(r["row"], r["error"]) for r in rows(ended)] == [
        (2, "NameInvalid"),
        (3, "AmountInvalid"),
        (4, "CardDataRefused"),
    ]
    assert all(f"Line {n}:" in ended.err for n in (2, 3, 4))
    assert "4111" not in ended.out + ended.err
    assert not with_key.bench.gateway.posts


def test_wrong_rows_are_left_out_where_that_is_asked_for(with_key: CommandLine, tmp_path: Path) -> None:
    path = written(tmp_path, "till-1,1\n,2\ntill-3,3\n")
    ended = sell(with_key, path, "--json", "--skip-wrong")
    assert ended.status == 0
    assert (ended.records[-1]["approved"], ended.records[-1]["wrong"]) == (2, 1)
    assert sell(with_key, written(tmp_path, ",1\n"), "--skip-wrong").status == 2


@pytest.mark.parametrize("text", ["", "till\x00", 'a"b,"', "device,cvv\ntill-1,123\n"])
def test_a_file_that_is_no_list_is_wrong_use(with_key: CommandLine, tmp_path: Path, text: str) -> None:
    ended = sell(with_key, written(tmp_path, text), "--amount", "x")
    assert ended.status == 2
    assert ended.err
    assert not with_key.bench.gateway.posts


def test_a_file_that_is_not_there_is_wrong_use(with_key: CommandLine, tmp_path: Path) -> None:
    ended = sell(with_key, tmp_path / "nothing.csv")
    assert ended.status == 2
    assert "can't be read" in ended.err


def test_at_once_has_the_runs_bounds(with_key: CommandLine, three: Path) -> None:
    most = sale_batch.MOST_AT_ONCE
    for lanes in ("0", f"{most + 1}", "x"):
        assert sell(with_key, three, "--at-once", lanes).status == 2
    assert sell(with_key, three, "--at-once", f"{most}").status == 0


# --- live, trouble, Ctrl-C ------------------------------------------------------------------------


def test_live_needs_a_yes_and_keeps_the_amount_limit(keybench: CommandLine, three: Path) -> None:
    async def shop() -> None:
        bench = keybench.bench
        made = await bench.console.environments.add(
            "Shop", EnvironmentKind.LIVE, "https://gateway.example", limit="2.50"
        )
        await bench.add_key(made)
        assert made.amount_limit == Decimal("2.50")

    keybench.do(shop())
    assert sell(keybench, three, environment="Shop").status == 2
    over = sell(keybench, three, "--yes", environment="Shop")
    assert over.status == 2
    assert "3.00" in over.err
    assert not keybench.bench.gateway.posts
    three.write_text("till-1,1\ntill-2,2\n", encoding="utf-8")
    assert sell(keybench, three, "--yes", environment="Shop").status == 0
    assert len(keybench.bench.gateway.posts) == 2


def test_a_keystore_that_is_locked_sends_nothing(with_key: CommandLine, three: Path) -> None:
    with_key.bench.keystore.failure = KeystoreLocked()
    assert sell(with_key, three, "--json").status == 40
    assert not with_key.bench.gateway.posts


def test_a_journal_that_fails_starts_no_more_and_says_so(with_key: CommandLine, three: Path) -> None:
    async def fill_the_disk(_order: SaleOrder) -> None:
        with_key.bench.journal.failure = JournalUnwritable("/data", "no space left")

    with_key.bench.gateway.before_post = fill_the_disk
    ended = sell(with_key, three, "--json", "--at-once", "1")
    assert ended.status == 21
    first, second = rows(ended)
    assert first["state"] == "approved"
    assert (second["state"], second["error"]) == ("not_sent", "JournalUnwritable")
    assert (ended.records[-1]["approved"], ended.records[-1]["left"]) == (1, 1)
    assert f"{first['reference']}, payment request {first['request_id']}: approved." in ended.err
    assert "No more sales were started" in ended.err
    assert len(with_key.bench.gateway.posts) == 1


def test_ctrl_c_finishes_what_is_under_way_and_then_sums_up(with_key: CommandLine, three: Path) -> None:
    async def interrupt(_order: SaleOrder) -> None:
        signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with_key.bench.gateway.before_post = interrupt
    ended = sell(with_key, three, "--json", "--at-once", "1")
    assert ended.status == 21
    assert [r["state"] for r in rows(ended)] == ["approved"]
    assert (ended.records[-1]["approved"], ended.records[-1]["left"]) == (1, 2)
    assert "Stopping" in ended.err
    assert signal.getsignal(signal.SIGINT) is before
    assert not with_key.composed.still_open
