"""Whether Windows shows its lock screen: the input desktop can't be opened then.

https://learn.microsoft.com/windows/win32/api/winuser/nf-winuser-openinputdesktop
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

_SWITCH_DESKTOP: Final = 0x0100


def is_screen_locked(user32: Any = None) -> bool:
    """Tell whether the screen is locked; a prompt of the system's counts too.

    Args:
        user32: The library; the system's own if None.
    """
    library = user32 or _user32()
    desktop = library.OpenInputDesktop(0, False, _SWITCH_DESKTOP)
    if not desktop:
        return True
    library.CloseDesktop(desktop)
    return False


def _user32() -> Any:
    library = ctypes.CDLL("user32")
    library.OpenInputDesktop.restype = ctypes.c_void_p
    library.CloseDesktop.argtypes = [ctypes.c_void_p]
    return library
