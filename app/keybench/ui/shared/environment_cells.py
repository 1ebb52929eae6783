"""How an environment is shown in a cell or a sentence: by word, shape and colour together."""

from __future__ import annotations

from typing import Protocol, TypeVar

from PySide6.QtGui import QIcon

from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.ui.kit.icons import mark_icon
from keybench.ui.kit.tables.model import MARK_PX, Column
from keybench.ui.kit.theme import scaled, tokens
from keybench.words.language import _


class HasEnvironment(Protocol):
    """Anything that belongs to an environment."""

    @property
    def environment(self) -> Environment: ...


_Row = TypeVar("_Row", bound=HasEnvironment)


def name_of(environment: Environment) -> str:
    name = environment.name
    return _("LIVE · {name}").format(name=name) if environment.is_live else name


def environment_words(row: HasEnvironment) -> str:
    return name_of(row.environment)


def environment_column() -> Column[_Row]:
    return Column(
        "environment",
        _("Environment"),
        environment_words,
        mark=lambda row: mark_of_kind(row.environment.kind),
        ink=lambda row: row.environment.kind.value,
    )


def mark_of_kind(kind: EnvironmentKind) -> QIcon:
    return mark_icon(kind, tokens(), scaled(MARK_PX))
