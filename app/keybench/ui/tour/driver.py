"""A person's hands for the tour: finds controls by their accessible names, types, chooses and presses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QComboBox, QDialog, QLineEdit, QWidget

from keybench.core.environments.environment import Environment
from keybench.core.keys.key import SecurityKey
from keybench.core.ports import Clock
from keybench.core.sales.sale import Sale
from keybench.ui.kit.accessibility import named
from keybench.workflows.administration import Administration
from keybench.workflows.console import Console

W = TypeVar("W", bound=QWidget)

#: Between two looks at something that is awaited, in seconds.
_LOOK_S: Final = 0.02
#: Between two looks at whether the tour is still to stand, in seconds.
_STEP_S: Final = 0.05
#: How fast a person types, in seconds a letter, at the default pace.
_LETTER_S: Final = 0.05


class Pace:
    """How fast the tour goes, which the person at it can change at any time; 0 s for as fast as it goes.

    A hurried tour goes on at once, paused or not, until `begin_scene`.
    """

    def __init__(self, clock: Clock, pace_s: float) -> None:
        self._clock = clock
        self.pace_s = pace_s
        self.paused = False
        self.hurried = False

    def begin_scene(self) -> None:
        self.hurried = False

    async def rest(self, share: float = 1.0) -> None:
        """Let people look, for a share of the pace; always long enough for the window to paint."""
        left_s = self.pace_s * share
        await self._clock.sleep(_LOOK_S)
        while not self.hurried and (self.paused or left_s > _LOOK_S):
            await self._clock.sleep(_STEP_S)
            if not self.paused:
                left_s -= _STEP_S


class TourStopped(Exception):
    """The window didn't do what the scene is about; its text says what was awaited."""


class Driver:
    """Works the window as a person would, through real key presses and clicks."""

    def __init__(self, window: QWidget, clock: Clock, pace: Pace) -> None:
        self._window = window
        self._clock = clock
        self._pace = pace

    def find(self, kind: type[W], name: str) -> W:
        """Return the visible control of that kind and accessible name, in a dialog while one is open."""
        dialogs = [dialog for dialog in self._window.findChildren(QDialog) if dialog.isVisible()]
        reached = dialogs[-1] if dialogs else self._window  # a dialog keeps everything behind it out of reach
        for widget in named(reached, name, kind):
            return widget
        raise TourStopped(f"a control named {name}")

    def is_visible(self, name: str) -> bool:
        return self._found(QWidget, name) is not None

    async def press(self, name: str) -> None:
        can_still_be_pressed = False
        while not can_still_be_pressed:  # what is still being read may disable it, or make another of it
            await self.until(lambda: self._can_press(name), f"{name} can be pressed")
            self.find(QAbstractButton, name).setFocus(Qt.FocusReason.OtherFocusReason)
            await self.rest(0.3)
            can_still_be_pressed = self._can_press(name)
        self.find(QAbstractButton, name).click()

    async def fill(self, name: str, text: str) -> None:
        """Put `text` into the field or editable box of that name, letter by letter."""
        await self.until(lambda: self._editor(name), f"a field named {name}")
        editor = self._editor(name) or self.find(QLineEdit, name)
        editor.setFocus(Qt.FocusReason.OtherFocusReason)
        editor.selectAll()
        for letter in text:
            self._type(editor, letter)
            if self._pace.pace_s and not self._pace.hurried:
                await self._clock.sleep(min(_LETTER_S, self._pace.pace_s / 20))

    async def choose(self, name: str, text: str) -> None:
        """Choose the entry that begins with `text` in the box of that name, waiting for it to be there."""

        def index() -> int:
            return self.find(QComboBox, name).findText(text, Qt.MatchFlag.MatchStartsWith)

        await self.until(lambda: index() >= 0, f"{text} among {name}")
        box = self.find(QComboBox, name)
        box.setFocus(Qt.FocusReason.OtherFocusReason)
        box.setCurrentIndex(index())
        box.activated.emit(box.currentIndex())
        await self.rest(0.2)

    async def rest(self, share: float = 1.0) -> None:
        """Let people look, for a share of the pace."""
        await self._pace.rest(share)

    async def until(
        self, is_true: Callable[[], object | Awaitable[object]], expected: str, *, limit_s: float = 30.0
    ) -> None:
        end = self._clock.monotonic() + limit_s
        while True:
            found = is_true()
            if await found if isinstance(found, Awaitable) else found:
                return
            if self._clock.monotonic() >= end:
                raise TourStopped(expected)
            await self._clock.sleep(_LOOK_S)

    def _found(self, kind: type[W], name: str) -> W | None:
        try:
            return self.find(kind, name)
        except TourStopped:
            return None

    def _can_press(self, name: str) -> bool:
        button = self._found(QAbstractButton, name)
        return button is not None and button.isEnabled()

    def _editor(self, name: str) -> QLineEdit | None:
        for box in named(self._window, name, QComboBox):
            if editor := box.lineEdit():
                return editor
        return self._found(QLineEdit, name)

    @staticmethod
    def _type(editor: QLineEdit, letter: str) -> None:
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            event = QKeyEvent(kind, 0, Qt.KeyboardModifier.NoModifier, letter)
            QCoreApplication.sendEvent(editor, event)


KEY: Final = "front-desk till"


@dataclass(slots=True)
class TourStage:
    """What scenes play on."""

    driver: Driver
    console: Console
    administration: Administration
    environment: Environment
    picture: Callable[[str], None]

    async def key(self) -> SecurityKey:
        keys = await self.console.keys.listed(self.environment)
        return max(keys, key=lambda key: key.created_at)

    async def newest_sale(self) -> Sale | None:
        sales = await self.console.recent_sales(self.environment.id, 1)
        return sales[0] if sales else None


@dataclass(frozen=True, slots=True)
class Scene:
    """One scene: its name for JSON and the picture, what a class reads meanwhile, and what plays it."""

    name: str
    caption: str
    play: Callable[[TourStage], Awaitable[Sale | None]]
