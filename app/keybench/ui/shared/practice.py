"""What the practice gateway tells a trainer, as several pages show it: its log, the simulated applications."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Final, TypeVar
from urllib.parse import quote

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from keybench.core.errors import KeybenchError
from keybench.core.lessons.practice import LogLine, SimulatedApplication
from keybench.core.ports import Practice
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.form import error_text
from keybench.ui.kit.labels import ElidedLabel, MessageLabel, button, label
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.session import Session
from keybench.words.formats import clock_time
from keybench.words.language import _
from keybench.words.lessons.practice import call_words, why_words

T = TypeVar("T")

_EVERY_MS: Final = 1000
_MOST_LINES: Final = 200
#: A trainer's own calls, which nobody learns from.
_TRAINERS: Final = ("/portal/applications", "/portal/clock", "/portal/devices", "/portal/faults")
_OLD: Final = _("old key ({name})")
_NEW: Final = _("new key ({name})")


class Watch(QObject):
    """Reads from the practice gateway every second while a widget is in sight, and makes calls between.

    Args:
        sight: The widget; one in a minimised window isn't in sight.
        read: Returns what is told, and `show` is given it.
        wanted: Whether anything is to be read at all now.
        practice: The gateway, if not this console's own.

    Attributes:
        ask: Makes one of the trainer's calls.
        message: Says why something failed; hidden else. Whoever watches lays it out.
    """

    def __init__(
        self,
        session: Session,
        sight: QWidget,
        read: Callable[[], Coroutine[Any, Any, T]],
        show: Callable[[T], object],
        *,
        wanted: Callable[[], bool] = lambda: True,
        practice: Practice | None = None,
    ) -> None:
        super().__init__(sight)
        self._practice = practice or session.console.world.practice
        self.ask = self._practice.ask
        self.message = MessageLabel()
        self.message.hide()
        self._sight, self._read, self._show, self._wanted = sight, read, show, wanted
        self._calls: list[Callable[[], Awaitable[object]]] = []
        self._is_unread = False
        self._reading = Reading(
            session, f"practice gateway {id(self)}", self._turn, self._told, on_error=self._failed
        )
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._on_time)
        sight.installEventFilter(self)

    def refresh(self) -> None:
        if self._wanted():
            self._reading.request()

    def do(self, call: Callable[..., Awaitable[object]], *given: Any) -> None:
        """Make a call, such as `ask`, as soon as those before it are made, and read anew."""
        self._say("")
        self._calls.append(partial(call, *given))
        self._reading.request()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Show:
            self._timer.start()
            self.refresh()
        elif event.type() is QEvent.Type.Hide:
            self._timer.stop()
        return super().eventFilter(watched, event)

    def _say(self, text: str) -> None:
        if text != self.message.text():
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

    def _failed(self, error: KeybenchError) -> None:
        self._is_unread = True
        self._say(error_text(error))


class GatewayLog(QWidget):
    """The gateway's log, newest first, up to date while it is in sight; polls that were answered are left out."""

    def __init__(self, session: Session, *, height_in_rows: tuple[int, int] | None = None) -> None:
        super().__init__()
        self._newest = 0
        self._keys = keys = dict[str, str]()
        columns: tuple[Column[LogLine], ...] = (
            Column("at", _("Time"), lambda line: clock_time(line.at), ink=lambda _line: "dim"),
            Column(
                "caller", _("Who called"), lambda line: line.caller or _("this console or another program")
            ),
            Column("call", _("Call"), call_words, mono=True, hint=lambda line: line.path),
            Column("device", _("Device"), lambda line: line.device, hidden=True),
            Column("amount", _("Amount"), lambda line: line.amount, hidden=True, right=True),
            Column(
                "status",
                _("Status"),
                lambda line: str(line.status or _("closed")),
                tone=lambda line: "good" if line.status in range(200, 400) else "bad",
            ),
            Column("why", _("Why"), lambda line: why_words(line.why), stretch=True),
            Column(
                "key",
                _("With which key"),
                lambda line: keys.get(line.key_id, "{name}").format(name=line.key),
                tone=lambda line: "warning" if keys.get(line.key_id) == _OLD else "",
                empty="",
            ),
        )
        self.table = Table(
            _("Gateway's log"),
            TableModel(columns, lambda line: line.number),
            height_in_rows=height_in_rows,
            empty_text=_("No call was made yet."),
        )
        self.table.columns.keep(session.preferences, "practice log columns")
        self.watch = Watch(session, self, self._read, self._show)
        heading = in_row(
            label(_("Gateway's log"), "strong"),
            (ElidedLabel(_("practice says why it answered so"), "dim"), 1),
        )
        in_column(heading, (self.table, 1), self.watch.message, within=self)

    def show_keys(self, old: str, new: str = "") -> None:
        """Mark the calls with a rotation's keys, by the identifiers that the gateway has for them."""
        self._keys.clear()
        self._keys.update({key: words for key, words in ((new, _NEW), (old, _OLD)) if key})
        self.table.viewport().update()

    async def _read(self) -> Sequence[LogLine]:
        after = f"after={self._newest}&" if self._newest else ""
        told = await self.watch.ask("GET", f"/portal/log?{after}limit={_MOST_LINES}&polls=false")
        return sorted(map(LogLine.of, told["entries"]), key=lambda line: line.number, reverse=True)

    def _show(self, lines: Sequence[LogLine]) -> None:
        if lines:
            self._newest = lines[0].number
            shown = [line for line in lines if not line.path.startswith(_TRAINERS)]
            self.table.model().show([*shown, *self.table.model().items][:_MOST_LINES])


def _running_key(one: SimulatedApplication) -> str:
    key = one.running_key or _("a key that is gone")
    if not one.waits_for_restart:
        return key
    words = _("{key} until its next sale") if one.at_once else _("{key} until it is restarted")
    return words.format(key=key)


_APPLICATIONS: Final[tuple[Column[SimulatedApplication], ...]] = (
    Column("name", _("Application"), lambda one: one.name, bold=True),
    Column("device", _("Device"), lambda one: one.device, hidden=True),
    Column("set", _("Set to key"), lambda one: one.key),
    Column(
        "running",
        _("Runs with key"),
        _running_key,
        tone=lambda one: "warning" if one.waits_for_restart else "",
    ),
    Column(
        "last",
        _("Last answer"),
        lambda one: f"{clock_time(one.last_at)} · {why_words(one.last_why)}" if one.last_at else "",
        stretch=True,
    ),
    Column(
        "sold",
        _("Sales"),
        lambda one: _("{sold} sold, {failed} not").format(sold=one.sold, failed=one.failed),
    ),
)


class SimulatedApplications(QWidget):
    """The applications that sell at the practice gateway by themselves, and how each is doing.

    Args:
        sight: Whose being in sight counts, where this may be hidden because there are none; itself if left out.
        wanted: Whether they are asked for at all now.

    Signals:
        told: They were told anew, and are the table's rows.
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
        self.table.columns.keep(session.preferences, "simulated applications columns")
        self.restart = button(
            _("Restart"),
            self._on_restart,
            hint=_("The selected application runs with the key it is set to from then on"),
        )
        self.watch = Watch(session, sight or self, self._read, self._show, wanted=wanted)
        heading = in_row((label(_("Simulated applications"), "strong"), 1), self.restart)
        in_column(heading, self.table, self.watch.message, within=self)
        self.table.selection_changed.connect(lambda: self.restart.setEnabled(self.table.selected is not None))
        self.restart.setEnabled(False)

    async def _read(self) -> list[SimulatedApplication]:
        told = await self.watch.ask("GET", "/portal/applications")
        return [SimulatedApplication.of(one) for one in told["applications"]]

    def _show(self, applications: list[SimulatedApplication]) -> None:
        self.table.model().show(applications)
        if applications and self.table.selected is None:
            self.table.select_row(0)
        self.told.emit()

    def _on_restart(self) -> None:
        if application := self.table.selected:
            self.watch.do(self._restart, application.name)

    async def _restart(self, name: str) -> None:
        if room := self._session.room:
            await room.mirror_register()
        await self.watch.ask("POST", f"/portal/applications/{quote(name, safe='')}/restart")
