"""How long a change of text size or colours takes, with 200 keys and every page visited."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure, probed, size
from benchmarks.generated_keys import fill_with_keys
from keybench.runtime.data_folder import DataFolder

CHANGED_MS: Final = 250.0


def measure(folder: Path) -> list[Figure]:
    """Change both in turn, and tell the middle and the worst."""
    data = DataFolder(folder / "data")
    data.journal.parent.mkdir(parents=True)
    keys = size("KEYBENCH_KEYS", 200)
    asyncio.run(fill_with_keys(data.journal, keys))
    found = probed("restyled_window", str(data.root), str(size("KEYBENCH_CHANGES", 10)))
    told = f"{keys:,} keys, {found['widgets']:,.0f} widgets"
    return [
        Figure(f"{told}: the text's size is changed", found["size_ms"], "ms", CHANGED_MS),
        Figure(f"{told}: the colours are changed", found["colours_ms"], "ms", CHANGED_MS),
        Figure(f"{told}: the slowest change of any", found["worst_ms"], "ms"),
    ]
