"""What the command line takes for a date, a count, a port; each raises ArgumentTypeError with plain words."""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path
from typing import Final

#: How the name of a rotation's record may end; a PDF needs the window.
RECORD_ENDINGS: Final = (".md", ".html")


def day(text: str) -> date:
    """Return the date in a text such as ``2026-03-31``."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError("a date looks like 2026-03-31") from None


def port(text: str) -> int:
    """Return a port, 0 to 65535."""
    port = int(text)
    if not 0 <= port <= 65535:  # noqa: PLR2004 - the last TCP port
        raise argparse.ArgumentTypeError("a port is 0 to 65535")
    return port


def count(text: str) -> int:
    """Return a whole number from 1 on."""
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return count


def seconds(text: str) -> float:
    """Return seconds, an hour at the most."""
    seconds = float(text)
    if not 0 <= seconds <= 3600:  # noqa: PLR2004 - an hour a scene is enough for any class
        raise argparse.ArgumentTypeError("0 to 3600 seconds")
    return seconds


def lanes(text: str) -> int:
    """Return how many sales are under way at a time, 500 at the most."""
    lanes = count(text)
    if lanes > 500:  # noqa: PLR2004 - workflows.sale_batch.MOST_AT_ONCE; a test keeps them the same
        raise argparse.ArgumentTypeError("500 at the most")
    return lanes


def record_file(text: str) -> str:
    """Return the name of a file for a rotation's record."""
    if Path(text).suffix.lower() not in RECORD_ENDINGS:
        raise argparse.ArgumentTypeError("let it end in .md or .html; a PDF is saved in the window")
    return text
