"""Every text keeps a contrast of 4.5 : 1 or more on what it stands on, and 7 : 1 in high contrast."""

import itertools

import pytest

from keybench.core.environments.environment import EnvironmentKind
from keybench.ui.kit.tokens import (
    CONTRAST_DARK,
    CONTRAST_LIGHT,
    DARK,
    LIGHT,
    TONES,
    Tokens,
    Tone,
    mix,
    tone_of_kind,
)

from .contrast import contrast

#: What a border or a mark needs, by WCAG 2.2.
SEEN = 3.0
SETS = {"light": LIGHT, "dark": DARK, "contrast light": CONTRAST_LIGHT, "contrast dark": CONTRAST_DARK}
BOTH = pytest.mark.parametrize("tokens", SETS.values(), ids=SETS)
HIGH = pytest.mark.parametrize("tokens", [CONTRAST_LIGHT, CONTRAST_DARK], ids=["light", "dark"])


def enough(tokens: Tokens) -> float:
    return 7.0 if tokens.high else 4.5


def test_mixing_goes_from_one_colour_to_the_other() -> None:
    assert mix("#ff0000", "#0000ff", 0) == "#0000ff"
    assert mix("#ff0000", "#0000ff", 1) == "#ff0000"
    assert mix("#ffffff", "#000000", 0.5) == "#808080"


@BOTH
def test_plain_text_on_every_surface(tokens: Tokens) -> None:
    surfaces = (tokens.background, tokens.panel, tokens.well, tokens.selected)
    for ink, surface in itertools.product((tokens.ink, tokens.dim), surfaces):
        assert contrast(ink, surface) >= enough(tokens), (ink, surface)


@BOTH
@pytest.mark.parametrize("tone", TONES)
def test_a_tone_on_panels_and_on_its_soft_background(tokens: Tokens, tone: Tone) -> None:
    for surface in (tokens.panel, tokens.background, tokens.soft(tone)):
        assert contrast(tokens.tone(tone), surface) >= enough(tokens), (tone, surface)


@BOTH
@pytest.mark.parametrize("tone", ["practice", "test", "live", "good", "warning", "bad"])
def test_plain_and_dim_text_in_the_band_and_in_notices(tokens: Tokens, tone: Tone) -> None:
    for ink in (tokens.ink, tokens.dim):
        assert contrast(ink, tokens.soft(tone)) >= enough(tokens), (ink, tone)


@BOTH
def test_text_on_filled_buttons_also_under_the_pointer(tokens: Tokens) -> None:
    for tone in ("accent", "bad"):
        assert contrast(tokens.on_tone, tokens.tone(tone)) >= enough(tokens)
        assert contrast(tokens.on_tone, tokens.hovered(tone)) >= enough(tokens)


@BOTH
def test_each_kind_of_environment_has_a_colour_of_its_own(tokens: Tokens) -> None:
    assert len({tokens.tone(tone_of_kind(kind)) for kind in EnvironmentKind}) == 3


@BOTH
def test_text_that_is_selected(tokens: Tokens) -> None:
    assert contrast(tokens.on_tone, tokens.accent) >= enough(tokens)
    for tone in TONES:
        assert contrast(tokens.tone(tone), tokens.selected) >= SEEN


@HIGH
def test_borders_and_the_keyboards_place_are_seen_where_contrast_is_high(tokens: Tokens) -> None:
    for surface in (tokens.background, tokens.panel, tokens.well, tokens.selected):
        for border in (tokens.line, tokens.field_line, tokens.accent, tokens.ink):
            assert contrast(border, surface) >= SEEN, (border, surface)
        assert contrast(tokens.faint, surface) >= SEEN
        for tone in TONES:
            assert contrast(tokens.tone(tone), surface) >= enough(tokens)
