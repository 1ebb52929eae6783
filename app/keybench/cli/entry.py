"""From arguments to an exit status: chooses the command, opens the program, tells what went wrong."""

from __future__ import annotations

import argparse
import asyncio
import io
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from keybench.cli import commands, exits, sale_commands
from keybench.cli.output import Output
from keybench.cli.parser import build_parser
from keybench.cli.tour_options import TourOptions
from keybench.core.errors import KeybenchError
from keybench.runtime.data_folder import ENVIRONMENT_VARIABLE, DataFolder, data_folder
from keybench.workflows.console import Console

Command = Callable[[Console, argparse.Namespace, Output], Awaitable[int]]

_COMMANDS: dict[str, Command] = {
    "environment": commands.environment,
    "key": commands.key,
    "history": commands.history,
    "sale": sale_commands.sale,
    "resume": sale_commands.resume,
}


class OpenProgram(Protocol):
    """A running console that has to be closed."""

    @property
    def console(self) -> Console:
        """The use cases."""
        ...

    async def close(self) -> None:
        """Give everything up."""
        ...


class Composition(Protocol):
    """What the composition root offers the command line."""

    async def open_program(self, folder: DataFolder) -> OpenProgram:
        """Open everything in a data folder."""
        ...

    def run_window(self, folder: DataFolder) -> int:
        """Open the window and return its exit status."""
        ...

    def run_tour(self, folder: DataFolder | None, options: TourOptions) -> int:
        """Play the tour in the window, in a folder of its own if None, and return its exit status."""
        ...

    def serve_practice(self, arguments: Sequence[str]) -> int:
        """Serve the practice gateway until it is stopped and return its exit status."""
        ...


def run(arguments: Sequence[str], composition: Composition) -> int:
    """Run one command, or the window if there is none, and return the exit status."""
    options = build_parser().parse_args(arguments)
    folder = data_folder(getattr(options, "data_dir", None))
    as_json = getattr(options, "json", False)
    match options.command:
        case None:
            return composition.run_window(folder)
        case "tour":
            how = TourOptions(options.pace, options.screenshots, options.look, as_json)
            return composition.run_tour(folder if _is_chosen(options) else None, how)
        case "practice":
            return composition.serve_practice(_practice_arguments(options, folder, as_json=as_json))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(
            stream, io.TextIOWrapper
        ):  # a sign the terminal can't show must not end a sale's report
            stream.reconfigure(errors="backslashreplace")
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="keybench: %(message)s")
    output = Output(as_json=as_json)
    try:
        return asyncio.run(_carry_out(_COMMANDS[options.command], options, output, folder, composition))
    except KeyboardInterrupt:
        output.message("Stopped. A sale that was sent goes on: `keybench resume` takes it up.")
        return exits.OTHER


def _is_chosen(options: argparse.Namespace) -> bool:
    """Tell whether a person chose the data folder, by option or environment variable."""
    return bool(getattr(options, "data_dir", None) or os.environ.get(ENVIRONMENT_VARIABLE))


async def _carry_out(
    command: Command,
    options: argparse.Namespace,
    output: Output,
    folder: DataFolder,
    composition: Composition,
) -> int:
    try:
        program = await composition.open_program(folder)
        try:
            return await command(program.console, options, output)
        finally:
            await program.close()
    except KeybenchError as error:
        status = exits.status_of_error(error)
        output.failure(error, status)
        return status


def _practice_arguments(options: argparse.Namespace, folder: DataFolder, *, as_json: bool) -> list[str]:
    arguments = ["--data-dir", str(folder.root), "--port", str(options.port), "--speed", str(options.speed)]
    if options.until_stdin_closes:
        arguments.append("--until-stdin-closes")
    if as_json:
        arguments.append("--json")
    return arguments
