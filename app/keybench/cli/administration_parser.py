"""The words of the commands for whoever administers keys."""

from __future__ import annotations

import argparse
from typing import TypeVar

from keybench.cli.argument_types import count, day, record_file

Parser = TypeVar("Parser", bound=argparse.ArgumentParser)
Commands = argparse._SubParsersAction  # noqa: SLF001 - argparse names no public type for it


def add_administration(commands: Commands[Parser], common: Parser) -> None:
    """Add the commands; `common` has the options that all commands take."""
    _add_activity(commands, common)
    _add_review(commands, common)
    _add_rotation(commands, common)


def _add_activity(commands: Commands[Parser], common: Parser) -> None:
    activity = commands.add_parser(
        "activity", parents=[common], help="list what was done on this computer, or write it to a file"
    )
    activity.add_argument("--environment", metavar="E", help="only this environment's")
    activity.add_argument(
        "--erase",
        action="store_true",
        help="erase a text from all that is kept; it is read from standard input or asked for",
    )
    activity.add_argument("--yes", action="store_true", help="confirm that the text is to be erased")
    activity.add_argument("--limit", type=count, default=None, metavar="N", help="at most N (default 50)")
    activity.add_argument(
        "--find", default="", metavar="TEXT", help="words of what was done, to which, or how"
    )
    activity.add_argument("--since", type=day, metavar="DATE", help="on this day or later (2026-03-31)")
    activity.add_argument("--until", type=day, metavar="DATE", help="on this day or before")
    activity.add_argument(
        "--out", default="", metavar="FILE", help="write all of it to FILE.csv or FILE.json"
    )


def _add_review(commands: Commands[Parser], common: Parser) -> None:
    review = commands.add_parser(
        "review", parents=[common], help="tell what is to mend about keys, worst first, and what becomes due"
    )
    review.add_argument("--environment", metavar="E", help="only this environment's keys")
    review.add_argument(
        "--leaver", metavar="USERNAME", help="list every key of a username, in the order to deal with them"
    )


def _add_rotation(commands: Commands[Parser], common: Parser) -> None:
    rotation = commands.add_parser("rotation", help="list rotations, or save the record of one")
    actions = rotation.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", parents=[common], help="list rotations, newest first")
    listing.add_argument("--environment", metavar="E", help="only this environment's")
    record = actions.add_parser("record", parents=[common], help="save a rotation's record")
    record.add_argument("id", metavar="ID", help="as `rotation list` tells it")
    record.add_argument("--out", required=True, type=record_file, metavar="FILE", help="FILE.md or FILE.html")
