"""The rail of pages at the window's edge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QStyle, QWidget

from keybench.core.environments.environment import EnvironmentKind
from keybench.ui.kit.actions import key_names
from keybench.ui.kit.boxes import in_column
from keybench.ui.kit.icons import line_pixmap
from keybench.ui.kit.labels import set_tip
from keybench.ui.kit.theme import scaled, set_role, theme, tokens
from keybench.ui.kit.tokens import Tone, tone_of_kind
from keybench.words.language import _

if TYPE_CHECKING:
    from collections.abc import Callable

    from keybench.ui.shared.attention import PageCount
    from keybench.ui.shared.session import Session

ICON_PX = 20
TEXT_PX = 11
HEIGHT_PX = 54
BADGE_PX = 16
BADGE_TEXT_PX = 10
MOST_SHOWN = 99
#: How low a button can be made: it then shows its name alone.
LOWEST_PX = 26
#: How wide the rail is at the least; it is wider where a word of a name is. The margins are the buttons' and its own.
WIDTH_PX = 80
_BESIDE_PX = 15
_WRAPPED = Qt.AlignmentFlag.AlignCenter.value | Qt.TextFlag.TextWordWrap.value


@dataclass(frozen=True, slots=True)
class PageSpec:
    """A page of the window, which `factory` makes within the widget it is given the first time it is visited."""

    id: str
    title: str
    icon: str
    factory: Callable[[Session, QWidget], QWidget]
    at_end: bool = False


class RailButton(QPushButton):
    """A toggle button with its icon above its name.

    A push button and not a tool button: only that one is told to screen readers as one of a group.
    """

    def __init__(self, page: PageSpec, tip: str) -> None:
        super().__init__()  # it paints its name itself, where the style would put it beside the icon
        self.page = page
        self.setAccessibleName(page.title)
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self._tone: Tone = "practice"
        self._tip = tip
        self.show_count(None)

    def show_count(self, count: PageCount | None) -> None:
        self._count = count
        self.setAccessibleDescription(count.words if count else "")
        set_tip(self, "\n".join([self._tip, count.words, count.where] if count else [self._tip]))
        self.update()

    def show_tone(self, tone: Tone) -> None:
        self._tone = tone
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(64), scaled(HEIGHT_PX) + self._more_lines())

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(64), scaled(LOWEST_PX) + self._more_lines())

    def words_width(self) -> int:
        metrics = QFontMetrics(self._font(bold=True))
        return max(map(metrics.horizontalAdvance, self.page.title.split()))

    def _more_lines(self) -> int:
        """Return how much higher the name is than one line."""
        metrics, room = QFontMetrics(self._font(bold=True)), QRect(0, 0, max(self.width(), scaled(64)), 0)
        return metrics.boundingRect(room, _WRAPPED, self.page.title).height() - metrics.height()

    def _font(self, *, bold: bool) -> QFont:
        font = QFont(self.font())
        font.setPixelSize(scaled(TEXT_PX))
        font.setBold(bold)
        return font

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        colour = tokens().tone(self._tone if self.isChecked() else "dim")
        side, line = scaled(ICON_PX), scaled(TEXT_PX + 6) + self._more_lines()
        words = self.rect()
        if self.height() >= side + line + scaled(3):
            top = (self.height() - side - line - scaled(3)) // 2
            area = QRect((self.width() - side) // 2, top, side, side)
            painter.drawPixmap(area, line_pixmap(self.page.icon, colour, side))
            words = QRect(0, top + side + scaled(3), self.width(), line)
        painter.setFont(self._font(bold=self.isChecked()))
        painter.setPen(QColor(colour))
        painter.drawText(words, _WRAPPED, self.page.title)
        if self._count:
            self._paint_count(painter, self._count)
        painter.end()

    def _paint_count(self, painter: QPainter, count: PageCount) -> None:
        font = QFont(self.font())
        font.setPixelSize(scaled(BADGE_TEXT_PX))
        font.setBold(True)
        painter.setFont(font)
        text = str(count.count) if count.count <= MOST_SHOWN else f"{MOST_SHOWN}+"
        height = scaled(BADGE_PX)
        width = max(height, painter.fontMetrics().horizontalAdvance(text) + scaled(8))
        left = min(self.width() // 2 + scaled(ICON_PX) // 2, self.width() - width - scaled(3))
        badge = QStyle.visualRect(self.layoutDirection(), self.rect(), QRect(left, scaled(3), width, height))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens().tone(count.tone)))
        painter.drawRoundedRect(badge, height / 2, height / 2)
        painter.setPen(QColor(tokens().on_tone))
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, text)


class Rail(QFrame):
    """Toggle buttons, one a page; the arrow keys move along them, and `chosen` tells a page's id."""

    chosen = Signal(str)

    def __init__(self, pages: Sequence[PageSpec]) -> None:
        super().__init__()
        self.setObjectName("rail")
        self.setAccessibleName(_("Pages"))
        self.buttons: dict[str, RailButton] = {}
        for number, page in enumerate(pages, start=1):
            tip = f"{page.title} ({key_names(f'Ctrl+{number}')})"
            button = self.buttons[page.id] = RailButton(page, tip)
            button.toggled.connect(self._on_toggled)
        first = [self.buttons[page.id] for page in pages if not page.at_end]
        last = [self.buttons[page.id] for page in pages if page.at_end]
        in_column(*first, None, *last, within=self, margins=(6, 10, 6, 10), spacing=4)
        self._fit()
        theme().changed.connect(self._fit)
        self.buttons[pages[0].id].setChecked(True)
        self.show_kind(EnvironmentKind.PRACTICE)

    def _fit(self) -> None:
        words = max(one.words_width() for one in self.buttons.values())
        self.setFixedWidth(max(scaled(WIDTH_PX), words + _BESIDE_PX))

    def show_kind(self, kind: EnvironmentKind) -> None:
        set_role(self, "tone", tone_of_kind(kind))
        for button in self.buttons.values():
            button.show_tone(tone_of_kind(kind))

    def choose(self, page_id: str) -> None:
        self.buttons[page_id].setChecked(True)

    def show_counts(self, counts: Mapping[str, PageCount]) -> None:
        for page_id, button in self.buttons.items():
            button.show_count(counts.get(page_id))

    def _on_toggled(self, down: bool) -> None:  # noqa: FBT001 - the signal's own shape
        button = self.sender()
        if not isinstance(button, RailButton):
            return
        # Tab comes to the page that is shown; from there the arrow keys go on.
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus if down else Qt.FocusPolicy.ClickFocus)
        if down:
            self.chosen.emit(button.page.id)
