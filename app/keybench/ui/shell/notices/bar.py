"""The line at the window's lower edge in which notices appear. It is always there, so nothing moves for them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QIcon, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QFrame, QPushButton, QSizePolicy, QWidget
from shiboken6 import isValid

from keybench.ui.kit.accessibility import announce
from keybench.ui.kit.boxes import in_row
from keybench.ui.kit.icons import line_pixmap
from keybench.ui.kit.labels import ElidedLabel, button, explain_button, label, set_tip
from keybench.ui.kit.theme import scaled, set_role, theme, tokens
from keybench.words.language import _, ngettext

if TYPE_CHECKING:  # a part of the window's first frame
    from collections.abc import Callable
    from datetime import datetime

    from keybench.core.errors import KeybenchError
    from keybench.ui.shared.session import Notice, Session

HEIGHT_PX: Final = 30
_ICON_PX: Final = 12
#: What a person needs to notice a line and to read each of its words, in milliseconds.
_NOTICE_MS: Final = 4000
_WORD_MS: Final = 350
#: How many notices of a run are kept: a long day's, and little memory.
MOST: Final = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """One notice as it was given, in an environment with this name."""

    number: int
    at: datetime
    notice: Notice
    environment: str


def reading_ms(notice: Notice) -> int:
    """Return how long a notice has to be in sight to be read, in milliseconds."""
    return _NOTICE_MS + _WORD_MS * len(f"{notice.title} {notice.text}".split())


class NoticeBar(QFrame):
    """Shows the newest notice, and those before it that stay until they are closed.

    A notice that doesn't stay goes when it could be read; its time begins again as long as the window isn't in
    use, or the pointer or the keyboard is on the line. It never takes the keyboard's focus by itself; `go`
    brings it here, and Esc back.

    Attributes:
        entries: The notices of this run, the newest first.
    """

    list_wanted = Signal()
    listed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("notice")
        self.setAccessibleName(_("Notice"))
        self.entries: deque[Entry] = deque(maxlen=MOST)
        self.waiting: list[Entry] = []
        self._count = 0
        self._session: Session | None = None
        self._came_from: QWidget | None = None
        self.title = ElidedLabel(role="strong", least=12)
        self.text = ElidedLabel(least=0)
        self.more = label("", "field")
        self.whole = _quiet(_("Read all"), self.list_wanted)
        self.show_place = _quiet(_("Show"), self._on_show)
        explain_button(self.show_place, _("Shows where this happened"))
        self.dismiss = _quiet("", self.drop)
        self.dismiss.setAccessibleName(_("Close the notice"))
        set_tip(self.dismiss, _("Close"))
        self.list_button = _quiet(_("Notices"), self.list_wanted)
        self.list_button.setObjectName("notices")
        explain_button(self.list_button, _("All notices of this run"))
        self._reading = QTimer(self, singleShot=True)
        self._reading.timeout.connect(self._on_read)
        self._lay_out()
        theme().changed.connect(self._fit)
        self._fit()
        self._show_newest()

    @property
    def shown(self) -> Notice | None:
        return self.waiting[-1].notice if self.waiting else None

    def attach(self, session: Session) -> None:
        self._session = session
        session.notified.connect(self.add)
        session.failed.connect(self.add_error)
        session.notice_ended.connect(self.end)

    def add(self, notice: Notice) -> None:
        if self._session is None:
            return
        others = [one for one in self.waiting if not notice.topic or one.notice.topic != notice.topic]
        self.waiting = [one for one in others if one.notice.stays and one.notice != notice][1 - MOST :]
        environment = notice.environment or self._session.environment.name
        self._count += 1
        entry = Entry(self._count, self._session.console.clock.now(), notice, environment)
        self.entries.appendleft(entry)
        self.listed.emit()
        self.waiting.append(entry)
        self._show_newest()
        announce(self, f"{notice.title} {notice.text}".strip())

    def add_error(self, error: KeybenchError) -> None:
        """Show what an error means, until its cause is over."""
        from keybench.ui.shared.notice_causes import notice_of  # noqa: PLC0415 - the first frame comes first

        if self._session:
            self.add(notice_of(error, self._session.environment))

    def end(self, topic: str) -> None:
        left = [one for one in self.waiting if not topic or one.notice.topic != topic]
        if left != self.waiting:
            self.waiting = left
            self._show_newest()

    def drop(self) -> None:
        if self.waiting:
            self.waiting.pop()
        self._show_newest()

    def go(self) -> None:
        if not self._has_focus():
            self._came_from = QApplication.focusWidget()
        ways = (self.show_place, self.dismiss, self.list_button)
        next(one for one in ways if one.isVisible()).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def come_last(self) -> None:
        if not self._has_focus():
            for one in (self.whole, self.show_place, self.dismiss, self.list_button):
                if last := self.window().previousInFocusChain():
                    QWidget.setTabOrder(last, one)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._has_focus():
            self._give_focus_back()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.waiting and event.button() == Qt.MouseButton.LeftButton:
            self.list_wanted.emit()

    def _show_newest(self) -> None:
        notice = self.shown
        had_focus = self._has_focus()
        tone = "accent" if notice and notice.tone == "info" else notice.tone if notice else ""
        self.title.setText(notice.title if notice else "")
        self.text.setText(notice.text if notice else "")
        self.setAccessibleDescription(f"{self.title.text()} {self.text.text()}".strip())
        others = len(self.waiting) - 1
        self.more.setText(ngettext("1 more", "{count} more", others))
        self.more.setVisible(others > 0)
        self.dismiss.setVisible(notice is not None)
        self.show_place.setVisible(notice is not None and bool(notice.place or notice.show))
        set_role(self, "tone", tone)
        set_role(self.title, "tone", tone)
        self.whole.setVisible(notice is not None and bool(notice.text))
        if notice and not notice.stays:
            self._reading.start(reading_ms(notice))
        else:
            self._reading.stop()
        if had_focus:
            self.go() if notice else self._give_focus_back()

    def _on_read(self) -> None:
        in_use = self.isVisible() and self.isActiveWindow()
        if not in_use or self.underMouse() or self._has_focus():
            self._reading.start()
        else:
            self.drop()

    def _on_show(self) -> None:
        notice = self.shown
        if notice and notice.place and self._session:
            self._session.ask(notice.place)
            self.drop()
        elif notice and notice.show:
            notice.show()
            self.drop()

    def _has_focus(self) -> bool:
        at = QApplication.focusWidget()
        return at is not None and self.isAncestorOf(at)

    def _give_focus_back(self) -> None:
        to, self._came_from = self._came_from, None
        if to is not None and isValid(to) and to.isVisible():
            to.setFocus(Qt.FocusReason.OtherFocusReason)
        elif parent := self.parentWidget():
            parent.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        ways = (self.more, self.whole, self.show_place, self.dismiss, self.list_button)
        in_row(self.title, (self.text, 1), *ways, within=self, margins=(16, 0, 8, 0))

    def _fit(self) -> None:
        self.setFixedHeight(scaled(HEIGHT_PX))
        self.dismiss.setIcon(QIcon(line_pixmap("dismiss", tokens().dim, scaled(_ICON_PX))))
        self.dismiss.setIconSize(QSize(scaled(_ICON_PX), scaled(_ICON_PX)))


def _quiet(text: str, slot: Callable[[], object] | SignalInstance) -> QPushButton:
    """Return a button that a click doesn't bring the keyboard to, so that nobody loses a field."""
    made = button(text, slot, tone="quiet")
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return made
