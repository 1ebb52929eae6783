"""Settings of the key review: what is entered is checked, what is stored is read whatever it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.environments.environment import EnvironmentKind
from keybench.core.input_errors import SettingInvalid
from keybench.core.keys.admin_settings import (
    FIGURES,
    AdminSettings,
    parse_days,
    stored_settings,
    texts_of,
)

USUAL = AdminSettings()


def test_nothing_stored_is_what_is_usual() -> None:
    assert stored_settings({}) == USUAL


def test_a_key_may_become_older_where_no_money_moves() -> None:
    assert USUAL.age_days(EnvironmentKind.LIVE) < USUAL.age_days(EnvironmentKind.TEST)
    assert USUAL.age_days(EnvironmentKind.PRACTICE) == USUAL.age_practice_days


@given(
    st.builds(
        AdminSettings,
        **{name: st.integers(figure.least, figure.most) for name, figure in FIGURES.items()},
    )
)
def test_whatever_is_set_comes_back_from_its_texts(settings: AdminSettings) -> None:
    assert stored_settings(texts_of(settings)) == settings


@pytest.mark.parametrize("text", ["-1", "ten", "1.5", "٣", "1e2", "99999999999999999999", "1 0"])
def test_what_is_no_figure_is_refused_and_says_what_is_allowed(text: str) -> None:
    with pytest.raises(SettingInvalid) as caught:
        parse_days("idle_days", text)
    assert caught.value.reason == SettingInvalid.NOT_A_FIGURE
    assert (caught.value.setting, caught.value.most) == ("idle_days", 3650)


@pytest.mark.parametrize(
    ("name", "text"), [("idle_days", "3651"), ("overlap_days", "0"), ("stalled_days", "0")]
)
def test_what_is_out_of_range_is_refused(name: str, text: str) -> None:
    with pytest.raises(SettingInvalid) as caught:
        parse_days(name, text)
    assert caught.value.reason == SettingInvalid.OUT_OF_RANGE


def test_spaces_around_a_figure_do_not_matter_and_nothing_is_the_usual() -> None:
    assert parse_days("idle_days", " 30 ") == 30
    assert parse_days("idle_days", " ") == USUAL.idle_days


@given(st.dictionaries(st.sampled_from(list(FIGURES)), st.text(max_size=12)))
def test_what_another_hand_stored_never_keeps_the_rest_from_being_read(stored: dict[str, str]) -> None:
    settings = stored_settings(stored | {"overlap_days": "21"})
    assert settings.overlap_days == 21
    assert all(figure.least <= getattr(settings, name) <= figure.most for name, figure in FIGURES.items())
