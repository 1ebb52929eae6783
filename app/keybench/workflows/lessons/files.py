"""Lessons as files: TOML, read strictly, so that a mistake is told with file, field and reason."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from keybench.core.errors import FileNotSaved, LessonInvalid
from keybench.core.lessons.lesson import Deed, Lesson, LessonStep, Pattern, WrongWay
from keybench.core.rotations.stages import Stage
from keybench.runtime.data_folder import DataFolder, resource_path
from keybench.runtime.file_system import read_file
from keybench.runtime.saving import save_here
from keybench.workflows.lessons.deeds import DEEDS, why_not

T = TypeVar("T")

_SUFFIX: Final = ".toml"
_LARGEST: Final = 256 * 1024
_NUMBERED: Final = "0123456789-"


def lesson_files(folder: Path | None = None) -> Sequence[Path]:
    """Return the program's lessons in their order, or those in a folder of a person's own."""
    return sorted((folder or resource_path("lessons")).glob(f"*{_SUFFIX}"))


def desk_files() -> Sequence[Path]:
    """Return the prepared desks, the smallest first."""
    return sorted(resource_path("lessons/desks").glob(f"*{_SUFFIX}"))


def found(name: str, own: Path | None = None) -> Path:
    """Return the file of a lesson or desk by its path, or by its id."""
    known = [*lesson_files(), *desk_files(), *(lesson_files(own) if own else ())]
    by_id = {lesson_id(path): path for path in known}
    path = by_id.get(name) or Path(name).expanduser()
    if not path.is_file():
        raise LessonInvalid(path.name, "", f"there is no such file, nor one of {', '.join(by_id)}")
    return path


def place(file: Path, lessons: Path) -> DataFolder:
    """Return the data folder where the lesson of a file is played, with a copy of it there.

    Raises:
        FileNotSaved: It can't be made.
    """
    folder = DataFolder(lessons / lesson_id(file))
    try:
        folder.root.mkdir(parents=True, exist_ok=True)
        if not folder.lesson.exists() or folder.lesson.read_bytes() != file.read_bytes():
            save_here(folder.lesson, file.read_bytes())
    except OSError as error:
        raise FileNotSaved(str(folder.lesson), error.strerror or "") from None
    return folder


def lesson_id(path: Path) -> str:
    """Return how a lesson is called in commands and folders: its file's name without number and ending."""
    return path.stem.lstrip(_NUMBERED) or path.stem


def read_lesson(path: Path, *, name: str = "") -> Lesson:
    """Return the lesson in a file, under the id `name` or the file's own."""
    try:
        raw = read_file(path, _LARGEST)
        content = tomllib.loads(raw.decode("utf-8"))
    except OSError as error:
        raise LessonInvalid(path.name, "", error.strerror or "can't be read") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LessonInvalid(path.name, "", str(error)) from None
    return _lesson(_Table(path.name, "", content), name or lesson_id(path))


class _Table:
    """A table of a lesson's file, whose fields are taken out one by one; what is left is a mistake."""

    def __init__(self, file: str, where: str, content: object) -> None:
        self.file, self.where = file, where
        if not isinstance(content, dict):
            raise LessonInvalid(file, where, "must be a table")
        self._left: dict[str, Any] = dict(content)
        self._known: list[str] = []

    def fault(self, name: str, reason: str) -> LessonInvalid:
        return LessonInvalid(self.file, f"{self.where}.{name}".strip("."), reason)

    def take(self, name: str, kind: type[T], default: T | None = None) -> T:
        self._known.append(name)
        value = self._left.pop(name, default)
        value = value.strip() if isinstance(value, str) else value
        if value is None:
            raise self.fault(name, "is missing")
        if type(value) is not kind or (default is None and not value):
            raise self.fault(name, f"must be {_KINDS[kind]}")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        listed = self.take(name, list, [])
        if not all(isinstance(one, str) and one for one in listed):
            raise self.fault(name, "must be a list of texts")
        return tuple(listed)

    def tables(self, name: str) -> Iterator[_Table]:
        for number, one in enumerate(self.take(name, list, [])):
            yield _Table(self.file, f"{self.where}.{name}[{number}]".strip("."), one)

    def rest(self) -> Mapping[str, Any]:
        """Take all that is left."""
        left, self._left = self._left, {}
        return left

    def end(self) -> None:
        for name in self._left:
            raise self.fault(name, f"isn't a field of a lesson; there are {', '.join(self._known)}")


_KINDS: Final[Mapping[type, str]] = {str: "a text", int: "a number", list: "a list", bool: "true or false"}


def _lesson(table: _Table, name: str) -> Lesson:
    lesson = Lesson(
        id=name,
        title=table.take("title", str),
        minutes=table.take("minutes", int, 0),
        story=table.take("story", str),
        learnt=table.take("learnt", str, ""),
        stage=tuple(_deeds(table, "stage")),
        must_not=tuple(map(_pattern, table.tables("must_not"))),
        steps=tuple(map(_step, table.tables("steps"))),
    )
    table.end()
    return lesson


def _step(table: _Table) -> LessonStep:
    stage = table.take("stage", str, "")
    must = tuple(map(_pattern, table.tables("must")))
    if stage and stage not in set(Stage):
        raise table.fault("stage", f"must be one of {', '.join(Stage)}")
    if stage:  # a rotation's own rules say when it is done
        must = (Pattern("stage done", {"stage": (stage,)}), *must)
    if not must:
        raise table.fault("must", "is missing: a step is done when something has happened")
    step = LessonStep(
        title=table.take("title", str, "" if stage else None),
        text=table.take("text", str, "" if stage else None),
        about=table.take("about", str),
        hints=table.texts("hints"),
        must=must,
        must_not=tuple(map(_pattern, table.tables("must_not"))),
        solution=tuple(_deeds(table, "solution")),
        wrong=tuple(map(_wrong, table.tables("wrong"))),
        harmless=tuple(_deeds(table, "harmless")),
        show=table.take("show", str, ""),
        page=table.take("page", str, ""),
        stage=stage,
    )
    table.end()
    if not step.hints:
        raise table.fault("hints", "is missing")
    if not step.solution:
        raise table.fault("solution", "is missing: without it nobody knows that the step can be done")
    return step


def _pattern(table: _Table) -> Pattern:
    event = table.take("event", str)
    count, distinct = table.take("count", int, 1), table.take("distinct", str, "")
    since_step, text = table.take("since_step", bool, default=False), table.take("text", str, "")
    fields = {name: _words(table, name, value) for name, value in table.rest().items()}
    return Pattern(event, fields, count, distinct, since_step, text)


def _words(table: _Table, name: str, value: object) -> tuple[str, ...]:
    words = value if isinstance(value, list) else [value]
    if not all(isinstance(word, str) for word in words):
        raise table.fault(name, "must be a text, or a list of texts")
    return tuple(words)


def _wrong(table: _Table) -> WrongWay:
    way = WrongWay(
        table.take("title", str), tuple(_deeds(table, "do")), table.take("breaks", bool, default=False)
    )
    table.end()
    return way


def _deeds(table: _Table, name: str) -> Iterator[Deed]:
    for one in table.tables(name):
        verb = one.take("do", str)
        deed = Deed(verb, one.rest(), one.where)
        if verb not in DEEDS:
            raise one.fault("do", f"must be one of {', '.join(DEEDS)}")
        if reason := why_not(deed):
            raise LessonInvalid(one.file, one.where, reason)
        yield deed


def as_toml(content: Mapping[str, Any]) -> str:
    """Return a lesson's content as TOML: texts, numbers, and lists of tables within one another."""
    lines = [f"{name} = {_value(value)}" for name, value in content.items() if not _is_tables(value)]
    for name, value in content.items():
        if _is_tables(value):
            for table in value:
                lines += [
                    "",
                    f"[[{name}]]",
                    *(f"{field} = {_value(inner)}" for field, inner in table.items()),
                ]
    return "\n".join(lines) + "\n"


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _value(value: object) -> str:
    match value:
        case dict():
            return "{" + ", ".join(f"{name} = {_value(inner)}" for name, inner in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_value, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")  # TOML's texts are JSON's
