"""How long the window's main loop stands still while twenty sales are under way."""

from __future__ import annotations

from pathlib import Path

from benchmarks.figures import Figure, probed


def measure(folder: Path) -> list[Figure]:
    """Send twenty sales from the window."""
    seen = probed("twenty_sales", str(folder))
    if (seen["sales"], seen["outcomes"], seen["most_under_way"]) != (20, ["approved"], 20):
        raise RuntimeError(f"twenty sales were to be under way at once and to be approved: {seen}")
    return [
        Figure("20 sales under way: the longest the main loop stood still", seen["worst_ms"], "ms", 50),
        Figure("20 sales under way: 99 in 100 gaps are shorter than", seen["p99_ms"], "ms"),
        Figure("20 sales under way: processor time", seen["cpu_s"], "s"),
    ]
