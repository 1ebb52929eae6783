"""The command line's entry: opens the window when given no command."""

from __future__ import annotations

import gc
import sys
from typing import Final

from keybench import launch
from keybench.cli.entry import run
from keybench.runtime.data_folder import restore_environment
from keybench.runtime.sealing import leave_no_core
from keybench.runtime.updating import keep_modules

#: How much is made before Python looks for garbage in it: what is imported stays, and hundreds of sales make
#: a lot that lasts a moment. A fifth of the time that imports take went into looking.
_GARBAGE: Final = (20_000, 20, 50)


def main() -> int:
    """Run Keybench with the process's arguments and return its exit status."""
    gc.set_threshold(*_GARBAGE)
    leave_no_core()
    restore_environment()
    keep_modules()
    return run(sys.argv[1:], launch)


if __name__ == "__main__":
    sys.exit(main())
