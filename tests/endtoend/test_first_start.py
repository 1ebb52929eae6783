"""The first minute: from an empty data folder to an approved sale by keyboard, and nothing phones home."""

from __future__ import annotations

import ipaddress
import json
import os
from pathlib import Path
from typing import Final

from endtoend.window_fixtures import open_window

#: Python imports this in every process that is started with its folder on the path, before anything else.
_LISTENER: Final = """
import json, os, sys

def _tell(event, arguments):
    if event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
        whom = arguments[1]
    elif event in {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}:
        whom = arguments[0]
    elif event == "listening":
        whom = "localhost"
    else:
        return
    line = json.dumps([os.getpid(), event, whom if isinstance(whom, (str, list, tuple)) else repr(whom)])
    with open(os.environ["KEYBENCH_TEST_TOLD"], "a") as told:
        told.write(line + "\\n")

sys.addaudithook(_tell)
sys.audit("listening")
"""
#: A file of this computer: the desktop's bus, the window that is open already.
_NO_HOST: Final = "a file"


def host_of(whom: object) -> str:
    """Return whom a process turned to, by host or address."""
    if isinstance(whom, list | tuple):
        return str(whom[0])
    named = str(whom)
    return _NO_HOST if named.startswith(("/", "\x00", "b'", "None")) else named


def is_this_computer(host: str) -> bool:
    if host in {_NO_HOST, "localhost"}:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def test_three_times_enter_lead_to_an_approved_sale_and_nothing_leaves_this_computer(tmp_path: Path) -> None:
    listener, told = tmp_path / "listener", tmp_path / "told"
    listener.mkdir()
    (listener / "sitecustomize.py").write_text(_LISTENER)
    variables = {"PYTHONPATH": os.fspath(listener), "KEYBENCH_TEST_TOLD": os.fspath(told)}
    with open_window(tmp_path / "Ordner mit Leerzeichen, данные", **variables) as window:
        window.wait_until_ready()
        window.wait_for_words("A first sale in three steps")
        window.press("Tab")
        window.wait_for_focus("push button", "Add a New Key")
        window.press("Return")
        window.wait_for_focus("text", "Key Name")
        window.until(lambda: "counter1" in window.value_of("Username"), "a user that may sell")
        window.press("Return")
        window.wait_for_focus("push button", "Send sale")
        window.press("Return")
        window.wait_for_outcome("Approved")
        assert window.wait_for_words("Your first approved sale.")
        gateway = window.gateway().pid
        assert window.quit() == 0
    lines = [json.loads(line) for line in told.read_text().splitlines()]
    hosts = {host_of(whom) for _process, _event, whom in lines}
    assert "127.0.0.1" in hosts, "the window's calls are heard"
    assert [gateway, "listening", "localhost"] in lines, "the practice gateway's would be, too"
    assert [host for host in hosts if not is_this_computer(host)] == []


def test_every_way_out_of_this_computer_is_told_from_what_stays() -> None:
    outside = ["192.0.2.1", "gateway.example", "2001:db8::1", "10.0.0.1", ""]
    assert [host for host in outside if is_this_computer(host)] == []
    inside = [["127.0.0.1", 80], ["::1", 80, 0, 0], "localhost", "/run/user/1000/bus", "b'\\x00/tmp/dbus'"]
    assert [whom for whom in inside if not is_this_computer(host_of(whom))] == []
