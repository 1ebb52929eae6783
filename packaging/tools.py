"""Run the programs that the set-up scripts need."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from messages import SetupError, last_lines


def run(*command: str | Path, trouble: str = "", variables: Mapping[str, str] | None = None) -> str:
    """Run a program and return what it wrote; a SetupError tells `trouble` and the program's last lines."""
    done = attempt(command, variables)
    if done.returncode:
        name = " ".join(map(str, command[: 1 if str(command[1]).startswith("-") else 2]))
        raise SetupError(f"{trouble or f'{name} failed.'} Its last lines:\n{last_lines(done.stdout)}")
    return done.stdout


def attempt(
    command: Sequence[str | Path], variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program and return how it ended, with what it wrote."""
    return subprocess.run(
        command,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
