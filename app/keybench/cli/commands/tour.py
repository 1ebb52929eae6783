"""``tour``: the guided demonstration, in the real window."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from keybench.runtime.data_folder import DataFolder
from keybench.words.language import _

if TYPE_CHECKING:
    from keybench.cli.entry import Composition


#: The sizes of text that Settings offer.
POINTS: Final = tuple(str(points) for points in range(9, 19))


@dataclass(frozen=True, slots=True)
class TourOptions:
    """How the tour is to be played; empty for what is remembered, for the system's, or for no pictures."""

    pace_s: float
    pictures: str = ""
    look: str = ""
    text_size: str = ""
    presents: bool = False
    as_json: bool = False
    stay: bool = False


def seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds <= 3600:  # noqa: PLR2004 - an hour a scene is enough for any class
        raise argparse.ArgumentTypeError("0 to 3600 seconds")
    return seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--look", choices=["light", "dark"], default="", help=_("the colours (default: the remembered)")
    )
    parser.add_argument(
        "--text-size",
        choices=POINTS,
        default="",
        metavar="POINTS",
        help=_("the size of text (default: the system's)"),
    )
    parser.add_argument(
        "--presentation", action="store_true", help=_("show everything larger, to be read from afar")
    )
    parser.add_argument(
        "--screenshots", metavar="DIR", default="", help=_("save a picture of every scene in DIR")
    )
    parser.add_argument(
        "--stay", action="store_true", help=_("keep the window open at the end, until it is closed")
    )
    parser.add_argument(
        "--pace", type=seconds, default=2.5, metavar="SECONDS", help=_("how long a scene stays (default 2.5)")
    )


def run(composition: Composition, _folder: DataFolder, options: argparse.Namespace) -> int:
    wanted = TourOptions(
        options.pace,
        options.screenshots,
        options.look,
        options.text_size,
        presents=options.presentation,
        as_json=options.json,
        stay=options.stay,
    )
    return composition.run_tour(wanted)
