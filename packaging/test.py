"""Check with one exit status: `python3 packaging/test.py [--all] [--only STEP] [-- FOR PYTEST]`.

Without `--all` it is everything that proves behaviour; with it the sweeps as well, as before a release.
`--benchmarks` measures instead, and finds nothing wrong whatever it measures.
"""

import argparse
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - so that an older Python gets a sentence and not a SyntaxError
    sys.exit("Keybench needs Python 3.11 or later, and this is %d.%d." % sys.version_info[:2])  # noqa: UP031

from pathlib import Path

import environment
import steps
import system_parts
from command_line import split_at_dashes, telling_trouble

_ROOT = Path(__file__).resolve().parent.parent


@telling_trouble()
def main(arguments: list[str]) -> int:
    """Set up what the tests need, run the steps and return one exit status for all."""
    own, more = split_at_dashes(arguments)
    parser = argparse.ArgumentParser(
        prog="test.py",
        description="Run formatter, linter, strict types, import rules and every test.",
        usage="%(prog)s [--all] [--only STEP]... [-- ARGUMENTS FOR PYTEST]\n"
        "       %(prog)s --benchmarks [-- NAME...]",
    )
    parser.add_argument(
        "--benchmarks", action="store_true", help="measure time, memory and processor instead"
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="also run the sweeps (every moment of a kill, every seed, the bundle) and check the types for "
        "another system; arguments for pytest imply it, so that a test that is named runs",
    )
    parser.add_argument("--only", action="append", choices=steps.NAMES, help="run this step; may be repeated")
    options = parser.parse_args(own)
    names = options.only or steps.NAMES
    system_parts.ensure_for("tests" if options.benchmarks or "tests" in names else "tools")
    python = environment.ensure(_ROOT, "tests")
    bench = steps.Bench(_ROOT, python, more, everything=options.all or bool(more))
    if options.benchmarks:
        return steps.benchmarks(bench)
    return 0 if steps.run(bench, names) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
