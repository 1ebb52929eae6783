"""The Lessons page: the program's lessons, a person's own, and a class, one view at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from PySide6.QtWidgets import QStackedWidget, QWidget

from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.labels import label
from keybench.ui.kit.segments import Segments
from keybench.ui.lessons.class_view import ClassView
from keybench.ui.lessons.gateway_view import GatewayView
from keybench.ui.lessons.listing import LessonsView
from keybench.ui.shared.session import Session
from keybench.words.language import _

#: The views by id, with their titles and what makes each when it is first visited.
VIEWS: Final[Mapping[str, tuple[str, Callable[[Session], QWidget]]]] = {
    "lessons": (_("Lessons"), partial(LessonsView, own=False)),
    "mine": (_("Mine"), partial(LessonsView, own=True)),
    "class": (_("Class"), ClassView),
    "gateway": (_("Practice gateway"), GatewayView),
}


class LessonsPage(QWidget):
    """All views, one at a time."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._session = session
        self._views: dict[str, QWidget] = {}
        self.segments = Segments(
            [(view, title) for view, (title, _make) in VIEWS.items()], _("View of lessons")
        )
        self.stack = QStackedWidget()
        head = in_row(label(_("Lessons"), "title"), self.segments, None, spacing=16)
        head.setContentsMargins(16, 15, 16, 0)  # its title stands where those of the other pages do
        in_column(head, (self.stack, 1), within=self, margins=(16, 16, 16, 16), spacing=12)
        self.segments.changed.connect(self.show_view)
        self.show_view(self.segments.value)

    def show_view(self, view_id: str) -> QWidget:
        """Show a view and return it."""
        self.segments.choose(view_id)
        if view_id not in self._views:
            _title, make = VIEWS[view_id]
            self._views[view_id] = make(self._session)
            self.stack.addWidget(self._views[view_id])
        self.stack.setCurrentWidget(self._views[view_id])
        return self._views[view_id]
