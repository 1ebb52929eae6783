"""The command line, from an empty folder to every outcome, on real parts only."""

from __future__ import annotations

import pytest

from endtoend.conftest import Keybench
from keybench.gateway.contracts import Contracts

ADD = (
    *("key", "add", "--environment", "practice", "--name", "till", "--username", "counter1"),
    *("--permission", "API", "--kind", "private"),
)


VALUE = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6\n"


@pytest.mark.usefixtures("gateway_here")
def test_a_key_is_added_tested_listed_and_forgotten(keybench: Keybench) -> None:
    added = keybench.run(*ADD).last
    assert added["state"] == "kept"
    assert len(added["fingerprint"].split("-")) == 4
    tested = keybench.run("key", "test", "--environment", "practice", "--name", "till")
    assert (tested.status, tested.last["state"], tested.last["status"]) == (0, "working", 200)
    assert keybench.run("key", "list").last["state"] == "working"
    sold = keybench.run_program(
        *("sale", "--environment", "practice", "--key", "till", "--device", "till-1", "--amount", "20.00")
    )
    assert (sold.status, sold.last["state"]) == (10, "declined")
    assert keybench.run("key", "forget", "--environment", "practice", "--name", "till").status == 0
    assert keybench.run("key", "list").out == ""


_DEVICES = {"70.00": "till-2", "71.00": "counter-1"}


@pytest.mark.thin(6)
@pytest.mark.parametrize(
    ("amount", "state", "status"),
    [
        ("10.00", "approved", 0),
        ("15.00", "partly_approved", 12),
        ("20.00", "declined", 10),
        ("30.00", "cancelled", 11),
        ("50.00", "refused", 20),
        ("60.00", "refused", 20),
        ("70.00", "unknown", 30),
        ("71.00", "unknown", 30),
        ("85.00", "unknown", 30),
    ],
)
def test_every_practice_amount_gives_the_outcome_that_people_are_told(
    till: Keybench, amount: str, state: str, status: int
) -> None:
    assert Contracts().get("practice").amounts[amount].startswith(state.replace("_", " "))
    # A device each: a lost answer leaves its device busy for a while, as it would at a till.
    sold = till.sell(amount, device=_DEVICES.get(amount, "till-1"))
    assert (sold.last["state"], sold.status) == (state, status), sold.err
    assert sold.last["amount"] == amount
    assert sold.last["currency"] == "USD"
    assert sold.last["meaning"]
    listed = till.run("history", "--environment", "practice", "--limit", "1").last
    assert (listed["reference"], listed["state"]) == (sold.last["reference"], state)
    approved = {"10.00": "10.00", "15.00": "10.00"}.get(amount)
    assert listed.get("approved_amount") == sold.last.get("approved_amount") == approved


@pytest.mark.thin(3)
@pytest.mark.parametrize("mode", ["async", "sync", "classic"])
def test_the_three_ways_to_sell(till: Keybench, mode: str) -> None:
    for amount, state, status in (("10.00", "approved", 0), ("15.00", "partly_approved", 12)):
        sold = till.sell(amount, "--mode", mode, device="kiosk-1")
        assert (sold.last["state"], sold.status, sold.last["approved_amount"]) == (state, status, "10.00")
        assert (sold.last["polls"] > 0) == (mode == "async")


@pytest.mark.usefixtures("gateway_here")
def test_a_user_without_the_permission_is_refused(keybench: Keybench) -> None:
    keybench.add_key(username="reports")
    sold = keybench.sell("10.00")
    assert (sold.status, sold.last["state"], sold.last["status"]) == (20, "refused", 403)
    assert sold.last["message"]
    assert "no money moved" in sold.last["meaning"]


def test_a_folder_whose_journal_is_gone_is_begun_anew_only_by_an_option(keybench: Keybench) -> None:
    assert keybench.run("environment", "list").status == 0
    journal = keybench.folder / "journal.sqlite3"
    journal.unlink()
    refused = keybench.run("environment", "list")
    assert (refused.status, journal.exists()) == (1, False)
    assert "--new-journal" in refused.err
    assert keybench.run("environment", "list", "--new-journal").status == 0
    assert keybench.run("environment", "list").status == 0


def test_a_gateway_that_is_down_gives_not_sent(keybench: Keybench) -> None:
    keybench.add_environment("http://127.0.0.1:9", VALUE, name="DOWN")
    sold = keybench.sell("10.00", environment="DOWN")
    assert (sold.status, sold.last["state"]) == (21, "not_sent")
    assert "Nothing is listening" in sold.last["meaning"]
