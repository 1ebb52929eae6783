"""The Lessons page: the program's lessons, a person's own, and a class, one view at a time."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtWidgets import QWidget

from keybench.ui.lessons.class_view import ClassView
from keybench.ui.lessons.gateway_view import GatewayView
from keybench.ui.lessons.listing import LessonsView
from keybench.ui.shared.session import Session
from keybench.ui.shared.views_page import Views, ViewsPage
from keybench.words.language import _

VIEWS: Final[Views] = {
    "lessons": (_("Lessons"), partial(LessonsView, own=False)),
    "mine": (_("Mine"), partial(LessonsView, own=True)),
    "class": (_("Class"), ClassView),
    "gateway": (_("Practice gateway"), GatewayView),
}


class LessonsPage(ViewsPage):
    """All views, one at a time."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, VIEWS, title=_("Lessons"), choice=_("View of lessons"), parent=parent)
        self.show_view(self.segments.value)
