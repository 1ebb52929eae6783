"""Measures time, memory and processor: `python3 packaging/test.py --benchmarks [-- NAME...]`.

Prints a table and writes JSON. A figure that isn't as wanted is told and fails nothing; the exit status says
only whether everything could be measured.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure

#: Module -> what it measures; each has `measure(folder)`, which returns figures.
NAMES: Final = {
    "startup": "how soon the window is there",
    "packed": "the one-folder bundle's sizes, and how soon it shows its window (KEYBENCH_BUNDLE=FOLDER)",
    "closing": "how long the window takes to end, under each window manager",
    "in_flight": "what following many sales costs (KEYBENCH_SALES=500 for the long form)",
    "polls": "how late outcomes are seen, and after how many polls",
    "history": "a long history's first page (KEYBENCH_HISTORY_SALES=1000000 for the long form)",
    "team": "100 desks at one PostgreSQL: pages and moves (KEYBENCH_TEAM_MOVES=100000 for the long form)",
    "retention": "what a sale takes, an upgrade, the wait for deleting (KEYBENCH_KEPT_SALES=100000 for 1 GB)",
    "charts": "the charts of 10,000 sales (KEYBENCH_CHARTED_SALES=20000 for more)",
    "look": "a change of text size and colours (KEYBENCH_CHANGES=300 for many)",
    "inventory": "2,000 keys listed and searched (KEYBENCH_KEYS=10000 for more)",
    "bundle": "how long a support bundle of 10,000 sales takes, and what is taken out of it for nothing",
    "practice_memory": "the practice gateway's memory over 100,000 requests (KEYBENCH_REQUESTS for more)",
    "classroom": "a class of 30 with 5 sales each, beside an empty route (KEYBENCH_CLASS_S=120 for longer)",
    "soak": "eight hours of work in the window: what grows, what rest costs (KEYBENCH_SOAK_SALES=300)",
    "diagnosis": "how often a diagnosis finds the cause (KEYBENCH_SITUATIONS=500, KEYBENCH_SEED=1)",
}
_WIDTH: Final = 78


def main(arguments: Sequence[str]) -> int:
    """Measure what is named, or all, and return 0 if all could be measured."""
    parser = argparse.ArgumentParser(
        prog="test.py --benchmarks --",
        description="Measure time, memory and processor.",
        epilog="\n".join(f"{name:15} {what}" for name, what in NAMES.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="measure this; all if none is named")
    parser.add_argument("--json", type=Path, required=True, help="the file to write")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"there is no {', '.join(unknown)} to measure, but {', '.join(NAMES)}")
    wanted = options.names or list(NAMES)
    print(f"{'what':<{_WIDTH}} {'seen':>9}       {'wanted':>7}", flush=True)
    found = {name: _measured(name) for name in wanted}
    _write(options.json, {name: figures for name, figures in found.items() if figures is not None})
    print(f"Written to {options.json}")
    failed = [name for name, figures in found.items() if figures is None]
    if failed:
        print(f"Not measured: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _measured(name: str) -> list[Figure] | None:
    """Measure one thing and print its figures; None, with the reason told, if that failed."""
    try:
        with tempfile.TemporaryDirectory(prefix="kb-") as folder:
            figures: list[Figure] = importlib.import_module(f"benchmarks.{name}").measure(Path(folder))
    except Exception:  # noqa: BLE001 - whatever it is, the others are measured
        traceback.print_exc()
        return None
    for figure in figures:
        print(_row(figure), flush=True)
    return figures


def _row(figure: Figure) -> str:
    wanted = "" if figure.wanted is None else f"{figure.wanted:g}"
    return f"{figure.name:<{_WIDTH}} {figure.value:>9,.2f} {figure.unit:<5} {wanted:>7}".rstrip()


def _write(path: Path, found: dict[str, list[Figure]]) -> None:
    told = {
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "system": platform.platform(),
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "figures": [asdict(figure) | {"of": name} for name, figures in found.items() for figure in figures],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
