"""``--self-test``: whether this program works on this computer, in one line a check.

The checks are made by a process of their own (``--self-test-checks``): what crashes or hangs in one of them
costs that one, and another process goes on with the rest. Nothing of the person's own is touched.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from keybench import __version__
from keybench.cli import exits
from keybench.cli.output import Output
from keybench.cli.running import run_reported, stopping_at_interrupt
from keybench.core.self_test import Check, Checked, Result, Verdict, read_line, verdict_of
from keybench.runtime.clock import within
from keybench.runtime.data_folder import own_command
from keybench.words import self_test as words

#: How long one check may take, and when the last one begins, in seconds: whatever hangs, it ends in a minute.
_CHECK_S: Final = 20.0
_ALL_S: Final = 40.0
#: How long the process may take to put away what it began, in seconds.
_ENDING_S: Final = 4.0
#: So much of what it wrote last is looked through for its last line, in bytes, and shown, in characters.
_LAST_BYTES: Final = 4096
_LAST_LINE: Final = 300
_STATUSES: Final = {
    Verdict.OK: exits.DONE,
    Verdict.NO_KEYSTORE: exits.NO_KEYSTORE,
    Verdict.FAILED: exits.OTHER,
    Verdict.STOPPED: exits.OTHER,
}
_MakeCommand = Callable[[Sequence[Check], Path], Sequence[str]]


def run(*, as_json: bool) -> int:
    """Make every check, print each as it ends and last what they came to, and return the exit status."""

    async def tested(output: Output) -> int:
        try:
            folder = tempfile.TemporaryDirectory(prefix="keybench-self-test-", ignore_cleanup_errors=True)
        except OSError as error:
            output.message(words.NO_TEMPORARY_FOLDER.format(reason=error.strerror or error))
            return exits.OTHER
        with folder as root:
            test = SelfTest(Path(root), output)
            with stopping_at_interrupt(test.stop, words.STOPPING, output):
                return await test.run()

    return run_reported(tested, as_json=as_json)


def checking_command(checks: Sequence[Check], folder: Path) -> Sequence[str]:
    """Return the arguments of a process that makes checks in a folder; see `keybench.self_test.making`."""
    return own_command("--self-test-checks", ",".join(checks), "--data-dir", str(folder))


class SelfTest:
    """One run of all checks.

    Args:
        root: A folder of its own.
        output: Where each check is told.
        command: What to start instead of this program's own checking process.
        all_s: When the last one begins, in seconds.
    """

    def __init__(
        self,
        root: Path,
        output: Output,
        *,
        command: _MakeCommand = checking_command,
        all_s: float = _ALL_S,
    ) -> None:
        self._root = root
        self._output = output
        self._command = command
        self._end = time.monotonic() + all_s
        self._made: list[Checked] = []
        self._stopped = False
        self._process: _Process | None = None
        self._started = 0

    def stop(self) -> None:
        """Make no further check, and have the one under way put away what it began."""
        self._stopped = True
        if self._process:
            self._process.let_end()

    async def run(self) -> int:
        """Make the checks and return the exit status."""
        began = time.monotonic()
        left = list(Check)
        while left and not self._stopped:
            trouble = await self._follow(left)
            if trouble and not self._stopped:
                left.pop(0)
                self._tell(trouble)
        took_s = time.monotonic() - began
        verdict = verdict_of(self._made)
        record = {
            "verdict": verdict.value,
            "exit_status": _STATUSES[verdict],
            "took_s": round(took_s, 3),
            "version": __version__,
        }
        self._output.result(record, words.verdict_line(self._made, __version__, took_s))
        return _STATUSES[verdict]

    def _tell(self, checked: Checked) -> None:
        self._made.append(checked)
        self._output.result(checked.record(), words.line(checked))

    async def _follow(self, left: list[Check]) -> Checked | None:
        """Have a process make the checks that are left; those that it told are taken from the list.

        Returns:
            Why the first that is left then wasn't told; None if none is left.
        """
        began = time.monotonic()

        def untold(result: Result, sentence: str) -> Checked:
            return Checked(left[0], result, time.monotonic() - began, sentence)

        if began >= self._end:
            return untold(Result.COULD_NOT_TELL, words.NO_TIME)
        self._started += 1
        folder = self._root / str(self._started)
        try:
            process = await _started(self._command(left, folder), folder)
        except OSError as error:
            return untold(Result.COULD_NOT_TELL, words.not_started(error.strerror or str(error)))
        self._process = process
        try:
            while left:
                limit_s = max(min(_CHECK_S, self._end - time.monotonic()), 0.0)
                try:
                    async with within(limit_s):
                        told = await process.told()
                except TimeoutError:
                    return untold(Result.COULD_NOT_TELL, words.no_answer(limit_s))
                if told is None:
                    status = await process.end()
                    return untold(Result.FAILED, words.ended_itself(status, process.last_line()))
                if isinstance(told, str):
                    self._output.message(told)
                elif told.check is left[0]:
                    self._tell(told)
                    left.pop(0)
                    began = time.monotonic()
            return None
        finally:
            if await process.end():
                await self._clean_up(folder)
            self._process = None

    async def _clean_up(self, folder: Path) -> None:
        """Take out of the keystore what a process may have left there that couldn't do it itself."""
        with suppress(OSError):
            process = await _started(self._command((), folder), folder)
            if await process.ended() == 0:
                return
        self._output.message(words.LEFT_BEHIND)


class _Process:
    """A process that makes checks.

    Its standard input is a pipe that only we hold open, so it notices when nobody waits for it any more.
    It has a group of its own: Ctrl-C in a terminal reaches us alone, and what it started can be ended with it.

    Args:
        process: The process.
        errors: The file that has what it said on standard error.
    """

    def __init__(self, process: asyncio.subprocess.Process, errors: Path) -> None:
        self._process = process
        self._errors = errors

    async def told(self) -> Checked | str | None:
        """Return the next check that it made, or message to a person; None once it has ended."""
        assert self._process.stdout  # noqa: S101 - it is a pipe
        while True:
            try:
                line = await self._process.stdout.readline()
            except ValueError:
                continue  # longer than any of ours: something else that a library printed
            if not line:
                return None
            if told := read_line(line):
                return told

    def let_end(self) -> None:
        """Tell it that nobody waits any more; if it doesn't end for that, it is killed a while later."""
        assert self._process.stdin  # noqa: S101 - it is a pipe
        self._process.stdin.close()
        asyncio.get_running_loop().call_later(_ENDING_S, self._kill)

    async def end(self) -> int:
        """Have it end, and return its status: 0, or it may have left something."""
        self.let_end()
        return await self.ended()

    async def ended(self) -> int:
        """Return its status once it has ended by itself, or was killed because that took too long."""
        try:
            async with asyncio.timeout(_ENDING_S):
                await self._process.wait()
        except TimeoutError:
            self._kill()
            await self._process.wait()
        self._kill_group()
        return self._process.returncode or 0

    def last_line(self) -> str:
        """Return the last line that it wrote on standard error, or nothing."""
        try:
            with self._errors.open("rb") as file:
                file.seek(max(self._errors.stat().st_size - _LAST_BYTES, 0))
                lines = file.read().decode("utf-8", "replace").splitlines()
        except OSError:
            return ""
        return next((line.strip() for line in reversed(lines) if line.strip()), "")[:_LAST_LINE]

    def _kill(self) -> None:
        if sys.platform == "win32":
            with suppress(ProcessLookupError):
                self._process.kill()
        elif self._process.returncode is None:
            # Process.kill() would first ask for the status; one that ended just now is then lost to asyncio.
            self._kill_group()

    def _kill_group(self) -> None:
        if sys.platform != "win32":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)


async def _started(command: Sequence[str], folder: Path) -> _Process:
    """Start a process that makes checks in a folder, which is made.

    Raises:
        OSError: It can't be started.
    """
    # On Windows CREATE_NEW_PROCESS_GROUP and CREATE_NO_WINDOW.
    alone: dict[str, Any] = (
        {"creationflags": 0x0000_0200 | 0x0800_0000}
        if sys.platform == "win32"
        else {"start_new_session": True}
    )
    # A theme that is forced on Qt may want a screen.
    variables = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORMTHEME"}
    errors = _errors_of(folder)
    with errors.open("ab") as written:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=written,
            env={**variables, "QT_QPA_PLATFORM": "offscreen"},
            **alone,
        )
    return _Process(process, errors)


def _errors_of(folder: Path) -> Path:
    """Return the file for what a process says on standard error, in its folder, which is made."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / "errors.log"
