"""Line icons drawn in the colours in force, and the shapes that mark an environment."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal

from PySide6.QtCore import QBuffer, QByteArray, QSize
from PySide6.QtGui import QIcon, QImageReader, QPixmap

from keybench.core.environments.environment import EnvironmentKind
from keybench.runtime.data_folder import resource_path
from keybench.ui.kit.tokens import Tokens, tone_of_kind

#: How a check ended, or that it hasn't; and a device's connection: full, open, and a dash for none that is told.
Sign = Literal["fine", "fault", "unknown", "waiting", "none", "on", "off", "silent"]

# Pixmaps are drawn this many times larger, so that they stay sharp on dense screens.
_DENSITY: Final = 3
_BOX: Final = 'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"'
_SHAPES: Final = {
    EnvironmentKind.PRACTICE: '<circle cx="12" cy="12" r="10"/>',
    EnvironmentKind.TEST: '<path d="M12 0 24 12 12 24 0 12z"/>',
    EnvironmentKind.LIVE: '<path d="M12 1 24 22.5H0z"/>',
}

_SIGNS: Final[dict[Sign, str]] = {
    "fine": '<path d="M4 13l5.5 5.5L20 6.5"/>',
    "fault": '<path d="M5 5l14 14M19 5L5 19"/>',
    "unknown": '<path d="M7 8a5 5 0 1 1 7.2 4.5C12.6 13.3 12 14 12 15.5M12 20.5v.1"/>',
    "waiting": '<circle cx="12" cy="12" r="8.5" stroke-dasharray="4 4"/>',
    "none": '<circle cx="12" cy="12" r="1.2"/>',
    "on": '<circle cx="12" cy="12" r="4" stroke-width="8"/>',
    "off": '<circle cx="12" cy="12" r="7"/>',
    "silent": '<path d="M6 12h12"/>',
}


@lru_cache(maxsize=128)
def line_pixmap(name: str, colour: str, size: int) -> QPixmap:
    drawing = resource_path(f"icons/{name}.svg").read_text(encoding="utf-8")
    return _drawn(drawing.replace("currentColor", colour), size)


@lru_cache(maxsize=32)
def mark_icon(kind: EnvironmentKind, tokens: Tokens, size: int) -> QIcon:
    colour = tokens.tone(tone_of_kind(kind))
    return _untinted(_drawn(f'<svg {_BOX} fill="{colour}">{_SHAPES[kind]}</svg>', size))


@lru_cache(maxsize=32)
def sign_icon(sign: Sign, colour: str, size: int) -> QIcon:
    look = 'fill="none" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"'
    return _untinted(_drawn(f'<svg {_BOX} {look} stroke="{colour}">{_SIGNS[sign]}</svg>', size))


def _untinted(pixmap: QPixmap) -> QIcon:
    icon = QIcon(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)
    return icon


def _drawn(svg: str, size: int) -> QPixmap:
    # Through Qt's image plugin: importing the QtSvg module would take 25 ms of the window's first frame.
    buffer = QBuffer()
    buffer.setData(QByteArray(svg.encode()))
    reader = QImageReader(buffer, QByteArray(b"svg"))
    reader.setScaledSize(QSize(size * _DENSITY, size * _DENSITY))
    pixmap = QPixmap.fromImageReader(reader)
    pixmap.setDevicePixelRatio(_DENSITY)
    return pixmap
