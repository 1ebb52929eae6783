"""A keyboard and a mouse for an X screen: for whatever window is there, and a look at its pixels.

Only libX11 and libXtst are needed, which the accessibility bus brings along.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

_Z_PIXMAP = 2
_ALL_PLANES = 0xFFFFFFFF
_SHIFT = "Shift_L"
_MODIFIERS = {"ctrl": "Control_L", "shift": _SHIFT, "alt": "Alt_L"}
# X has its own names for what people type.
_NAMES = {" ": "space", "\n": "Return"}
_LATIN_1_END = 0xFF
#: Two clicks of the same millisecond are no double click.
_FINGER_MS = 5
_HANDLER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class _Image(ctypes.Structure):
    """The beginning of XImage of Xlib.h."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("width", "height", "xoffset", "format")),
        ("data", ctypes.c_void_p),
        *((name, ctypes.c_int) for name in ("byte_order", "unit", "bit_order", "pad", "depth")),
        ("bytes_per_line", ctypes.c_int),
    )


class Screen:
    """The X screen of this session.

    Raises:
        RuntimeError: There is none.
    """

    def __init__(self) -> None:
        self._x = ctypes.CDLL("libX11.so.6")
        self._test = ctypes.CDLL("libXtst.so.6")
        self._declare()
        # A window may go while it is looked at; Xlib's own handler would end this process.
        self._ignore = _HANDLER(lambda _display, _error: 0)
        self._x.XSetErrorHandler(self._ignore)
        self._display = self._x.XOpenDisplay(None)
        if not self._display:
            raise RuntimeError("there is no X screen: run the tests through packaging/test.py")
        self._root = self._x.XDefaultRootWindow(self._display)

    def type(self, text: str) -> None:
        """Type a text, key by key."""
        for letter in text:
            self._stroke(_NAMES.get(letter, letter), ())

    def press(self, keys: str) -> None:
        """Press a key, perhaps with others held: ``Tab``, ``ctrl+q``, ``ctrl+shift+Left``."""
        *held, key = keys.split("+")
        self._stroke(key, tuple(_MODIFIERS[one] for one in held))

    def click(self, x: int, y: int, button: int = 1, times: int = 1) -> None:
        """Press a mouse button at a place; 4 and 5 turn the wheel up and down by one notch."""
        self._test.XTestFakeMotionEvent(self._display, -1, x, y, 0)
        for _ in range(times):
            for down in (1, 0):
                self._test.XTestFakeButtonEvent(self._display, button, down, _FINGER_MS)
        self._x.XSync(self._display, 0)

    def fingerprint(self, x: int, y: int, width: int, height: int) -> str:
        """Return a hash of what a part of the screen shows."""
        image = self._x.XGetImage(self._display, self._root, x, y, width, height, _ALL_PLANES, _Z_PIXMAP)
        if not image:
            return ""
        shown = _Image.from_address(image)
        pixels = ctypes.string_at(shown.data, shown.bytes_per_line * shown.height)
        self._x.XDestroyImage(image)
        return hashlib.sha256(pixels).hexdigest()

    def _stroke(self, key: str, held: tuple[str, ...]) -> None:
        symbol = self._symbol(key)
        code = self._code(symbol)
        if not code:
            raise RuntimeError(f"this keyboard has no key {key!r}")
        if _SHIFT not in held and self._x.XkbKeycodeToKeysym(self._display, code, 0, 0) != symbol:
            held = (*held, _SHIFT)
        with self._holding(held):
            self._move(code, down=True)
            self._move(code, down=False)
        self._x.XSync(self._display, 0)

    @contextmanager
    def _holding(self, names: tuple[str, ...]) -> Iterator[None]:
        codes = [self._code(self._symbol(name)) for name in names]
        for code in codes:
            self._move(code, down=True)
        yield
        for code in reversed(codes):
            self._move(code, down=False)

    def _move(self, code: int, *, down: bool) -> None:
        self._test.XTestFakeKeyEvent(self._display, code, int(down), 0)

    def _symbol(self, key: str) -> int:
        # The symbols of Latin 1 have the numbers of its letters.
        if len(key) == 1 and ord(key) <= _LATIN_1_END:
            return ord(key)
        return int(self._x.XStringToKeysym(key.encode()))

    def _code(self, symbol: int) -> int:
        return int(self._x.XKeysymToKeycode(self._display, symbol))

    def _declare(self) -> None:
        """Tell ctypes what isn't an int."""
        display, window, symbol = ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong
        x = self._x
        x.XOpenDisplay.restype = display
        x.XDefaultRootWindow.argtypes, x.XDefaultRootWindow.restype = [display], window
        x.XStringToKeysym.restype = symbol
        x.XKeysymToKeycode.argtypes, x.XKeysymToKeycode.restype = [display, symbol], ctypes.c_ubyte
        x.XkbKeycodeToKeysym.argtypes = [display, ctypes.c_ubyte, ctypes.c_int, ctypes.c_int]
        x.XkbKeycodeToKeysym.restype = symbol
        x.XSync.argtypes = [display, ctypes.c_int]
        place = [ctypes.c_int, ctypes.c_int, ctypes.c_uint, ctypes.c_uint]
        x.XGetImage.argtypes = [display, window, *place, ctypes.c_ulong, ctypes.c_int]
        x.XGetImage.restype = ctypes.c_void_p
        x.XDestroyImage.argtypes = [ctypes.c_void_p]
        self._test.XTestFakeMotionEvent.argtypes = [display, *(ctypes.c_int,) * 3, ctypes.c_ulong]
        self._test.XTestFakeButtonEvent.argtypes = [display, ctypes.c_uint, ctypes.c_int, ctypes.c_ulong]
        self._test.XTestFakeKeyEvent.argtypes = [display, ctypes.c_uint, ctypes.c_int, ctypes.c_ulong]
