"""What rules that are asked often cost: the review of all keys, the look for card data, a second start."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.figures import TRIES, Figure
from fakes.snapshot import large_snapshot
from keybench.core.card_data import holds_card_data, holds_card_fields, refuse_card_data
from keybench.core.review_rules import review
from unit.test_card_data_corpus import NEVER_REFUSED
from unit.test_card_data_linear import of_length

_PACKAGING: Final = Path(__file__).parents[2] / "packaging"
_SECOND_START: Final = """
import time, environment, system_parts
from pathlib import Path
began = time.perf_counter()
system_parts.ensure_for("window")
environment.ensure(Path.cwd(), "window")
print(time.perf_counter() - began)
"""


def measure(folder: Path) -> list[Figure]:
    """Apply each rule a few times and take the best."""
    looked_at = large_snapshot(2000)
    texts = [make(random.Random(3)) for make in NEVER_REFUSED.values()] * 100

    def look_for_cards() -> None:
        for text in texts:
            holds_card_data(text)
            holds_card_fields(text)

    longest = of_length(1_000_000)

    def slowest_s() -> float:
        return max(best_s(partial(refuse_card_data, "note", text)) for text in longest.values())

    return [
        Figure(
            f"a megabyte of {len(longest)} kinds: the look for card data, the slowest",
            slowest_s(),
            "s",
            1,
        ),
        Figure("2,000 keys: the review", 1000 * best_s(lambda: review(looked_at)), "ms", 200),
        Figure("a text: the look for card data", 1e6 * best_s(look_for_cards) / len(texts), "us", 1000),
        Figure("a start when all is set up: the look at what is there", 1000 * second_start_s(), "ms", 500),
    ]


def best_s(call: Callable[[], object]) -> float:
    """Return the processor time of a call in seconds."""
    took = []
    for _ in range(TRIES):
        began = time.thread_time()
        call()
        took.append(time.thread_time() - began)
    return min(took)


def second_start_s() -> float:
    """Return how long the set-up scripts look before they start the program, in seconds."""
    words = [sys.executable, "-c", _SECOND_START]
    root = _PACKAGING.parent
    done = subprocess.run(
        words, env={"PYTHONPATH": str(_PACKAGING)}, cwd=root, check=True, capture_output=True, text=True
    )
    return float(done.stdout)
