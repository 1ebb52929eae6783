"""The theme: follows the system or a choice, and reaches every widget."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPalette, QResizeEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from keybench.ui.kit import theme as themes
from keybench.ui.kit.stylesheet import build_stylesheet
from keybench.ui.kit.theme import Scheme, Theme
from keybench.ui.kit.tokens import CONTRAST_DARK, CONTRAST_LIGHT, DARK, LIGHT, Tokens


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
    for tokens in (LIGHT, DARK, CONTRAST_LIGHT, CONTRAST_DARK):
        sheet = build_stylesheet(tokens, scale=scale, mono="Some Mono")
        assert "{{" not in sheet
        assert sheet.count("{") == sheet.count("}")
        assert "Some Mono" in sheet


@pytest.mark.parametrize(
    ("scheme", "system", "expected"),
    [
        (Scheme.SYSTEM, "", LIGHT),
        (Scheme.SYSTEM, "dark", DARK),
        (Scheme.SYSTEM, "contrast", CONTRAST_LIGHT),
        (Scheme.SYSTEM, "dark, contrast", CONTRAST_DARK),
        (Scheme.CONTRAST, "", CONTRAST_LIGHT),
        (Scheme.CONTRAST, "dark", CONTRAST_DARK),
        (Scheme.LIGHT, "dark, contrast", LIGHT),
        (Scheme.DARK, "contrast", DARK),
    ],
)
def test_high_contrast_is_a_choice_and_follows_the_system(
    scheme: Scheme, system: str, expected: Tokens
) -> None:
    assert themes.tokens_of(scheme, dark="dark" in system, contrast="contrast" in system) is expected


@pytest.mark.thin(5)
@pytest.mark.parametrize("points", themes.POINTS)
def test_a_size_of_text_reaches_everything_at_once(
    qapp: QApplication, qtbot: QtBot, light_theme: Theme, points: int
) -> None:
    field = QLineEdit()
    qtbot.addWidget(field)
    field.setWindowFlag(Qt.WindowType.Window)
    themes.keep_size(field, least_width=130)
    field.show()
    light_theme.choose_text_size(str(points))
    pixels = round(points * QGuiApplication.primaryScreen().logicalDotsPerInch() / 72)
    assert abs(qapp.font().pixelSize() - pixels) <= 1
    assert field.fontInfo().pixelSize() == qapp.font().pixelSize()
    assert field.minimumWidth() == round(130 * light_theme.scale)
    assert field.sizeHint().height() >= field.fontMetrics().height()


def test_text_goes_no_smaller_and_no_larger_than_its_range(light_theme: Theme) -> None:
    assert light_theme.next_text_size(1) == "11"  # 13 px are 9.75 pt
    assert light_theme.next_text_size(-1) == "9"
    light_theme.choose_text_size("18")
    assert light_theme.next_text_size(1) == "18"
    light_theme.choose_text_size("9")
    assert light_theme.next_text_size(-1) == "9"


def test_larger_text_is_never_smaller_than_a_system_asks_for(light_theme: Theme) -> None:
    light_theme.set_scale(2.5)
    assert light_theme.next_text_size(1) == themes.AS_THE_SYSTEM
    assert light_theme.next_text_size(-1) == "18"


def test_presenting_makes_everything_larger_and_gives_the_normal_size_back(
    qapp: QApplication, light_theme: Theme
) -> None:
    light_theme.choose_text_size("12")
    normal = qapp.font().pixelSize()
    light_theme.present(presenting=True)
    assert qapp.font().pixelSize() == pytest.approx(normal * themes.PRESENTATION, abs=1)
    assert light_theme.next_text_size(1) == "13"  # the size that comes back
    light_theme.present(presenting=False)
    assert qapp.font().pixelSize() == normal
    assert light_theme.text_size == "12"


def test_what_arranges_itself_by_its_width_does_so_in_another_size_of_text(
    qtbot: QtBot, light_theme: Theme
) -> None:
    asked: list[int] = []

    class Arranged(QWidget):
        def resizeEvent(self, event: QResizeEvent) -> None:
            asked.append(event.size().width())

    widget = Arranged()
    qtbot.addWidget(widget)
    widget.resize(300, 100)
    widget.show()
    asked.clear()
    light_theme.choose_text_size("14")
    assert asked == [300]


def test_a_role_set_later_is_looked_up_again(qtbot: QtBot) -> None:
    label = QLabel("12.00")
    qtbot.addWidget(label)
    label.show()
    before = label.fontInfo().pixelSize()
    themes.set_role(label, "role", "figure")
    assert label.fontInfo().pixelSize() > before
