"""Programs that tell every moment of what they change, and stand still at one of them to be killed there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fakes.mortal import Fate


@dataclass
class Standstill(Fate):
    """A fate that is told, and that comes from outside."""

    armed: bool = False

    def moment(self, name: str) -> None:
        if not self.armed:
            return
        self.moments.append(name)
        os.write(1, f"moment {len(self.moments)} {name}\n".encode())
        if len(self.moments) == self.at:
            signal.pause()


def tell(done: dict[str, Any]) -> None:
    """Tell how something ended."""
    os.write(1, f"done {json.dumps(done)}\n".encode())


def run_to(
    script: Path,
    arguments: Sequence[str],
    moment: int,
    more_s: float,
    hear: Callable[[dict[str, Any]], None],
    killed: Counter[str],
) -> bool:
    """Run a program until it has come to a moment, and kill it there; tell whether it came to it.

    Args:
        script: The program; it is given the moment as its last argument.
        arguments: What else it is given.
        moment: Where it stands still; negative for one where it is killed while it goes on.
        more_s: How long after the moment it is killed.
        hear: Given what it tells of what ended.
        killed: Counts after which moments one was killed.
    """
    stands_still = moment > 0
    program = subprocess.Popen(
        [sys.executable, str(script), *arguments, str(max(moment, 0))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert program.stdout
    assert program.stderr
    last = ""
    for line in program.stdout:
        if line.startswith("done "):
            hear(json.loads(line.removeprefix("done ")))
        elif line.startswith("moment "):
            last = line.strip()
            if line.startswith(f"moment {abs(moment)} "):
                try:
                    program.wait(0.0 if stands_still else more_s)
                except subprocess.TimeoutExpired:
                    program.kill()
                    killed[last.partition(" ")[2]] += 1
    told = program.stderr.read()
    program.stdout.close()
    program.stderr.close()
    status = program.wait()
    assert status in {0, -9}, f"it ended by itself after {last}: {told[-3000:]}"
    return status != 0
