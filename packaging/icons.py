"""Draw the icon, `resources/icons/keybench.svg`: `.venv/bin/python packaging/icons.py FILE…`.

A file that ends in `.ico` is for Windows, https://learn.microsoft.com/previous-versions/ms997538(v=msdn.10),
one in `.bmp` is the picture at the side of its installer's last page. One in `.icns` is for macOS: a head and
then pictures, each with its four-letter kind and its length. The same Qt gives the same bytes.
"""

import struct
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

import product
from command_line import telling_trouble
from messages import SetupError

ROOT: Final = Path(__file__).resolve().parents[1]
#: The sizes that the hicolor theme has for applications, in pixels.
SIZES: Final = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)
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
        write(ROOT, path)
    return 0


def source(root: Path) -> Path:
    """Return the drawing that all icons of the checkout at `root` are made from."""
    return root / "resources" / "icons" / "keybench.svg"


def write_theme(root: Path, folder: Path) -> None:
    """Write the icon in all sizes, and its drawing, into `folder`/hicolor."""
    for size in SIZES:
        _put(folder / "hicolor" / f"{size}x{size}" / "apps" / f"{product.ID}.png", png(root, size))
    drawing = source(root).read_bytes().rstrip() + b"\n"
    _put(folder / "hicolor" / "scalable" / "apps" / f"{product.ID}.svg", drawing)


def png(root: Path, size: int) -> bytes:
    """Return the icon as a PNG of `size` pixels a side, transparent around it."""
    drawing = QSvgRenderer(str(source(root)))
    if not drawing.isValid():
        raise SetupError(f"{source(root)} can't be drawn.")
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    drawing.render(painter)
    painter.end()
    return encoded(image, "PNG")


def encoded(image: QImage, kind: str) -> bytes:
    """Return a picture as a file's content, of a kind that Qt knows."""
    written = QByteArray()
    buffer = QBuffer(written)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, kind)  # type: ignore[call-overload] # its stubs know no byte string here
    return bytes(written.data())


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def write(root: Path, path: Path) -> None:
    """Write the icon of the checkout at `root` to a file, in the format by which its name ends."""
    writers: Mapping[str, Callable[[Path], bytes]] = {".ico": ico, ".icns": icns, ".bmp": side}
    if path.suffix not in writers:
        raise SetupError(f"{path} ends in none of {', '.join(writers)}.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(writers[path.suffix](root))


def ico(root: Path) -> bytes:
    """Return the icon of the checkout at `root` for Windows, in all sizes."""
    pictures = [(size, _ico_picture(png(root, size), size)) for size in ICO_SIZES]
    head = struct.pack("<3H", 0, 1, len(pictures))
    start = len(head) + 16 * len(pictures)
    for size, picture in pictures:
        # A byte holds no 256, so 0 stands for it; no palette, one plane, 32 bits.
        head += struct.pack("<4B2H2I", size % 256, size % 256, 0, 0, 1, 32, len(picture), start)
        start += len(picture)
    return head + b"".join(picture for _, picture in pictures)


def icns(root: Path) -> bytes:
    """Return the icon of the checkout at `root` for macOS, in all sizes."""
    drawn = {size: png(root, size) for size in set(ICNS_SIZES.values())}
    pictures = b"".join(
        kind + struct.pack(">I", 8 + len(drawn[size])) + drawn[size] for kind, size in ICNS_SIZES.items()
    )
    return b"icns" + struct.pack(">I", 8 + len(pictures)) + pictures


def side(root: Path) -> bytes:
    """Return the picture at the side of the installer's last page: the icon on its own colour."""
    icon = QImage.fromData(png(root, _SIDE[0] // 2))
    picture = QImage(*_SIDE, QImage.Format.Format_RGB32)
    picture.fill(icon.pixelColor(icon.width() // 2, icon.height() // 8))
    painter = QPainter(picture)
    painter.drawImage(_SIDE[0] // 4, _SIDE[0] // 4, icon)
    painter.end()
    return encoded(picture, "BMP")


def _ico_picture(drawn: bytes, size: int) -> bytes:
    """Return a picture as it stands in an `.ico`: a bitmap without its file's head, or a PNG."""
    if size >= _PNG_FROM:
        return drawn
    # BGRA, the last line first, and twice as high, because a mask for old screens follows: all opaque.
    image = (
        QImage.fromData(drawn).convertToFormat(QImage.Format.Format_ARGB32).flipped(Qt.Orientation.Vertical)
    )
    mask = bytes((size + 31) // 32 * 4 * size)
    head = struct.pack("<I2i2H6I", 40, size, 2 * size, 1, 32, 0, size * size * 4 + len(mask), 0, 0, 0, 0)
    return head + bytes(image.constBits()) + mask


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
