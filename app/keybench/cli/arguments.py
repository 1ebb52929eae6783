"""What several commands take: an environment, a key, days, a secret, a keystore."""

from __future__ import annotations

import argparse
import getpass
import sys
from collections.abc import Sequence
from datetime import date, datetime
from typing import Final

from keybench.core.environments.environment import Environment
from keybench.core.input_errors import NotFound
from keybench.core.keys.key import SecurityKey
from keybench.core.sales.history import REFERENCE_START, end_of, start_of
from keybench.core.sales.sale import Sale
from keybench.runtime.stopping import handling, interrupt
from keybench.words.language import _
from keybench.workflows.console import Console

#: How many lines are listed if nothing else is asked for.
USUAL_LIMIT: Final = 50


def add_environment(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    words = _("the environment, by its name") if required else _("only this environment's")
    parser.add_argument("--environment", required=required, metavar="E", help=words)


def add_key(parser: argparse.ArgumentParser, option: str = "--key") -> None:
    """Add what `key_named` reads: an environment, and a key's name, which is `option`."""
    add_environment(parser, required=True)
    parser.add_argument(option, dest="key", required=True, metavar="N", help=_("the key, by its name"))


def add_search(parser: argparse.ArgumentParser, found_by: str) -> None:
    """Add what narrows a list of what happened, newest first, and where it is written to."""
    add_environment(parser)
    parser.add_argument("--find", default="", metavar="TEXT", help=found_by)
    parser.add_argument("--since", type=since, metavar="DATE", help=_("on this day or later (2026-03-31)"))
    parser.add_argument("--until", type=until, metavar="DATE", help=_("on this day or before"))
    parser.add_argument("--limit", type=count, metavar="N", help=_("at most N (default 50; all with --out)"))
    parser.add_argument("--out", metavar="FILE", help=_("write them to FILE.csv or FILE.json"))


def since(text: str) -> datetime:
    return start_of(_day(text))


def until(text: str) -> datetime:
    return end_of(_day(text))


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError("a date looks like 2026-03-31") from None


def count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


async def environments(console: Console, name: str | None) -> Sequence[Environment]:
    return [await console.environments.named(name)] if name else await console.environments.all()


async def environment_id(console: Console, name: str | None) -> str | None:
    return (await console.environments.named(name)).id if name else None


async def key_named(console: Console, options: argparse.Namespace) -> tuple[Environment, SecurityKey]:
    environment = await console.environments.named(options.environment)
    return environment, await console.keys.named(environment, options.key)


def reference_of(text: str) -> str:
    """Return a sale's reference, typed in any case of letters and with or without its ``KB-``."""
    return f"{REFERENCE_START}{text.strip().upper().removeprefix(REFERENCE_START)}"


async def sale_named(console: Console, text: str) -> Sale:
    try:
        return await console.sale(reference_of(text))
    except NotFound:
        raise NotFound("sale", text) from None


def read_secret(prompt: str, *, lines: bool = False) -> str:
    """Ask for a secret, or read standard input: all of it, or the next of its `lines`."""
    with handling(interrupt):
        if sys.stdin.isatty():
            return getpass.getpass(_("{prompt} (not shown): ").format(prompt=prompt))
        return (sys.stdin.readline() if lines else sys.stdin.read()).removesuffix("\n")


async def require_keystore(console: Console) -> None:
    """Look for the keystore, because what a command keeps must outlive it."""
    status = await console.look_at_keystore()
    if status.trouble:
        raise status.trouble
