"""The board of a class: what learners join with, how far each is and who is stuck, and what can be done for all."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QWidget

from keybench.core.events import ClassServed
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import PageFrame, Part, WrappingRow, framed, in_column, in_row, in_row_or_column
from keybench.ui.kit.choosers import ComboBox
from keybench.ui.kit.dialog import answered, ask_file, confirm
from keybench.ui.kit.labels import ElidedLabel, Identifier, button, label, set_tip
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import scaled, set_role
from keybench.ui.shared.practice import Watch
from keybench.ui.shared.session import Notice, PlayLesson, Session
from keybench.words.formats import path_words
from keybench.words.language import _, ngettext
from keybench.words.lessons.classes import (
    class_words,
    learner_words,
    line_words,
    step_name,
    step_words,
    time_words,
)
from keybench.words.lessons.practice import DIAL
from keybench.words.texts import text
from keybench.workflows.lessons.hosting import Hosting, LearnerLine, lines_of, most_missed

_RESULTS: Final = _("Signed results (*.json);;All files (*)")
#: Between two cards; and from which width on all buttons stand in one row.
_SPACING_PX: Final = 8
_FOOT_PX: Final = 800
#: A learner's console may tell of any number.
_MOST_STEPS: Final = 20


def _bar(line: LearnerLine) -> str:
    done, steps = (min(line.standing.get(name, 0), _MOST_STEPS) for name in ("done", "steps"))
    return f"{'▰' * done}{'▱' * (steps - done)}"


def _figure(name: str) -> Callable[[LearnerLine], str]:
    return lambda line: str(line.standing.get(name, ""))


def _columns(hosting: Hosting) -> Sequence[Column[LearnerLine]]:
    titles = {one: text(known.title) for one, (_path, known) in hosting.lessons.items()}
    lesson = _figure("lesson")
    return (
        Column("learner", _("Learner"), lambda line: learner_words(line.learner), bold=True),
        Column("lesson", _("Lesson"), lambda line: titles.get(lesson(line), lesson(line))),
        Column("step", _("Step"), step_words),
        Column("bar", "", _bar, width="▰" * 5, ink=lambda _line: "practice", spoken=step_words),
        Column(
            "time",
            _("On it for"),
            lambda line: time_words(line)[0],
            tone=lambda line: time_words(line)[1],
            spoken=lambda line: time_words(line, spoken=True)[0],
            sort=lambda line: line.urgency,
        ),
        Column("hints", _("Hints"), _figure("hints"), right=True),
        Column("misses", _("Missed"), _figure("misses"), right=True),
        Column("now", _("Now"), line_words, stretch=True),
    )


class ClassBoard(QWidget):
    """What the trainer sees of a class that is served; up to date while it is in sight.

    Signals:
        ended: The class isn't served any more.
    """

    ended = Signal()

    def __init__(self, session: Session, hosting: Hosting) -> None:
        super().__init__()
        self._session, self.hosting = session, hosting
        self._step_name = partial(step_name, hosting.lessons)
        self.join, self.certificate = Identifier(_("Join with"), usual=None), label("", "mono")
        for one in (self.join, self.certificate):
            one.setProperty("large", "true")
        self.certificate.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        set_tip(self.certificate, _("Learners see the same before they join, else somebody else answers."))
        self.seed, self.missed_by = label("", "dim"), label()
        self.missed = ElidedLabel("", "strong", least=16)
        self.network = ComboBox()
        self.network.setAccessibleName(_("Network for all"))
        for value, (name, _does) in DIAL.items():
            self.network.addItem(name, value)
        self.network.activated.connect(self._on_network)
        empty = _("Nobody has joined yet.")
        self.table = Table(
            _("Learners"), TableModel(_columns(hosting), lambda line: line.learner), empty_text=empty
        )
        self.table.columns.keep(session.preferences, "learners columns")
        self.watch = Watch(session, self, hosting.read, self._show, practice=hosting.practice)
        self.status, self.next_title = ElidedLabel("", "dim"), ElidedLabel("", "dim")
        self._add_actions()
        self._lay_out()

    def _show(self, board: Mapping[str, Any]) -> None:
        alone, preset, following = not board["join"], board["weather"]["preset"], self.hosting.following
        for card in self._outside:
            card.setVisible(not alone)
        for action in (self.reset_step, self.reset_all):
            action.setVisible(not alone)
        self.next_learner.setVisible(alone)
        set_role(self._all_go_on, "tone", "" if alone else "primary")
        self.join.show_identifier(board["join"])
        self.certificate.setText(board["words"])
        results = [one for one in board["results"] if one["lesson"] == self.hosting.lesson]
        step, count = most_missed(results)
        self.missed.setText(self._step_name(self.hosting.lesson, step) if step else _("None"))
        self.missed_by.setText(_("{count} of {of}").format(count=count, of=len(results)) if step else "")
        if not self.network.view().isVisible():
            self.network.setCurrentIndex(self.network.findData(preset))
            set_tip(self.network, DIAL[preset][1])
        seed = _("seed {seed}").format(seed=board["weather"].get("seed"))
        self.seed.setText("" if preset == "calm" else seed)
        self.table.model().show(lines_of(board))
        self.status.setText(class_words(board, self.hosting.present))
        title = self.hosting.lessons[following][1].title if following else _("That was the last one.")
        self.next_title.setText(_("Next: {title}").format(title=title) if following else "")
        self.next_lesson.set_tip(title)
        for action in (self.reset_all, self.next_lesson):
            action.refresh()

    # --- what is done ------------------------------------------------------------------------------------

    def _add_actions(self) -> None:
        def action(
            command: str,
            work: Callable[[], Coroutine[Any, Any, None]],
            when: Callable[[], bool] | None = None,
        ) -> Action:
            return Action(self, command, lambda: self._session.run(command, work()), when)

        table = self.table
        self.reset_step = Action(
            self, "class.reset_step", self._on_reset_step, lambda: table.selected is not None
        )
        self.reset_all = action("class.reset", self._reset_all, lambda: bool(table.model().rows))
        self.next_learner = action("class.next_learner", partial(self._begin, self.hosting.next_learner))
        going_on = partial(self._begin, self.hosting.go_on)
        self.next_lesson = action("class.next_lesson", going_on, lambda: bool(self.hosting.following))
        where = partial(ask_file, self, _("Folder for the results"), "", self.export_to)
        self.export = Action(self, "class.export", where)
        self.merge = action("class.merge", self._merge)
        self.end = action("class.end", self._end)
        self.table.set_row_actions([self.reset_step])
        self.table.selection_changed.connect(self.reset_step.refresh)

    def _on_network(self) -> None:
        weather = {"preset": self.network.currentData()}
        self.watch.do(self.hosting.ask, "PUT", "/class", {"weather": weather})

    def _on_reset_step(self) -> None:
        if line := self.table.selected:
            self.watch.do(self.hosting.ask, "POST", f"/class/learners/{line.learner}/reset")

    async def _reset_all(self) -> None:
        text = _("What each did in the present step is taken back. The steps before it stay done.")
        title, does = _("Reset the step of all?"), _("Reset all")
        if await confirm(self, title=title, text=text, confirm=does, tone="danger"):
            self.watch.do(self.hosting.ask, "POST", "/class/reset")

    async def _begin(self, turn: Callable[[], Coroutine[Any, Any, Path]]) -> None:
        """Begin a lesson or another learner's turn, and open the lesson's window for who learns here."""
        file = await turn()
        self.watch.refresh()
        if self.hosting.present:
            self._session.ask(PlayLesson(str(file), again=True))

    def export_to(self, folder: str) -> None:
        """Write the results into a folder."""
        self._session.run("export results", self._export(Path(folder)))

    async def _export(self, folder: Path) -> None:
        count = await self.hosting.export(folder, self._step_name)
        title = ngettext("Exported 1 result", "Exported {count} results", count).format(count=count)
        text = _("They are in {path}: a list, and a signed file of each learner.")
        self._session.notify(Notice("good", title, text.format(path=path_words(folder)), "class"))

    async def _merge(self) -> None:
        dialog = QFileDialog(self.window(), _("Results to merge"), filter=_RESULTS)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        files = list(map(Path, dialog.selectedFiles())) if await answered(dialog) else []
        dialog.deleteLater()
        if not files:
            return
        refused = await self.hosting.merge(files)
        count = len(files) - len(refused)
        title = ngettext("Merged 1 result", "Merged {count} results", count).format(count=count)
        text = _("Altered, or no results, and so not taken: {names}").format(names=", ".join(refused))
        self.watch.refresh()
        told = Notice("warning", title, text, "class") if refused else Notice("good", title, topic="class")
        self._session.notify(told)

    async def _end(self) -> None:
        text = _("No one can join or go on. The results stay until another class is begun.")
        title, does = _("End the class?"), self.end.text()
        if await confirm(self, title=title, text=text, confirm=does, tone="danger"):
            self.watch.do(self._finish)  # after the call that is under way

    async def _finish(self) -> None:
        await self.hosting.end()
        self._session.console.events.publish(ClassServed(""))
        self.ended.emit()

    # --- put together ------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        copy = button(_("Copy"), self.join.copy_whole, tone="link", name=_("Copy what learners join with"))
        join = card(in_row(label(_("Join with"), "dim"), None, copy), self.join, None)
        self._outside = [join, card(label(_("The certificate's words"), "dim"), self.certificate, None)]
        missed = card(label(_("Most missed step"), "dim"), in_row(self.missed, self.missed_by, None), None)
        weather = card(label(_("Network for all"), "dim"), in_row(self.network, self.seed, None), None)
        words = self._outside[1]
        self._outside.append(weather)  # who learns at this computer has another gateway
        who = in_row_or_column((join, 3), (words, 2), from_px=partial(_room_for, join, words))
        how = in_row_or_column((missed, 3), (weather, 2), from_px=partial(_room_for, missed, weather))
        all_of_them = partial(_room_for, join, words, missed, weather)
        facts = in_row_or_column((who, 3), (how, 2), from_px=all_of_them)
        more = WrappingRow([*map(ActionButton, (self.export, self.merge)), ActionButton(self.end, "risk")])
        self._all_go_on = ActionButton(self.next_lesson, "primary")
        resets = map(ActionButton, (self.reset_step, self.reset_all))
        buttons = WrappingRow([*resets, self._all_go_on, ActionButton(self.next_learner, "primary")])
        told = in_row((self.status, 1), self.next_title)
        foot = in_row_or_column((more, 1), buttons, from_px=partial(scaled, _FOOT_PX))
        inside = framed(in_column(facts, (self.table, 1), self.watch.message, told, foot, spacing=12))
        in_column(PageFrame(content=inside), within=self, margins=(16, 14, 16, 16))


def _room_for(*cards: QWidget) -> int:
    """Return the width from which cards have room beside each other."""
    return sum(one.minimumSizeHint().width() + _SPACING_PX for one in cards if not one.isHidden())


def card(*parts: Part) -> QFrame:
    """Return a frame around parts that stand below each other."""
    return framed(in_column(*parts, margins=(14, 10, 14, 10), spacing=6), "card")
