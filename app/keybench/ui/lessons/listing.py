"""The list of lessons with how far each is, and what the selected one is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QFrame

from keybench.core.errors import LessonInvalid
from keybench.core.lessons.lesson import Lesson
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.worker import run_in_thread
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import in_column
from keybench.ui.kit.dialog import ask_file, confirm
from keybench.ui.kit.labels import label, line, prose
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.lessons.practice import keep_own, lessons_folder
from keybench.ui.shared.list_page import ListPage, search_field
from keybench.ui.shared.session import PlayLesson, Session
from keybench.words.explain import explain
from keybench.words.language import _, ngettext
from keybench.words.lessons.progress import standing_words, step_title, story_words
from keybench.words.texts import lesson_in_language
from keybench.workflows.lessons.files import lesson_files, lesson_id, read_lesson
from keybench.workflows.lessons.from_bundle import lesson_from
from keybench.workflows.lessons.standing import LessonStanding, read_standing

_NONE_CHOSEN: Final = _("Choose a lesson to see what it is about.")
_NONE_OWN: Final = _(
    "No lesson of your own yet. Add a file… takes one from a colleague, From a support bundle… makes one of "
    "a case, and Rehearse in practice at a rotation makes one of that."
)
_LESSONS: Final = _("Lessons (*.toml);;All files (*)")
_BUNDLES: Final = _("Support bundles (*.zip);;All files (*)")
#: Of the list and the card at first, in pixels.
_HEIGHTS: Final = (300, 190)


@dataclass(frozen=True, slots=True)
class LessonLine:
    """A lesson's file, what is in it unless it can't be used (`fault` says why), and how far it is.

    `number` is its place among those of the same list.
    """

    path: Path
    number: int
    standing: LessonStanding
    lesson: Lesson | None = None
    fault: str = ""

    @property
    def title(self) -> str:
        return self.lesson.title if self.lesson else self.path.name

    @property
    def state(self) -> tuple[str, str]:
        """How far it is, in words and as a tone."""
        return (_("can't be used"), "bad") if self.fault else standing_words(self.standing)


_COLUMNS: Final[tuple[Column[LessonLine], ...]] = (
    Column("number", _("No."), lambda line: str(line.number), right=True),
    Column("title", _("Lesson"), lambda line: line.title, stretch=True, bold=True),
    Column("minutes", _("Minutes"), lambda line: str(line.lesson.minutes) if line.lesson else "", right=True),
    Column("state", _("State"), lambda line: line.state[0], tone=lambda line: line.state[1]),
    Column(
        "hints",
        _("Hints"),
        lambda line: str(sum((line.standing.hints or {}).values()) or ""),
        empty="",
        right=True,
    ),
    Column("misses", _("Mishaps"), lambda line: str(line.standing.misses or ""), empty="", right=True),
)


def lines_of(lessons: Path, *, own: bool) -> Sequence[LessonLine]:
    """Return the program's lessons, or a person's own, with how far each is by its folder; it blocks."""
    lines = []
    for number, path in enumerate(lesson_files(lessons / "own" if own else None), 1):
        name = lesson_id(path)
        try:
            lesson = lesson_in_language(read_lesson(path))
        except LessonInvalid as error:
            lines.append(LessonLine(path, number, LessonStanding(name), fault=explain(error).next))
        else:
            standing = read_standing(DataFolder(lessons / name).lesson_progress, name)
            lines.append(LessonLine(path, number, standing, lesson))
    return lines


def lesson_in(path: Path) -> str | bytes:
    """Return a lesson's file that can be read, or one made of a support bundle; it blocks."""
    if path.suffix.lower() == ".zip":
        return lesson_from(path)
    read_lesson(path)
    return path.read_bytes()


class LessonsView(ListPage[LessonLine]):
    """The list; read again whenever it comes into sight or its window to the front."""

    def __init__(self, session: Session, *, own: bool) -> None:
        table = Table(_("My lessons") if own else _("Lessons"), TableModel(_COLUMNS, lambda line: line.path))
        search = search_field(_("Find lessons"), _("Find by title or state…"))
        super().__init__(session, "own lessons" if own else "lessons", table, search)
        self._own = own
        self.start = Action(self, "lesson.start", partial(self._play, again=False), self._is_usable)
        self.again = Action(self, "lesson.again", partial(self._play, again=True), self._is_begun)
        table.set_row_actions([self.start, self.again])
        table.opened.connect(self.start.trigger)
        self._name, self._story = prose("", "strong"), prose("", selectable=True)
        self._steps, self._learnt, card = label("", "dim"), prose(), QFrame()
        in_column(line(), self._name, self._story, self._steps, self._learnt, None, within=card, spacing=6)
        actions = [ActionButton(self.again), ActionButton(self.start, "primary")]
        if own:
            add = partial(ask_file, self, _("Add a lesson"), _LESSONS, self.add)
            made = partial(ask_file, self, _("Make a lesson of a case"), _BUNDLES, self.add)
            ways = Action(self, "lesson.add", add), Action(self, "lesson.from_bundle", made)
            actions = [*map(ActionButton, ways), *actions]
        self.lay_out(actions=actions, detail=card, heights=_HEIGHTS)

    # --- the list ----------------------------------------------------------------------------------------

    async def read(self) -> Sequence[LessonLine]:
        folder = lessons_folder(self.session)
        return await run_in_thread("lessons", partial(lines_of, folder, own=self._own))

    def show_rows(self, rows: Sequence[LessonLine]) -> None:
        super().show_rows(rows)
        if self.table.selected is None:
            unfinished = (row.path for row in rows if not row.standing.is_over)
            self.table.select(next(unfinished, None))

    def show_row(self, row: LessonLine | None) -> None:
        begun = self._is_begun()
        self.start.setText(_("Resume") if begun else self.start.command.text)
        self.start.refresh()
        self.again.setVisible(begun)
        self.again.refresh()
        lesson = row.lesson if row else None
        learnt = _("What you can tell a colleague: {learnt}")
        texts = {
            self._name: row.title if row else _("No lesson chosen"),
            self._story: story_words(lesson) if lesson else row.fault if row else _NONE_CHOSEN,
            self._steps: "\n".join(
                f"{number}  {step_title(step)}"
                for number, step in enumerate(lesson.steps if lesson else (), 1)
            ),
            self._learnt: learnt.format(learnt=lesson.learnt)
            if row and lesson and row.standing.is_over
            else "",
        }
        for shown, text in texts.items():
            shown.show_text(text)

    def summary(self) -> str:
        count = self.model.rowCount()
        return ngettext("1 lesson", "{count} lessons", count) if count else ""

    def empty_words(self) -> str:
        return super().empty_words() if self.model.items or not self._own else _NONE_OWN

    def event(self, event: QEvent) -> bool:
        """Read again when the window is used again: lessons are played in windows of their own."""
        if event.type() is QEvent.Type.WindowActivate and self.isVisible():
            self.refresh()
        return super().event(event)

    # --- playing and adding ------------------------------------------------------------------------------

    def _is_usable(self) -> bool:
        return bool(self.table.selected and self.table.selected.lesson)

    def _is_begun(self) -> bool:
        return bool(self.table.selected and self.table.selected.standing.steps)

    def _play(self, *, again: bool) -> None:
        if row := self.table.selected:
            self.session.ask(PlayLesson(str(row.path) if self._own else lesson_id(row.path), again))

    def add(self, path: str) -> None:
        """Keep a lesson's file, or one made of a support bundle, among a person's own."""
        self.session.run("add a lesson", self._add(Path(path)))

    async def _add(self, path: Path) -> None:
        content = await run_in_thread("lessons", partial(lesson_in, path))
        name = f"{path.stem}.toml"
        if any(line.path.name == name for line in self.model.items):
            text = _("There is one of that name already. It is replaced.")
            title = _("Replace {name}?").format(name=name)
            if not await confirm(self, title=title, text=text, confirm=_("Replace it")):
                return
        kept = await keep_own(self.session, name, content)
        self.show_rows(await self.read())
        self.table.select(kept)
