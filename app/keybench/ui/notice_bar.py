"""The one place where messages appear: over the window's lower edge, so that nothing moves for them."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from keybench.core.errors import KeybenchError
from keybench.ui.accessibility import announce
from keybench.ui.icons import line_pixmap
from keybench.ui.session import Notice, Session
from keybench.ui.theme import scaled, set_role, tokens
from keybench.ui.widgets.labels import Label, button, label, set_tip
from keybench.words.explain import explain
from keybench.words.language import _, ngettext

WIDTH_PX: Final = 520
MARGIN_PX: Final = 16
LINGER_MS: Final = 8000
"""How long good news stays; everything else waits to be dismissed."""


class NoticeBar(QFrame):
    """Shows the newest notice and keeps the ones before it; never takes the keyboard's focus.

    Args:
        over: The widget at whose lower left edge it appears. It becomes that one's neighbour and not its
            child: a stack of pages tells screen readers of its current page alone.
    """

    def __init__(self, over: QWidget) -> None:
        around: QWidget = over.parentWidget() or over
        super().__init__(around)
        self._around = around
        self.setObjectName("notice")
        self.setAccessibleName(_("Message"))
        self.waiting: list[Notice] = []
        self._over = over
        self.title = label("", "strong")
        self.text = Label()
        self.more = label("", "field")
        for one in (self.title, self.text):
            one.setWordWrap(True)
        self.dismiss = button("", self.drop, tone="quiet", name=_("Dismiss the message"))
        set_tip(self.dismiss, _("Dismiss"))
        self._linger = QTimer(self)
        self._linger.setSingleShot(True)
        self._linger.timeout.connect(self.drop)
        self._lay_out()
        over.installEventFilter(self)
        self.hide()

    @property
    def shown(self) -> Notice | None:
        """The notice that is shown now."""
        return self.waiting[-1] if self.waiting else None

    def attach(self, session: Session) -> None:
        """Show what `session` has to tell from now on."""
        session.notified.connect(self.add)
        session.failed.connect(self.add_error)

    def add(self, notice: Notice) -> None:
        """Show a notice over those before it, in the place of one that is the same or on the same topic."""

        def is_renewed(one: Notice) -> bool:
            return one == notice or (notice.topic != "" and one.topic == notice.topic)

        self.waiting = [one for one in self.waiting if not is_renewed(one)]
        self.waiting.append(notice)
        self._show_newest()
        announce(self, self.accessibleDescription())

    def add_error(self, error: KeybenchError) -> None:
        """Show what an error means."""
        words = explain(error)
        self.add(Notice("bad", words.title, words.text))

    def drop(self) -> None:
        """Take the shown notice away and show the one before it."""
        if self.waiting:
            self.waiting.pop()
        self._show_newest()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay at the edge when the window changes its size."""
        if watched is self._over and event.type() == QEvent.Type.Resize:
            self._move()
        return super().eventFilter(watched, event)

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(self.title)
        words.addWidget(self.text)
        words.addWidget(self.more)
        layout = self._layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 12, 8, 12)
        layout.setSpacing(8)
        layout.addLayout(words, 1)
        layout.addWidget(self.dismiss, 0, Qt.AlignmentFlag.AlignTop)

    def _show_newest(self) -> None:
        self._linger.stop()
        notice = self.shown
        self.setVisible(notice is not None)
        if notice is None:
            return
        self.title.setText(notice.title)
        self.text.setText(notice.text)
        self.text.setVisible(bool(notice.text))
        self.setAccessibleDescription(f"{notice.title} {notice.text}".strip())
        others = len(self.waiting) - 1
        more = ngettext("One more message behind this", "{count} more messages", others)
        self.more.setText(more.format(count=others))
        self.more.setVisible(others > 0)
        tone = "accent" if notice.tone == "info" else notice.tone
        set_role(self, "tone", tone)
        set_role(self.title, "tone", tone)
        self.dismiss.setIcon(QIcon(line_pixmap("dismiss", tokens().dim, scaled(14))))
        self.dismiss.setIconSize(QSize(scaled(14), scaled(14)))
        if notice.tone == "good":
            self._linger.start(LINGER_MS)
        self._move()
        self.raise_()

    def _move(self) -> None:
        width = min(scaled(WIDTH_PX), self._over.width() - 2 * MARGIN_PX)
        height = self._layout.totalHeightForWidth(width)
        left, top = MARGIN_PX, self._over.height() - height - MARGIN_PX
        corner: QPoint = self._over.mapTo(self._around, QPoint(left, top))
        self.setGeometry(QRect(corner, QSize(width, height)))
