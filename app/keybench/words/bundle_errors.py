"""Why a support bundle wasn't written, or can't be opened."""

from __future__ import annotations

from typing import Final

from keybench.core.bundle import CARD, COMPUTER, USER
from keybench.core.errors import BundleInvalid, BundleUnsafe
from keybench.words.language import _

_INVALID: Final = {
    BundleInvalid.UNREADABLE: _("The file can't be read. Check that it is there and may be read."),
    BundleInvalid.TOO_LARGE: _("The file is larger than any support bundle."),
    BundleInvalid.NOT_A_BUNDLE: _("This isn't a support bundle that Keybench has saved."),
    BundleInvalid.NEWER: _("A newer Keybench has saved this support bundle. Update Keybench to open it."),
    BundleInvalid.DAMAGED: _("The support bundle is damaged. Ask for it once more."),
}
_NOT_WRITTEN: Final = _(
    "The support bundle wasn't written: something that must not leave this computer was found in it."
)


def invalid_sentence(error: BundleInvalid) -> str:
    """Return why a file can't be opened as a bundle."""
    return _INVALID[error.reason]


def bundle_error(error: BundleInvalid | BundleUnsafe) -> tuple[str, str]:
    """Return what is wrong with a bundle, and more of it in a second text."""
    return (invalid_sentence(error), "") if isinstance(error, BundleInvalid) else unsafe_words(error)


def unsafe_words(error: BundleUnsafe) -> tuple[str, str]:
    """Return that a bundle wasn't written, and in a second text what was found where."""
    lines = [
        _("{what} in {file}, {where}").format(what=thing(what), file=file or _("the ZIP"), where=where)
        for what, file, where in error.places
    ]
    return _NOT_WRITTEN, "\n".join(lines)


def thing(what: str) -> str:
    """Return what a placeholder stands for, such as ``a value of key “kiosk”``."""
    if what == CARD:
        return _("a card number")
    if what == USER:
        return _("the user's name")
    if what == COMPUTER:
        return _("the computer's name")
    kind, _colon, name = what.strip("<>").partition(":")
    if kind == "key":
        return _("the value of the key “{name}”").format(name=name)
    if kind == "proxy password":
        return _("the proxy's password of “{name}”").format(name=name)
    return _("a text that can't be read to its end")
