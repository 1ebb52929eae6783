"""Run the programs that the set-up scripts need."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from messages import SetupError, last_lines


def run(*command: str | Path, trouble: str = "", variables: Mapping[str, str] | None = None) -> str:
    """Run a program and return what it wrote, on standard error too.

    Args:
        command: The program and its arguments.
        trouble: A sentence for a person if it fails; left out, it names the program.
        variables: Its environment; None for this one.

    Raises:
        SetupError: It failed; the text has its last lines.
        FileNotFoundError: It isn't here.
    """
    done = subprocess.run(
        command,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        name = " ".join(map(str, command[: 1 if str(command[1]).startswith("-") else 2]))
        raise SetupError(f"{trouble or f'{name} failed.'} Its last lines:\n{last_lines(done.stdout)}")
    return done.stdout
