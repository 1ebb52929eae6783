"""Whether macOS shows its lock screen, as the window server's session says.

https://developer.apple.com/documentation/coregraphics/cgsessioncopycurrentdictionary(); its key
``CGSSessionScreenIsLocked`` is there, and true, only while the screen is locked.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

_FRAMEWORK: Final = "/System/Library/Frameworks/{0}.framework/{0}"
_KEY: Final = b"CGSSessionScreenIsLocked"
_UTF8: Final = 0x08000100


def is_screen_locked(graphics: Any = None, foundation: Any = None) -> bool:
    """Tell whether the screen is locked.

    Args:
        graphics: CoreGraphics; the system's own if None.
        foundation: CoreFoundation; the system's own if None.
    """
    graphics = graphics or _loaded("CoreGraphics", "CGSessionCopyCurrentDictionary")
    foundation = foundation or _loaded(
        "CoreFoundation",
        "CFStringCreateWithCString",
        "CFDictionaryGetValue",
        "CFBooleanGetValue",
        "CFRelease",
    )
    session = graphics.CGSessionCopyCurrentDictionary()
    if not session:
        return True  # the session isn't on the console: somebody else's is
    key = foundation.CFStringCreateWithCString(None, _KEY, _UTF8)
    try:
        value = foundation.CFDictionaryGetValue(ctypes.c_void_p(session), ctypes.c_void_p(key))
        return bool(value) and bool(foundation.CFBooleanGetValue(ctypes.c_void_p(value)))
    finally:
        foundation.CFRelease(ctypes.c_void_p(key))
        foundation.CFRelease(ctypes.c_void_p(session))


def _loaded(name: str, *functions: str) -> Any:
    library = ctypes.CDLL(_FRAMEWORK.format(name))
    for function in functions:
        getattr(library, function).restype = ctypes.c_void_p
    if name == "CoreFoundation":
        library.CFStringCreateWithCString.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint32]
        library.CFBooleanGetValue.restype = ctypes.c_ubyte
    return library
