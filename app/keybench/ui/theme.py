"""The theme in force: palette, style sheet and fonts, following the system's colours or a person's choice."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from keybench.ui.preferences import Choice
from keybench.ui.stylesheet import build_stylesheet
from keybench.ui.tokens import DARK, LIGHT, Tokens
from keybench.words.language import _

TEXT_PX: Final = 13
# A system font larger than this means that the person (or the system) asked for larger text:
# GNOME's own default is 11 points, which are 14.67 px on a 96 dpi screen, and the largest of the defaults.
USUAL_SYSTEM_FONT_PX: Final = 14.67
LARGEST_SCALE: Final = 3.0


class Scheme(enum.StrEnum):
    """Which colours a person chose."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


#: The colours that a person chose, as the window remembers them.
SCHEME: Final = Choice(
    "appearance/scheme",
    _("Colours"),
    {Scheme.SYSTEM: _("As the system"), Scheme.LIGHT: _("Light"), Scheme.DARK: _("Dark")},
    default=Scheme.SYSTEM,
)


class Theme(QObject):
    """Puts the look on the application and keeps it in step with the system.

    Signals:
        changed: Other colours or sizes are in force.
    """

    changed = Signal()

    def __init__(self, app: QApplication, scheme: Scheme = Scheme.SYSTEM, scale: float | None = None) -> None:
        super().__init__(app)
        self._app = app
        self._scheme = scheme
        self.tokens = LIGHT
        self.scale = user_scale() if scale is None else scale
        app.styleHints().colorSchemeChanged.connect(self._on_system_changed)
        self._apply()

    @property
    def scheme(self) -> Scheme:
        """The choice; what it comes to is in `tokens`."""
        return self._scheme

    def choose(self, scheme: Scheme) -> None:
        """Use `scheme` from now on."""
        if scheme is not self._scheme:
            self._scheme = scheme
            self._apply()

    def set_scale(self, scale: float) -> None:
        """Make text and controls `scale` times their usual size."""
        self.scale = scale
        self._apply()

    def _on_system_changed(self, _scheme: Qt.ColorScheme) -> None:
        if self._scheme is Scheme.SYSTEM:
            self._apply()

    def _apply(self) -> None:
        self.tokens = _tokens_of(self._scheme, self._app)
        _in_force[:] = [self]
        self._app.setFont(text_font(self.scale))
        self._app.setPalette(build_palette(self.tokens))
        mono = QFontInfo(mono_font(self.scale)).family()
        self._app.setStyleSheet(build_stylesheet(self.tokens, scale=self.scale, mono=mono))
        self.changed.emit()

    @contextmanager
    def undressed(self) -> Iterator[None]:
        """Put the style sheet on only when the first window has been put together.

        Qt looks a widget's whole subtree up again each time it gets another parent. This is for the time
        before the first widget alone: taking the sheet away deletes Qt's style for sheets, and widgets that
        have been dressed would still point there.
        """
        sheet = self._app.styleSheet()
        self._app.setStyleSheet("")
        try:
            yield
        finally:
            self._app.setStyleSheet(sheet)


_in_force: list[Theme] = []


def theme() -> Theme:
    """Return the theme in force, for what paints itself.

    Raises:
        RuntimeError: None was put on the application yet.
    """
    if not _in_force:
        raise RuntimeError("no theme yet: make_application puts it on")
    return _in_force[0]


def tokens() -> Tokens:
    """Return the colours in force."""
    return theme().tokens


def scaled(pixels: float) -> int:
    """Return a length given for 13 px text at the user's scale, in whole pixels."""
    return round(pixels * theme().scale)


def restyle(widget: QWidget) -> None:
    """Have the style sheet looked up again after a dynamic property changed."""
    if not widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
        return  # it is looked up for the first time when the widget is shown
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)
    for child in widget.findChildren(QWidget):
        style.unpolish(child)
        style.polish(child)
    widget.update()


def set_role(widget: QWidget, name: str, value: str) -> None:
    """Set a dynamic property the style sheet knows, and restyle if it changed."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        restyle(widget)


def user_scale() -> float:
    """Return how much larger than usual the system's font is: 1.0 to 3.0."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    return min(max(QFontInfo(font).pixelSize() / USUAL_SYSTEM_FONT_PX, 1.0), LARGEST_SCALE)


def text_font(scale: float) -> QFont:
    """Return the platform's own font at 13 px times `scale`, with figures of one width."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setPixelSize(round(TEXT_PX * scale))
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def mono_font(scale: float) -> QFont:
    """Return the platform's fixed font, for identifiers, at 12 px times `scale`."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPixelSize(round((TEXT_PX - 1) * scale))
    return font


def build_palette(colours: Tokens) -> QPalette:
    """Return the palette of a set of colours, for what no style sheet reaches."""
    palette = QPalette()
    role = QPalette.ColorRole
    for which, colour in {
        role.Window: colours.background,
        role.Base: colours.panel,
        role.AlternateBase: colours.well,
        role.Button: colours.panel,
        role.ToolTipBase: colours.panel,
        role.WindowText: colours.ink,
        role.Text: colours.ink,
        role.ButtonText: colours.ink,
        role.ToolTipText: colours.ink,
        role.BrightText: colours.bad,
        role.Highlight: colours.accent,
        role.HighlightedText: colours.on_tone,
        role.Accent: colours.accent,
        role.Link: colours.accent,
        role.LinkVisited: colours.unknown,
        role.PlaceholderText: colours.dim,
        role.Mid: colours.line,
        role.Midlight: colours.line,
        role.Dark: colours.field_line,
        role.Light: colours.panel,
        role.Shadow: colours.background,
    }.items():
        palette.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(colours.faint))
    return palette


def _tokens_of(scheme: Scheme, app: QApplication) -> Tokens:
    if scheme is Scheme.SYSTEM:
        return DARK if app.styleHints().colorScheme() is Qt.ColorScheme.Dark else LIGHT
    return DARK if scheme is Scheme.DARK else LIGHT
