"""The charts across sales in words: titles, cells, what stands for what, and what one hears."""

from __future__ import annotations

from typing import Final

from keybench.core.sales.figures import By, Figures
from keybench.words.formats import duration, percent
from keybench.words.language import _, ngettext, number

#: Of so many sales, tenths of a per cent mean something.
_TENTHS_FROM: Final = 1000
TOO_FEW: Final = _("too few sales")
TIME: Final = _("Time to outcome")
FAILURES: Final = _("Failed sales, %")
BY: Final = {By.DEVICE: _("Device"), By.HOUR: _("Hour of day"), By.KEY: _("Key")}
_TITLES: Final = {
    By.DEVICE: _("Time to outcome and failed sales by device"),
    By.HOUR: _("Time to outcome and failed sales by hour of day"),
    By.KEY: _("Time to outcome and failed sales by key"),
}
NO_SALE: Final = _("No finished sale matches. Choose other days, any outcome or all environments.")


def title(by: By) -> str:
    return _TITLES[by]


def sales_shown(count: int, *, is_all: bool) -> str:
    if is_all:
        return ngettext("1 sale", "{count} sales", count)
    return ngettext("The newest sale", "The newest {count} sales", count)


def legend() -> str:
    return _(
        "Bars: the median time, and the share of sales that expired, were refused or not sent, or are unknown. "
        "Lines: the middle half of the times."
    )


def rows_left_out(shown: int, of: int) -> str:
    if shown >= of:
        return ""
    return _("The picture has the {shown} with the most sales; the table has all {of}.").format(
        shown=number(shown), of=number(of)
    )


def hour(name: str) -> str:
    return f"{name}:00"


def median(one: Figures) -> str:
    if one.median_s is not None:
        return duration(one.median_s)
    return TOO_FEW if one.sales else ""


def middle(one: Figures) -> str:
    if one.middle_s is None:
        return ""
    least, most = map(duration, one.middle_s)
    return _("{least} to {most}").format(least=least, most=most)


def share(one: Figures) -> str:
    """Return the share of failed sales, no more precisely than they tell, or that there are too few."""
    if one.share is not None:
        return percent(one.share, 1 if one.sales >= _TENTHS_FROM and one.failed else 0)
    return TOO_FEW if one.sales else ""


def spoken(name: str, one: Figures) -> str:
    count = ngettext("1 sale", "{count} sales", one.sales)
    if not one.sales:
        return _("{name}: no sale.").format(name=name)
    time = (
        _("median time {median}, middle half {middle}").format(median=median(one), middle=middle(one))
        if one.median_s is not None
        else _("too few for a time")
    )
    failed = (
        _("{failed} failed, which is {share}").format(failed=number(one.failed), share=share(one))
        if one.share is not None
        else _("{failed} failed").format(failed=number(one.failed))
    )
    return f"{name}: {count}; {time}; {failed}."
