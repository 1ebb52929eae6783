"""How well two colours can be told apart: WCAG 2's contrast."""

from __future__ import annotations


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, each ``#rrggbb``: 1 to 21."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    def linear(channel: int) -> float:
        share = channel / 255
        return float(share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4)

    red, green, blue = map(linear, (int(colour[at : at + 2], 16) for at in (1, 3, 5)))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
