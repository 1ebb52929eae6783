"""Finding out over HTTP what became of a sale: by command, and by a window beside a killed command."""

from __future__ import annotations

import json
import signal
import subprocess

import pytest

from endtoend.conftest import Keybench, OtherGateway
from endtoend.slow_gateway import slow_gateway
from endtoend.window_fixtures import open_window
from endtoend.window_hand import PATIENCE_S

OUTCOME = 4
IN_FLIGHT = "90.00"
LOOK_UP = "/api/v5/devices/till-1/payment-requests?order_id={}"


def kill_after_accepted(keybench: Keybench, amount: str = IN_FLIGHT) -> str:
    """Sell in SANDBOX by a command that is killed once the gateway has the sale; return the reference."""
    words = ("--environment", "SANDBOX", "--key", "till", "--device", "till-1", "--amount", amount)
    with subprocess.Popen(keybench.arguments("sale", *words), stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout
        for line in command.stdout:
            told = json.loads(line)
            if told.get("event") == "accepted":
                command.kill()
                return str(told["reference"])
    raise AssertionError("it wasn't accepted")


def test_a_lost_answer_is_looked_up_by_reference(keybench: Keybench) -> None:
    keybench.add_key()
    lost = keybench.sell("70.00")
    assert (lost.status, lost.last["state"], lost.last["request_id"]) == (30, "unknown", "")
    found = keybench.run("look-up", lost.last["reference"])
    assert (found.status, found.last["state"]) == (0, "approved"), found.err
    assert found.last["request_id"]
    assert (found.last["amount"], found.last["device"]) == ("70.00", "till-1")
    again = keybench.run("look-up", lost.last["reference"])
    assert (again.status, again.last["state"]) == (0, "approved")
    assert "wasn't asked" in again.err


def test_ctrl_c_ends_a_look_up_and_leaves_the_sale_unknown(
    keybench: Keybench, other_gateway: OtherGateway
) -> None:
    with slow_gateway(other_gateway.base_url) as slow:
        keybench.add_environment(slow.base_url, contract="practice")
        reference = keybench.sell("70.00", environment="SANDBOX").last["reference"]
        slow.hold("GET", LOOK_UP.format(reference))
        with subprocess.Popen(
            keybench.arguments("look-up", reference), stderr=subprocess.PIPE, text=True
        ) as command:
            assert slow.held.wait(PATIENCE_S)
            command.send_signal(signal.SIGINT)
            _out, told = command.communicate(timeout=PATIENCE_S)
        assert (command.returncode, told.strip().startswith("Stopped.")) == (130, True), told
    (sale,) = keybench.run("history").lines
    assert sale["state"] == "unknown"


@pytest.mark.sweep
def test_a_window_follows_the_sale_of_a_command_that_was_killed_beside_it(
    keybench: Keybench, other_gateway: OtherGateway
) -> None:
    keybench.add_environment(other_gateway.base_url, contract="practice")
    with open_window(keybench.folder) as window:
        window.wait_until_ready()
        window.choose_environment("SANDBOX")
        reference = kill_after_accepted(keybench)
        window.until(
            lambda: any("Approved" in row[OUTCOME] for row in window.rows("Recent sales")),
            "the killed command's outcome among the recent sales",
        )
        assert len(window.rows("Recent sales")) == 1
        looked_up = keybench.run("look-up", reference)
        assert (looked_up.status, looked_up.last["state"]) == (0, "approved")
        assert window.quit() == 0


@pytest.mark.sweep
def test_a_sale_that_an_open_window_follows_is_left_to_it(keybench: Keybench) -> None:
    keybench.add_key()
    with open_window(keybench.folder) as window:
        window.wait_until_ready()
        window.send(IN_FLIGHT)
        window.wait_for("Cancel on device", "push button")  # the gateway has it
        (sale,) = keybench.run("history").lines
        left = keybench.run("look-up", sale["reference"])
        assert (left.status, left.last["state"]) == (30, "under_way")
        assert "Another Keybench" in left.err
        assert "No sale and no key" in keybench.run("resume").err
