"""Take pictures of the window, on a private screen and keyring.

`python3 packaging/pictures.py` takes the README's again. `--pages DIR` takes one of every page as it looks
with 204 keys and 2,000 sales, light and dark, at each size in `_SIZES`; `--only bench history` takes some.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Final

import environment
import system_parts
from messages import SetupError, complain, say
from session import private_session

_ROOT: Final = Path(__file__).resolve().parent.parent
_PICTURES: Final = _ROOT / "resources" / "pictures"
#: What the README shows: the look, the tour's picture, and the name it is kept under.
_SHOWN: Final = (
    ("light", "approved-sale", "bench-light.png"),
    ("dark", "approved-sale", "bench-dark.png"),
    ("light", "add-a-new-key-form", "add-a-new-key-light.png"),
    ("dark", "refused-key", "refused-dark.png"),
    ("light", "refused-key", "refused-light.png"),
    ("light", "rotation-test", "rotation-light.png"),
    ("dark", "rotation-test", "rotation-dark.png"),
    ("light", "inventory", "keys-light.png"),
)
#: Pages of the made-up merchant that it shows, too, and how large.
_PAGES: Final = (("devices", "1280x800", "devices-light.png"), ("diagnose", "1280x800", "diagnose-light.png"))
#: The sizes at which pages are pictured: the folder, the window in logical pixels, and the screen's scale.
_SIZES: Final = (
    ("1024x700", "1024x700", "1"),
    ("1440x900", "1440x900", "1"),
    ("150%", "960x600", "1.5"),
    ("200%", "800x450", "2"),
)


def main() -> int:
    """Take the pictures that are asked for and return the exit status."""
    parser = argparse.ArgumentParser(description="Take pictures of the window.")
    parser.add_argument("--pages", metavar="DIR", type=Path, help="every page at every size, saved in DIR")
    parser.add_argument("--only", nargs="+", default=[], metavar="PAGE", help="only these pages")
    options = parser.parse_args()
    try:
        system_parts.ensure_for("tests")
        return _picture_pages(options.pages, options.only) if options.pages else _picture_tour()
    except SetupError as error:
        complain(str(error))
        return 1


def _picture_pages(folder: Path, only: list[str]) -> int:
    for name, size, scale in _SIZES:
        place = folder.resolve() / name
        if status := _picture_at(place, size, scale, only):
            return status
        say(os.fspath(place))
    return 0


def _picture_at(place: Path, size: str, scale: str, only: list[str]) -> int:
    """Take the pages' pictures at one size, and return the exit status."""
    python = environment.ensure(_ROOT, "tests")
    place.mkdir(parents=True, exist_ok=True)
    command = [os.fspath(python), "-m", "pictures", os.fspath(place), size, *only]
    with private_session() as session:
        status = session.run(command, _ROOT, QT_SCALE_FACTOR=scale, PYTHONPATH=os.fspath(_ROOT / "tests"))
    if status:
        complain(f"The pictures at {size} ended with status {status}.")
    return status


def _picture_tour() -> int:
    python = environment.ensure(_ROOT, "window")
    with private_session() as session, tempfile.TemporaryDirectory() as place:
        for look in ("light", "dark"):
            command = [os.fspath(python), "-m", "keybench", "tour", "--pace", "0", "--look", look]
            status = session.run([*command, "--screenshots", os.fspath(Path(place) / look)], _ROOT)
            if status:
                complain(f"The tour in {look} ended with status {status}.")
                return status
        _keep(Path(place))
    for page, size, name in _PAGES:
        with tempfile.TemporaryDirectory() as place:
            if status := _picture_at(Path(place), size, "1", [page]):
                return status
            _put(Path(place) / name, name)
    return 0


def _keep(place: Path) -> None:
    _PICTURES.mkdir(parents=True, exist_ok=True)
    for look, scene, name in _SHOWN:
        (taken,) = (place / look).glob(f"[0-9][0-9]-{scene}.png")
        _put(taken, name)


def _put(taken: Path, name: str) -> None:
    (_PICTURES / name).write_bytes(taken.read_bytes())
    say(f"resources/pictures/{name}")


if __name__ == "__main__":
    sys.exit(main())
