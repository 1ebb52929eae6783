"""The command line's entry: opens the window when given no command."""

from __future__ import annotations

import sys

from keybench import launch
from keybench.cli.entry import run
from keybench.runtime.sealing import leave_no_core


def main() -> int:
    """Run Keybench with the process's arguments and return its exit status."""
    leave_no_core()
    return run(sys.argv[1:], launch)


if __name__ == "__main__":
    sys.exit(main())
