"""Finds out why Qt has no window to show, from what it said while it looked for a display."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Final

from keybench.runtime.system_libraries import installing, missing_for
from keybench.ui.shell.plugins import plugin_folder
from keybench.words.no_window import no_display, no_library, no_platform

#: A line of Qt's that sends people after a library they may have.
_MISLEADING: Final = "xcb-cursor0"
#: What its lines about a display have in them; others may be about the locale.
_ABOUT: Final = "display"
_NOT_FOUND: Final = re.compile(r'not find the Qt platform plugin "([^"]+)"')
_NOT_LOADED: Final = re.compile(r'not load the Qt platform plugin "([^"]+)"')
#: Where Qt's ways to show windows look for a display.
_DISPLAYS: Final = {"wayland": "WAYLAND_DISPLAY", "xcb": "DISPLAY"}


def why_no_window(told: Sequence[str], environment: Mapping[str, str] = os.environ) -> str:
    """Return why there is no window, in words for a terminal, by what Qt said."""
    asked = environment.get("QT_QPA_PLATFORM", "").partition(";")[0].partition(":")[0]
    for line in told:
        unknown = _NOT_FOUND.search(line)
        if unknown and unknown[1] == asked and asked not in _DISPLAYS:
            return no_platform(asked)
        unloaded = _NOT_LOADED.search(line)
        has_display = unloaded and environment.get(_DISPLAYS.get(unloaded[1], ""))
        if unloaded and has_display and (library := _missing(unloaded[1])):
            return no_library(library, installing(library))
    displays = [environment.get(name, "") for way, name in _DISPLAYS.items() if asked in {"", way}]
    display = next(filter(None, displays), "")
    lines = [line for line in told if _MISLEADING not in line]
    return no_display(display, next((line for line in lines if _ABOUT in line), lines[0]))


def _missing(platform: str) -> str:
    """Return the library that a platform plugin lacks; empty if it lacks none."""
    plugins = (plugin_folder() / "platforms").glob(f"libq{platform}*")
    return next(filter(None, map(missing_for, plugins)), "")
