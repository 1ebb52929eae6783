"""Finding out by command, over HTTP, what became of a sale."""

from __future__ import annotations

import signal
import subprocess

import pytest

from endtoend.conftest import Keybench, OtherGateway
from endtoend.slow_gateway import slow_gateway
from endtoend.window_hand import PATIENCE_S

LOOK_UP = "/api/v5/devices/till-1/payment-requests?order_id={}"


@pytest.mark.usefixtures("gateway_here")
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
