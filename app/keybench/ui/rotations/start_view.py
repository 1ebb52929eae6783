"""Begins a rotation: which key, why, what the new one shall be, and until when both are valid."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from keybench.core.errors import KeybenchError
from keybench.core.input_errors import NameTaken
from keybench.core.rotation import Rotation
from keybench.core.security_key import KeyDraft, SecurityKey
from keybench.ui.page_frame import PageFrame
from keybench.ui.rotations.controller import RotationController
from keybench.ui.rotations.planning import OverlapField, PlanForm
from keybench.ui.rotations.stage_view import column, row_of
from keybench.ui.session import Notice
from keybench.ui.theme import scaled
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.form import Field, Form, text_field
from keybench.ui.widgets.labels import MessageLabel, button, label
from keybench.words.explain import explain
from keybench.words.rotations import NAME_WANTED

_USUAL = "Regular rotation"
_NO_KEY = "Every key here is being rotated already, or there is none. Add a New Key on the Bench makes one."

#: From this width on, at 13 px text, both keys stand beside each other.
_BESIDE_PX: Final = 540


def begun_notice(rotation: Rotation) -> Notice:
    """Return what tells whoever looks at something else by now that a rotation was begun."""
    title = f"The rotation of “{rotation.old.name}” has begun."
    return Notice("good", title, "It is on the page Rotations of its environment.", "rotation begun")


class StartView(QFrame):
    """The form of a new rotation. It is made anew each time.

    Args:
        controller: The page's.
        keys: The environment's keys.
        rotations: Its rotations; a key with an open one isn't offered.

    Signals:
        left: The person doesn't begin one after all.
        started: It is begun (a `Rotation`).
    """

    left = Signal()
    started = Signal(object)

    def __init__(
        self, controller: RotationController, keys: Sequence[SecurityKey], rotations: Sequence[Rotation]
    ) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self._controller = controller
        self._environment = controller.environment
        self._busy = False
        self._over = False
        self._names = [key.name for key in keys]
        under_way = {rotation.old.key_id for rotation in rotations if rotation.is_open}
        self._keys = {key.id: key for key in keys if key.id not in under_way}
        self.key_box = ComboBox()
        for key in self._keys.values():
            self.key_box.addItem(_choice(key), key.id)
        self.key_box.setPlaceholderText("No key")
        self.key_box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.key_box.setCurrentIndex(-1)
        self.key_box.setEnabled(bool(self._keys))
        self.reason = text_field("Reason", _USUAL, hint="Such as: older than a year, a colleague left")
        self.overlap = OverlapField(controller.session)
        self.form = Form(Field("Key", self.key_box, "" if self._keys else _NO_KEY), self.reason, self.overlap)
        self.plan = PlanForm(controller, keys)
        self.start_button = button("Start rotation", self.start, tone="primary")
        self.cancel_button = button("Cancel", self.left.emit)
        self._message = MessageLabel(2)
        self._old_side, self._new_side = QWidget(), QWidget()
        self._lay_out()
        self.key_box.currentIndexChanged.connect(self._on_key)
        self._offer()

    @property
    def key(self) -> SecurityKey | None:
        """The chosen key."""
        return self._keys.get(str(self.key_box.currentData() or ""))

    @property
    def message(self) -> str:
        """What is said beside the buttons."""
        return self._message.text()

    def begin(self, key_id: str = "") -> None:
        """Choose a key by id, or the first one, and give the keyboard to what is to be entered next."""
        name = f"overlap settings {id(self)}"
        self._controller.session.run(name, self.overlap.read_settings(), owner=self)
        row = self.key_box.findData(key_id) if key_id else -1
        self.key_box.setCurrentIndex(row if row >= 0 else (0 if self._keys else -1))
        first = self.reason.editor if row >= 0 else self.key_box
        if self.isVisible():
            # As Tab does, so that typing replaces what stands there.
            first.setFocus(Qt.FocusReason.TabFocusReason)

    def start(self) -> None:
        """Check what was entered and begin; a fault gets the keyboard instead."""
        key = self.key
        if key is None or self._busy:
            return
        if fault := self.form.first_fault() or self.plan.first_fault():
            if fault is self.plan.tick:
                self._message.say("Tick that you want the differences to the old key.", "bad")
            return
        if self._controller.person:
            self._busy = True
            self._offer()
            self._message.say("Starting…", "dim")
            work = self._start(key, self.plan.draft, self.reason.text.strip(), self.overlap.moment)
            self._controller.session.run(f"start rotation {id(self)}", work, on_error=self._failed)
        else:
            self._message.say(NAME_WANTED, "bad")
            self._controller.name_wanted.emit()

    def leave(self) -> None:
        """Let whoever leaves it hear from a notice what becomes of a rotation that is being begun."""
        self._over = True

    async def _start(self, key: SecurityKey, draft: KeyDraft, reason: str, ends_at: datetime) -> None:
        rotation = await self._controller.rotations.start(
            self._environment, key, draft, reason=reason, by=self._controller.person, overlap_ends_at=ends_at
        )
        if self._over:
            self._controller.session.notify(begun_notice(rotation))
        else:
            self.started.emit(rotation)

    def _failed(self, error: KeybenchError) -> None:
        words = explain(error)
        if self._over:
            self._controller.session.notify(
                Notice("bad", f"The rotation was not begun. {words.title}", words.text, "rotation begun")
            )
            return
        self._busy = False
        self._offer()
        if isinstance(error, NameTaken):
            self.plan.show_error(error)
            self._message.say("", "")
            return
        self._message.say(f"{words.title} {words.text}".strip(), "bad")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Esc leave it."""
        if event.key() == Qt.Key.Key_Escape and not self._busy:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the new key's fields beside the old one's, or below where there is little room."""
        super().resizeEvent(event)
        self._arrange(wide=self.width() >= scaled(_BESIDE_PX))

    def _arrange(self, *, wide: bool) -> None:
        self._grid.addWidget(self._old_side, 0, 0)
        self._grid.addWidget(self._new_side, *((0, 1) if wide else (1, 0)))
        for number in range(2):
            self._grid.setColumnStretch(number, 1 if wide or number == 0 else 0)
        self._grid.setHorizontalSpacing(24 if wide else 0)

    def _on_key(self) -> None:
        key = self.key
        if key:
            self.plan.load(key, self._controller.rotations.proposed(key, self._names))
        self._offer()

    def _offer(self) -> None:
        ready = not self._busy and self.key is not None
        self.start_button.setEnabled(ready)
        self.cancel_button.setEnabled(not self._busy)
        self.plan.setEnabled(ready)

    def _lay_out(self) -> None:
        inside = QWidget()
        self._grid = QGridLayout(inside)
        self._grid.setContentsMargins(0, 0, 8, 0)
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(16)
        left = column(self._old_side)
        left.addWidget(label("The old key", "heading"))
        left.addWidget(self.form)
        left.addStretch(1)
        right = column(self._new_side)
        right.addWidget(label("The new key", "heading"))
        right.addWidget(self.plan)
        right.addStretch(1)
        self._arrange(wide=True)
        scroll = PageFrame()
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.hold(inside)
        layout = column(self, margins=(16, 14, 16, 12))
        layout.setSpacing(12)
        layout.addWidget(label("New rotation", "title"))
        layout.addWidget(scroll, 1)
        ends = row_of(self._message, self.cancel_button, self.start_button)
        ends.setStretch(0, 1)
        layout.addLayout(ends)


def _choice(key: SecurityKey) -> str:
    leaked = " · compromised" if key.compromised else ""
    return f"{key.name} · {key.kind} · {key.username}{leaked}"
