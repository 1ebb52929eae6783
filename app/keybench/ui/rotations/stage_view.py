"""Stages as data: what one shows and what can be done there; and the one view that renders any of them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from keybench.core.rotations.rotation import Rotation
from keybench.ui.kit.actions import Action, ActionButton, Command, Menu
from keybench.ui.kit.boxes import WrappingRow, in_column, in_row
from keybench.ui.kit.labels import Role, label, prose
from keybench.ui.kit.theme import set_role
from keybench.ui.rotations.controller import RotationController

#: What is read across, at 13 px text, isn't wider: the eye would lose the row.
WIDEST_PX: Final = 760

Rule: TypeAlias = Callable[[Rotation], bool]
#: A text, or what makes it of the shown rotation.
Words: TypeAlias = str | Callable[[Rotation], str]


def always(_rotation: Rotation) -> bool:
    return True


def is_open(rotation: Rotation) -> bool:
    return rotation.is_open


def is_made(rotation: Rotation) -> bool:
    return rotation.is_open and rotation.replacement is not None


@dataclass(frozen=True, slots=True)
class Button:
    """Something that can be done with the rotation, as a button and in the menu bar.

    Attributes:
        do: Called when it is pressed; or
        ask: given the rotation shown then, to open a dialog about it.
        shown: Whether it makes sense.
        enabled: Whether it can be done now.
        tone: ``primary`` for what leads on, ``danger`` or ``plain``.
        hint: What it does, or why it can't be done now.
        signed: Whether the record says who did it, so that a name has to be entered first.
        waits: Whether it can't be pressed while a step is under way.
        short: What the button shows if that is less than its label.
    """

    text: str
    do: Callable[[], object] | None = None
    ask: Callable[[Rotation], Coroutine[Any, Any, Any]] | None = None
    shown: Rule = always
    enabled: Rule = always
    tone: Words = "plain"
    hint: Words = ""
    signed: bool = False
    waits: bool = True
    short: str = ""


@dataclass(frozen=True, slots=True)
class StageText:
    """A heading or a paragraph, which is shown while `when` holds."""

    words: Words
    role: Role = ""
    when: Rule = always


@dataclass(frozen=True, slots=True)
class Content:
    """A widget of the stage's own, such as a table.

    Attributes:
        show: Has it show a rotation.
        when: Whether it is shown; a widget may see to that itself.
        stretch: Its share of the height that is left.
    """

    widget: QWidget
    show: Callable[[Rotation], object] | None = None
    when: Rule = always
    stretch: int = 0


@dataclass(frozen=True, slots=True)
class Well:
    """Parts in a sunken box."""

    parts: tuple[Part, ...]
    when: Rule = always


#: A row of buttons is a tuple, and None a gap between sections.
Part: TypeAlias = StageText | Content | Well | tuple[Button, ...] | None


class StageView(QWidget):
    """Renders a stage: a subclass hands its parts to `build`, and has the steps that its buttons do."""

    def __init__(self, controller: RotationController) -> None:
        super().__init__()
        self.controller = controller
        self._shows: list[Callable[[Rotation], object]] = []
        self._updates: list[Callable[[Rotation], object]] = []
        self._buttons: list[tuple[Button, QPushButton]] = []

    def build(self, *parts: Part) -> None:
        layout = in_column(within=self)
        self._build(layout, parts)
        if not any(isinstance(part, Content) and part.stretch for part in parts):
            layout.addStretch(1)

    def show_rotation(self, rotation: Rotation) -> None:
        for show in self._shows:
            show(rotation)
        self.refresh()

    def refresh(self) -> None:
        if self.controller.id:
            for update in self._updates:
                update(self.controller.rotation)

    def begin(self) -> bool:
        """Give the keyboard to what leads on, never to what destroys: Enter may be on its way already."""
        buttons = [
            made
            for one, made in self._buttons
            if one.waits and made.isEnabled() and made.isVisible() and made.property("tone") != "danger"
        ]
        buttons.sort(key=lambda made: made.property("tone") != "primary")
        for made in buttons[:1]:
            made.setFocus(Qt.FocusReason.OtherFocusReason)
        return bool(buttons)

    @property
    def next_step(self) -> QPushButton | None:
        leads = (made for _one, made in self._buttons if made.property("tone") == "primary")
        return next((made for made in leads if made.isEnabled() and not made.isHidden()), None)

    def button(self, one: Button, when: Rule = always) -> QPushButton:
        action = Action(
            self, Command(one.text, Menu.KEYS), partial(self.press, one), partial(self._allows, one)
        )
        made = ActionButton(action, text=one.short)
        self._buttons.append((one, made))

        def update(rotation: Rotation) -> None:
            action.setVisible(when(rotation) and one.shown(rotation))
            action.set_tip(_resolve(one.hint, rotation))
            action.refresh()
            set_role(made, "tone", _resolve(one.tone, rotation))

        self._updates.append(update)
        return made

    def press(self, one: Button) -> None:
        if not self._allows(one) or (one.signed and not self.controller.signed()):
            return
        if one.ask:
            self.controller.ask(one.ask)
        elif one.do:
            one.do()

    def _allows(self, one: Button) -> bool:
        if not self.controller.id or (one.waits and self.controller.busy):
            return False
        return one.enabled(self.controller.rotation)

    def _build(self, layout: QVBoxLayout, parts: tuple[Part, ...], within: Rule = always) -> None:
        for part in parts:
            match part:
                case None:
                    layout.addSpacing(8)
                case StageText(words, role, when):
                    text = self._text(words, role)
                    layout.addWidget(text)
                    self._show_while(text, when)
                case Content(widget, show, when, stretch):
                    layout.addWidget(widget, stretch)
                    if show:
                        self._shows.append(show)
                    self._show_while(widget, when)
                case Well(inner, when):
                    box = QFrame()
                    box.setProperty("role", "well")
                    self._build(in_column(within=box, margins=(14, 10, 14, 10)), inner, when)
                    layout.addWidget(box)
                    self._show_while(box, when)
                case _:
                    layout.addWidget(WrappingRow([self.button(one, within) for one in part]))

    def _text(self, words: Words, role: Role) -> QLabel:
        made = label("", role) if role == "heading" else prose("", role)
        self._updates.append(lambda rotation: made.show_text(_resolve(words, rotation)))
        return made

    def _show_while(self, widget: QWidget, when: Rule) -> None:
        if when is not always:
            self._updates.append(lambda rotation: widget.setVisible(when(rotation)))


def _resolve(words: Words, rotation: Rotation) -> str:
    return words if isinstance(words, str) else words(rotation)


class WhyNot(QFrame):
    """A box that says why something can't be done yet, with what can be done about it at its right."""

    def __init__(self, title: str, action: QPushButton) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        self.setProperty("tone", "warning")
        self._title = prose(title, "strong", tone="warning")
        self._reason = prose()
        texts = in_column(self._title, self._reason, spacing=2)
        in_row((texts, 1), action, within=self, margins=(14, 10, 14, 10), spacing=12)

    @property
    def reason(self) -> str:
        return self._reason.text()

    def show_reason(self, reason: str) -> None:
        self._reason.setText(reason)
        self.setAccessibleName(f"{self._title.text()} {reason}" if reason else "")
        self.setVisible(bool(reason))
