"""What the practice gateway tells a trainer, as several pages show it: its log, the simulated applications."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar
from urllib.parse import quote

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from keybench.core.errors import KeybenchError
from keybench.core.lessons.practice import LogLine, SimulatedApplication
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.form import error_text
from keybench.ui.kit.labels import ElidedLabel, MessageLabel, button, label
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.session import Session
from keybench.words.formats import clock_time
from keybench.words.language import _
from keybench.words.lessons.practice import (
    call_words,
    caller_words,
    last_answer_words,
    log_key_words,
    running_key_words,
    sold_words,
    status_tone,
    status_words,
    why_words,
)

T = TypeVar("T")

EVERY_MS: Final = 1000
#: Where nothing could be read, it is tried again after so long.
_PAUSE_MS: Final = 5000
#: How often it is looked whether there are simulated applications by now.
_NONE_MS: Final = 5000
_MOST_LINES: Final = 200
#: A trainer's own calls, which nobody learns from.
_TRAINERS: Final = ("/portal/applications", "/portal/clock", "/portal/devices", "/portal/faults")
#: From which width of the table on, in pixels at 13 px text, a column has room.
_LOG_FROM: Final = {"call": 640, "why": 760, "device": 1000, "amount": 1080}
_APPLICATIONS_FROM: Final = {"last": 620, "device": 760, "set": 540}


class Watch(QObject):
    """Reads from the practice gateway again and again while a widget is in sight, and makes calls between.

    Args:
        sight: The widget; one in a minimised window isn't in sight.
        read: Returns what is told, and `show` is given it.
        wanted: Whether anything is to be read at all now.

    Attributes:
        message: Says why something failed; hidden else. Whoever watches lays it out.
    """

    def __init__(
        self,
        session: Session,
        sight: QWidget,
        name: str,
        read: Callable[[], Coroutine[Any, Any, T]],
        show: Callable[[T], object],
        *,
        wanted: Callable[[], bool] = lambda: True,
        every_ms: int = EVERY_MS,
    ) -> None:
        super().__init__(sight)
        self._practice = session.console.world.practice
        self.ask = self._practice.ask
        self.every_ms = every_ms
        self.message = MessageLabel()
        self.message.hide()
        self._sight = sight
        self._read = read
        self._show = show
        self._wanted = wanted
        self._calls: list[Callable[[], Awaitable[object]]] = []
        self._is_unread = False
        self._reading = Reading(session, name, self._turn, self._told, on_error=self._failed)
        self._timer = QTimer(self, interval=every_ms)
        self._timer.timeout.connect(self._on_time)
        sight.installEventFilter(self)

    def refresh(self) -> None:
        if self._wanted():
            self._reading.request()

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> None:
        """Make a call as soon as those before it are made, and read anew."""
        self.do(partial(self.ask, method, path, body))

    def do(self, work: Callable[[], Awaitable[object]]) -> None:
        """The same with work of several calls."""
        self._say("")
        self._calls.append(work)
        self._reading.request()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Show:
            self._timer.start()
            self.refresh()
        elif event.type() is QEvent.Type.Hide:
            self._timer.stop()
        return super().eventFilter(watched, event)

    def _say(self, text: str) -> None:
        self.message.say(text, "bad")
        self.message.setVisible(bool(text))

    def _on_time(self) -> None:
        # What can't be started is left to whoever wants it: a person, or a call.
        is_hopeless = self._is_unread and not self._practice.base_url
        if not is_hopeless and not self._sight.window().isMinimized():
            self.refresh()

    async def _turn(self) -> Any:
        while self._calls:
            try:
                await self._calls.pop(0)()
            except KeybenchError as error:
                self._say(error_text(error))
        return await self._read()

    def _told(self, told: Any) -> None:
        if self._is_unread:
            self._say("")
        self._is_unread = False
        self._show(told)
        self._go_on(self.every_ms)

    def _failed(self, error: KeybenchError) -> None:
        self._is_unread = True
        self._say(error_text(error))
        self._go_on(max(_PAUSE_MS, self.every_ms))

    def _go_on(self, every_ms: int) -> None:
        if self._timer.interval() != every_ms:
            self._timer.setInterval(every_ms)


@dataclass(frozen=True, slots=True)
class LogRow:
    """A line of the log; `which` is ``old`` or ``new`` where its key is a rotation's old or new one."""

    line: LogLine
    which: str = ""


_LOG: Final[tuple[Column[LogRow], ...]] = (
    Column(
        "at",
        _("Time"),
        lambda row: clock_time(row.line.at),
        ink=lambda _row: "dim",
        sort=lambda row: row.line.at,
    ),
    Column("caller", _("Who called"), lambda row: caller_words(row.line)),
    Column("call", _("Call"), lambda row: call_words(row.line), mono=True, hint=lambda row: row.line.path),
    Column("device", _("Device"), lambda row: row.line.device, empty=""),
    Column("amount", _("Amount"), lambda row: row.line.amount, right=True, empty=""),
    Column(
        "status",
        _("Status"),
        lambda row: status_words(row.line.status),
        tone=lambda row: status_tone(row.line.status),
    ),
    Column("why", _("Why"), lambda row: why_words(row.line.why), stretch=True),
    Column(
        "key",
        _("With which key"),
        lambda row: log_key_words(row.line.key, row.which),
        tone=lambda row: "warning" if row.which == "old" else "",
        empty="",
    ),
)


class GatewayLog(QWidget):
    """The gateway's log, newest first, up to date while it is in sight; polls that were answered are left out."""

    def __init__(self, session: Session, *, height_in_rows: tuple[int, int] | None = None) -> None:
        super().__init__()
        self._practice = session.console.world.practice
        self._lines: list[LogLine] = []
        self._of, self._newest = "", 0
        self._keys: dict[str, str] = {}
        self.table = Table(
            _("Gateway's log"),
            TableModel(_LOG, lambda row: row.line.number),
            height_in_rows=height_in_rows,
            empty_text=_("No call was made yet."),
        )
        self.table.columns.show_from(_LOG_FROM)
        self.table.columns.keep(session.preferences, "practice log columns")
        self.watch = Watch(session, self, f"gateway's log {id(self)}", self._read, self._show)
        heading = in_row(
            label(_("Gateway's log"), "strong"),
            (ElidedLabel(_("practice says why it answered so"), "dim"), 1),
        )
        in_column(heading, (self.table, 1), self.watch.message, within=self)

    def show_keys(self, old: str, new: str = "") -> None:
        """Mark the calls with a rotation's keys, by the identifiers that the gateway has for them."""
        keys = {key: which for key, which in ((old, "old"), (new, "new")) if key}
        if keys != self._keys:
            self._keys = keys
            self._show_rows()

    async def _read(self) -> tuple[str, Sequence[LogLine]]:
        known = self._newest and self._of == self._practice.base_url
        after = f"after={self._newest}&" if known else ""
        told = await self.watch.ask("GET", f"/portal/log?{after}limit={_MOST_LINES}&polls=false")
        return self._practice.base_url, [LogLine.of(one) for one in told["entries"]]

    def _show(self, told: tuple[str, Sequence[LogLine]]) -> None:
        if told[0] != self._of:  # another gateway counts anew
            self._of, self._newest, self._lines = told[0], 0, []
        if told[1]:
            new = sorted(told[1], key=lambda line: line.number, reverse=True)
            self._newest = new[0].number
            shown = (line for line in new if not line.path.startswith(_TRAINERS))
            self._lines = [*shown, *self._lines][:_MOST_LINES]
        if told[1] or not self._lines:
            self._show_rows()

    def _show_rows(self) -> None:
        self.table.model().show(LogRow(line, self._keys.get(line.key_id, "")) for line in self._lines)


_APPLICATIONS: Final[tuple[Column[SimulatedApplication], ...]] = (
    Column("name", _("Application"), lambda one: one.name, bold=True),
    Column("device", _("Device"), lambda one: one.device),
    Column("set", _("Set to key"), lambda one: one.key),
    Column(
        "running",
        _("Runs with key"),
        running_key_words,
        tone=lambda one: "warning" if one.waits_for_restart else "",
    ),
    Column("last", _("Last answer"), last_answer_words, stretch=True),
    Column("sold", _("Sales"), sold_words),
)


class SimulatedApplications(QWidget):
    """The applications that sell at the practice gateway by themselves, and how each is doing.

    Args:
        sight: Whose being in sight counts, where this may be hidden because there are none; itself if left out.
        wanted: Whether they are asked for at all now.

    Signals:
        told: They were told anew, see `applications`.
    """

    told = Signal()

    def __init__(
        self,
        session: Session,
        *,
        sight: QWidget | None = None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        super().__init__()
        self._session = session
        self.table = Table(
            _("Simulated applications"),
            TableModel(_APPLICATIONS, lambda one: one.name),
            height_in_rows=(1, 4),
            empty_text=_("No application sells here by itself."),
        )
        self.table.columns.show_from(_APPLICATIONS_FROM)
        self.table.columns.keep(session.preferences, "simulated applications columns")
        self.table.selection_changed.connect(self._on_selection)
        self.restart = button(
            _("Restart"),
            self._on_restart,
            hint=_("The selected application runs with the key it is set to from then on"),
        )
        name = f"simulated applications {id(self)}"
        self.watch = Watch(session, sight or self, name, self._read, self._show, wanted=wanted)
        heading = in_row((label(_("Simulated applications"), "strong"), 1), self.restart)
        in_column(heading, self.table, self.watch.message, within=self)
        self._on_selection()

    @property
    def applications(self) -> Sequence[SimulatedApplication]:
        return self.table.model().items

    async def _read(self) -> list[SimulatedApplication]:
        told = await self.watch.ask("GET", "/portal/applications")
        return [SimulatedApplication.of(one) for one in told["applications"]]

    def _show(self, applications: list[SimulatedApplication]) -> None:
        self.watch.every_ms = EVERY_MS if applications else _NONE_MS
        self.table.model().show(applications)
        if applications and self.table.selected is None:
            self.table.select_row(0)
        self.told.emit()

    def _on_selection(self) -> None:
        self.restart.setEnabled(self.table.selected is not None)

    def _on_restart(self) -> None:
        if application := self.table.selected:
            self.watch.do(partial(self._restart, application.name))

    async def _restart(self, name: str) -> None:
        if room := self._session.room:
            await room.mirror_register()
        await self.watch.ask("POST", f"/portal/applications/{quote(name, safe='')}/restart")
