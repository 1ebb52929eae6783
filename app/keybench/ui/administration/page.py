"""The Keys page: a row of segments, and below it the view that is chosen, made when it is first wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from keybench.core.security_key import SecurityKey
from keybench.ui.administration.view import AnyKeysView
from keybench.ui.preferences import Preferences
from keybench.ui.session import Session
from keybench.ui.widgets.segments import Segments

_CHOSEN: Final = "keys/view"


@dataclass(frozen=True, slots=True)
class ViewSpec:
    """A view of the page.

    Attributes:
        name: Its name on the segment, which is its accessible name.
        factory: Makes it, the first time it is wanted.
    """

    name: str
    factory: Callable[[Session, Preferences], AnyKeysView]


def _inventory(session: Session, preferences: Preferences) -> AnyKeysView:
    from keybench.ui.inventory.view import InventoryView  # noqa: PLC0415 - views are imported when they are visited

    return InventoryView(session, preferences)


def _applications(session: Session, preferences: Preferences) -> AnyKeysView:
    from keybench.ui.applications.view import ApplicationsView  # noqa: PLC0415 - same

    return ApplicationsView(session, preferences)


def _review(session: Session, preferences: Preferences) -> AnyKeysView:
    from keybench.ui.review.view import ReviewView  # noqa: PLC0415 - same

    return ReviewView(session, preferences)


def _activity(session: Session, _preferences: Preferences) -> AnyKeysView:
    from keybench.ui.activity.view import ActivityView  # noqa: PLC0415 - same

    return ActivityView(session)


VIEWS: Final = (
    ViewSpec("Inventory", _inventory),
    ViewSpec("Applications", _applications),
    ViewSpec("Review", _review),
    ViewSpec("Activity", _activity),
)


class KeysPage(QWidget):
    """All views, one at a time; which it was is remembered.

    Args:
        session: What the window shares.
        preferences: Remembers the view, and what the views remember.
        views: The views from left to right; one at least.
    """

    def __init__(
        self,
        session: Session,
        preferences: Preferences,
        views: Sequence[ViewSpec] = VIEWS,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._session = session
        self._preferences = preferences
        self._specs = {view.name: view for view in views}
        self._views: dict[str, AnyKeysView] = {}
        self.segments = Segments([(view.name, view.name) for view in views], "View of the keys")
        self.stack = QStackedWidget()
        row = QHBoxLayout()
        row.addWidget(self.segments)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        layout.addLayout(row)
        layout.addWidget(self.stack, 1)
        remembered = preferences.text(_CHOSEN)
        if remembered in self._specs:
            self.segments.choose(remembered)
        self.segments.changed.connect(self._on_segment)
        self._on_segment(self.segments.value)

    def show_view(self, name: str, key: SecurityKey | None = None) -> AnyKeysView:
        """Go to a view, and show it a key if one is given.

        Args:
            name: One of the views' names.
            key: What it is wanted for.
        """
        self.segments.choose(name)
        view = self._views[name]
        if key is not None:
            view.show_key(key)
        return view

    def view(self, name: str) -> AnyKeysView | None:
        """Return a view if it has been visited."""
        return self._views.get(name)

    def _on_segment(self, name: str) -> None:
        if name not in self._views:
            view = self._specs[name].factory(self._session, self._preferences)
            view.view_asked.connect(self._on_view_asked)
            self._views[name] = view
            self.stack.addWidget(view)
        self.stack.setCurrentWidget(self._views[name])
        self._preferences.set_text(_CHOSEN, name)

    def _on_view_asked(self, name: str, key: SecurityKey | None) -> None:
        if name in self._specs:
            self.show_view(name, key)
