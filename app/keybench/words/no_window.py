"""Why there can be no window, and what to do about it: said where there is nothing else to show it in."""

from __future__ import annotations

from keybench.words.language import _


def no_display(display: str, message: str) -> str:
    reason = (
        _("the display {display} doesn't answer").format(display=display)
        if display
        else _("there is no display here")
    )
    return _no_window(f"{reason} ({message.strip().rstrip('.')})")


def no_platform(name: str) -> str:
    return _no_window(_("QT_QPA_PLATFORM asks for “{name}”, which Qt doesn't have here").format(name=name))


def no_library(library: str, command: str) -> str:
    reason = _("this system lacks {library}").format(library=library)
    return _no_window(reason, _install(command))


def no_fonts(command: str) -> str:
    """Say that there is no font to write in; the command to type is empty where nobody knows it."""
    return _no_window(_("this system has no fonts"), _install(command))


def _install(command: str) -> str:
    return (
        _("Install what is missing, then start Keybench again: {command}").format(command=command)
        if command
        else ""
    )


def _no_window(reason: str, step: str = "") -> str:
    lines = (
        _("Keybench can't open its window: {reason}.").format(reason=reason),
        step,
        _("Its commands work without one: keybench --help lists them."),
    )
    return "\n".join(filter(None, lines))
