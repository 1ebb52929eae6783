"""One rotation: its head, the five stages as cards, the chosen stage's body, and the lower end."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from keybench.core import rotation_stages as stages
from keybench.core.rotation import Rotation, Stage
from keybench.ui.rotations.compromise_body import CompromiseBody
from keybench.ui.rotations.create_body import CreateBody
from keybench.ui.rotations.delete_body import DeleteBody
from keybench.ui.rotations.deleting import Deleting
from keybench.ui.rotations.desk import Desk
from keybench.ui.rotations.document_body import DocumentBody
from keybench.ui.rotations.ending import Ending
from keybench.ui.rotations.footer import Footer
from keybench.ui.rotations.head import Head
from keybench.ui.rotations.parts import column
from keybench.ui.rotations.replace_body import ReplaceBody
from keybench.ui.rotations.stage_body import StageBody
from keybench.ui.rotations.stage_cards import StageCards
from keybench.ui.rotations.test_body import TestBody


class RotationView(QFrame):
    """Shows the desk's rotation. The body follows the due stage until a person looks elsewhere."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self._desk = desk
        self._had_focus: QWidget | None = None
        self._pushed_to: QWidget | None = None
        self._give_back = QTimer(self, singleShot=True, interval=0)
        self._give_back.timeout.connect(self._focus)
        self._pushed = QTimer(self, singleShot=True, interval=0)
        self._pushed.timeout.connect(self._on_pushed)
        desk.busy_changed.connect(self._on_busy)  # first: the parts below take the keyboard from held buttons
        self.deleting = Deleting(desk, self)
        self.head = Head()
        self.head.checklist_asked.connect(self._on_checklist)
        self.cards = StageCards()
        self.cards.chosen.connect(self._on_stage)
        self.footer = Footer(desk, self.deleting, Ending(desk, self))
        self._create = CreateBody(desk)
        self._bodies: dict[Stage | None, StageBody] = {
            Stage.CREATE: self._create,
            Stage.REPLACE: ReplaceBody(desk),
            Stage.TEST: TestBody(desk),
            Stage.DELETE: DeleteBody(desk, self.deleting),
            Stage.DOCUMENT: DocumentBody(desk),
            None: CompromiseBody(desk),
        }
        self._inside = QWidget()
        self._pages = column(self._inside, margins=(0, 0, 4, 0))
        self._scroll = QScrollArea()
        self._stage: Stage | None = Stage.CREATE
        self._due: tuple[str, Stage] | None = None
        self._lay_out()
        desk.chosen.connect(self._on_rotation)

    @property
    def stage(self) -> Stage | None:
        """The stage that is looked at; None for the list of a compromised key."""
        return self._stage

    @property
    def body(self) -> StageBody:
        """The body that is shown."""
        return self._bodies[self._stage]

    def look_at(self, stage: Stage | None) -> None:
        """Show a stage's body, or with None the list for a compromised key."""
        self._stage = stage
        self.cards.choose(stage)
        body = self._bodies[stage]
        body.show_rotation(self._desk.rotation)
        for each in self._bodies.values():
            each.setVisible(each is body)
        self._scroll.verticalScrollBar().setValue(0)
        self.footer.show_rotation(self._desk.rotation, stage)

    def refresh_times(self) -> None:
        """Let every "in 5 days" grow nearer."""
        if self._desk.id:
            self._show_head(self._desk.rotation)

    def begin(self) -> None:
        """Give the keyboard to what is to be done next."""
        if self.isVisible() and not self.body.begin() and self._stage:
            self.cards.card(self._stage).setFocus(Qt.FocusReason.OtherFocusReason)

    def clear_value(self) -> None:
        """Empty what was pasted, wherever it wasn't kept."""
        self._create.clear_value()

    def _on_rotation(self, rotation: Rotation | None) -> None:
        if rotation is None:
            self.clear_value()
            return
        due = (rotation.id, stages.stage_of(rotation))
        moved, self._due = due != self._due, due
        at: QWidget | None = self.window().focusWidget()
        is_here = at is not None and (self.isAncestorOf(at) or at is self._pushed_to)
        self._show_head(rotation)
        self.cards.show_rotation(rotation)
        if moved:
            self.clear_value()
            self.look_at(due[1])
            self._had_focus = None
            self._give_back.start()
        else:
            self.body.show_rotation(rotation)
            self.footer.show_rotation(rotation, self._stage)
        if is_here:
            self._on_pushed()  # what had the keyboard may be hidden now

    def _show_head(self, rotation: Rotation) -> None:
        now = self._desk.session.console.clock.now()
        self.head.show_rotation(rotation, now, leaked=self._desk.is_leaked(rotation))

    def _on_busy(self, doing: str) -> None:
        """Remember what has the keyboard while a step holds the buttons, and give it back."""
        at: QWidget | None = self.window().focusWidget()
        if doing and at is not None and self.isAncestorOf(at):
            self._had_focus = at
            self._pushed.start()
        elif not doing and self._had_focus is not None:
            self._give_back.start()

    def _on_pushed(self) -> None:
        """Note where Qt takes the keyboard from what is held or hidden: nobody wanted to go there."""
        self._pushed_to = self.window().focusWidget()

    def _focus(self) -> None:
        before, self._had_focus = self._had_focus, None
        pushed_to, self._pushed_to = self._pushed_to, None
        at: QWidget | None = self.window().focusWidget()
        is_outside = at is not None and at.isVisible() and not self.isAncestorOf(at)
        elsewhere = is_outside and at is not pushed_to
        if before is not None and before.isVisible() and before.isEnabled():
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self.isVisible() and not elsewhere:
            self.begin()

    def _on_stage(self, stage: Stage) -> None:
        self.look_at(stage)

    def _on_checklist(self) -> None:
        self.look_at(None)

    def _lay_out(self) -> None:
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidget(self._inside)
        self._scroll.viewport().setAutoFillBackground(False)
        self._inside.setAutoFillBackground(False)
        for body in self._bodies.values():
            body.hide()
            self._pages.addWidget(body)  # all before the footer is: Tab goes by the order in which they come
        layout: QVBoxLayout = column(self, margins=(16, 14, 16, 12))
        layout.setSpacing(12)
        layout.addWidget(self.head)
        layout.addWidget(self.cards)
        layout.addWidget(self._scroll, 1)
        layout.addWidget(self.footer)
