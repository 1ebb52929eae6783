"""The words of the commands about many keys and the applications that use them."""

from __future__ import annotations

import argparse
from typing import TypeVar

Parser = TypeVar("Parser", bound=argparse.ArgumentParser)
Commands = argparse._SubParsersAction  # noqa: SLF001 - argparse names no public type for it


def add_many_keys(actions: Commands[Parser], common: Parser) -> None:
    """Add what ``key`` does with many keys; `common` has the options that all commands take."""
    test = actions.add_parser("test", parents=[common], help="make a harmless call with a key, or with all")
    test.add_argument("--environment", metavar="E", help="the key's; with --all, only this one's keys")
    which = test.add_mutually_exclusive_group(required=True)
    which.add_argument("--name", metavar="N")
    which.add_argument("--all", action="store_true", help="test every key, a few at once")
    export = actions.add_parser("export", parents=[common], help="write keys to a file, without values")
    export.add_argument("--out", required=True, metavar="FILE", help="FILE.csv or FILE.json")
    export.add_argument("--environment", metavar="E", help="only this environment's")
    take = actions.add_parser(
        "import", parents=[common], help="take over a list of keys: descriptions only, never values"
    )
    take.add_argument(
        "file",
        metavar="FILE",
        help="CSV with columns name, username, permission, kind, purpose, owner, environment, created",
    )
    take.add_argument(
        "--environment",
        default="practice",
        metavar="E",
        help="for rows that name none (default practice)",
    )
    take.add_argument("--dry-run", action="store_true", help="only tell what the list would bring")
    take.add_argument("--skip-wrong", action="store_true", help="leave rows out that can't be taken over")
    take.add_argument("--by", default="", metavar="NAME", help="who takes them over (default: you)")


def add_applications(commands: Commands[Parser], common: Parser) -> None:
    """Add the command for the register of applications."""
    application = commands.add_parser("application", help="add, list or remove applications that use a key")
    actions = application.add_subparsers(dest="action", metavar="ACTION", required=True)
    add = actions.add_parser("add", parents=[common], help="note that an application uses a key")
    remove = actions.add_parser("remove", parents=[common], help="take an application out of the register")
    for one in (add, remove):
        one.add_argument("--environment", required=True, metavar="E")
        one.add_argument("--key", required=True, metavar="N")
        one.add_argument("--name", required=True, metavar="A")
    add.add_argument("--owner", default="", metavar="WHO", help="who looks after it")
    add.add_argument("--contact", default="", metavar="TEXT")
    add.add_argument("--place", default="", metavar="TEXT", help="where the key is set there")
    add.add_argument("--instructions", default="", metavar="TEXT", help="how to change it there and restart")
    listing = actions.add_parser("list", parents=[common], help="list applications with their keys")
    listing.add_argument("--environment", metavar="E", help="only this environment's")
    listing.add_argument("--key", metavar="N", help="only this key's; needs --environment")
