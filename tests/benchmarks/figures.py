"""What a benchmark measures: figures with their units, and what is wanted of them where something is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

PROBES: Final = Path(__file__).parent / "probes"
#: The best of so many counts, because other programs share the machine.
TRIES: Final = 5
_LIMIT_S: Final = 900.0


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure.

    Attributes:
        name: What was measured.
        value: What was seen.
        unit: Its unit; `times` for a ratio.
        wanted: What it should be at most; None where it is only told.
    """

    name: str
    value: float
    unit: str
    wanted: float | None = None


def size(variable: str, usual: int) -> int:
    """Return how large a measurement is: as an environment variable says, or as usual."""
    return int(os.environ.get(variable, usual))


def probed(name: str, *arguments: str) -> dict[str, Any]:
    """Run a probe to its end and return the JSON object that is its last line.

    Raises:
        RuntimeError: It failed; the text is what it said.
    """
    done = subprocess.run(
        probe_command(name, *arguments),
        env=probe_environment(),
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the probe {name} ended with status {done.returncode}:\n{done.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def probe_command(name: str, *arguments: str) -> list[str]:
    """Return what starts a probe."""
    return [sys.executable, os.fspath(PROBES / f"{name}.py"), *arguments]


def probe_environment() -> Mapping[str, str]:
    """Return the variables of a person's computer, where Python keeps what it has compiled."""
    ours = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")
    return {name: value for name, value in os.environ.items() if name not in ours}


async def best_ms(call: Callable[[], Awaitable[object]]) -> float:
    """Return the processor time that a call takes, all threads together, in ms; the best of some tries."""
    best = float("inf")
    for _ in range(TRIES):
        began = time.process_time()
        await call()
        best = min(best, 1000 * (time.process_time() - began))
    return best
