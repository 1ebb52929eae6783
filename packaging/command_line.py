"""What the set-up scripts' command lines have in common."""

INTERRUPTED = 130  # the exit status after Ctrl-C: 128 + SIGINT, as shells have it


def split_at_dashes(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Divide a command line into what stands before the first `--` and what stands after it."""
    if "--" not in arguments:
        return arguments, []
    where = arguments.index("--")
    return arguments[:where], arguments[where + 1 :]
