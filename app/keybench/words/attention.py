"""How many things wait for a person, in words: for the rail, and for the buttons that lead to them."""

from __future__ import annotations

from collections.abc import Mapping

from keybench.words.formats import number
from keybench.words.language import _, ngettext


def count_words(page: str, count: int) -> str:
    match page:
        case "keys":
            return ngettext("1 compromised key", "{count:,} compromised keys", count)
        case "rotations":
            return ngettext("1 urgent rotation", "{count:,} urgent rotations", count)
        case _:
            return ngettext("1 unknown sale", "{count:,} unknown sales", count)


def finding_words(page: str, count: int) -> str:
    match page:
        case "keys":
            return ngettext("Show 1 compromised key", "Show {count:,} compromised keys", count)
        case "rotations":
            return ngettext("Show the urgent rotation", "Show the next of {count:,} urgent rotations", count)
        case _:
            return ngettext("Show 1 unknown sale", "Show {count:,} unknown sales", count)


def where_words(counts: Mapping[str, int]) -> str:
    """Return which environments things wait in, one a line; an empty name stands for removed ones."""
    named = sorted(counts.items(), key=lambda one: (not one[0], one[0].casefold()))
    removed = _("a removed environment")
    return "\n".join(f"{name or removed}: {number(count)}" for name, count in named)
