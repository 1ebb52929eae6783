"""What an organisation sets for its keys: after how many days what is found, and how long keys overlap."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Final

from keybench.core.environments.environment import EnvironmentKind
from keybench.core.input_errors import SettingInvalid

#: A limit of so many days says that there is none.
NEVER: Final = 0


@dataclass(frozen=True, slots=True)
class Figure:
    """A setting that is a number of days; `NEVER` switches it off where that is the least."""

    usual: int
    least: int
    most: int


def _days(usual: int, *, least: int = NEVER, most: int = 3650) -> int:
    return field(default=usual, metadata={"figure": Figure(usual, least, most)})


@dataclass(frozen=True, slots=True)
class AdminSettings:
    """The settings as they are in force; made without arguments they are the usual ones.

    Ages are how old a key may become, by its environment's kind; `idle_days` count without a use of the key,
    `untested_days` without a test, `stalled_days` without a step of a rotation; `overlap_days` is how long
    old and new key are meant to be valid together.
    """

    age_live_days: int = _days(180)
    age_test_days: int = _days(365)
    age_practice_days: int = _days(365)
    idle_days: int = _days(60)
    untested_days: int = _days(7)
    stalled_days: int = _days(3, least=1, most=365)
    overlap_days: int = _days(7, least=1, most=365)

    def age_days(self, kind: EnvironmentKind) -> int:
        """Return how old a key may become in an environment of this kind, in days; `NEVER` for no limit."""
        match kind:
            case EnvironmentKind.LIVE:
                return self.age_live_days
            case EnvironmentKind.TEST:
                return self.age_test_days
            case EnvironmentKind.PRACTICE:
                return self.age_practice_days


#: The settings by name, in the order of the form.
FIGURES: Final[Mapping[str, Figure]] = {one.name: one.metadata["figure"] for one in fields(AdminSettings)}


def parse_days(name: str, text: str) -> int:
    """Return a number of days as a person entered it, the usual one for nothing; else SettingInvalid."""
    figure = FIGURES[name]
    entered = text.strip()
    if not entered:
        return figure.usual
    if not (entered.isascii() and entered.isdigit()) or len(entered) > len(str(figure.most)):
        raise SettingInvalid(name, SettingInvalid.NOT_A_FIGURE, least=figure.least, most=figure.most)
    days = int(entered)
    if not figure.least <= days <= figure.most:
        raise SettingInvalid(name, SettingInvalid.OUT_OF_RANGE, least=figure.least, most=figure.most)
    return days


def stored_settings(stored: Mapping[str, str]) -> AdminSettings:
    """Return the settings that the journal has; one that can't be read is as usual, the others stay."""
    days: dict[str, int] = {}
    for name in FIGURES:
        # A newer Keybench or another hand may have written it: no ground to keep the review from working.
        with suppress(SettingInvalid):
            days[name] = parse_days(name, stored.get(name, ""))
    return AdminSettings(**days)


def texts_of(settings: AdminSettings) -> dict[str, str]:
    """Return the text of each setting by its name, as it is stored and shown."""
    return {name: str(getattr(settings, name)) for name in FIGURES}
