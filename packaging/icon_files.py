"""Write the application's icon for Windows and macOS: `.venv/bin/python packaging/icon_files.py FILE…`.

A file that ends in `.ico` is for Windows, https://learn.microsoft.com/previous-versions/ms997538(v=msdn.10),
one in `.bmp` is the picture at the side of its installer's last page. One in `.icns` is for macOS: a head and
then pictures, each with its four-letter kind and its length. The same Qt gives the same bytes.
"""

import struct
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter

import icons
from command_line import telling_trouble
from messages import SetupError

#: What Windows shows at 100 % to 400 %, in title bars, the taskbar, lists and large tiles.
ICO_SIZES: Final = (16, 20, 24, 32, 40, 48, 64, 96, 128, 256)
#: macOS's kinds of pictures and their sizes in pixels. Those for 16 and 32 points on screens of low
#: resolution have a format of their own; there it takes the double ones, `ic11` and `ic12`.
ICNS_SIZES: Final[Mapping[bytes, int]] = {
    b"ic11": 32,
    b"ic12": 64,
    b"ic07": 128,
    b"ic13": 256,
    b"ic08": 256,
    b"ic14": 512,
    b"ic09": 512,
    b"ic10": 1024,
}
#: Twice what NSIS shows at 100 %.
_SIDE: Final = (328, 628)
#: Smaller pictures are bitmaps: not all that reads them unpacks PNG.
_PNG_FROM: Final = 256


@telling_trouble()
def main(arguments: list[str]) -> int:
    """Write the files that are named and return the exit status."""
    for path in map(Path, arguments):
        write(icons.ROOT, path)
    return 0


def write(root: Path, path: Path) -> None:
    """Write the icon of the checkout at `root` to a file, in the format by which its name ends.

    Raises:
        SetupError: there is no such format, or the drawing can't be read.
        OSError: the file can't be written.
    """
    writers: Mapping[str, Callable[[Path], bytes]] = {".ico": ico, ".icns": icns, ".bmp": side}
    if path.suffix not in writers:
        raise SetupError(f"{path} ends in none of {', '.join(writers)}.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(writers[path.suffix](root))


def ico(root: Path) -> bytes:
    """Return the icon of the checkout at `root` for Windows, in all sizes.

    Raises:
        SetupError: the drawing can't be read.
    """
    pictures = [(size, _ico_picture(icons.png(root, size), size)) for size in ICO_SIZES]
    head = struct.pack("<3H", 0, 1, len(pictures))
    start = len(head) + 16 * len(pictures)
    for size, picture in pictures:
        # A byte holds no 256, so 0 stands for it; no palette, one plane, 32 bits.
        head += struct.pack("<4B2H2I", size % 256, size % 256, 0, 0, 1, 32, len(picture), start)
        start += len(picture)
    return head + b"".join(picture for _, picture in pictures)


def icns(root: Path) -> bytes:
    """Return the icon of the checkout at `root` for macOS, in all sizes.

    Raises:
        SetupError: the drawing can't be read.
    """
    drawn = {size: icons.png(root, size) for size in set(ICNS_SIZES.values())}
    pictures = b"".join(
        kind + struct.pack(">I", 8 + len(drawn[size])) + drawn[size] for kind, size in ICNS_SIZES.items()
    )
    return b"icns" + struct.pack(">I", 8 + len(pictures)) + pictures


def side(root: Path) -> bytes:
    """Return the picture at the side of the installer's last page: the icon on its own colour, as a bitmap.

    Raises:
        SetupError: the drawing can't be read.
    """
    icon = QImage.fromData(icons.png(root, _SIDE[0] // 2))
    picture = QImage(*_SIDE, QImage.Format.Format_RGB32)
    picture.fill(icon.pixelColor(icon.width() // 2, icon.height() // 8))
    painter = QPainter(picture)
    painter.drawImage(_SIDE[0] // 4, _SIDE[0] // 4, icon)
    painter.end()
    return icons.encoded(picture, "BMP")


def _ico_picture(png: bytes, size: int) -> bytes:
    """Return a picture as it stands in an `.ico`: a bitmap without its file's head, or a PNG."""
    if size >= _PNG_FROM:
        return png
    # BGRA, the last line first, and twice as high, because a mask for old screens follows: all opaque.
    image = QImage.fromData(png).convertToFormat(QImage.Format.Format_ARGB32).flipped(Qt.Orientation.Vertical)
    mask = bytes((size + 31) // 32 * 4 * size)
    head = struct.pack("<I2i2H6I", 40, size, 2 * size, 1, 32, 0, size * size * 4 + len(mask), 0, 0, 0, 0)
    return head + bytes(image.constBits()) + mask


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
