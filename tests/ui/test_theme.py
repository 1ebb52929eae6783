"""The theme: follows the system or a choice, and reaches every widget."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from keybench.ui import theme as themes
from keybench.ui.stylesheet import build_stylesheet
from keybench.ui.theme import Scheme, Theme
from keybench.ui.tokens import DARK, LIGHT


def test_a_choice_of_colours_reaches_palette_and_style_sheet(qapp: QApplication, light_theme: Theme) -> None:
    light_theme.choose(Scheme.DARK)
    assert themes.tokens() is DARK
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == DARK.background
    assert DARK.panel in qapp.styleSheet()
    light_theme.choose(Scheme.LIGHT)
    assert themes.tokens() is LIGHT
    assert LIGHT.panel in qapp.styleSheet()


def test_without_a_choice_the_systems_colours_count(qtbot: QtBot, light_theme: Theme) -> None:
    light_theme.choose(Scheme.SYSTEM)
    hints = QGuiApplication.styleHints()
    try:
        for system, expected in ((Qt.ColorScheme.Dark, DARK), (Qt.ColorScheme.Light, LIGHT)):
            hints.setColorScheme(system)
            if hints.colorScheme() is system:  # the offscreen platform may have none of its own
                assert light_theme.tokens is expected
    finally:
        hints.unsetColorScheme()


def test_a_chosen_scheme_is_deaf_to_the_system(light_theme: Theme) -> None:
    light_theme.choose(Scheme.DARK)
    light_theme._on_system_changed(Qt.ColorScheme.Light)
    assert light_theme.tokens is DARK


def test_text_is_13_px_with_figures_of_one_width_and_follows_the_scale(
    qapp: QApplication, light_theme: Theme
) -> None:
    assert qapp.font().pixelSize() == 13
    assert "tnum" in [tag.toString().data().decode() for tag in qapp.font().featureTags()]
    light_theme.set_scale(1.5)
    assert qapp.font().pixelSize() == 20
    assert themes.scaled(32) == 48


@pytest.mark.parametrize("scale", [1.0, 1.5, 3.0])
def test_the_style_sheet_has_no_place_left_unfilled(scale: float) -> None:
    for tokens in (LIGHT, DARK):
        sheet = build_stylesheet(tokens, scale=scale, mono="Some Mono")
        assert "{{" not in sheet
        assert sheet.count("{") == sheet.count("}")
        assert "Some Mono" in sheet


def test_a_role_set_later_is_looked_up_again(qtbot: QtBot) -> None:
    label = QLabel("12.00")
    qtbot.addWidget(label)
    label.show()
    before = label.fontInfo().pixelSize()
    themes.set_role(label, "role", "figure")
    assert label.fontInfo().pixelSize() > before


def test_every_widget_is_told_when_the_colours_change(qtbot: QtBot, light_theme: Theme) -> None:
    with qtbot.waitSignal(light_theme.changed):
        light_theme.choose(Scheme.DARK)
