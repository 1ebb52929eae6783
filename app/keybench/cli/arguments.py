"""What several commands take: days and counts, an environment, a secret, a keystore."""

from __future__ import annotations

import argparse
import getpass
import sys
from collections.abc import Sequence
from datetime import date, datetime

from keybench.core.environments.environment import Environment
from keybench.core.input_errors import NotFound
from keybench.core.sales.history import REFERENCE_START, end_of, start_of
from keybench.core.sales.sale import Sale
from keybench.runtime.stopping import handling, interrupt
from keybench.words.language import _
from keybench.workflows.console import Console


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


async def sale_named(console: Console, text: str) -> Sale:
    """Return a sale by its reference, in any case of letters and with or without its ``KB-``."""
    reference = f"{REFERENCE_START}{text.strip().upper().removeprefix(REFERENCE_START)}"
    try:
        return await console.sale(reference)
    except NotFound:
        raise NotFound("sale", text) from None


def read_secret(prompt: str) -> str:
    with handling(interrupt):
        if sys.stdin.isatty():
            return getpass.getpass(_("{prompt} (not shown): ").format(prompt=prompt))
        return sys.stdin.read().removesuffix("\n")


async def require_keystore(console: Console) -> None:
    """Look for the keystore, because what a command keeps must outlive it."""
    status = await console.look_at_keystore()
    if status.trouble:
        raise status.trouble
