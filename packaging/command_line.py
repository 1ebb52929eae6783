"""What the set-up scripts' command lines have in common."""

import functools
import signal
from collections.abc import Callable

from messages import SetupError, complain, explain_os_error

INTERRUPTED = 130  # the exit status after Ctrl-C: 128 + SIGINT, as shells have it


def split_at_dashes(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Divide a command line into what stands before the first `--` and what stands after it."""
    if "--" not in arguments:
        return arguments, []
    where = arguments.index("--")
    return arguments[:where], arguments[where + 1 :]


def telling_trouble(
    stopped: str = "Stopped.",
) -> Callable[[Callable[[list[str]], int]], Callable[[list[str]], int]]:
    """Have a script's `main` tell trouble in a sentence and end with a status, and no traceback.

    A CI system's stop (SIGTERM) takes the same way out as Ctrl-C, so that nothing stays behind.
    """

    def told(main: Callable[[list[str]], int]) -> Callable[[list[str]], int]:
        @functools.wraps(main)
        def run(arguments: list[str]) -> int:
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            try:
                return main(arguments)
            except SetupError as error:
                complain(str(error))
            except OSError as error:
                complain(explain_os_error(error))
            except KeyboardInterrupt:
                complain(stopped)
                return INTERRUPTED
            return 1

        return run

    return told
