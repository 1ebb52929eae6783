"""Make what Linux desktops, software centres, `man` and shells look for.

`python3 packaging/linux_files.py --out DIR` puts a `share` folder into DIR, to be laid over /usr/share,
/app/share or ~/.local/share: the desktop entry, icons in all sizes, AppStream data, the man page, and
completion for bash, zsh and fish. The same checkout gives the same bytes.
"""

import argparse
import gzip
import sys
from pathlib import Path
from typing import Final

import environment
import product
from command_line import telling_trouble

ROOT: Final = Path(__file__).resolve().parents[1]


@telling_trouble()
def main(arguments: list[str]) -> int:
    """Make the files in the folder that is asked for and return the exit status."""
    parser = argparse.ArgumentParser(prog="linux_files.py", description="Make the files under /usr/share.")
    parser.add_argument("--out", required=True, metavar="DIR", type=Path, help="where the share folder goes")
    options = parser.parse_args(arguments)
    environment.enter(ROOT, "build", __file__, arguments)
    write(ROOT, options.out)
    return 0


def write(root: Path, out: Path) -> None:
    """Write the share folder of the checkout at `root` into `out`.

    Raises:
        SetupError: one of them can't be made.
        OSError: the folder can't be written.
    """
    import completion  # noqa: PLC0415 - they need the environment
    import freedesktop  # noqa: PLC0415 - as above
    import icons  # noqa: PLC0415 - as above
    import manual  # noqa: PLC0415 - as above

    share = out / "share"
    _put(share / "applications" / f"{product.ID}.desktop", freedesktop.desktop_entry())
    _put(share / "metainfo" / f"{product.ID}.metainfo.xml", freedesktop.appstream(root))
    icons.write_theme(root, share / "icons")
    for shell, place in completion.PLACES.items():
        _put(share / place, completion.script(shell))
    page = share / "man" / "man1" / f"{product.COMMAND}.1.gz"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_bytes(packed(manual.page(root)))


def packed(text: str) -> bytes:
    """Return a text packed by gzip as Debian wants it: as small as can be, without a time or a name."""
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
