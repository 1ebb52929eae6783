"""Request and answer of one exchange as text: side by side, or in tabs where there is little room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QColor, QGuiApplication, QResizeEvent, QTextCursor
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from keybench.core.exchange import Exchange
from keybench.ui.actions import Action, ActionButton
from keybench.ui.sale.exchange_text import (
    Hit,
    Message,
    Side,
    answer_facts,
    answer_of,
    pretty,
    request_facts,
    request_of,
)
from keybench.ui.session import Notice, Session
from keybench.ui.theme import scaled, theme, tokens
from keybench.ui.widgets.labels import ElidedLabel, button, label
from keybench.ui.widgets.segments import Segments
from keybench.words.language import _, ngettext

#: From this width on, for 13 px text, both texts stand side by side.
SIDE_BY_SIDE_PX: Final = 560
_LOWEST_PX: Final = 96
_NO_BODY: Final = _("Without a body.")


class MessageView(QFrame):
    """One of the two texts below its title, with its headers folded to a button until they are wanted.

    Args:
        name: What it is: its title, and the text's accessible name.
        copy: The action that copies its body.
        others: What else of it can be copied; both are then in a menu.

    Attributes:
        text: The text; it can be selected and copied.
        headers: Folds the headers and unfolds them.
    """

    def __init__(self, name: str, copy: QAction, others: Sequence[QAction] = ()) -> None:
        super().__init__()
        self._name = name
        self._message = Message((), (), "")
        self.setProperty("role", "card")
        self.facts = ElidedLabel("", "dim", least=6)
        self.headers = button("", tone="quiet")
        self.headers.setCheckable(True)
        self.headers.toggled.connect(self._on_fold)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setProperty("role", "mono")
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setAccessibleName(name)
        self.text.setPlaceholderText(_NO_BODY)
        self.text.setTabChangesFocus(True)
        top = QHBoxLayout()
        top.setContentsMargins(10, 0, 2, 0)
        top.setSpacing(2)
        top.addWidget(label(name, "strong"), 1)
        top.addWidget(self.headers)
        top.addWidget(self._copy_button(copy, others))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2, 2, 2, 2)
        layout.setSpacing(0)
        layout.addLayout(top)
        self.facts.setContentsMargins(8, 0, 8, 2)
        layout.addWidget(self.facts)
        layout.addWidget(self.text, 1)

    @property
    def body(self) -> str:
        """The body as it is laid out."""
        return self._message.body

    def show_message(self, message: Message, facts: str) -> None:
        """Show another text, from its beginning, with a line of facts above it."""
        self._message = message
        self.facts.setText(facts)
        self.headers.setVisible(bool(message.headers))
        self._name_headers()
        self._fill()

    def mark(self, hits: Sequence[Hit], current: Hit | None, *, go_there: bool) -> None:
        """Mark matches, the current one the most; one that is in folded headers unfolds them.

        Args:
            hits: Those in this text.
            current: The current one, or None.
            go_there: Whether to bring the current one into view, which takes away what is selected there.
        """
        if go_there and current in hits and current and self._message.is_hidden(current.start):
            self.headers.setChecked(True)
        is_open = self.headers.isChecked()
        seen = [hit for hit in hits if is_open or not self._message.is_hidden(hit.start)]
        self.text.setExtraSelections([self._marking(hit, is_current=hit == current) for hit in seen])
        if go_there and current is not None and current in seen:
            cursor = self._cursor(current)
            cursor.setPosition(cursor.selectionStart())
            self.text.setTextCursor(cursor)
            self.text.centerCursor()

    def _copy_button(self, copy: QAction, others: Sequence[QAction]) -> QPushButton:
        if not others:
            return ActionButton(copy, "quiet", text=_("Copy body"))
        made = button(_("Copy…"), tone="quiet", name=_("Copy the request…"))
        menu = QMenu(made)
        menu.addActions([copy, *others])
        made.setMenu(menu)
        return made

    def _on_fold(self) -> None:
        self._name_headers()
        at = self.text.verticalScrollBar().value()
        self._fill()
        self.text.verticalScrollBar().setValue(at)

    def _fill(self) -> None:
        is_open = self.headers.isChecked()
        self.text.setExtraSelections([])
        self.text.setPlainText(self._message.whole if is_open else self._message.folded)

    def _name_headers(self) -> None:
        count, is_open = len(self._message.headers), self.headers.isChecked()
        words = ngettext("{count} header", "{count} headers", count).format(count=count)
        self.headers.setText(f"{'▾' if is_open else '▸'} {words}")
        self.headers.setAccessibleName(
            (_("{name}: hide {words}") if is_open else _("{name}: show {words}")).format(
                name=self._name, words=words
            )
        )

    def _cursor(self, hit: Hit) -> QTextCursor:
        is_open = self.headers.isChecked()
        start = hit.start if is_open else self._message.folded_place(hit.start)
        cursor = QTextCursor(self.text.document())
        cursor.setPosition(start)
        cursor.setPosition(start + hit.length, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _marking(self, hit: Hit, *, is_current: bool) -> QTextEdit.ExtraSelection:
        colours = tokens()
        marking = QTextEdit.ExtraSelection()
        marking.cursor = self._cursor(hit)
        shape = marking.format
        shape.setBackground(QColor(colours.warning if is_current else colours.soft("warning")))
        shape.setForeground(QColor(colours.on_tone if is_current else colours.ink))
        marking.format = shape
        return marking


class ExchangeViews(QWidget):
    """Request and answer of one exchange.

    Args:
        session: Reports what was copied.
        copies: Actions that copy the request in other forms.

    Attributes:
        bodies: The actions that copy the request's and the answer's body.
    """

    def __init__(self, session: Session, copies: Sequence[QAction]) -> None:
        super().__init__()
        self._session = session
        self._shown: tuple[Exchange, str] | None = None
        self.bodies = (
            Action(self, "exchange.copy_request_body", self._on_copy_request, self._has_request_body),
            Action(self, "exchange.copy_answer_body", self._on_copy_answer, self._has_answer_body),
        )
        self.request = MessageView(_("Request"), self.bodies[0], copies)
        self.answer = MessageView(_("Answer"), self.bodies[1])
        self._sides = {Side.REQUEST: self.request, Side.ANSWER: self.answer}
        self.tabs = Segments(
            [(Side.REQUEST.value, _("Request")), (Side.ANSWER.value, _("Answer"))],
            name=_("Request or answer"),
        )
        self.tabs.choose(Side.ANSWER.value)
        self.tabs.changed.connect(self._arrange)
        both = QHBoxLayout()
        both.setSpacing(10)
        both.addWidget(self.request, 1)
        both.addWidget(self.answer, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.tabs, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addLayout(both, 1)
        theme().changed.connect(self._arrange)
        self._arrange()

    def show_exchange(self, exchange: Exchange, key: str = "") -> bool:
        """Show an exchange and tell whether it is another; the same stays where it is scrolled to.

        Args:
            exchange: Which.
            key: The name of the key it was made with; empty if that isn't known.
        """
        if (exchange, key) == self._shown:
            return False
        self._shown = exchange, key
        self.request.show_message(request_of(exchange, key), request_facts(exchange))
        self.answer.show_message(answer_of(exchange), answer_facts(exchange))
        for action in self.bodies:
            action.refresh()
        return True

    def mark(self, hits: Sequence[Hit], current: Hit | None, *, go_there: bool) -> None:
        """Mark matches; see `MessageView.mark`."""
        if go_there and current:
            self.tabs.choose(current.side.value)
        for side, view in self._sides.items():
            view.mark([hit for hit in hits if hit.side is side], current, go_there=go_there)

    def minimumSizeHint(self) -> QSize:
        """Return the width of one text: in tabs no more is needed."""
        widest = max(view.minimumSizeHint().width() for view in self._sides.values())
        return QSize(max(widest, self.tabs.sizeHint().width()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show both texts where there is room, else the one that is chosen."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        both = self.width() >= scaled(SIDE_BY_SIDE_PX)
        self.tabs.setVisible(not both)
        for side, view in self._sides.items():
            view.setVisible(both or self.tabs.value == side.value)
            view.text.setMinimumHeight(scaled(_LOWEST_PX))

    def _has_request_body(self) -> bool:
        return bool(self._shown and self._shown[0].request_body)

    def _has_answer_body(self) -> bool:
        return bool(self._shown and self._shown[0].response_body)

    def _on_copy_request(self) -> None:
        if self._shown:
            self._copy(self._shown[0].request_body, _("Copied the request's body"))

    def _on_copy_answer(self) -> None:
        if self._shown:
            self._copy(self._shown[0].response_body, _("Copied the answer's body"))

    def _copy(self, body: str, title: str) -> None:
        QGuiApplication.clipboard().setText(pretty(body))
        self._session.notify(Notice("info", title, topic="copied"))
