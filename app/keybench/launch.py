"""The forms the program runs in; each is imported when it is asked for, and Qt only with a window."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from keybench.core.errors import JournalUnwritable
from keybench.runtime.data_folder import DataFolder, person_name
from keybench.runtime.sandbox import is_kept
from keybench.runtime.sealing import close_memory

if TYPE_CHECKING:
    from keybench.cli.commands.tour import TourOptions
    from keybench.core.ports import ContractFiles
    from keybench.workflows.console import Console


@asynccontextmanager
async def open_console(folder: DataFolder, who: Callable[[], str] = person_name) -> AsyncIterator[Console]:
    """Open everything in `folder`; see `keybench.bootstrap.open_console`."""
    if not is_kept(folder.root):
        raise JournalUnwritable(str(folder.root), JournalUnwritable.NOT_KEPT)
    async with open_for_now(folder, who) as console:
        yield console


@asynccontextmanager
async def open_for_now(folder: DataFolder, who: Callable[[], str] = person_name) -> AsyncIterator[Console]:
    """Open the same where nothing is to outlive the program, as in the tour and the self-test."""
    from keybench import bootstrap

    close_memory()
    async with bootstrap.open_console(folder, who) as console:
        yield console


def contracts(folder: DataFolder) -> ContractFiles:
    """Return the program's contracts and those of a data folder, without opening it."""
    from keybench.gateway.contracts import Contracts

    return Contracts(folder.contracts)


def serve_practice(arguments: Sequence[str]) -> int:
    """Serve the practice gateway until it is stopped and return its exit status."""
    from keybench.practice.server import main

    close_memory()
    return main(list(arguments))


def run_window(folder: DataFolder) -> int:
    """Open the window; see `keybench.desktop.run_window`."""
    try:
        from keybench.ui.kit.languages import speak

        speak(folder)
        from keybench import desktop
    except ImportError as error:
        return _without_library(error)
    return desktop.run_window(folder, open_console)


def run_tour(options: TourOptions) -> int:
    """Play the tour; see `keybench.desktop.run_tour`."""
    try:
        from keybench import desktop
    except ImportError as error:
        return _without_library(error)
    return desktop.run_tour(options, open_for_now)


def make_checks(folder: DataFolder) -> int:
    """Make the checks of the self-test; see `keybench.self_test`."""
    from keybench import self_test

    return self_test.make_checks(folder.root, open_for_now)


def _without_library(error: ImportError) -> int:
    from keybench.runtime.system_libraries import installing, missing_library
    from keybench.words.no_window import no_library

    library = missing_library(str(error))
    if not library:
        raise error
    print(no_library(library, installing(library)), file=sys.stderr)  # noqa: T201 - there is no window to say it in
    return 1
