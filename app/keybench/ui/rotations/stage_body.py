"""What the bodies of the stages have in common: one rotation shown, its buttons held while a step runs."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QPushButton, QWidget

from keybench.core.rotation import Rotation
from keybench.ui.rotations.desk import Desk


class StageBody(QWidget):
    """One stage's contents; a subclass shows a rotation in `show_rotation`.

    Args:
        desk: What the page shares.
    """

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.desk = desk
        self._wanted: dict[QPushButton, bool] = {}
        desk.busy_changed.connect(self._on_busy)

    def show_rotation(self, rotation: Rotation) -> None:
        """Show the rotation as it stands."""
        raise NotImplementedError

    def begin(self) -> bool:
        """Give the keyboard to what is to be done next: a button that leads on before one that goes back.

        Returns:
            Whether there is any that can be pressed.
        """
        there = [button for button in self._wanted if button.isEnabled() and button.isVisible()]
        there.sort(key=lambda button: button.property("tone") != "primary")
        for button in there[:1]:
            button.setFocus(Qt.FocusReason.OtherFocusReason)
        return bool(there)

    def offer(self, button: QPushButton, *, shown: bool = True, enabled: bool = True) -> None:
        """Show a button and let it be pressed when that makes sense and no step is under way."""
        button.setVisible(shown)
        self._wanted[button] = enabled
        button.setEnabled(enabled and not self.desk.busy)

    def open_portal(self) -> None:
        """Open the portal's page of keys in the browser; say where it is if that doesn't go."""
        if not QDesktopServices.openUrl(QUrl(self.desk.portal_url)):
            self.desk.said.emit(f"No browser could be opened. The page is {self.desk.portal_url}.", "bad")

    def _on_busy(self, _doing: str) -> None:
        for button, enabled in self._wanted.items():
            button.setEnabled(enabled and not self.desk.busy)
