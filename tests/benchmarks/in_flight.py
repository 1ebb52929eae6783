"""Hundreds of sales in flight, beside a naive script that asks for each once a second, in one run.

``KEYBENCH_SALES=500`` sets how many; the suite's own run has fewer.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

PROBES = Path(__file__).parent / "probes"
SALES = int(os.environ.get("KEYBENCH_SALES", "150"))
MANY = 500
SLOWEST_S = 10
SEED = 7


@dataclass
class Run:
    """What one program's run has shown.

    Attributes:
        found: What the program tells of itself.
        lag_s: The median time from an outcome being there to its being seen, in seconds.
        polls: How often the sales were asked for, all together.
        each_second: How often a script that asks at once and then each second would have asked.
    """

    found: dict[str, Any]
    lag_s: float
    polls: int
    each_second: int

    def row(self, name: str) -> str:
        shown = [self.found.get(name, "") for name in ("memory_mb", "p99_ms", "worst_ms")]
        figures = (name, self.found["cpu_s"], self.polls, round(self.lag_s, 2), *shown)
        return f"| {' | '.join(map(str, figures))} |"


@contextmanager
def quick_gateway() -> Iterator[str]:
    words = (sys.executable, str(PROBES / "quick_gateway.py"), str(SLOWEST_S), str(SEED))
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def measured(probe: str, *arguments: str) -> Run:
    """Run a probe against a gateway of its own, with the same moments for both."""
    with quick_gateway() as base_url:
        done = subprocess.run(
            [sys.executable, str(PROBES / probe), *arguments, base_url, str(SALES)],
            capture_output=True,
            text=True,
            timeout=60 + SALES,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        count = httpx.get(f"{base_url}/count", trust_env=False).json()
    found = json.loads(done.stdout.splitlines()[-1])
    seen = found.pop("seen")
    lags = [seen[reference] - ready_at for reference, (ready_at, _lasts_s, _polls) in count.items()]
    return Run(
        found,
        statistics.median(lags),
        sum(polls for _ready_at, _lasts_s, polls in count.values()),
        sum(1 + math.ceil(lasts_s) for _ready_at, lasts_s, _polls in count.values()),
    )


@pytest.mark.benchmark
def test_many_sales_in_flight_cost_little_and_are_seen_soon(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    naive = measured("naive_sales.py")
    ours = measured("many_sales.py", str(tmp_path / "data"))
    cpu = ours.found["cpu_s"] / naive.found["cpu_s"]
    with capsys.disabled():
        print(f"\n\n{SALES} sales | CPU s | polls | median lag s | memory MB | p99 ms | worst ms |")
        print(naive.row("naive script"), ours.row("Keybench"), sep="\n")
        print(f"CPU {cpu:.2f} of the naive script's; polls {ours.polls / ours.each_second:.2f} of")
        print(f"{ours.each_second}, each second's, of which the naive script managed {naive.polls}")
    assert ours.found["outcomes"] == ["approved"]
    assert ours.polls <= 1.2 * ours.each_second
    assert ours.found["memory_mb"] < 250
    # These guard against getting worse; a machine that is busy with other things moves them. Wanted are a lag
    # of 0.3 s, 16 ms, 50 ms for the worst and, with 500 sales, 0.35 of the CPU.
    assert ours.lag_s <= 0.45
    assert ours.found["p99_ms"] < 30
    assert cpu <= (0.5 if SALES >= MANY else 0.9)
