"""The one-folder bundle: its sizes, and how soon it shows its window, beside a start from the checkout.

It is made first, which takes a minute or two; KEYBENCH_BUNDLE names a folder that has been made.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure, probe_environment, size
from benchmarks.startup import lower_quartile

ROOT: Final = Path(__file__).resolve().parents[2]
UNPACKED_MB: Final = 140
ARCHIVE_MB: Final = 50
STARTED: Final = 1.2
_FROM_SOURCE: Final = (sys.executable, "-m", "keybench")


def measure(folder: Path) -> list[Figure]:
    """Weigh the bundle, and start it and the checkout in turn."""
    sys.path.append(str(ROOT / "packaging"))
    import bundle  # noqa: PLC0415 - the scripts import one another by the names of their files

    given = os.environ.get("KEYBENCH_BUNDLE")
    made = Path(given) if given else bundle.make(ROOT, folder / "made")
    packed = bundle.archive(made, folder, bundle.source(ROOT))
    from_source, from_bundle = [], []
    for turn in range(size("KEYBENCH_STARTS", 9) + 1):
        source_s = _shown(folder / "source", *_FROM_SOURCE)
        bundle_s = _shown(folder / "bundle", str(made / bundle.NAME))
        if turn:  # the first reads the files
            from_source.append(source_s)
            from_bundle.append(bundle_s)
    return [
        Figure("the bundle, unpacked", bundle.size_of(made) / 1e6, "MB", UNPACKED_MB),
        Figure("the bundle as .tar.xz", packed.stat().st_size / 1e6, "MB", ARCHIVE_MB),
        Figure("the checkout's window is mapped", min(from_source), "s"),
        Figure("the bundle's, beside that", lower_quartile(from_bundle, from_source), "times", STARTED),
    ]


def _shown(folder: Path, *command: str) -> float:
    """Return how long a start takes until its window is on the screen, in seconds."""
    began = time.perf_counter()
    with subprocess.Popen(
        [*command, "--data-dir", folder], stderr=subprocess.DEVNULL, env=probe_environment()
    ) as process:
        search = ["xdotool", "search", "--sync", "--onlyvisible", "--name", "^Keybench"]
        subprocess.run(search, check=True, stdout=subprocess.DEVNULL)
        took = time.perf_counter() - began
        process.terminate()
    return took
