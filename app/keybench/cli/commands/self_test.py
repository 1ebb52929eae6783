"""``--self-test``: whether this program works on this computer, in one line a check.

The checks are made by one process of their own (``--self-test-checks``), which a broken Qt may end.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

from keybench import __version__
from keybench.cli import exits
from keybench.cli.output import Output
from keybench.cli.running import run_reported, stopping_at_interrupt
from keybench.runtime.data_folder import own_command
from keybench.words import self_test as words

#: How long all checks may take, in seconds: whatever hangs, the test ends in a minute.
LIMIT_S: Final = 50.0
#: The longest line that a library may print into the results, in bytes.
_LONGEST_LINE: Final = 1_000_000
_STATUSES: Final = {"ok": exits.DONE, "no_keystore": exits.NO_KEYSTORE}


def run(*, as_json: bool) -> int:
    async def tested(output: Output) -> int:
        try:
            with tempfile.TemporaryDirectory(prefix="keybench-test-", ignore_cleanup_errors=True) as name:
                command = own_command("--self-test-checks", "--data-dir", name)
                return await follow(command, Path(name), output)
        except OSError as error:
            output.message(words.NO_TEMPORARY_FOLDER.format(reason=error.strerror or error))
            return exits.OTHER

    return run_reported(tested, as_json=as_json)


async def follow(command: Sequence[str], folder: Path, output: Output, limit_s: float = LIMIT_S) -> int:
    began = time.monotonic()
    made: list[dict[str, Any]] = []
    stopped: list[bool] = []
    errors = folder / "errors.log"
    with errors.open("wb") as written:
        process = await _started(command, written.fileno())

    def tell(record: dict[str, Any]) -> None:
        made.append(record)
        text = words.line(record["check"], record["result"], record["took_s"], record["message"])
        output.result(record, text)

    def stop() -> None:
        stopped.append(True)
        _kill(process)

    result, why = "could_not_tell", words.NO_ANSWER.format(seconds=round(limit_s))
    with stopping_at_interrupt(stop, words.STOPPING, output), suppress(TimeoutError):
        async with asyncio.timeout(limit_s):
            async for line in cast("asyncio.StreamReader", process.stdout):
                record = _read(line)
                if "say" in record:
                    output.message(record["say"])
                elif record:
                    tell(record)
            said = errors.read_text("utf-8", "replace").strip().rpartition("\n")[2]
            result, why = "failed", words.ended_itself(await process.wait(), said[:300])
    _kill(process)
    await process.wait()
    if stopped:
        verdict = "stopped"
    else:
        for check in list(words.TITLES)[len(made) :]:
            tell({"check": check, "no_keystore": False, "result": result, "took_s": 0.0, "message": why})
            result, why = "could_not_tell", words.NOT_MADE
        wrong = [one for one in made if one["result"] != "ok"]
        no_keystore = all(one["no_keystore"] for one in wrong)
        verdict = ("no_keystore" if no_keystore else "failed") if wrong else "ok"
    status = _STATUSES.get(verdict, exits.OTHER)
    took_s = round(time.monotonic() - began, 3)
    record = {"verdict": verdict, "exit_status": status, "took_s": took_s, "version": __version__}
    output.result(record, words.verdict_line(verdict, made, __version__, took_s))
    return status


async def _started(command: Sequence[str], errors: int) -> asyncio.subprocess.Process:
    """Start the process in a group of its own: Ctrl+C reaches us alone, and what it starts ends with it."""
    # On Windows CREATE_NEW_PROCESS_GROUP and CREATE_NO_WINDOW.
    windows = sys.platform == "win32"
    alone: dict[str, Any] = {"creationflags": 0x0800_0200} if windows else {"start_new_session": True}
    # A theme that is forced on Qt may want a screen.
    variables = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORMTHEME"}
    return await asyncio.create_subprocess_exec(
        *command,
        stdin=subprocess.PIPE,  # it ends with us, since we alone hold this open
        stdout=subprocess.PIPE,
        stderr=errors,
        limit=_LONGEST_LINE,
        env={**variables, "QT_QPA_PLATFORM": "offscreen"},
        **alone,
    )


def _kill(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def _read(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}
