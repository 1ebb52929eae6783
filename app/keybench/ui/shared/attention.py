"""What waits for a person, counted on the rail, and the buttons that lead to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QSizePolicy

from keybench.core.environments.environment import Environment
from keybench.core.events import (
    ApplicationsChanged,
    DevicesChanged,
    EnvironmentsChanged,
    KeysChanged,
    RotationChanged,
    SaleChanged,
)
from keybench.core.ports.journal import Attention
from keybench.core.rotations.rotation import Rotation
from keybench.ui.kit.labels import explain_button
from keybench.ui.kit.tokens import Tone
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.session import Notice, Place, Session
from keybench.words.language import _, ngettext, number
from keybench.words.team.edits import contradictions_words

KEYS: Final = "keys"
ROTATIONS: Final = "rotations"
HISTORY: Final = "history"
_CONTRADICTING: Final = "contradictions"
#: What changes within this time is counted once: a run changes hundreds of sales.
_GATHER_MS: Final = 250
#: How often it is looked whether a rotation's end has come, without asking the journal.
_MINUTE_MS: Final = 60_000


@dataclass(frozen=True, slots=True)
class PageCount:
    """How many things wait for a person on a page: as ``2 compromised keys``, and the environments, one a line."""

    count: int
    tone: Tone
    words: str
    where: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for a person in all environments together.

    Attributes:
        counts: By the page's id; only those with something.
        overdue: The overdue rotations, the one that waits longest first.
    """

    counts: Mapping[str, PageCount] = field(default_factory=dict)
    overdue: Sequence[Rotation] = ()


class AttentionWatch(QObject):
    """Counts what waits for a person whenever something changed, and tells it with `Session.show_waiting`.

    Other programs change the journal too, so it is counted again when a person comes back to the window.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._found = Attention()
        self._names: dict[str, str] = {}
        # Whoever works with the journal says that it fails; the counts stay as they were.
        self._reading = Reading(
            session,
            "what waits for a person",
            self._read,
            self._show,
            wanted=lambda: None,
            on_error=lambda _error: None,
        )
        self._gather = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._gather.timeout.connect(self._reading.request)
        self._minutes = QTimer(self, interval=_MINUTE_MS)
        self._minutes.timeout.connect(self.show_waiting)

    def begin(self) -> None:
        session = self._session
        session.subscribe(
            self,
            {
                **dict.fromkeys((KeysChanged, ApplicationsChanged, DevicesChanged), self._on_change),
                **dict.fromkeys((RotationChanged, EnvironmentsChanged), self._on_change),
                SaleChanged: self._on_sale,
            },
        )
        session.ending.connect(self._gather.stop)
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):
            app.applicationStateChanged.connect(self._on_application)
        self._minutes.start()
        self._reading.request()

    def show_waiting(self) -> None:
        overdue = self._found.overdue(self._session.console.clock.now(), self._names)
        late = Counter(rotation.environment_id for rotation in overdue)
        found = {KEYS: self._found.compromised, ROTATIONS: late, HISTORY: self._found.unknown}
        counts = {page: self._count(page, where) for page, where in found.items() if where}
        self._session.show_waiting(Waiting(counts, overdue))

    def _count(self, page: str, where: Mapping[str, int]) -> PageCount:
        count = sum(where.values())
        tone: Tone = "unknown" if page == HISTORY else "bad"
        by_name = {self._names.get(one, ""): number for one, number in where.items()}
        return PageCount(count, tone, count_words(page, count), where_words(by_name))

    async def _read(self) -> tuple[Attention, Sequence[Environment]]:
        environments = await self._session.console.environments.all()
        return await self._session.console.world.journal.attention(), environments

    def _show(self, read: tuple[Attention, Sequence[Environment]]) -> None:
        before, (self._found, environments) = self._found.contradictions, read
        if self._found.contradictions > before:
            words = contradictions_words(self._found.contradictions)
            self._session.notify(Notice("warning", *words, topic=_CONTRADICTING, place=Place(KEYS)))
        elif not self._found.contradictions:
            self._session.end_notice(_CONTRADICTING)
        self._names = {one.id: one.name for one in environments}
        self.show_waiting()

    def _on_change(self, _event: object) -> None:
        if not self._gather.isActive():
            self._gather.start()

    def _on_sale(self, change: SaleChanged) -> None:
        if change.sale.verdict is not None:
            self._on_change(change)

    def _on_application(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self._on_change(state)


def count_words(page: str, count: int) -> str:
    match page:
        case "keys":
            return ngettext("1 compromised key", "{count} compromised keys", count)
        case "rotations":
            return ngettext("1 urgent rotation", "{count} urgent rotations", count)
        case _:
            return ngettext("1 unknown sale", "{count} unknown sales", count)


def finding_words(page: str, count: int) -> str:
    match page:
        case "keys":
            return ngettext("Show 1 compromised key", "Show {count} compromised keys", count)
        case "rotations":
            return ngettext("Show the urgent rotation", "Show the next of {count} urgent rotations", count)
        case _:
            return ngettext("Show 1 unknown sale", "Show {count} unknown sales", count)


def where_words(counts: Mapping[str, int]) -> str:
    """Return which environments things wait in, one a line; an empty name stands for removed ones."""
    named = sorted(counts.items(), key=lambda one: (not one[0], one[0].casefold()))
    removed = _("a removed environment")
    return "\n".join(f"{name or removed}: {number(count)}" for name, count in named)


class AttentionButton(QPushButton):
    """Leads a page to what is counted on its rail button; there only while something is.

    Args:
        session: Tells what waits.
        page: The page's id.
        find: Called when it is pressed.
    """

    def __init__(self, session: Session, page: str, find: Callable[[], object]) -> None:
        super().__init__()
        self._session = session
        self._page = page
        self.setProperty("tone", "quiet")
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.clicked.connect(find)
        session.waiting_changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        waiting = self._session.waiting
        count = waiting.counts.get(self._page) if waiting else None
        if count:
            self.setText(finding_words(self._page, count.count))
            self.setAccessibleName(self.text())
            explain_button(self, count.where)
        self.setVisible(count is not None)
