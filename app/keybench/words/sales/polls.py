"""Polls in words: when a sale under way is checked next and why then, and how long its device usually takes."""

from __future__ import annotations

import math
from typing import Final

from keybench.core.devices.habit import Basis, Habit
from keybench.core.sales.poll_plan import Why
from keybench.words.formats import decimal, roughly, short
from keybench.words.language import _, ngettext

#: An answer that takes longer than this is waited for; quicker ones aren't worth other words.
_QUICK_S: Final = 1.0
#: Below this many seconds, tenths matter.
_TENTHS_BELOW_S: Final = 10.0
_MINUTES_FROM_S: Final = 120.0

_WHY: Final = {
    Why.FIRST: _("A person needs a moment to present a card."),
    Why.HELD: _("The gateway answers as soon as there is news."),
    Why.HINT: _("The gateway suggested when to check."),
    Why.TROUBLE: _("The last answers brought no status, so the gateway is given time."),
    Why.PATIENCE: _("The gateway asked Keybench to wait."),
    Why.LAST: _("One last check at the deadline."),
}
_BY_HABIT: Final = {
    (Why.EARLY, Basis.DEVICE): _("Few sales on this device end this early."),
    (Why.EARLY, Basis.ENVIRONMENT): _("Few sales in this environment end this early."),
    (Why.EARLY, Basis.NOTHING): _("Few sales end this early."),
    (Why.LIKELY, Basis.DEVICE): _("Most sales on this device end about now."),
    (Why.LIKELY, Basis.ENVIRONMENT): _("Most sales in this environment end about now."),
    (Why.LIKELY, Basis.NOTHING): _("Most sales end about now."),
    (Why.LATE, Basis.DEVICE): _("Most sales on this device end sooner, so Keybench checks less often."),
    (Why.LATE, Basis.ENVIRONMENT): _(
        "Most sales in this environment end sooner, so Keybench checks less often."
    ),
    (Why.LATE, Basis.NOTHING): _("It takes longer than most, so Keybench checks less often."),
    (Why.STATE, Basis.DEVICE): _("On this device, sales end a known time after this status."),
    (Why.STATE, Basis.ENVIRONMENT): _("In this environment, sales end a known time after this status."),
    (Why.STATE, Basis.NOTHING): _("Sales here end a known time after this status."),
}


def poll_reason(why: Why, habit: Habit) -> str:
    return _WHY.get(why) or _BY_HABIT[why, habit.basis]


def next_poll(left_s: float) -> str:
    """Return when a sale is checked next, such as ``Next check in 2 s``; below 0 s its answer is awaited."""
    if left_s > -_QUICK_S:
        return _("Next check in {roughly}").format(roughly=roughly(left_s))
    return _("Waiting for the answer")


def usual_time(habit: Habit) -> str:
    """Return between which times eight in ten outcomes come, such as ``8 to 20 s``; nothing if it isn't known."""
    return time_span(*habit.usual_s) if habit.usual_s else ""


def time_span(least_s: float, most_s: float) -> str:
    """Return between which times something was, such as ``8 to 20 s``; nobody knows for how long at infinity."""
    if math.isinf(most_s):
        return _longer_than(least_s)
    if most_s >= _MINUTES_FROM_S:
        least, most = decimal(least_s / 60, 0), decimal(most_s / 60, 0)
        if least == most:
            return _("about {minutes} min").format(minutes=most)
        if least == "0":
            return _("up to {minutes} min").format(minutes=most)
        return _("{least} to {most} min").format(least=least, most=most)
    places = 1 if most_s < _TENTHS_BELOW_S else 0
    least, most = decimal(least_s, places), decimal(most_s, places)
    if least == most:
        return _("about {seconds} s").format(seconds=short(round(most_s, places)))
    return _("{least} to {most} s").format(least=least, most=most)


def _longer_than(least_s: float) -> str:
    if math.isinf(least_s):
        return _("longer than Keybench waited")
    if least_s >= _MINUTES_FROM_S:
        return _("{minutes} min or longer").format(minutes=decimal(least_s / 60, 0))
    return _("{seconds} s or longer").format(seconds=decimal(least_s, 0))


def usually(habit: Habit, elapsed_s: float = 0.0) -> str:
    """Return how long sales usually take, such as ``Usually 8 to 20 s on this device``, and if it is longer."""
    time, is_device = usual_time(habit), habit.basis is Basis.DEVICE
    if not time:
        return ""
    words = _("Usually {time} on this device") if is_device else _("Usually {time} in this environment")
    if habit.is_unusual(elapsed_s):
        words = _("Usually {time} in this environment; now unusual")
        if is_device:
            words = _("Usually {time} on this device; now unusual")
    return words.format(time=time)


def learnt_from(habit: Habit) -> str:
    if habit.basis is Basis.NOTHING:
        return ""
    count = habit.outcomes
    return (
        ngettext(
            "Learnt from the last sale on this device.",
            "Learnt from the last {count} sales on this device.",
            count,
        )
        if habit.basis is Basis.DEVICE
        else ngettext(
            "Learnt from the last sale in this environment.",
            "Learnt from the last {count} sales in this environment.",
            count,
        )
    )
