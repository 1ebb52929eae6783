"""How an environment is shown in a cell or a sentence: by word, shape and colour together."""

from __future__ import annotations

from typing import Protocol, TypeVar

from PySide6.QtGui import QIcon

from keybench.core.environment import Environment, EnvironmentKind
from keybench.ui.icons import mark_icon
from keybench.ui.theme import scaled, tokens
from keybench.ui.widgets.table_model import MARK_PX, Column
from keybench.words.language import _


class HasEnvironment(Protocol):
    """Anything that belongs to an environment."""

    @property
    def environment(self) -> Environment:
        """Where it belongs."""
        ...


_Row = TypeVar("_Row", bound=HasEnvironment)


def name_of(environment: Environment) -> str:
    """Return an environment by name, with the word for live where money moves."""
    name = environment.name
    return _("LIVE · {name}").format(name=name) if environment.is_live else name


def environment_words(row: HasEnvironment) -> str:
    """Return a row's environment, likewise."""
    return name_of(row.environment)


def environment_column() -> Column[_Row]:
    """Return the column of a row's environment, with the shape and the colour of its kind."""
    return Column(
        "environment",
        _("Environment"),
        environment_words,
        mark=lambda row: mark_of_kind(row.environment.kind),
        ink=lambda row: row.environment.kind.value,
    )


def mark_of_kind(kind: EnvironmentKind) -> QIcon:
    """Return the mark of a kind, as high as a cell's text."""
    return mark_icon(kind, tokens(), scaled(MARK_PX))
