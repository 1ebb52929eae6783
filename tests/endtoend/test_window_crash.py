"""The window killed in the middle of a sale: nothing is lost."""

from __future__ import annotations

import json
import urllib.request
from collections import Counter

import pytest

from endtoend.conftest import Keybench
from endtoend.window_fixtures import Window, open_window, wait_until_gone

OUTCOME = 4


def posted(window: Window) -> Counter[str]:
    """Return how often each reference was posted to the window's practice gateway."""
    told = window.wait_for_words("Gateway up")
    request = urllib.request.Request(
        f"http://{told.rsplit(' ', 1)[-1]}/portal/log?limit=9999", headers={"X-Practice-Portal": "1"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        entries = json.load(answer)["entries"]
    return Counter(
        entry["order_id"]
        for entry in entries
        if entry["method"] == "POST" and entry["path"].endswith("/sale")
    )


@pytest.mark.sweep
def test_a_window_killed_while_it_sells_takes_the_sale_up_again(keybench: Keybench) -> None:
    keybench.add_key()
    with open_window(keybench.folder) as window:
        window.wait_until_ready()
        gateway = window.gateway()
        window.send("10.00")
        window.wait_for("Cancel on device", "push button")  # the gateway has it
        window.process.kill()
        window.process.wait()
        wait_until_gone(gateway)

    with open_window(keybench.folder) as window:
        window.wait_until_ready()
        window.until(
            lambda: any("Approved" in row[OUTCOME] for row in window.rows("Recent sales")),
            "the sale's outcome among the recent sales",
        )
        assert len(window.rows("Recent sales")) == 1
        assert list(posted(window).values()) == [1]
