"""A known key, used through a whole run, is nowhere afterwards but in the keyring."""

from __future__ import annotations

import subprocess

import pytest

from endtoend.conftest import Keybench, OtherGateway, places_with, process_texts, spellings


def test_a_known_value_leaves_no_trace(keybench: Keybench, other_gateway: OtherGateway) -> None:
    value = other_gateway.make_key()
    added = keybench.run(
        *("environment", "add", "SANDBOX", "--kind", "test", "--base-url", other_gateway.base_url),
        *("--contract", "v5"),
    )
    assert added.status == 0, added.err
    kept = keybench.run_program(
        *("key", "add", "--environment", "SANDBOX", "--name", "till", "--username", "counter1"),
        *("--permission", "API", "--kind", "private"),
        stdin=f"  {value} \n",
    )
    assert kept.status == 0
    assert keybench.run("key", "test", "--environment", "SANDBOX", "--name", "till").status == 0
    for mode in ("async", "sync"):  # the v5 preset names no Classic path: none is documented
        sold = keybench.run(
            *("sale", "--environment", "SANDBOX", "--key", "till", "--device", "till-1", "--amount", "10.00"),
            *("--mode", mode),
        )
        assert (sold.status, sold.last["state"]) == (0, "approved")
    running = subprocess.Popen(
        keybench.arguments(
            *("sale", "--environment", "SANDBOX", "--key", "till", "--device", "till-2", "--amount", "10.00")
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert running.stdout
    keybench.transcript.append(running.stdout.readline())
    shown_by_processes = any(spelling in text for text in process_texts() for spelling in spellings(value))
    keybench.transcript.append(running.stdout.read())
    running.stdout.close()
    assert running.wait(timeout=60) == 0

    written = "".join(keybench.transcript).encode()
    assert not shown_by_processes
    assert not any(spelling in written for spelling in spellings(value))
    assert places_with(value, keybench.folder, other_gateway.folder) == []


@pytest.mark.sweep
def test_keys_of_two_data_folders_are_apart(keybench: Keybench, other_gateway: OtherGateway) -> None:
    keybench.add_key()
    elsewhere = Keybench(keybench.folder.with_name("another"))
    elsewhere.add_key()
    keybench.run("key", "forget", "--environment", "practice", "--name", "till")
    assert elsewhere.run("key", "test", "--environment", "practice", "--name", "till").status == 0
    assert other_gateway.base_url
