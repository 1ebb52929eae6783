"""From arguments to what is run: the window, the tour, the practice gateway, or a command."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Protocol

from keybench.runtime.data_folder import DataFolder, data_folder

if TYPE_CHECKING:  # the use cases are imported where a command runs: the window comes before them
    import argparse

    from keybench.cli.tour_options import TourOptions
    from keybench.core.ports import ContractFiles
    from keybench.workflows.console import Console


class Composition(Protocol):
    """What the composition root offers the command line."""

    def open_console(self, folder: DataFolder) -> AbstractAsyncContextManager[Console]:
        """Open everything in a data folder for as long as the block lasts."""
        ...

    def contracts(self, folder: DataFolder) -> ContractFiles:
        """Return the program's contracts and those of a data folder, without opening it."""
        ...

    def run_window(self, folder: DataFolder) -> int:
        """Open the window and return its exit status."""
        ...

    def run_tour(self, options: TourOptions) -> int:
        """Play the tour in the window, in a data folder of its own, and return its exit status."""
        ...

    def serve_practice(self, arguments: Sequence[str]) -> int:
        """Serve the practice gateway until it is stopped and return its exit status."""
        ...


def run(arguments: Sequence[str], composition: Composition) -> int:
    """Run one command, or the window if there is none, and return the exit status."""
    if not arguments:
        return composition.run_window(data_folder())
    from keybench.cli.parser import build_parser  # noqa: PLC0415 - the window comes before it, too
    from keybench.cli.tour_options import TourOptions  # noqa: PLC0415 - same

    options = build_parser().parse_args(arguments)
    folder = data_folder(getattr(options, "data_dir", None))
    as_json = getattr(options, "json", False)
    match options.command:
        case None:
            return composition.run_window(folder)
        case "tour":
            how = TourOptions(options.pace, options.screenshots, options.look, as_json)
            return composition.run_tour(how)
        case "practice":
            return composition.serve_practice(_practice_arguments(options, folder, as_json=as_json))
    from keybench.cli.running import run_command  # noqa: PLC0415 - see above

    return run_command(options, folder, composition, as_json=as_json)


def _practice_arguments(options: argparse.Namespace, folder: DataFolder, *, as_json: bool) -> list[str]:
    arguments = ["--data-dir", str(folder.root), "--port", str(options.port), "--speed", str(options.speed)]
    if options.until_stdin_closes:
        arguments.append("--until-stdin-closes")
    if as_json:
        arguments.append("--json")
    return arguments
