"""How an environment is shown in a cell or a sentence: by word, shape and colour together."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Protocol

from PySide6.QtGui import QPixmap

from keybench.core.environment import Environment, EnvironmentKind
from keybench.ui.icons import mark_pixmap
from keybench.ui.theme import scaled, tokens
from keybench.ui.tokens import Tokens

_MARK_PX: Final = 11


class Placed(Protocol):
    """Anything that belongs to an environment."""

    @property
    def environment(self) -> Environment:
        """Where it belongs."""
        ...


def environment_words(row: Placed) -> str:
    """Return an environment by name, with the word for live where money moves."""
    return f"LIVE · {row.environment.name}" if row.environment.is_live else row.environment.name


def environment_mark(row: Placed) -> QPixmap:
    """Return the shape of an environment's kind in its colour."""
    return _pixmap(row.environment.kind, tokens(), scaled(_MARK_PX))


def environment_ink(row: Placed) -> str:
    """Return the name of the colour of an environment's kind."""
    return row.environment.kind.value


@lru_cache(maxsize=12)
def _pixmap(kind: EnvironmentKind, colours: Tokens, size: int) -> QPixmap:
    return mark_pixmap(kind, colours, size)
