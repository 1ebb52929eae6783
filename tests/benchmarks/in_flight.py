"""Hundreds of sales in flight, beside a naive script that asks for each once a second, in one run.

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

    def figures(self, name: str) -> list[Figure]:
        """Return what both programs are measured by."""
        return [
            Figure(f"{name}: processor time", self.found["cpu_s"], "s"),
            Figure(f"{name}: polls", self.polls, ""),
        ]


def measure(folder: Path) -> list[Figure]:
    """Let both follow as many sales in turn; the window also where the rate limit isn't known."""
    count = size("KEYBENCH_SALES", 150)
    naive = run_of("naive_sales", count)
    unknown = window_run(count, folder / "unknown")
    ours = window_run(count, folder / "known", known_limit=1000)
    cpu = ours.found["cpu_s"] / naive.found["cpu_s"]
    script, window = f"{count} sales, a naive script", f"{count} sales, the window"
    return [
        *naive.figures(script),
        Figure(f"{script}: median lag", naive.lag_s, "s"),
        Figure(f"{script}: memory", naive.found["memory_mb"], "MB"),
        *unknown.figures(f"{window}, unknown rate limit"),
        Figure(f"{window}, unknown rate limit: median lag", unknown.lag_s, "s"),
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


@contextmanager
def quick_gateway(lasts_s: float = _SLOWEST_S, seed: str = str(_SEED)) -> Iterator[str]:
    """Run the gateway that costs next to nothing; yields its base URL.

    Args:
        lasts_s: How long the slowest sale takes.
        seed: Of the sales' moments; ``each`` where every sale takes as long.
    """
    with subprocess.Popen(
        probe_command("quick_gateway", str(lasts_s), seed),
        stdout=subprocess.PIPE,
        text=True,
        env=probe_environment(),
    ) as process:
        assert process.stdout
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.kill()


def window_run(count: int, folder: Path, known_limit: int = 0) -> Run:
    """Run the window, with the limit that the contract tells; 0 where it tells none."""
    run = run_of("many_sales", count, [str(folder)], [str(known_limit)])
    if run.found["outcomes"] != ["approved"]:
        raise RuntimeError(f"all sales were to be approved: {run.found['outcomes']}")
    return run


def run_of(probe: str, count: int, before: Sequence[str] = (), after: Sequence[str] = ()) -> Run:
    """Run a probe against a gateway of its own, with the same moments for all.

    Args:
        probe: Which.
        count: How many sales.
        before: Its arguments before the gateway's base URL and the number of sales.
        after: Those behind them.
    """
    with quick_gateway() as base_url:
        found = probed(probe, *before, base_url, str(count), *after)
        counted = httpx.get(f"{base_url}/count", trust_env=False).json()
    seen = found.pop("seen")
    lags = [seen[reference] - ready_at for reference, (ready_at, _lasts_s, _polls) in counted.items()]
    return Run(
        found,
        statistics.median(lags),
        sum(polls for _ready_at, _lasts_s, polls in counted.values()),
        sum(1 + math.ceil(lasts_s) for _ready_at, lasts_s, _polls in counted.values()),
    )
