"""Every text keeps a contrast of 4.5 : 1 or more on what it stands on, in both sets of colours."""

import itertools

import pytest

from keybench.core.environment import EnvironmentKind
from keybench.ui.tokens import DARK, LIGHT, TONES, Tokens, Tone, contrast, mix, tone_of_kind

ENOUGH = 4.5
BOTH = pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])


def test_contrast_of_black_and_white_is_the_largest_there_is() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == pytest.approx(1)


def test_mixing_goes_from_one_colour_to_the_other() -> None:
    assert mix("#ff0000", "#0000ff", 0) == "#0000ff"
    assert mix("#ff0000", "#0000ff", 1) == "#ff0000"
    assert mix("#ffffff", "#000000", 0.5) == "#808080"


@BOTH
def test_plain_text_on_every_surface(tokens: Tokens) -> None:
    surfaces = (tokens.background, tokens.panel, tokens.well, tokens.selected)
    for ink, surface in itertools.product((tokens.ink, tokens.dim), surfaces):
        assert contrast(ink, surface) >= ENOUGH, (ink, surface)


@BOTH
@pytest.mark.parametrize("tone", TONES)
def test_a_tone_on_panels_and_on_its_soft_background(tokens: Tokens, tone: Tone) -> None:
    for surface in (tokens.panel, tokens.background, tokens.soft(tone)):
        assert contrast(tokens.tone(tone), surface) >= ENOUGH, (tone, surface)


@BOTH
@pytest.mark.parametrize("tone", ["practice", "test", "live", "good", "warning", "bad"])
def test_plain_and_dim_text_in_the_band_and_in_notices(tokens: Tokens, tone: Tone) -> None:
    for ink in (tokens.ink, tokens.dim):
        assert contrast(ink, tokens.soft(tone)) >= ENOUGH, (ink, tone)


@BOTH
def test_text_on_filled_buttons_also_under_the_pointer(tokens: Tokens) -> None:
    for tone in ("accent", "bad"):
        assert contrast(tokens.on_tone, tokens.tone(tone)) >= ENOUGH
        assert contrast(tokens.on_tone, tokens.hovered(tone)) >= ENOUGH


@BOTH
def test_each_kind_of_environment_has_a_colour_of_its_own(tokens: Tokens) -> None:
    assert len({tokens.tone(tone_of_kind(kind)) for kind in EnvironmentKind}) == 3
