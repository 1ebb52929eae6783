"""The chooser of the environment: its mark, its name in capitals, and the others to change to."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFont, QIcon, QKeyEvent
from PySide6.QtWidgets import QComboBox, QWidget

from keybench.core.environment import Environment
from keybench.ui.icons import mark_pixmap
from keybench.ui.theme import scaled, tokens
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.labels import set_tip

MARK_PX = 11
_OPENING = frozenset(
    {
        Qt.Key.Key_Down,
        Qt.Key.Key_Up,
        Qt.Key.Key_Space,
        Qt.Key.Key_Return,
        Qt.Key.Key_Enter,
        Qt.Key.Key_F4,
    }
)


class EnvironmentBox(ComboBox):
    """A combo box of environments.

    Another is entered only by choosing it in the open list: closed, the box takes no key but those that open
    it, or one press of Down could lead into live.

    The names are shown in capitals and stay as they are for everything that reads them.

    Signals:
        chosen: A person chose another (an `Environment`).
    """

    chosen = Signal(object)

    def __init__(self, shown: Environment, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("environment")
        self.setAccessibleName("Environment")
        set_tip(self, "The environment that keys, devices and sales belong to")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setMaxVisibleItems(16)
        font = QFont(self.font())
        font.setCapitalization(QFont.Capitalization.AllUppercase)
        self.setFont(font)
        self._environments: tuple[Environment, ...] = ()
        self.activated.connect(self._on_activated)
        self.show_environments([shown], shown)

    def show_environments(self, environments: Sequence[Environment], shown: Environment) -> None:
        """List `environments` and show the one with the id of `shown`; tells nobody."""
        self._environments = tuple(environments)
        self.clear()
        for environment in self._environments:
            self.addItem(environment.name)
        self.setIconSize(QSize(scaled(MARK_PX), scaled(MARK_PX)))
        self._draw_marks()
        self.show_environment(shown)
        self.setMinimumWidth(self.sizeHint().width())

    def show_environment(self, shown: Environment) -> None:
        """Show one of the listed."""
        ids = [environment.id for environment in self._environments]
        if shown.id in ids:
            self.setCurrentIndex(ids.index(shown.id))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the list; no key changes the environment while it is closed."""
        others = event.modifiers() & ~(Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.KeypadModifier)
        if event.key() in _OPENING and not others:
            self.showPopup()
        else:
            event.ignore()

    def changeEvent(self, event: QEvent) -> None:
        """Draw the marks in the colours in force."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_environments"):
            self._draw_marks()

    def _draw_marks(self) -> None:
        for row, environment in enumerate(self._environments):
            self.setItemIcon(row, QIcon(mark_pixmap(environment.kind, tokens(), scaled(MARK_PX))))

    def _on_activated(self, row: int) -> None:
        self.chosen.emit(self._environments[row])
