"""Cases of a sweep: a few of them by default, all of them with `packaging/test.py --all`.

What is a whole test takes the marker `sweep` instead. Beside a bare pytest, `KEYBENCH_ALL=1` asks for all.
"""

import os
from collections.abc import Iterable
from typing import TypeVar

ALL = os.environ.get("KEYBENCH_ALL") == "1"

_Case = TypeVar("_Case")


def every(step: int, cases: Iterable[_Case]) -> list[_Case]:
    """Return all cases with `--all`, and else the first and each `step`-th behind it."""
    return list(cases)[:: 1 if ALL else step]


def examples(count: int) -> int:
    """Return of how many examples a law is shown: `count` with `--all`, and else of a third of them."""
    return count if ALL else count // 3
