"""Write a bundle's bill of materials and licences: `python3 packaging/sbom.py BUNDLE [--out FILE]`.

The bill is CycloneDX 1.6 in JSON. Every file of the folder, and every module that is packed into its program,
stands at one component; what belongs to nobody is named, and then nothing is written. Without `--out` bill
and licences are put into the bundle, as bundle.py does it; with it the bill of the bundle goes to FILE.
"""

import argparse
import os
import subprocess
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - so that an older Python gets a sentence and not a SyntaxError
    sys.exit("Keybench needs Python 3.11 or later, and this is %d.%d." % sys.version_info[:2])  # noqa: UP031

from pathlib import Path

import environment
from command_line import INTERRUPTED
from messages import SetupError, complain, explain_os_error

_ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str]) -> int:
    """Write what is asked for and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="sbom.py", description="Write the bill of materials and the licences of a bundle."
    )
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="the folder that bundle.py made")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the bill alone, to this file")
    options = parser.parse_args(arguments)
    try:
        python = environment.ensure(_ROOT, "build")
        command = [os.fspath(python), os.fspath(Path(__file__).with_name("bill.py")), options.bundle]
        return subprocess.run([*command, *filter(None, [options.out])], check=False).returncode
    except SetupError as error:
        complain(str(error))
        return 1
    except OSError as error:
        complain(explain_os_error(error))
        return 1
    except KeyboardInterrupt:
        complain("Stopped.")
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
