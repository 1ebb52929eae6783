"""Check everything with one exit status: `python3 packaging/test.py [--only STEP] [-- FOR PYTEST]`.

`--benchmarks` measures instead, and finds nothing wrong whatever it measures.
"""

import argparse
import signal
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - so that an older Python gets a sentence and not a SyntaxError
    sys.exit("Keybench needs Python 3.11 or later, and this is %d.%d." % sys.version_info[:2])  # noqa: UP031

from pathlib import Path
from types import FrameType

import environment
import steps
import system_parts
from command_line import INTERRUPTED, split_at_dashes
from messages import SetupError, complain, explain_os_error

_ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str]) -> int:
    """Set up what the tests need, run the steps and return one exit status for all."""
    own, more = split_at_dashes(arguments)
    parser = argparse.ArgumentParser(
        prog="test.py",
        description="Run formatter, linter, strict types, import rules and every test.",
        usage="%(prog)s [--only STEP]... [-- ARGUMENTS FOR PYTEST]\n"
        "       %(prog)s --benchmarks [-- NAME...]",
    )
    parser.add_argument(
        "--benchmarks", action="store_true", help="measure time, memory and processor instead"
    )
    parser.add_argument("--only", action="append", choices=steps.NAMES, help="run this step; may be repeated")
    options = parser.parse_args(own)
    names = options.only or steps.NAMES
    signal.signal(signal.SIGTERM, _as_interrupt)
    try:
        if options.benchmarks or "tests" in names:
            system_parts.ensure_for_tests()
        else:
            system_parts.ensure_for_tools()
        python = environment.ensure(_ROOT, "tests")
        bench = steps.Bench(_ROOT, python, more)
        if options.benchmarks:
            return steps.benchmarks(bench)
        return 0 if steps.run(bench, names) else 1
    except SetupError as error:
        complain(str(error))
        return 1
    except OSError as error:
        complain(explain_os_error(error))
        return 1
    except KeyboardInterrupt:
        complain("Stopped.")
        return INTERRUPTED


def _as_interrupt(_number: int, _frame: FrameType | None) -> None:
    """Let a CI system's stop take the same way out as Ctrl-C, so that nothing stays behind."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
