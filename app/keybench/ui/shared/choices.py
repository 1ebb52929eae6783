"""Settings that the window goes by and the Settings page shows, with the words that belong to them."""

from __future__ import annotations

from typing import Final

from keybench.ui.kit.preferences import Choice
from keybench.words.language import _

#: What a lock is good for and what not; the settings say it, too.
PRIVACY: Final = _(
    "This hides the window from people who pass by, and asks for no password: whoever can use your session on this "
    "computer can unlock it. When you leave, lock the computer."
)

#: After how many minutes without use the window locks itself; 0 for never.
IDLE_MINUTES: Final = Choice(
    "lock/idle_minutes",
    _("Lock after inactivity"),
    {"0": _("Never"), "5": _("5 min"), "15": _("15 min"), "30": _("30 min")},
    default="0",
)

#: Whether a person is told in other windows that a sale or a run has ended.
TELL: Final = Choice(
    "notices/desktop", _("Tell me in other windows"), {"on": _("On"), "off": _("Off")}, default="on"
)
