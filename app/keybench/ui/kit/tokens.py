"""The look's colours in one place: a light set and a dark one, each also with high contrast."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from keybench.core.environments.environment import EnvironmentKind

Tone = Literal["good", "warning", "bad", "unknown", "accent", "dim", "practice", "test", "live"]
TONES: Final[tuple[Tone, ...]] = get_args(Tone)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mix(colour: str, into: str, share: float) -> str:
    """Return `into` with a `share` (0 to 1) of `colour` in it; colours are ``#rrggbb``."""
    pairs = zip(_channels(colour), _channels(into), strict=True)
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


@dataclass(frozen=True, slots=True)
class Tokens:
    """One set of colours, each ``#rrggbb``.

    Attributes:
        dark: Whether it is a dark set.
        background: Behind the panels.
        panel: Panels, fields and tables.
        line: Borders and the thin lines between rows.
        ink: Text.
        dim: Secondary text.
        on_tone: Text on a button filled with `accent` or `bad`.
        softs: The soft background of each tone, for its text in pills, notices and the band.
        high: Whether it is a set with high contrast: every area then has a border that is seen.
    """

    dark: bool
    background: str
    panel: str
    line: str
    ink: str
    dim: str
    accent: str
    good: str
    warning: str
    bad: str
    unknown: str
    practice: str
    test: str
    live: str
    on_tone: str
    softs: Mapping[Tone, str] = field(hash=False)
    high: bool = False

    def tone(self, tone: Tone) -> str:
        colour: str = getattr(self, tone)
        return colour

    def soft(self, tone: Tone) -> str:
        return self.softs[tone]

    @property
    def well(self) -> str:
        return mix(self.ink, self.panel, 0.04)

    @property
    def selected(self) -> str:
        return mix(self.accent, mix(self.ink, self.panel, 0.05), 0.05)

    @property
    def field_line(self) -> str:
        return mix(self.dim, self.line, 0.3)

    @property
    def faint(self) -> str:
        return mix(self.dim, self.panel, 0.7)

    def hovered(self, tone: Tone) -> str:
        return mix(self.ink, self.tone(tone), 0.12)


LIGHT: Final = Tokens(
    dark=False,
    background="#f5f6f8",
    panel="#ffffff",
    line="#dfe3e8",
    ink="#1b2430",
    dim="#5b6675",
    accent="#3451d1",
    good="#15803d",
    warning="#9a5b00",
    bad="#b42318",
    unknown="#6d3fc4",
    practice="#0f766e",
    test="#1d4ed8",
    live="#b42318",
    on_tone="#ffffff",
    softs={
        "good": "#e9f7ee",
        "warning": "#fdf3dc",
        "bad": "#fdecea",
        "unknown": "#f1ebfc",
        "accent": "#ebeefc",
        "dim": "#eef0f3",
        "practice": "#e3f4f1",
        "test": "#e8effd",
        "live": "#feeae8",
    },
)

DARK: Final = Tokens(
    dark=True,
    background="#14181e",
    panel="#1c222b",
    line="#313a46",
    ink="#e8ecf1",
    dim="#a3afbd",
    accent="#8ea2ff",
    good="#5fd08a",
    warning="#f2bd57",
    bad="#ff8f85",
    unknown="#c2a5ff",
    practice="#5cc8bb",
    test="#7fb2ff",
    live="#ff8f85",
    on_tone="#14181e",
    softs={
        "good": "#163322",
        "warning": "#3a2c12",
        "bad": "#45201f",
        "unknown": "#31264a",
        "accent": "#28304f",
        "dim": "#2a323d",
        "practice": "#12302f",
        "test": "#182b4b",
        "live": "#451e1d",
    },
)

#: Text has a contrast of 7 : 1 or more. A tone's ground is the panel's: borders and signs tell areas apart.
CONTRAST_LIGHT: Final = Tokens(
    dark=False,
    background="#ffffff",
    panel="#ffffff",
    line="#4d5663",
    ink="#000000",
    dim="#2b333d",
    accent="#1a2f9c",
    good="#0b4d25",
    warning="#633a00",
    bad="#85140c",
    unknown="#4a2394",
    practice="#084a45",
    test="#12308f",
    live="#85140c",
    on_tone="#ffffff",
    softs=dict.fromkeys(TONES, "#ffffff"),
    high=True,
)

CONTRAST_DARK: Final = Tokens(
    dark=True,
    background="#000000",
    panel="#000000",
    line="#a9b4c2",
    ink="#ffffff",
    dim="#dbe2ea",
    accent="#b3c1ff",
    good="#86eaae",
    warning="#ffd680",
    bad="#ffb3ac",
    unknown="#d9c8ff",
    practice="#86e6da",
    test="#abccff",
    live="#ffb3ac",
    on_tone="#000000",
    softs=dict.fromkeys(TONES, "#000000"),
    high=True,
)


def tone_of_kind(kind: EnvironmentKind) -> Tone:
    return kind.value
