"""Draw the application's icon in any size from `resources/icons/keybench.svg`.

`.venv/bin/python packaging/icons.py --out DIR` makes the folders in which Linux desktops look for icons. The
same Qt gives the same bytes.
"""

import argparse
import sys
from pathlib import Path
from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

import product
from command_line import telling_trouble
from messages import SetupError

ROOT: Final = Path(__file__).resolve().parents[1]
#: The sizes that the hicolor theme has for applications, in pixels.
SIZES: Final = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)


@telling_trouble()
def main(arguments: list[str]) -> int:
    """Draw the icons into the folder that is asked for and return the exit status."""
    parser = argparse.ArgumentParser(prog="icons.py", description="Draw the icon in all sizes.")
    parser.add_argument("--out", required=True, metavar="DIR", type=Path, help="where hicolor goes")
    options = parser.parse_args(arguments)
    write_theme(ROOT, options.out)
    return 0


def source(root: Path) -> Path:
    """Return the drawing that all icons of the checkout at `root` are made from."""
    return root / "resources" / "icons" / "keybench.svg"


def write_theme(root: Path, folder: Path) -> None:
    """Write the icon in all sizes, and its drawing, into `folder`/hicolor.

    Raises:
        SetupError: the drawing can't be read.
        OSError: the folder can't be written.
    """
    for size in SIZES:
        _put(folder / "hicolor" / f"{size}x{size}" / "apps" / f"{product.ID}.png", png(root, size))
    drawing = source(root).read_bytes().rstrip() + b"\n"
    _put(folder / "hicolor" / "scalable" / "apps" / f"{product.ID}.svg", drawing)


def png(root: Path, size: int) -> bytes:
    """Return the icon as a PNG of `size` pixels a side, transparent around it.

    Raises:
        SetupError: the drawing can't be read.
    """
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
