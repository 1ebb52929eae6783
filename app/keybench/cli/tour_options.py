"""How the tour is to be played."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TourOptions:
    """The tour command's options.

    Attributes:
        pace_s: How long a scene stays, in seconds; 0 for as fast as it goes.
        pictures: The folder pictures go to; empty for none.
        look: ``light`` or ``dark``; empty for the remembered choice.
        as_json: Whether scenes are told as JSON lines.
    """

    pace_s: float
    pictures: str = ""
    look: str = ""
    as_json: bool = False
