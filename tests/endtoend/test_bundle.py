"""A support bundle's way: saved at one computer, opened and played back at another, on real parts."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from endtoend.conftest import Keybench


@contextmanager
def played_back(colleague: Keybench, bundle: Path) -> Iterator[None]:
    """Serve the practice gateway of a colleague's data folder, with the bundle's answers."""
    command = colleague.arguments("practice", "--replay", str(bundle), "--until-stdin-closes", "--speed", "4")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as gateway:
        assert gateway.stdout
        assert gateway.stdin
        assert json.loads(gateway.stdout.readline())["base_url"]
        yield
        gateway.stdin.close()
        gateway.stdout.read()


@pytest.mark.usefixtures("gateway_here")
@pytest.mark.thin(3)
@pytest.mark.parametrize(
    ("amount", "username", "state"),
    [("20.02", "counter1", "declined"), ("10.00", "reports", "refused"), ("70.00", "counter1", "unknown")],
)
def test_a_colleague_sees_the_same_failure(
    keybench: Keybench, tmp_path: Path, amount: str, username: str, state: str
) -> None:
    keybench.add_key(username=username)
    sold = keybench.sell(amount)
    assert sold.last["state"] == state
    path = tmp_path / "bundle.zip"
    written = keybench.run("bundle", "--out", str(path), "--sale", sold.last["reference"])
    assert (written.status, written.last["written"]) == (0, True), written.err

    colleague = Keybench(tmp_path / "colleague")
    with played_back(colleague, path):
        colleague.add_key()  # a user who may sell: the recorded answer decides all the same
        again = colleague.sell(amount)
    for name in ("state", "status", "message", "amount"):
        assert again.last.get(name) == sold.last.get(name)
    assert again.last["reference"] != sold.last["reference"]
