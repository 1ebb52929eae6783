"""Pages and views that are made when they are first visited, and a page of several views, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TypeAlias

from PySide6.QtWidgets import QStackedWidget, QWidget

from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.choosers import Segments
from keybench.ui.kit.labels import label
from keybench.ui.shared.session import Session

#: Views by id, with their titles and what makes each.
Views: TypeAlias = Mapping[str, tuple[str, Callable[[Session], QWidget]]]


def later(module: str, name: str) -> Callable[..., QWidget]:
    """Return what makes a page or a view; its module is imported when it is visited, if it wasn't before."""

    def make(*given: object) -> QWidget:
        made: QWidget = getattr(import_module(f"keybench.ui.{module}"), name)(*given)
        return made

    return make


class ViewsPage(QWidget):
    """The choice of a view, which has the accessible name `choice`, and that view."""

    def __init__(
        self, session: Session, views: Views, *, title: str, choice: str, parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._session = session
        self._makers = views
        self._views: dict[str, QWidget] = {}
        self.segments = Segments([(view, name) for view, (name, _make) in views.items()], choice)
        self.stack = QStackedWidget()
        self.head = in_row(label(title, "title"), self.segments, None, spacing=16)
        self.head.setContentsMargins(16, 15, 16, 0)  # its title stands where those of the other pages do
        in_column(self.head, (self.stack, 1), within=self, margins=(16, 16, 16, 16), spacing=12)
        self.segments.changed.connect(self.show_view)

    def show_view(self, view_id: str) -> QWidget:
        """Show a view and return it."""
        self.segments.choose(view_id)
        if view_id not in self._views:
            _name, make = self._makers[view_id]
            self._views[view_id] = make(self._session)
            self.stack.addWidget(self._views[view_id])
        self.stack.setCurrentWidget(self._views[view_id])
        return self._views[view_id]
