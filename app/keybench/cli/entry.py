"""From arguments to what is run: the window, or a command."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, suppress
from typing import TYPE_CHECKING, Protocol

from keybench.runtime.data_folder import DataFolder, data_folder, owner_behind_sudo, sign_of

if TYPE_CHECKING:  # the use cases are imported where a command runs: the window comes before them
    from keybench.cli.commands.tour import TourOptions
    from keybench.cli.parser import Run
    from keybench.core.ports import ContractFiles
    from keybench.workflows.console import Console


class Composition(Protocol):
    """What the composition root offers the command line."""

    def open_console(self, folder: DataFolder) -> AbstractAsyncContextManager[Console]: ...

    def contracts(self, folder: DataFolder) -> ContractFiles: ...

    def run_window(self, folder: DataFolder) -> int: ...

    def run_tour(self, options: TourOptions) -> int:
        """Play the tour in the window, in a data folder of its own, and return its exit status."""
        ...

    def serve_practice(self, arguments: Sequence[str]) -> int: ...

    def make_checks(self, folder: DataFolder) -> int:
        """Make the checks of the self-test, each told in a JSON line, and return the exit status."""
        ...


def run(arguments: Sequence[str], composition: Composition) -> int:
    if not arguments:
        return _run_window(composition, data_folder())
    if "--json" in arguments:  # it is for programs, so its sentences are the same on every computer
        from keybench.words.language import use  # noqa: PLC0415 - the window comes before it, too

        use([])
    from keybench.cli.parser import parse  # noqa: PLC0415 - same

    options = parse(arguments)
    folder = data_folder(options.data_dir)
    if options.self_test:
        from keybench.cli.commands.self_test import run as run_self_test  # noqa: PLC0415 - same

        return run_self_test(as_json=options.json)
    if options.self_test_checks:
        return composition.make_checks(folder)
    if options.new_journal and not owner_behind_sudo(folder.root):
        with suppress(OSError):  # then the command says again that it is gone
            sign_of(folder.journal).unlink(missing_ok=True)
    if options.command is None:
        return _run_window(composition, folder)
    if _is_anothers(folder):
        return 1
    command: Run = options.run
    return command(composition, folder, options)


def _run_window(composition: Composition, folder: DataFolder) -> int:
    return 1 if _is_anothers(folder) else composition.run_window(folder)


def _is_anothers(folder: DataFolder) -> bool:
    """Tell whether root was lent a person's data folder by `sudo`, and say so."""
    owner = owner_behind_sudo(folder.root)
    if owner:
        from keybench.words.system import sudo_words  # noqa: PLC0415 - see above

        print(sudo_words(owner, str(folder.root)), file=sys.stderr)  # noqa: T201 - before there is any output
    return bool(owner)
