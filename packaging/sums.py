"""Write the SHA-256 of every package in a folder: `python3 packaging/sums.py [DIR]` writes `DIR/SHA256SUMS`.

`sha256sum --check SHA256SUMS` in that folder compares them. Folders in it, such as the bundle itself, aren't
packages and are left out.
"""

import argparse
import hashlib
import sys
from pathlib import Path

from command_line import telling_trouble
from messages import SetupError, say

_ROOT = Path(__file__).resolve().parent.parent
NAME = "SHA256SUMS"


@telling_trouble()
def main(arguments: list[str]) -> int:
    """Write the sums and return the exit status."""
    parser = argparse.ArgumentParser(prog="sums.py", description="Write the SHA-256 of all packages.")
    parser.add_argument("folder", nargs="?", type=Path, default=_ROOT / "dist", metavar="DIR", help="(dist/)")
    options = parser.parse_args(arguments)
    say(write(options.folder).read_text("ascii").rstrip())
    return 0


def write(folder: Path) -> Path:
    """Write the sums of the files in a folder, in the order of their names, and return the file."""
    lines = []
    for path in sorted(path for path in folder.iterdir() if path.is_file() and path.name != NAME):
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}\n")
    if not lines:
        raise SetupError(f"There is no package in {folder}.")
    sums = folder / NAME
    sums.write_text("".join(lines), "ascii", newline="\n")
    return sums


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
