"""The theme in force: palette, style sheet and sizes, following the system or a person's choice."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QGuiApplication, QPalette, QResizeEvent
from PySide6.QtWidgets import QApplication, QWidget

from keybench.ui.kit.preferences import Choice
from keybench.ui.kit.stylesheet import build_stylesheet
from keybench.ui.kit.tokens import CONTRAST_DARK, CONTRAST_LIGHT, DARK, LIGHT, Tokens
from keybench.words.language import _, ngettext

#: The height of text at a scale of 1. Every other length is given for text of this height, see `scaled`.
TEXT_PX: Final = 13
# A system font larger than this means that the person (or the system) asked for larger text:
# GNOME's own default is 11 points, which are 14.67 px on a 96 dpi screen, and the largest of the defaults.
USUAL_SYSTEM_FONT_PX: Final = 14.67
LARGEST_SCALE: Final = 3.0
#: How much larger everything is while somebody presents.
PRESENTATION: Final = 1.5
POINTS: Final = range(9, 19)
_POINTS_AN_INCH: Final = 72
#: Where a widget remembers its sizes at a scale of 1.
_SIZES: Final = "sizes"


class Scheme(enum.StrEnum):
    """Which colours a person chose."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"
    CONTRAST = "contrast"


#: The colours that a person chose, as the window remembers them.
SCHEME: Final = Choice(
    "appearance/scheme",
    _("Colours"),
    {
        Scheme.SYSTEM: _("As the system"),
        Scheme.LIGHT: _("Light"),
        Scheme.DARK: _("Dark"),
        Scheme.CONTRAST: _("High contrast"),
    },
    default=Scheme.SYSTEM,
)
AS_THE_SYSTEM: Final = "system"
#: The size of text that a person chose, in points.
TEXT_SIZE: Final = Choice(
    "appearance/text size",
    _("Text size"),
    {AS_THE_SYSTEM: _("As the system")}
    | {str(points): ngettext("{count} pt", "{count} pt", points) for points in POINTS},
    default=AS_THE_SYSTEM,
)


class Theme(QObject):
    """Puts the look on the application and keeps it in step with the system; no `scale` asks the system.

    Attributes:
        scheme: The choice; what it comes to is in `tokens`.
        text_size: The choice, a value of `TEXT_SIZE`; what it comes to is in `scale`.
        presenting: Whether an audience looks on: everything is larger, no value is drawn as it is.
    """

    changed = Signal()

    def __init__(
        self,
        app: QApplication,
        scheme: Scheme = Scheme.SYSTEM,
        scale: float | None = None,
        text_size: str = AS_THE_SYSTEM,
    ) -> None:
        super().__init__(app)
        self._app = app
        self.scheme = scheme
        self.text_size = text_size
        self.presenting = False
        self._system_scale = user_scale() if scale is None else scale
        self.tokens = LIGHT
        hints = app.styleHints()
        hints.colorSchemeChanged.connect(self._on_system_changed)
        hints.accessibility().contrastPreferenceChanged.connect(self._on_system_changed)
        self._apply()

    def size_options(self) -> list[str]:
        chosen = [] if self.text_size == AS_THE_SYSTEM else ["--text-size", self.text_size]
        return [*chosen, *(["--presentation"] if self.presenting else [])]

    @property
    def scale(self) -> float:
        scale = self._normal_scale * (PRESENTATION if self.presenting else 1.0)
        return min(scale, LARGEST_SCALE)

    @property
    def _normal_scale(self) -> float:
        if self.text_size == AS_THE_SYSTEM:
            return self._system_scale
        return int(self.text_size) * _pixels_a_point() / TEXT_PX

    def choose(self, scheme: Scheme) -> None:
        if scheme is not self.scheme:
            self.scheme = scheme
            self._apply()

    def choose_text_size(self, text_size: str) -> None:
        if text_size != self.text_size:
            self.text_size = text_size
            self._apply()

    def next_text_size(self, by: int) -> str:
        points = round(self._normal_scale * TEXT_PX / _pixels_a_point())
        wanted = min(max(points + by, POINTS[0]), POINTS[-1])
        # A system's own size may be beyond the largest: going on would be going back.
        return str(wanted) if (wanted - points) * by > 0 else self.text_size

    def present(self, *, presenting: bool) -> None:
        if presenting != self.presenting:
            self.presenting = presenting
            self._apply()

    def show_normal(self) -> None:
        if self.presenting or self.text_size != AS_THE_SYSTEM:
            self.presenting, self.text_size = False, AS_THE_SYSTEM
            self._apply()

    def set_scale(self, scale: float) -> None:
        self._system_scale, self.text_size, self.presenting = scale, AS_THE_SYSTEM, False
        self._apply()

    def _on_system_changed(self, _what: object) -> None:
        if self.scheme in {Scheme.SYSTEM, Scheme.CONTRAST}:
            self._apply()

    def _apply(self) -> None:
        hints = self._app.styleHints()
        self.tokens = tokens_of(
            self.scheme,
            dark=hints.colorScheme() is Qt.ColorScheme.Dark,
            contrast=hints.accessibility().contrastPreference() is Qt.ContrastPreference.HighContrast,
        )
        _in_force[:] = [self]
        # From one sheet to another Qt looks every widget up once for each of its ancestors; from none, once.
        self._app.setStyleSheet("")
        self._app.setFont(text_font(self.scale))
        self._app.setPalette(build_palette(self.tokens))
        mono = QFontInfo(mono_font(self.scale)).family()
        sheet = build_stylesheet(self.tokens, scale=self.scale, mono=mono)
        self._app.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            self._app.setStyleSheet(sheet)
        finally:
            self._app.restoreOverrideCursor()
        for widget in self._app.allWidgets():
            _fit(widget)
            widget.updateGeometry()  # a size that was asked for between the sheets is none of ours
        self.changed.emit()
        # What arranges itself by its width has another measure now, also where that stays as it is.
        for widget in self._app.allWidgets():
            self._app.sendEvent(widget, QResizeEvent(widget.size(), widget.size()))

    @contextmanager
    def undressed(self) -> Iterator[None]:
        """Put the style sheet on only when the first window has been put together.

        Qt looks a widget's whole subtree up again each time it gets another parent.
        """
        sheet = self._app.styleSheet()
        self._app.setStyleSheet("")
        try:
            yield
        finally:
            self._app.setStyleSheet(sheet)


_in_force: list[Theme] = []


def theme() -> Theme:
    if not _in_force:
        raise RuntimeError("no theme yet: make_application puts it on")
    return _in_force[0]


def tokens() -> Tokens:
    return theme().tokens


def scaled(pixels: float) -> int:
    """Return a length given for 13 px text at the user's scale, in whole pixels."""
    return round(pixels * theme().scale)


def keep_size(
    widget: QWidget,
    *,
    width: int | None = None,
    least_width: int | None = None,
    most_width: int | None = None,
    least_height: int | None = None,
) -> None:
    """Give a widget sizes that follow the text's, in pixels at 13 px; a second call replaces the first."""
    sizes = {
        "setFixedWidth": width,
        "setMinimumWidth": least_width,
        "setMaximumWidth": most_width,
        "setMinimumHeight": least_height,
    }
    widget.setProperty(_SIZES, {name: size for name, size in sizes.items() if size is not None})
    _fit(widget)


def keep_place(widget: QWidget) -> None:
    """Have a widget keep its room while it is hidden, so that nothing around it moves."""
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    widget.setSizePolicy(policy)


def _fit(widget: QWidget) -> None:
    sizes = widget.property(_SIZES)
    if isinstance(sizes, Mapping):
        for setter, pixels in sizes.items():
            getattr(widget, setter)(scaled(pixels))


def restyle(widget: QWidget) -> None:
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
    if widget.property(name) != value:
        widget.setProperty(name, value)
        restyle(widget)


def user_scale() -> float:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    return min(max(QFontInfo(font).pixelSize() / USUAL_SYSTEM_FONT_PX, 1.0), LARGEST_SCALE)


def text_font(scale: float) -> QFont:
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


def tokens_of(scheme: Scheme, *, dark: bool, contrast: bool) -> Tokens:
    match scheme:
        case Scheme.LIGHT:
            return LIGHT
        case Scheme.DARK:
            return DARK
        case Scheme.SYSTEM if not contrast:
            return DARK if dark else LIGHT
        case _:
            return CONTRAST_DARK if dark else CONTRAST_LIGHT


def _pixels_a_point() -> float:
    return QGuiApplication.primaryScreen().logicalDotsPerInch() / _POINTS_AN_INCH
