"""Eight hours in the window, in a hurry: 2,000 sales with 200 keys, and all else that is done there."""

from collections.abc import Mapping
from pathlib import Path

from benchmarks.figures import Figure, probed, size


def measure(folder: Path) -> list[Figure]:
    """Work, and tell what has grown since the first sales, and what rest costs on each page."""
    sales = size("KEYBENCH_SOAK_SALES", 2000)
    first = min(300, sales // 2)
    asked = (first, sales - first, max(1, first // 30), 200, 8, 20)
    found = probed("soak", str(folder / "data"), *map(str, asked))
    early, late = found["looks"]
    figures = [Figure(f"{sales:,} sales took", found["took_s"], "s")]
    for kind in ("resident", "unshared"):
        figures.append(Figure(f"{kind} memory at the end", late[kind], "MB"))
        figures.append(
            Figure(f"the same, beside that after {first}", late[kind] / early[kind], "times", 1.05)
        )
    counts = [name for name, count in late.items() if isinstance(count, int)]
    figures += [Figure(f"more {name}", late[name] - early[name], "", 0) for name in counts]
    for kind, words in (("lists", "more in"), ("kinds", "more of")):
        figures += [Figure(f"{words} {name}", more, "") for name, more in grown(early[kind], late[kind])[:12]]
    return figures + [Figure(f"at rest: {page}", share, "%", 0.5) for page, share in found["rest"].items()]


def grown(early: Mapping[str, int], late: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return of what there is more, and how much, the most first."""
    more = [(name, count - early.get(name, 0)) for name, count in late.items()]
    return sorted((one for one in more if one[1] > 0), key=lambda one: -one[1])
