"""Set Keybench up and open its window: `python3 packaging/run.py [--prepare] [-- ARGUMENTS FOR KEYBENCH]`."""

import argparse
import os
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - so that an older Python gets a sentence and not a SyntaxError
    sys.exit("Keybench needs Python 3.11 or later, and this is %d.%d." % sys.version_info[:2])  # noqa: UP031

import subprocess
from pathlib import Path

import display
import environment
import showing
import system_parts
from command_line import split_at_dashes, telling_trouble
from messages import say

_ROOT = Path(__file__).resolve().parent.parent


@telling_trouble(stopped="Stopped. Start again to go on.")
def main(arguments: list[str]) -> int:
    """Set up what is missing and hand over to Keybench; return the exit status."""
    own, passed = split_at_dashes(arguments)
    parser = argparse.ArgumentParser(
        prog="run.py",
        description="Set Keybench up and open its window.",
        usage="%(prog)s [--prepare] [-- ARGUMENTS FOR KEYBENCH]",
    )
    parser.add_argument("--prepare", action="store_true", help="set up and stop before the window")
    options = parser.parse_args(own)
    system_parts.ensure_for("window")
    python = environment.ensure(_ROOT, "window")
    if options.prepare:
        say("Keybench is set up. Open it with: python3 packaging/run.py")
        return 0
    if passed[:1] in ([], ["tour"]) and not display.is_present():
        return showing.play_tour(python, passed[1:])
    return hand_over([os.fspath(python), "-m", "keybench", *passed])


def hand_over(command: list[str]) -> int:
    """Become the given command; on Windows, where that can't be, run it and return its status."""
    if os.name != "nt":
        os.execv(command[0], command)  # noqa: S606 - no shell is wanted
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
