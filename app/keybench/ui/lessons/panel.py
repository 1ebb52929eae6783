"""The panel of a lesson at the window's right edge: its steps, how far they are, hints, and ways back."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from itertools import pairwise
from typing import Final

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QMoveEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QSizePolicy, QWidget
from shiboken6 import isValid

from keybench.core.errors import FileNotSaved, GatewayError, KeybenchError
from keybench.core.lessons.lesson import LessonProgress, Pattern
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.saving import save_here
from keybench.ui.kit.accessibility import announce, named
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import PageFrame, WrappingRow, bring_into_sight, framed, in_column, in_row
from keybench.ui.kit.dialog import confirm
from keybench.ui.kit.labels import MessageLabel, button, label, prose
from keybench.ui.kit.theme import scaled, set_role, theme
from keybench.ui.lessons.step_row import StepRow
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.session import Place, PlayLesson, Session
from keybench.words.explain import explain
from keybench.words.language import _
from keybench.words.lessons.progress import (
    elapsed_words,
    seat_words,
    step_done_words,
    step_title,
    story_words,
    times_words,
)
from keybench.workflows.lessons.files import lesson_files, lesson_id
from keybench.workflows.lessons.joining import Attendance
from keybench.workflows.lessons.room import Room
from keybench.workflows.lessons.standing import LessonStanding, keep_standing, read_standing

_WIDTH_PX: Final = 356
#: It is never narrower than its buttons need, and takes so much of a narrow window.
_LEAST_PX: Final = 190
_SHARE: Final = 0.33
_INSIDE: Final = (12, 10, 12, 10)
_LOOK_S: Final = 1.0
#: How long a control that is still being made is looked for, in seconds, and between two looks.
_FIND_S: Final = 2.0
_FIND_EACH_S: Final = 0.1


class LessonPanel(QWidget):
    """Looks once a second how far the lesson is, and shows that in place.

    Signals:
        again_wanted: The lesson is to begin anew, with so many of its steps done, or None in a class.
        retry_wanted: What kept the lesson from beginning is to be tried again.
    """

    again_wanted = Signal(object)
    retry_wanted = Signal()

    def __init__(
        self, session: Session, room: Room, folder: DataFolder, attendance: Attendance | None = None
    ) -> None:
        super().__init__()
        self.setObjectName("page")
        self.setAccessibleName(_("The lesson"))
        self.lesson = lesson = room.lesson
        self._session = session
        self._clock = session.console.clock
        self._kept_at, self._again_mark = folder.lesson_progress, folder.lesson_again
        self._room, self._attendance = room, attendance
        self.standing = self._kept_standing()
        self._began_s = self._clock.monotonic()
        self._misses: int | None = None  # of those that are counted, how many there are now
        self._progress: LessonProgress | None = None
        # Writing it is asked for as reading is: none is lost, and the latest is written last.
        self._keeping = Reading(
            session,
            "lesson standing",
            lambda: keep_standing(self._kept_at, self._timed()),
            lambda _kept: None,
            wanted=lambda: None,
        )
        self._reading = Reading(
            session, "lesson", self._look, self._show, wanted=lambda: None, on_error=self.show_trouble
        )
        self.rows = [
            StepRow(number, step, partial(self._take_hint, number), partial(self._on_where, number))
            for number, step in enumerate(lesson.steps, 1)
        ]
        self._lay_out()
        theme().changed.connect(self.updateGeometry)

    # --- what the lesson's play tells ------------------------------------------------------------------

    def show_setting_up(self, done: int, of: int) -> None:
        """Show how much of the stage is set up."""
        self._misses = 0  # nothing that is counted has happened yet
        self._said.show_quietly(_("Preparing: {done} of {count}").format(done=done, count=of))
        self._said.show()

    def show_trouble(self, error: KeybenchError) -> None:
        """Show what keeps it from going on."""
        told = explain(error)
        self._said.say(" ".join(filter(None, (told.title, told.next))), "bad")
        self._said.show()
        self._retry.show()

    def begin(self) -> None:
        """Watch how far one comes, until the window is closed."""
        self._said.hide()
        self._retry.hide()
        self._steps.show()
        self.standing = self._kept_standing()
        self._began_s = self._clock.monotonic()
        self._session.run("lesson panel", self._watch(), owner=self)
        self._session.ending.connect(self._keep_at_end)
        self._keep()
        if not self.rows:  # a desk has nothing to follow
            self.fold(folded=True)

    # --- watching --------------------------------------------------------------------------------------

    @property
    def present(self) -> StepRow | None:
        """The row of the step that is to be done now."""
        done = self._progress.done if self._progress else 0
        return self.rows[done] if self._progress and done < len(self.rows) else None

    async def _watch(self) -> None:
        while True:
            window = self.window()
            if self._attendance or (window.isVisible() and not window.isMinimized()):
                self._reading.request()
                self._time.setText(elapsed_words(self._timed().seconds))
            if self._again_mark.exists():  # another window wants it from its beginning
                self.again_wanted.emit(None if self._attendance else 0)
            await self._clock.sleep(_LOOK_S)

    async def _look(self) -> LessonProgress:
        progress = await self._room.progress()
        if self._attendance:
            steps = [*map(step_title, self.lesson.steps), ""]
            standing = replace(self._timed(), done=progress.done)
            with suppress(GatewayError):  # it goes on, and the lesson's own calls say what is the matter
                if await self._attendance.report(standing, progress, steps[progress.done]):
                    self.again_wanted.emit(None)
        return progress

    def _show(self, progress: LessonProgress) -> None:
        self._said.hide()
        self._retry.hide()
        times = sum(count for rule, count in progress.happened if rule in progress.broken)
        if self._misses is None:  # the lesson was left: these are counted already
            self._misses = times
        more, self._misses = max(times - self._misses, 0), times
        if progress != self._progress:
            before, self._progress = self._progress, progress
            self._show_steps(progress, before)
            self._show_rules(progress.happened, progress.broken)
            self._show_about(progress.done)
            self._reset.refresh()
        here = min(progress.done + 1, len(self.rows))
        standing = replace(self.standing, done=progress.done).with_misses(here, more)
        if standing != self.standing:
            self.standing = standing
            self._keep()

    def _show_steps(self, progress: LessonProgress, before: LessonProgress | None) -> None:
        left = next((row for row in self.rows if row.isAncestorOf(self.window().focusWidget())), None)
        for row in self.rows:
            done = row.number <= progress.done
            row.show_state("done" if done else "present" if row is self.present else "later")
        present = self.present
        if present:
            present.show_counts(progress.counts)
            present.show_hints(self.standing.hints_at(present.number))
        if before is None or progress.done == before.done:
            return
        if left and present and left is not present:
            present.hint.setFocus()
        bring_into_sight(present or self._learnt)
        if progress.done > before.done:
            following = step_title(present.step) if present else ""
            announce(self, step_done_words(progress.done, following))

    def _show_rules(self, happened: Sequence[tuple[Pattern, int]], broken: Collection[Pattern]) -> None:
        self._rules.setVisible(bool(happened))
        self._happened.setText("\n".join(f"{rule.text} {times_words(times)}" for rule, times in happened))
        set_role(self._happened, "tone", "bad" if broken else "")
        self._way_back.setVisible(bool(broken))

    def _show_about(self, done: int) -> None:
        self._about.setVisible(done > 0)
        self._learnt.setVisible(0 < done == len(self.rows))
        if done:
            self._about_title.setText(_("What step {number} was about").format(number=done))
            self._about_text.setText(self.lesson.steps[done - 1].about)

    def _kept_standing(self) -> LessonStanding:
        return replace(read_standing(self._kept_at, self.lesson.id), steps=len(self.lesson.steps))

    def _timed(self) -> LessonStanding:
        return replace(self.standing, seconds=self.standing.seconds + self._clock.monotonic() - self._began_s)

    def _keep(self) -> None:
        """Have other windows know how far one is."""
        if self.rows:
            self._keeping.request()

    def _keep_at_end(self) -> None:
        if self.rows:
            with suppress(FileNotSaved):  # as `keep_standing` does
                save_here(self._kept_at, json.dumps(asdict(self._timed())))

    # --- what a person asks for --------------------------------------------------------------------------

    def _take_hint(self, number: int) -> None:
        self.standing = self.standing.with_hint(number)
        row = self.rows[number - 1]
        row.show_hints(self.standing.hints_at(number))
        announce(self, row.step.hints[self.standing.hints_at(number) - 1])
        self._keep()

    def _on_where(self, number: int) -> None:
        self._session.run("lesson shows where", self._show_where(self.rows[number - 1]))

    async def _show_where(self, row: StepRow) -> None:
        row.say("")
        if row.step.page:
            self._session.ask(Place(row.step.page))
        *views, name = row.step.show.split(" > ")
        for view in views:
            if isinstance(control := await self._control(view), QAbstractButton):
                control.click()
        if control := await self._control(name):
            Marking(control)
        else:
            row.say(_("It isn't here yet: {name}").format(name=name))

    async def _control(self, name: str) -> QWidget | None:
        """Return the control of that name, waiting a moment for it to be made."""
        end = self._clock.monotonic() + _FIND_S
        while True:
            for one in named(self.window(), name, QWidget):
                if not self.isAncestorOf(one):
                    return one
            if self._clock.monotonic() >= end:
                return None
            await self._clock.sleep(_FIND_EACH_S)

    async def _try_again(self) -> None:
        if self._attendance:  # another computer may have the seat, which is taken back
            await self._session.console.world.practice.stop()
        (self.retry_wanted.emit if self._steps.isHidden() else self._reading.request)()

    def _on_again(self, *, whole: bool) -> None:
        self._session.run("lesson again", self._begin_anew(whole=whole))

    async def _begin_anew(self, *, whole: bool) -> None:
        step = self._progress.done if self._progress and not whole else 0
        text = _("What you made in this lesson's window is removed. Nothing of your own is touched.")
        if not whole:
            text = _("What you did in step {number} is taken back. The steps before it stay done.")
        title = self.again.text() if whole else self._reset.text()
        if not await confirm(self, title=f"{title}?", text=text.format(number=step + 1), confirm=title):
            return
        if self.rows:
            fresh = LessonStanding(self.lesson.id, steps=len(self.rows))
            self.standing = fresh if whole else replace(self._timed(), done=step)
            self._began_s = self._clock.monotonic()
            await keep_standing(self._kept_at, self.standing)
        self.again_wanted.emit(step)

    def fold(self, *, folded: bool) -> None:
        """Leave a narrow edge of it, or show it again."""
        self._sheet.setVisible(not folded)
        self.edge.setVisible(folded)
        (self.edge if folded else self.close_button).setFocus()
        self.updateGeometry()

    # --- put together ------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        if not self._sheet.isHidden():
            share = round(self.window().width() * _SHARE)
            hint.setWidth(max(min(scaled(_WIDTH_PX), share), scaled(_LEAST_PX)))
        return hint

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self.updateGeometry()  # the window became wider or narrower

    def _lay_out(self) -> None:
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Expanding)
        self._reset = Action(
            self, "lesson.reset", partial(self._on_again, whole=False), lambda: self.present is not None
        )
        self.again = Action(self, "lesson.again", partial(self._on_again, whole=True))
        self._reset.setVisible(bool(self.rows))
        if not self.rows:
            self.again.setText(_("Reset the desk"))
        self.close_button = button(
            "✕", partial(self.fold, folded=True), tone="quiet", name=_("Close the panel")
        )
        self.edge = button("«", partial(self.fold, folded=False), name=_("Open the panel"))
        self.edge.hide()
        self._time = label("", "dim")
        self._time.setVisible(bool(self.rows))
        foot = WrappingRow([ActionButton(self._reset), ActionButton(self.again), self._time], spread=True)
        frame = PageFrame(content=self._made_content())
        title = prose(self.lesson.title, "title")
        title.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        head = in_row((title, 1), in_column(self.close_button, None))
        seat = [prose(seat_words(self._attendance.seat), "dim")] if self._attendance else []
        sheet = in_column(head, *seat, (frame, 1), foot, margins=(14, 10, 14, 12), spacing=8)
        self._sheet = framed(sheet, "panel")
        edge = in_column(self.edge, None)
        in_row(edge, (self._sheet, 1), within=self, margins=(0, 16, 16, 16), spacing=0)

    def _made_content(self) -> QWidget:
        self._said = MessageLabel()
        self._retry = button(_("Retry"), lambda: self._session.run("retry", self._try_again()))
        self._steps = framed(in_column(*self.rows, spacing=2))
        self._happened = prose()
        self._way_back = prose(_("Reset step takes you back to where the step began."), "dim")
        rules = (prose(_("Must not happen"), "strong", tone="bad"), self._happened, self._way_back)
        self._rules = framed(in_column(*rules, margins=_INSIDE, spacing=4), "card")
        self._rules.setProperty("tone", "bad")
        self._make_about()
        parts = (self._said, in_row(self._retry, None), self._steps, self._rules, self._about, self._learnt)
        story = prose(story_words(self.lesson), "dim")
        content = framed(in_column(story, *parts, None, margins=(0, 0, 6, 0), spacing=10))
        for one in (self._said, self._retry, self._steps, self._rules, self._about, self._learnt):
            one.hide()
        return content

    def _make_about(self) -> None:
        ids = [lesson_id(path) for path in lesson_files()]
        following = dict(pairwise(ids)).get(self.lesson.id, "")
        wanted = partial(self._session.ask, PlayLesson(following))
        self.next_button = button(_("Next lesson"), wanted, tone="primary")
        self.next_button.setVisible(bool(following) and not self._attendance)  # there the trainer decides
        self._about_title, self._about_text = prose("", "strong"), prose("", "dim")
        about = in_column(self._about_title, self._about_text, margins=_INSIDE, spacing=4)
        title = prose(_("What you can tell a colleague"), "strong")
        learnt = in_column(title, prose(self.lesson.learnt), self.next_button, margins=_INSIDE, spacing=4)
        self._about, self._learnt = framed(about, "well"), framed(learnt, "well")


_SHOWN_MS: Final = 3000
_FOLLOW_MS: Final = 50
_AROUND_PX: Final = 5


class Marking(QFrame):
    """Gives a control the keyboard, and marks it until it is told that it was seen long enough."""

    def __init__(self, control: QWidget) -> None:
        super().__init__(control.window())
        self.setObjectName("marking")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._control = control
        bring_into_sight(control)
        if control.focusPolicy() is not Qt.FocusPolicy.NoFocus:
            control.setFocus(Qt.FocusReason.OtherFocusReason)
        following = QTimer(self, interval=_FOLLOW_MS)
        following.timeout.connect(self._follow)
        following.start()
        QTimer.singleShot(_SHOWN_MS, self, self.deleteLater)
        self._follow()

    def _follow(self) -> None:
        if not isValid(self._control) or not self._control.isVisible():
            self.hide()
            return
        at = QRect(self._control.mapTo(self.window(), QPoint()), self._control.size())
        self.setGeometry(at.adjusted(-_AROUND_PX, -_AROUND_PX, _AROUND_PX, _AROUND_PX))
        self.show()
        self.raise_()
