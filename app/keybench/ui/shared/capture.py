"""Keeps a window out of screenshots and shared screens while a value is on it, where the system can.

Windows 10 from version 2004 and macOS can; the Linux display servers have no such request: with X11 every
program may look at the whole screen, with Wayland the desktop asks the person, and neither asks the window.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Final

from PySide6.QtWidgets import QWidget

from keybench.words.language import _

#: https://learn.microsoft.com/windows/win32/api/winuser/nf-winuser-setwindowdisplayaffinity
_EXCLUDE_FROM_CAPTURE: Final = 0x11
#: https://developer.apple.com/documentation/appkit/nswindow/sharingtype-swift.enum
_SHARING_NONE, _SHARING_READ_ONLY = 0, 1

#: What the person is told, once for this system.
SENTENCE: Final = (
    _("While a value is shown, this system keeps the window out of screenshots and shared screens.")
    if sys.platform in {"win32", "darwin"}
    else _(
        "This system can't keep a window out of screenshots or shared screens. Stop sharing before you "
        "reveal a value."
    )
)


def keep_out_of_pictures(widget: QWidget, *, out: bool) -> bool:
    """Keep the widget's window out of pictures of the screen or let it in again; tell whether the system did."""
    handle = int(widget.window().winId()) if sys.platform in {"win32", "darwin"} else 0
    if sys.platform == "win32":
        return exclude_on_windows(ctypes.CDLL("user32"), handle, out=out)
    elif sys.platform == "darwin":  # noqa: RET505 - so that mypy sees that each system has its own branch
        return exclude_on_macos(ctypes.CDLL("/usr/lib/libobjc.A.dylib"), handle, out=out)
    else:
        return False


def exclude_on_windows(user32: Any, handle: int, *, out: bool) -> bool:
    """Ask Windows; `handle` is the window's HWND."""
    affinity = _EXCLUDE_FROM_CAPTURE if out else 0
    return bool(user32.SetWindowDisplayAffinity(ctypes.c_void_p(handle), ctypes.c_uint32(affinity)))


def exclude_on_macos(objc: Any, view: int, *, out: bool) -> bool:
    """Ask macOS; `view` is the window's NSView, and its NSWindow is what is shared."""
    objc.sel_registerName.restype = ctypes.c_void_p
    objc.objc_msgSend.restype = ctypes.c_void_p
    name = objc.sel_registerName(b"window")
    window = objc.objc_msgSend(ctypes.c_void_p(view), ctypes.c_void_p(name))
    if not window:
        return False
    sharing = _SHARING_NONE if out else _SHARING_READ_ONLY
    name = objc.sel_registerName(b"setSharingType:")
    objc.objc_msgSend(ctypes.c_void_p(window), ctypes.c_void_p(name), ctypes.c_ulong(sharing))
    return True
