"""Killed in the middle of selling: nothing is lost, nothing is sent twice, nothing false is said.

The short form of a longer run:
``KEYBENCH_KILLS=500 python3 packaging/test.py --only tests -- tests/endtoend/test_crash.py --timeout 3600``.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections import Counter

from endtoend.conftest import Keybench, OtherGateway

KILLS = int(os.environ.get("KEYBENCH_KILLS", "12"))


def test_a_killed_seller_loses_nothing_and_sends_nothing_twice(
    keybench: Keybench, other_gateway: OtherGateway
) -> None:
    keybench.run("environment", "add", "SANDBOX", "--kind", "test", "--base-url", other_gateway.base_url)
    keybench.run(
        *("key", "add", "--environment", "SANDBOX", "--name", "till", "--username", "counter1"),
        *("--permission", "API", "--kind", "private"),
        stdin=other_gateway.make_key(),
    )
    chance = random.Random(20261120)
    for _ in range(KILLS):
        seller = subprocess.Popen(
            keybench.arguments(
                *("sale", "--environment", "SANDBOX", "--key", "till", "--device", "till-1"),
                *("--amount", "10.00"),
            ),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            seller.wait(timeout=chance.uniform(0.3, 1.6))
        except subprocess.TimeoutExpired:
            seller.kill()
            seller.wait()
    assert keybench.run("resume").status == 0

    posted = Counter(
        entry["order_id"]
        for entry in other_gateway.portal("GET", "log?limit=9999")["entries"]
        if entry["method"] == "POST" and entry["path"].endswith("/sale")
    )
    sales = {line["reference"]: line["state"] for line in keybench.run("history", "--limit", "10000").lines}
    assert set(posted.values()) <= {1}, "a reference was posted twice"
    assert set(posted) <= set(sales), "a posted sale is missing from the journal"
    # Who was killed before the answer knows only that; who was answered has the outcome.
    assert set(sales.values()) <= {"approved", "unknown", "refused"}
    assert keybench.run("resume").out == ""
