"""Hundreds of sales in flight, beside a naive script that asks for each once a second, in one run.

The gateway takes all requests, or so many a second; the window learns which from its answers, or a contract
tells it. The same sales are then sold, by the script all at once.

``KEYBENCH_SALES=500`` sets how many; usually there are fewer.
"""

from __future__ import annotations

import math
import statistics
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from benchmarks.figures import Figure, probe_command, probe_environment, probed, size

#: From so many on the processor time is compared: with fewer the window's own work outweighs it.
MANY: Final = 500
_SLOWEST_S: Final = 10
_SEED: Final = 7
#: How many requests a second the gateway takes; 0 for all.
LIMITS: Final = {"none": 0, "200 a second": 200, "20 a second": 20}


@dataclass
class Run:
    """What one program's run has shown.

    Attributes:
        found: What the program tells of itself.
        lag_s: The median time from an outcome being there to its being seen, in seconds.
        polls: How often the sales were asked for, all together.
        each_second: How often a script that asks at once and then each second would have asked.
        refused: How many polls were refused.
        refused_sales: How many sales were.
    """

    found: dict[str, Any]
    lag_s: float
    polls: int
    each_second: int
    refused: int
    refused_sales: int

    def figures(self, name: str) -> list[Figure]:
        """Return what both programs are measured by."""
        return [
            Figure(f"{name}: processor time", self.found["cpu_s"], "s"),
            Figure(f"{name}: polls", self.polls, ""),
        ]


def measure(folder: Path) -> list[Figure]:
    """Let both follow as many sales, and sell them; the window also where a contract tells the limit."""
    count = size("KEYBENCH_SALES", 150)
    figures = [one for name, takes in LIMITS.items() for one in _limited(count, folder / name, name, takes)]
    naive = run_of("naive_sales", count)
    ours = window_run(count, folder / "known", known_limit=1000)
    cpu = ours.found["cpu_s"] / naive.found["cpu_s"]
    script, window = f"{count} sales, a naive script", f"{count} sales, the window"
    return [
        *figures,
        *naive.figures(script),
        Figure(f"{script}: median lag", naive.lag_s, "s"),
        Figure(f"{script}: memory", naive.found["memory_mb"], "MB"),
        *ours.figures(window),
        Figure(
            f"{window}: processor time beside the script's", cpu, "times", 0.35 if count >= MANY else None
        ),
        Figure(f"{window}: polls beside one a second", ours.polls / ours.each_second, "times", 1.2),
        Figure(f"{window}: median lag", ours.lag_s, "s", 0.3),
        Figure(f"{window}: memory", ours.found["memory_mb"], "MB", 250),
        Figure(f"{window}: 99 in 100 gaps of the main loop are shorter than", ours.found["p99_ms"], "ms", 16),
        Figure(f"{window}: the longest the main loop stood still", ours.found["worst_ms"], "ms", 50),
    ]


def _limited(count: int, folder: Path, name: str, takes_per_s: int) -> list[Figure]:
    """Follow, then sell, by the usual contract at a gateway that takes so many requests a second."""
    script = run_of("naive_sales", count, takes_per_s=takes_per_s)
    window = window_run(count, folder / "followed", takes_per_s=takes_per_s)
    sold = run_of("sold_sales", count, [str(folder / "sold")], takes_per_s=takes_per_s)
    burst = run_of("naive_sales", count, after=["at-once"], takes_per_s=takes_per_s)
    ours, its = f"{count} sales, limit {name}", f"{count} sales, limit {name}, a naive script"
    return [
        Figure(f"{its}: median lag", script.lag_s, "s"),
        Figure(f"{ours}: median lag", window.lag_s, "s", round(script.lag_s, 2)),
        Figure(f"{its}: polls, refused ones included", script.polls + script.refused, ""),
        Figure(f"{ours}: polls, refused ones included", window.polls + window.refused, ""),
        Figure(f"{its}, sold at once: refused sales", burst.refused_sales, ""),
        Figure(f"{ours}, sold at once: refused sales", sold.refused_sales, "", 0),
        Figure(f"{its}, sold at once: median lag of the others", burst.lag_s, "s"),
        Figure(f"{ours}, sold at once: median lag", sold.lag_s, "s"),
        Figure(f"{ours}, sold at once: the last was sent after", sold.found["sent_s"], "s"),
    ]


@contextmanager
def quick_gateway(lasts_s: float = _SLOWEST_S, seed: str = str(_SEED), takes_per_s: int = 0) -> Iterator[str]:
    """Run the gateway that costs next to nothing; yields its base URL.

    Args:
        lasts_s: How long the slowest sale takes.
        seed: Of the sales' moments; ``each`` where every sale takes as long.
        takes_per_s: How many requests a second it takes; 0 for all.
    """
    with subprocess.Popen(
        probe_command("quick_gateway", str(lasts_s), seed, str(takes_per_s)),
        stdout=subprocess.PIPE,
        text=True,
        env=probe_environment(),
    ) as process:
        assert process.stdout
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.kill()


def window_run(count: int, folder: Path, known_limit: int = 0, takes_per_s: int = 0) -> Run:
    """Run the window, with the limit that the contract tells; 0 where it tells none."""
    run = run_of("many_sales", count, [str(folder)], [str(known_limit)], takes_per_s=takes_per_s)
    if run.found["outcomes"] != ["approved"]:
        raise RuntimeError(f"all sales were to be approved: {run.found['outcomes']}")
    return run


def run_of(
    probe: str, count: int, before: Sequence[str] = (), after: Sequence[str] = (), takes_per_s: int = 0
) -> Run:
    """Run a probe against a gateway of its own, with the same moments for all.

    Args:
        probe: Which.
        count: How many sales.
        before: Its arguments before the gateway's base URL and the number of sales.
        after: Those behind them.
        takes_per_s: How many requests a second the gateway takes; 0 for all.
    """
    with quick_gateway(takes_per_s=takes_per_s) as base_url:
        found = probed(probe, *before, base_url, str(count), *after)
        counted = httpx.get(f"{base_url}/count", trust_env=False).json()
        refused = httpx.get(f"{base_url}/refused", trust_env=False).json()
    seen = found.pop("seen")
    lags = [seen[reference] - ready_at for reference, (ready_at, _lasts_s, _polls) in counted.items()]
    return Run(
        found,
        statistics.median(lags),
        sum(polls for _ready_at, _lasts_s, polls in counted.values()),
        sum(1 + math.ceil(lasts_s) for _ready_at, lasts_s, _polls in counted.values()),
        refused.get("GET", 0),
        refused.get("POST", 0),
    )
