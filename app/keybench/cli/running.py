"""Runs one command: opens the program, tells what went wrong, and gives the exit status."""

from __future__ import annotations

import argparse
import asyncio
import io
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from keybench.cli import (
    activity_command,
    application_command,
    commands,
    contract_commands,
    exits,
    finding_out,
    history_command,
    inventory_commands,
    many_commands,
    review_command,
    rotation_command,
    sale_commands,
)
from keybench.cli.output import Output
from keybench.core.errors import KeybenchError
from keybench.core.events import KeystoreChanged, SalesUnkept
from keybench.runtime.data_folder import DataFolder
from keybench.words.keystore import asking_sentence
from keybench.words.unkept import KEPT_AGAIN, unkept_words
from keybench.workflows.console import Console

if TYPE_CHECKING:
    from keybench.cli.entry import Composition

#: For how long a command that has done its work waits for a journal that doesn't take what came of it.
_KEPT_WITHIN_S: Final = 30.0

Command = Callable[[Console, argparse.Namespace, Output], Awaitable[int]]

_COMMANDS: dict[str, Command] = {
    "activity": activity_command.activity,
    "application": application_command.application,
    "environment": commands.environment,
    "key": inventory_commands.key,
    "history": history_command.history,
    "review": review_command.review,
    "rotation": rotation_command.rotation,
    "sale": sale_commands.sale,
    "sales": many_commands.sales,
    "resume": finding_out.resume,
    "look-up": finding_out.look_up,
}


def run_command(
    options: argparse.Namespace, folder: DataFolder, composition: Composition, *, as_json: bool
) -> int:
    """Run the command in `options` on a loop of its own and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A sign the terminal can't show must not end a sale's report.
            stream.reconfigure(errors="backslashreplace")
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="keybench: %(message)s")
    output = Output(as_json=as_json)
    try:
        return asyncio.run(_carry_out(options, output, folder, composition))
    except BrokenPipeError:
        # Whoever read the results has enough, as `head` does; what Python still holds for them goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.OTHER
    except KeyboardInterrupt:
        output.message("Stopped. What was sent goes on: `keybench resume` takes it up, sales and keys alike.")
        return exits.OTHER


async def _carry_out(
    options: argparse.Namespace, output: Output, folder: DataFolder, composition: Composition
) -> int:
    try:
        if options.command == "contract":
            return contract_commands.contract(composition.contracts(folder), options, output)
        async with composition.open_console(folder) as console:
            console.events.subscribe(KeystoreChanged, partial(_tell_asking, output))
            console.events.subscribe(SalesUnkept, _UnkeptTeller(output).hear)
            status = await _COMMANDS[options.command](console, options, output)
            await console.log.pending.settle(_KEPT_WITHIN_S)
            return status
    except KeybenchError as error:
        status = exits.status_of_error(error)
        output.failure(error, status)
        return status


def _tell_asking(output: Output, changed: KeystoreChanged) -> None:
    """Say that the command waits for the keystore's question to be answered."""
    if changed.status.asking:
        output.message(f"{asking_sentence(changed.status)} Ctrl+C stops.")


class _UnkeptTeller:
    """Tells what is true of sales whose ends the journal doesn't take; not again after each attempt."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._told = ("", "")

    def hear(self, unkept: SalesUnkept) -> None:
        words = unkept_words(unkept) if unkept.sales else (KEPT_AGAIN, "")
        if words != self._told:
            self._told = words
            self._output.message(" ".join(words).strip())
