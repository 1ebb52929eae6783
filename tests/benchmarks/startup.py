"""How soon the window is there, as a ratio to a bare window on the same machine in the same run.

A machine's speed changes from minute to minute, so each start is compared with the bare window's just before
it. Whatever else the machine does can only add to a start, now to the one and now to the other: the lower
quartile of these ratios is near to what the program itself takes.
"""

from __future__ import annotations

import statistics
import subprocess
import time
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure, probe_command, probe_environment, size

SHOWN: Final = 1.5
LISTED: Final = 4.0


def measure(folder: Path) -> list[Figure]:
    """Start both windows in turn, with a key to list."""
    add_a_key(folder)
    bare, shown, listed = [], [], []
    timed("bare_window")  # the first run reads the files
    timed("keybench_window", str(folder))
    for _ in range(size("KEYBENCH_STARTS", 9)):
        bare.append(timed("bare_window")["shown"])
        marks = timed("keybench_window", str(folder))
        shown.append(marks["shown"])
        listed.append(marks["listed"])
    return [
        Figure("a bare PySide6 window with a table is shown", min(bare), "s"),
        Figure("the window is shown, beside that", lower_quartile(shown, bare), "times", SHOWN),
        Figure("its keys are listed, beside that", lower_quartile(listed, bare), "times", LISTED),
    ]


def timed(probe: str, *arguments: str) -> dict[str, float]:
    """Run a probe and return when each of its lines came, in seconds from its start, by their first words."""
    began = time.perf_counter()
    with subprocess.Popen(
        probe_command(probe, *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # Qt's words about a window that ends as soon as it is painted
        text=True,
        env=probe_environment(),
    ) as process:
        assert process.stdout
        marks = {line.split()[0]: time.perf_counter() - began for line in process.stdout}
    if process.returncode:
        raise RuntimeError(f"the probe {probe} ended with status {process.returncode}")
    return marks


def lower_quartile(times: list[float], bare: list[float]) -> float:
    """Return the lower quartile of the times' ratios to the bare window's of the same turn."""
    ratios = [time_s / bare_s for time_s, bare_s in zip(times, bare, strict=True)]
    return statistics.quantiles(ratios, n=4)[0] if len(ratios) > 1 else ratios[0]


def add_a_key(folder: Path) -> None:
    """Have the command line make a key in practice."""
    words = ("--environment", "practice", "--name", "till", "--username", "counter1", "--permission", "API")
    command = [*probe_command("keybench_window")[:1], "-m", "keybench", "--data-dir", str(folder)]
    subprocess.run(
        [*command, "key", "add", *words, "--kind", "private"],
        env=probe_environment(),
        check=True,
        capture_output=True,
    )
