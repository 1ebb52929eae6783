"""How the set-up scripts speak to a person: progress, and trouble that is told without a traceback."""

import errno
import sys

_LAST_LINES = 8


class SetupError(Exception):
    """The set-up can't go on; the text says what happened and what to do, ready to be shown."""


def say(text: str) -> None:
    """Print one message at once, so that it stands before what a child process prints."""
    print(text, flush=True)


def complain(text: str) -> None:
    """Print one message about trouble on standard error, after everything said so far."""
    sys.stdout.flush()
    print(text, file=sys.stderr, flush=True)


def last_lines(output: str) -> str:
    """Return the last lines of a tool's output that aren't blank, indented to stand below a message."""
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    return "\n".join(f"    {line}" for line in lines[-_LAST_LINES:])


def explain_os_error(error: OSError) -> str:
    """Turn an error of the file system into what a person can do about it."""
    where = f" ({error.filename})" if error.filename else ""
    if error.errno == errno.ENOSPC:
        return f"The disk is full{where}. Make some room (about 1 GB) and start again."
    if error.errno in {errno.EROFS, errno.EACCES, errno.EPERM}:
        return f"This folder can't be written{where}. Put Keybench in a folder of your own and start again."
    return f"The set-up stopped: {error.strerror or error}{where}."
