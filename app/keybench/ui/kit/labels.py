"""Labels, tool tips and buttons, which show every text as it is.

Qt takes what looks like markup for markup, and opens the files that it names. Names, devices and messages
come from people and gateways, so every label is a `Label` and every tool tip is set by `set_tip`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, Literal

from PySide6 import QtGui
from PySide6.QtCore import QPoint, QSize, Qt, SignalInstance
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionFrame,
    QToolTip,
    QWidget,
)

from keybench.ui.kit.accessibility import announce
from keybench.ui.kit.theme import set_role, theme
from keybench.words.language import _

#: What the style sheet knows labels as; empty for a usual one.
Role = Literal["", "title", "heading", "strong", "figure", "dim", "field", "mono", "afar"]

_NONE: Final = "\N{EN DASH}"
_CLICK_TO_COPY: Final = _("Click to copy")
#: What Qt leaves free at both ends of a line's text.
_LINE_MARGIN_PX: Final = 2
#: Unseen, and part of no tag or character reference.
_JOINER: Final = "\u2060"
#: Unseen, and a place to break a line.
_BREAK: Final = "\u200b"
#: Words of so many characters can be broken, after so many each; Qt breaks those with hyphens there.
_LONG: Final = re.compile(r"[^\s-]{25,}")
_PIECE: Final = 12


def literal(text: str) -> str:
    """Return a text for a place where Qt guesses whether it is markup, so that it is shown as it is."""
    if not QtGui.Qt.mightBeRichText(text):
        return text
    return text.replace("<", f"<{_JOINER}").replace("&", f"&{_JOINER}")


def as_the_window(alignment: Qt.AlignmentFlag) -> Qt.AlignmentFlag:
    """Return an alignment that is mirrored where the window runs from right to left, whatever a text's letters are."""
    return QStyle.visualAlignment(QtGui.QGuiApplication.layoutDirection(), alignment)


def set_tip(widget: QWidget, text: str) -> None:
    widget.setToolTip(literal(text))


def breakable(text: str) -> str:
    return _LONG.sub(lambda word: _BREAK.join(re.findall(f".{{1,{_PIECE}}}", word[0])), text)


def explain_button(button: QPushButton, text: str) -> None:
    set_tip(button, text)
    button.setAccessibleDescription(text)


class Label(QLabel):
    """A label that shows its text as it is."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        Label.setAlignment(self, self.alignment())
        QLabel.setText(self, text)  # a subclass may not be ready for its own

    def setAlignment(self, alignment: Qt.AlignmentFlag) -> None:
        """Align it as the window runs, and not as the text's own letters do."""
        super().setAlignment(as_the_window(alignment))

    def show_text(self, text: str) -> None:
        """Show a text, and take room only while there is one."""
        self.setText(text)
        self.setVisible(bool(text))


def label(text: str = "", role: Role = "", *, tone: str = "") -> Label:
    made = Label(text)
    made.setProperty("role", role)
    made.setProperty("tone", tone)
    return made


def prose(text: str = "", role: Role = "", *, tone: str = "", selectable: bool = False) -> Label:
    """Return a label of as many lines as it needs; the mouse can copy from a `selectable` one."""
    made = label(text, role, tone=tone)
    made.setWordWrap(True)
    made.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    if selectable:
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


class WrappingLabel(Label):
    """A label that would like one line, and takes more where there is no room for that."""

    def __init__(self, text: str = "", role: Role = "") -> None:
        super().__init__(text)
        self.setProperty("role", role)
        self.setWordWrap(True)

    def sizeHint(self) -> QSize:
        self.ensurePolished()
        margins = self.contentsMargins()
        wide = self.fontMetrics().size(0, self.text()).width() + margins.left() + margins.right()
        return QSize(wide, super().minimumSizeHint().height())


class ElidedLabel(Label):
    """A label of one line that is cut short where there is no room, but for a `least` number of characters.

    Its text, and so its accessible name, is the whole text; while it is cut, that is its tool tip, too.
    """

    def __init__(
        self, text: str = "", role: Role = "", *, least: int = 4, parent: QWidget | None = None
    ) -> None:
        super().__init__(text, parent)
        self._least = least
        self._own_tip = ""
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    @property
    def is_cut(self) -> bool:
        return self._shown() != self.text()

    def setText(self, text: str) -> None:
        super().setText(text)
        self._update_tip()

    def minimumSizeHint(self) -> QSize:
        whole = super().minimumSizeHint()
        return QSize(min(whole.width(), self.fontMetrics().averageCharWidth() * self._least), whole.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_tip()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.is_cut:
            super().paintEvent(event)
            return
        align = QStyle.visualAlignment(self.layoutDirection(), self.alignment())
        painter = QPainter(self)
        # "…" is where the text's letters end.
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        self.style().drawItemText(
            painter,
            self.contentsRect(),
            align.value,
            self.palette(),
            self.isEnabled(),
            self._shown(),
            self.foregroundRole(),
        )
        painter.end()

    def _shown(self) -> str:
        width = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, width)

    def setToolTip(self, text: str) -> None:
        self._own_tip = text
        self._update_tip()

    def _update_tip(self) -> None:
        whole = literal(self.text()) if self.is_cut else ""
        super().setToolTip("\n".join(part for part in (whole, self._own_tip) if part))


class ElidedLine(QLineEdit):
    """A field of one line; what it holds is cut with "…" unless somebody is at it."""

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        room = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        room.adjust(_LINE_MARGIN_PX, 0, -_LINE_MARGIN_PX, 0)
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        if self.hasFocus() or shown == self.text():
            super().paintEvent(event)
            return
        align = QStyle.visualAlignment(
            self.layoutDirection(), self.alignment() | Qt.AlignmentFlag.AlignVCenter
        )
        painter, text = QPainter(self), QtGui.QPalette.ColorRole.Text
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)  # as above
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, option, painter, self)
        self.style().drawItemText(painter, room, align.value, self.palette(), self.isEnabled(), shown, text)
        painter.end()


class Identifier(ElidedLine):
    """An identifier that a click copies, as Enter and Ctrl+C do; a part of it can be selected and copied alone.

    It is as plain as a label and can't be changed. It keeps room for a `usual` one, or for the whole if that is
    None; where it is too long it ends with an ellipsis, and its tool tip has the whole; with the keyboard in
    it, it scrolls.
    """

    def __init__(self, name: str, usual: str | None = "KB-0000-0000-0000") -> None:
        super().__init__()
        self._usual = usual
        self.setReadOnly(True)
        self.setFrame(False)
        self.setAlignment(as_the_window(self.alignment()))
        self.setProperty("role", "mono")
        self.setAccessibleName(name)
        self.show_identifier("")

    def show_identifier(self, text: str) -> None:
        if self.text() == (text or _NONE):
            return
        self.setText(text or _NONE)
        self.setCursorPosition(0)
        self.updateGeometry()
        self.setCursor(Qt.CursorShape.PointingHandCursor if text else Qt.CursorShape.ArrowCursor)
        set_tip(self, f"{text}\n{_CLICK_TO_COPY}" if text else "")
        self.setAccessibleDescription(_CLICK_TO_COPY if text else "")

    def copy_whole(self) -> None:
        if self.text() != _NONE:
            QtGui.QGuiApplication.clipboard().setText(self.text())
            QToolTip.showText(self.mapToGlobal(QPoint(0, self.height() // 2)), _("Copied"), self)
            announce(self, _("Copied"))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton and not self.hasSelectedText():
            self.copy_whole()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}
        copies = event.matches(QtGui.QKeySequence.StandardKey.Copy) and not self.hasSelectedText()
        if copies or (event.key() in keys and not event.modifiers()):
            self.copy_whole()
            event.accept()
        else:
            super().keyPressEvent(event)

    def minimumSizeHint(self) -> QSize:
        kept = self.text() if self._usual is None else self._usual
        width = self.fontMetrics().horizontalAdvance(kept) + 8
        return QSize(width, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        self.ensurePolished()
        least = self.minimumSizeHint()
        whole = self.fontMetrics().horizontalAdvance(self.text()) + 8
        return QSize(max(least.width(), whole), least.height())


class MessageLabel(Label):
    """A label for messages `of` a widget, announced to screen readers; it keeps room for `lines`, so nothing jumps."""

    def __init__(self, lines: int = 0, role: Role = "", *, of: QWidget | None = None) -> None:
        super().__init__()
        self._of = of or self
        self.setProperty("role", role)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._lines = lines
        self._reserve()
        theme().changed.connect(self._reserve)

    def say(self, text: str, tone: str = "") -> None:
        """Show a message in one of `tokens.TONES` and announce it; an empty text takes the last one away."""
        self.show_quietly(text, tone)
        if text:
            announce(self._of, text)

    def clear(self) -> None:
        self.show_quietly("")

    def show_quietly(self, text: str, tone: str = "") -> None:
        if text or self._of.accessibleDescription() == self.text():  # else it is somebody else's by now
            self._of.setAccessibleDescription(text)
        self.setText(text)
        set_role(self, "tone", tone if text else "")

    def _reserve(self) -> None:
        self.setMinimumHeight(self._lines * self.fontMetrics().lineSpacing())


class Pill(Label):
    """A label that shows a state by word and colour."""

    def __init__(self, text: str = "", tone: str = "dim") -> None:
        super().__init__()
        self.setProperty("role", "pill")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.show_state(text, tone)

    def show_state(self, text: str, tone: str) -> None:
        """Show another state in one of `tokens.TONES`; an empty text shows nothing."""
        self.setText(text)
        set_role(self, "tone", tone if text else "")

    def width_of(self, text: str) -> int:
        like = Pill(text)  # its own hint is never less than the width it was given before
        like.setProperty("large", self.property("large"))
        return like.sizeHint().width()


class SteadyButton(QPushButton):
    """A button with room for `others` it comes to show, such as ``Testing…``, so that what stands beside it stays."""

    def __init__(self, text: str = "", others: Sequence[str] = ()) -> None:
        super().__init__(text)
        self._texts = (text, *others) if others else ()

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        if not self._texts:  # most have one text, and layouts ask often
            return hint
        metrics, flags = self.fontMetrics(), Qt.TextFlag.TextShowMnemonic.value  # as Qt measures a button
        longest = max(metrics.size(flags, one).width() for one in self._texts)
        spare = longest - metrics.size(flags, self.text()).width()
        return QSize(hint.width() + max(spare, 0), hint.height())


def button(
    text: str,
    slot: Callable[..., object] | SignalInstance | None = None,
    *,
    tone: str = "plain",
    name: str = "",
    hint: str = "",
    others: Sequence[str] = (),
) -> QPushButton:
    """Return a push button.

    Args:
        tone: ``primary``, ``danger``, ``plain`` or ``quiet``.
        hint: What it does, as tool tip and accessible description.
        others: What it shows for a while; it keeps the room for them.
    """
    made = SteadyButton(text, others)
    made.setAccessibleName(name or text)
    made.setProperty("tone", tone)
    made.setAutoDefault(False)
    if hint:
        explain_button(made, hint)
    if slot is not None:
        made.clicked.connect(slot)
    return made


def line() -> QFrame:
    made = QFrame()
    made.setProperty("role", "line")
    made.setFixedHeight(1)
    return made
