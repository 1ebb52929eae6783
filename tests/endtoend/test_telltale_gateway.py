"""A gateway can't put the caller's key or a card number into anything that is kept, exported or shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from endtoend.conftest import Keybench
from endtoend.telltale_gateway import CARD, MARK, telltale_gateway
from endtoend.window_fixtures import open_window
from fakes.spelled import SPELLINGS

VALUE = "Zq7Made+Up/For=Tests0123456789AbCdEfGh"
pytestmark = pytest.mark.timeout(180)


def told(content: bytes) -> list[str]:
    """Return what a content tells of the key, by the spellings' names, and whether it tells the card."""
    # A text kept as JSON has its own escapes escaped once more.
    forms = {
        name: [(spelt := spell(VALUE)).encode(), spelt.replace("\\", "\\\\").encode()]
        for name, spell in SPELLINGS.items()
    }
    found = [name for name, spelt in forms.items() if any(form in content for form in spelt)]
    return found + ["card"] * (CARD.encode() in content)


def files_that_tell(folder: Path) -> list[str]:
    """Return the files below a folder that tell the key or the card; names only."""
    return [
        f"{path.name}: {name}"
        for path in folder.rglob("*")
        if path.is_file()
        for name in told(path.read_bytes())
    ]


def test_nothing_that_is_kept_or_exported_tells_the_key_or_a_card(keybench: Keybench, tmp_path: Path) -> None:
    with telltale_gateway() as gateway:
        keybench.add_environment(gateway.base_url, VALUE)
        keybench.run("key", "test", "--environment", "SANDBOX", "--name", "till")
        for mode in ("async", "sync"):
            keybench.sell("10.00", "--mode", mode, environment="SANDBOX")
        keybench.sell("10.00", environment="SANDBOX", device="refused")
    for what in ("history", "activity"):
        for ending in ("csv", "json"):
            assert keybench.run(what, "--out", str(keybench.folder / f"{what}.{ending}")).status == 0
    sold = [line for line in keybench.run("history").lines if line["mode"] == "async"]
    assert [(MARK in line["transaction"], line["state"]) for line in sold if line["device"] == "till-1"] == [
        (True, "approved")
    ]
    assert files_that_tell(keybench.folder) == []
    assert told("".join(keybench.transcript).encode()) == []


def test_nothing_on_screen_tells_the_key_or_a_card(keybench: Keybench, tmp_path: Path) -> None:
    with telltale_gateway() as gateway:
        keybench.add_environment(gateway.base_url, VALUE)
        with open_window(keybench.folder) as window:
            window.wait_until_ready()
            window.choose_environment("SANDBOX")
            window.until(lambda: window.rows("Security keys"), "the key")
            window.write("Device", "till-1")
            window.write("Amount", "10.00")
            window.press_button("Send sale")
            window.wait_for_outcome("Approved")
            said = window.words(hidden=True)
            window.go_to("Devices")
            window.until(lambda: window.rows("Devices"), "the devices")
            said += window.words(hidden=True)
            said += [cell for row in window.rows("Devices") for cell in row]
            assert MARK in str(said)
            assert told("\n".join(said).encode("utf-8", "surrogatepass")) == []
            assert window.quit() == 0
        assert files_that_tell(keybench.folder) == []
