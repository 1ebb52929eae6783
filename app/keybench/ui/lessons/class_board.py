"""The board of a class: what learners join with, how far each is and who is stuck, and what can be done for all."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from keybench.runtime.sandbox import shown_path
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import Part, in_column, in_row, in_row_or_column
from keybench.ui.kit.combo import ComboBox
from keybench.ui.kit.dialog import answered, confirm
from keybench.ui.kit.labels import ElidedLabel, Identifier, button, label, set_tip
from keybench.ui.kit.page_frame import PageFrame
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import scaled, tokens
from keybench.ui.kit.wrapping_row import WrappingRow
from keybench.ui.shared.practice import Watch
from keybench.ui.shared.requests import PlayLesson
from keybench.ui.shared.session import Notice, Session
from keybench.words.language import _, ngettext
from keybench.words.lessons.classes import (
    class_words,
    line_words,
    spoken_time,
    step_name,
    step_words,
    time_words,
)
from keybench.words.lessons.practice import DIAL
from keybench.workflows.lessons.hosting import HostedClass, Hosting, LearnerLine

_RESULTS: Final = _("Signed results (*.json);;All files (*)")
_TOPIC: Final = "class"
#: From these widths on, two cards or all four stand beside each other.
_TWO_PX: Final = 400
_FOUR_PX: Final = 1000
_BAR_PX: Final = 110
_BAR_HEIGHT_PX: Final = 6


class _Bars(QStyledItemDelegate):
    """Paints how much of the lesson is done at the far end of a cell, behind its text."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        line = index.model().row(index.row())  # type: ignore[attr-defined]  # a TableModel
        steps = line.standing.get("steps", 0)
        if not steps:
            return
        cell, high = QRect(option.rect), scaled(_BAR_HEIGHT_PX)
        room = QRect(cell.right() - scaled(_BAR_PX), cell.center().y() - high // 2, scaled(_BAR_PX) - 8, high)
        done = QRect(room)
        done.setWidth(round(room.width() * min(line.standing["done"] / steps, 1.0)))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for rect, colour in ((room, tokens().line), (done, tokens().practice)):
            painter.setBrush(QColor(colour))
            shown = QStyle.visualRect(option.direction, cell, rect)
            painter.drawRoundedRect(shown, high / 2, high / 2)
        painter.restore()


class ClassBoard(QWidget):
    """What the trainer sees of the class that `hosting` serves; up to date while it is in sight.

    Attributes:
        head: The buttons that stand beside the page's title.

    Signals:
        ended: The class isn't served any more.
    """

    ended = Signal()

    def __init__(self, session: Session, hosting: Hosting) -> None:
        super().__init__()
        self._session, self._hosting = session, hosting
        self._following = ""
        self.join = Identifier(_("Join with"), usual="")
        self.join.setProperty("large", "true")
        self._join_card = _card(
            _("Join with"),
            self.join,
            beside=button(
                _("Copy"), self.join.copy_whole, tone="link", name=_("Copy what learners join with")
            ),
        )
        self.certificate = label("", "mono")
        self.certificate.setProperty("large", "true")
        self.certificate.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._words_card = _card(_("The certificate's words"), self.certificate)
        set_tip(self.certificate, _("Learners see the same before they join, else somebody else answers."))
        self.present = label("", "strong")
        self._present_card = _card(_("At this computer"), self.present)
        self.missed, self.missed_by = ElidedLabel("", "strong", least=16), label()
        self.network, self.seed = ComboBox(), label("", "dim")
        self.network.setAccessibleName(_("Network for all"))
        for value, (name, _does) in DIAL.items():
            self.network.addItem(name, value)
        self.network.activated.connect(self._on_network)
        self.table = Table(
            _("Learners"),
            TableModel(self._columns(), lambda line: line.learner),
            empty_text=_("Nobody has joined yet."),
        )
        self.table.setItemDelegateForColumn(self.table.model().column("step"), _Bars(self.table))
        self.table.columns.keep(session.preferences, "learners columns")
        self.watch = Watch(session, self, hosting.read, self._show, practice=hosting.practice)
        self.status, self.next_title = ElidedLabel("", "dim"), ElidedLabel("", "dim")
        self._add_actions()
        self._lay_out()

    def _columns(self) -> Sequence[Column[LearnerLine]]:
        def lesson(line: LearnerLine) -> str:
            known = self._hosting.lessons.get(line.standing.get("lesson", ""))
            return known[1].title if known else line.standing.get("lesson", "")

        def figure(name: str) -> Callable[[LearnerLine], str]:
            return lambda line: str(line.standing.get(name, ""))

        return (
            Column("learner", _("Learner"), lambda line: _("learner {n}").format(n=line.learner), bold=True),
            Column("lesson", _("Lesson"), lesson),
            Column("step", _("Step"), step_words, width=_("10 of 10") + "\N{EM SPACE}" * 10, right=False),
            Column(
                "time",
                _("On it for"),
                lambda line: time_words(line)[0],
                tone=lambda line: time_words(line)[1],
                spoken=spoken_time,
                sort=lambda line: line.urgency,
            ),
            Column("hints", _("Hints"), figure("hints"), right=True),
            Column("misses", _("Missed"), figure("misses"), right=True),
            Column("now", _("Now"), line_words, stretch=True),
        )

    # --- what is told ------------------------------------------------------------------------------------

    def _show(self, board: HostedClass) -> None:
        is_alone = not board.join
        for card in (self._join_card, self._words_card):
            card.setVisible(not is_alone)
        self._present_card.setVisible(is_alone)
        self.join.show_identifier(board.join)
        self.certificate.setText(board.words)
        present = _("learner {n}").format(n=self._hosting.present)
        self.present.setText(present if self._hosting.present else _("Nobody yet"))
        self.next_learner.setVisible(is_alone)
        self.reset_step.setVisible(not is_alone)
        self.reset_all.setVisible(not is_alone)
        step, count, of = board.most_missed
        self.missed.setText(self._step_name(board.lesson, step) if step else _("None"))
        self.missed_by.setText(_("{count} of {of}").format(count=count, of=of) if step else "")
        if not self.network.view().isVisible():
            self.network.setCurrentIndex(self.network.findData(board.preset))
            set_tip(self.network, DIAL[board.preset][1])
        seed = "" if board.preset == "calm" else _("seed {seed}").format(seed=board.seed)
        self.seed.setText(seed)
        self.table.model().show(board.learners)
        self.status.setText(class_words(board))
        following = self._hosting.following()
        self._following = following.id if following else ""
        self.next_title.setText(_("Next: {title}").format(title=following.title) if following else "")
        self.next_lesson.set_tip(
            following.title if following else _("It is the last lesson, or one of your own.")
        )
        for action in (self.reset_all, self.next_lesson):
            action.refresh()

    def _step_name(self, lesson: str, number: int) -> str:
        known = self._hosting.lessons.get(lesson)
        return step_name(known[1] if known else None, number)

    # --- what is done ------------------------------------------------------------------------------------

    def _add_actions(self) -> None:
        chosen, anybody = self._is_chosen, lambda: bool(self.table.model().items)
        self.reset_step = Action(self, "class.reset_step", self._on_reset_step, chosen)
        self.reset_all = Action(self, "class.reset", self._running(self._reset_all), anybody)
        self.next_learner = Action(self, "class.next_learner", self._running(self._go_to_next_learner))
        self.next_lesson = Action(
            self, "class.next_lesson", self._running(self._go_on), lambda: bool(self._following)
        )
        self.export = Action(self, "class.export", self._running(self._export))
        self.merge = Action(self, "class.merge", self._running(self._merge))
        self.end = Action(self, "class.end", self._running(self._end))
        self.table.set_row_actions([self.reset_step])
        self.table.selection_changed.connect(self.reset_step.refresh)

    def _running(self, work: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], object]:
        return lambda: self._session.run(f"class {work.__name__}", work())

    def _is_chosen(self) -> bool:
        return self.table.selected is not None

    def _on_network(self) -> None:
        weather = {"preset": self.network.currentData()}
        self.watch.do(self._hosting.ask, "PUT", "/class", {"weather": weather})

    def _on_reset_step(self) -> None:
        if line := self.table.selected:
            self.watch.do(self._hosting.ask, "POST", f"/class/learners/{line.learner}/reset")

    async def _reset_all(self) -> None:
        title = _("Reset the step of all?")
        text = _("What each did in the present step is taken back. The steps before it stay done.")
        if await confirm(self, title=title, text=text, confirm=_("Reset all"), tone="danger"):
            self.watch.do(self._hosting.ask, "POST", "/class/reset")

    async def _go_on(self) -> None:
        file = await self._hosting.go_on(self._following)
        self.watch.refresh()
        if self._hosting.present:
            self._session.ask(PlayLesson(str(file), again=True))

    async def _go_to_next_learner(self) -> None:
        file = await self._hosting.next_learner()
        self.watch.refresh()
        self._session.ask(PlayLesson(str(file), again=True))

    async def _export(self) -> None:
        if chosen := await self._choose(_("Folder for the results"), QFileDialog.FileMode.Directory):
            count = await self._hosting.export(chosen[0], self._step_name)
            title = ngettext("Exported 1 result", "Exported {count} results", count).format(count=count)
            text = _("They are in {path}: a list, and a signed file of each learner.")
            self._session.notify(Notice("good", title, text.format(path=shown_path(chosen[0])), _TOPIC))

    async def _merge(self) -> None:
        files = await self._choose(_("Results to merge"), QFileDialog.FileMode.ExistingFiles)
        if not files:
            return
        refused = await self._hosting.merge(files)
        count = len(files) - len(refused)
        title = ngettext("Merged 1 result", "Merged {count} results", count).format(count=count)
        text = _("Not taken, as they were changed or are no results: {names}")
        self.watch.refresh()
        self._session.notify(
            Notice("warning", title, text.format(names=", ".join(refused)), _TOPIC)
            if refused
            else Notice("good", title, topic=_TOPIC)
        )

    async def _choose(self, title: str, mode: QFileDialog.FileMode) -> list[Path]:
        dialog = QFileDialog(self.window(), title)
        dialog.setFileMode(mode)
        is_folder = mode is QFileDialog.FileMode.Directory
        dialog.setOption(QFileDialog.Option.ShowDirsOnly, is_folder)
        dialog.setNameFilter("" if is_folder else _RESULTS)
        try:
            return list(map(Path, dialog.selectedFiles())) if await answered(dialog) else []
        finally:
            dialog.deleteLater()

    async def _end(self) -> None:
        text = _("No one can join or go on. The results stay until another class is begun.")
        if await confirm(
            self, title=_("End the class?"), text=text, confirm=_("End the class"), tone="danger"
        ):
            await self._hosting.end()
            self.ended.emit()

    # --- put together ------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self.head = WrappingRow(
            [*map(ActionButton, (self.export, self.merge)), ActionButton(self.end, "risk")]
        )
        network = in_row(self.network, self.seed, None)
        missed, weather = (
            _card(_("Most missed step"), in_row(self.missed, self.missed_by, None)),
            _card(_("Network for all"), network),
        )
        joining = ((self._join_card, 3), (self._words_card, 2), (self._present_card, 1))
        two, four = partial(scaled, _TWO_PX), partial(scaled, _FOUR_PX)
        facts = in_row_or_column(
            (in_row_or_column(*joining, from_px=two), 3),
            (in_row_or_column((missed, 3), (weather, 2), from_px=two), 2),
            from_px=four,
        )
        for card in (self._join_card, self._words_card, self._present_card):
            card.hide()
        plain = (self.reset_step, self.reset_all, self.next_learner)
        buttons = WrappingRow([*map(ActionButton, plain), ActionButton(self.next_lesson, "primary")])
        words = in_row((self.status, 1), self.next_title)
        foot = in_row_or_column((words, 1), buttons, from_px=four, spacing=16)
        inside, frame = QWidget(), PageFrame()
        in_column(facts, (self.table, 1), self.watch.message, foot, within=inside, spacing=12)
        frame.hold(inside)
        in_column(frame, within=self, margins=(16, 14, 16, 16))


def _card(title: str, content: Part, *, beside: QWidget | None = None) -> QFrame:
    card = QFrame()
    card.setProperty("role", "card")
    head = in_row(label(title, "dim"), None, *([beside] if beside else []))
    in_column(head, content, None, within=card, margins=(14, 10, 14, 10), spacing=4)
    return card
