"""Runs one command: opens the program, reports what went wrong, and gives the exit status."""

from __future__ import annotations

import argparse
import asyncio
import io
import logging
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Final

from keybench.cli import exits
from keybench.cli.output import Output
from keybench.core.errors import KeybenchError
from keybench.core.events import KeystoreChanged, SalesUnkept
from keybench.core.ports import JournalPlace
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.log import Redacting
from keybench.runtime.stopping import ENDED_BY, stopping
from keybench.words.language import _
from keybench.words.system import KEPT_AGAIN, asking_sentence, network_words, unsaved_sales_words
from keybench.words.team.edits import away_words
from keybench.workflows.console import Console

if TYPE_CHECKING:
    from keybench.cli.entry import Composition
    from keybench.cli.parser import Run

#: For how long a command that has done its work waits for a journal that doesn't take what came of it.
_KEPT_WITHIN_S: Final = 30.0


def with_console(work: Callable[[Console, argparse.Namespace, Output], Awaitable[int | None]]) -> Run:
    """Make a command's `run` of what needs the use cases: open the program before it, close it after.

    `work` returns the exit status, or nothing if it did what it is there for.
    """

    @wraps(work)
    def run(composition: Composition, folder: DataFolder, options: argparse.Namespace) -> int:
        async def opened(output: Output) -> int:
            reporter = _Reporter(output)
            status: int | None = None
            try:
                async with composition.open_console(folder) as console:
                    console.events.subscribe(KeystoreChanged, reporter.on_keystore)
                    console.events.subscribe(SalesUnkept, reporter.on_unkept)
                    reporter.report_place(console.world.journal.place)
                    status = await work(console, options, output) or exits.DONE
                    if stands := " ".join(away_words(console.world.journal.standing)).strip():
                        output.message(stands)
                    await console.log.pending.settle(_KEPT_WITHIN_S)
            except asyncio.CancelledError:
                if status is None:
                    raise
            return status  # also where it was stopped when all was told

        return run_reported(opened, as_json=options.json)

    return run


def run_reported(work: Callable[[Output], Awaitable[int]], *, as_json: bool) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A sign the terminal can't show must not end a sale's report.
            stream.reconfigure(errors="backslashreplace")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Redacting("keybench: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    output = Output(as_json=as_json)

    def stopped(number: int) -> int:
        output.message(
            _("Stopped. What was sent goes on: `keybench resume` resumes it, sales and keys alike.")
        )
        return ENDED_BY + number

    async def reported() -> int:
        task = asyncio.current_task()
        assert task  # noqa: S101 - it runs
        with stopping(task.cancel) as signals:
            try:
                return await work(output)
            except KeybenchError as error:
                return output.failure(error)
            except asyncio.CancelledError:
                if not signals:
                    raise
                return stopped(signals[0])

    try:
        return asyncio.run(reported())
    except KeyboardInterrupt as by:  # a person was waited for
        return stopped(*(by.args or (signal.SIGINT,)))


@contextmanager
def stopping_at_interrupt(stop: Callable[[], None], words: str, output: Output) -> Iterator[None]:
    """Let the first signal that asks to end call `stop`, which finishes what is under way."""

    def stop_softly() -> None:
        stop()
        output.message(words)

    with stopping(stop_softly):
        yield


class _Reporter:
    """Reports what a person should know while a command runs."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._last = ("", "")

    def report_place(self, place: JournalPlace) -> None:
        """Report that no other program can open the journal meanwhile."""
        if place.alone_on:
            self._output.message(" ".join(network_words(place)))

    def on_keystore(self, changed: KeystoreChanged) -> None:
        if changed.status.asking:
            self._output.message(
                _("{asking_sentence} Ctrl+C stops.").format(asking_sentence=asking_sentence(changed.status))
            )

    def on_unkept(self, unkept: SalesUnkept) -> None:
        """Report which sales' ends the journal doesn't take; not again after each attempt."""
        words = unsaved_sales_words(unkept) if unkept.sales else (KEPT_AGAIN, "")
        if words != self._last:
            self._last = words
            self._output.message(" ".join(words).strip())
