"""The command line's entry: opens the window when given no command."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import Final

from keybench import launch
from keybench.cli.entry import run
from keybench.runtime.data_folder import restore_environment
from keybench.runtime.sealing import leave_no_core
from keybench.runtime.stopping import stop_signals
from keybench.runtime.updating import keep_modules

#: How much is made before Python looks for garbage in it: what is imported stays, and hundreds of sales make
#: a lot that lasts a moment. A fifth of the time that imports take went into looking.
_GARBAGE: Final = (20_000, 20, 50)
_STANDARD_ERROR: Final = 2


def main() -> int:
    """Run Keybench with the process's arguments and return its exit status."""
    gc.set_threshold(*_GARBAGE)
    _hold_standard_streams()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing is under way that a traceback could tell of
    leave_no_core()
    restore_environment()
    keep_modules()
    status = run(sys.argv[1:], launch)
    for number in stop_signals():  # it is over: what came of it is told by the status
        signal.signal(number, signal.SIG_IGN)
    return status


def _hold_standard_streams() -> None:
    """Open what whoever started us closed: a file of ours in its place would get what libraries print."""
    while (held := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        os.set_inheritable(held, True)
    os.close(held)


if __name__ == "__main__":
    sys.exit(main())
