"""The Devices page: the list, what to sell on many of them, and the batch, one view at a time."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QStackedWidget, QWidget

from keybench.core.devices.state import DeviceState
from keybench.core.environments.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.events import DevicesChanged, KeysChanged, KeystoreChanged, SaleChanged
from keybench.core.input_errors import LiveBarred
from keybench.core.keys.key import KeyState, SecurityKey
from keybench.core.ports import Device
from keybench.core.sales.sale import Sale
from keybench.ui.devices.list_view import MOST_SALES, ListView
from keybench.ui.devices.managing import DeviceManager
from keybench.ui.devices.order_view import OrderView
from keybench.ui.devices.reports import DeviceReports
from keybench.ui.devices.run_view import RunView
from keybench.ui.kit.boxes import in_column
from keybench.ui.kit.dialog import LISTS, ask_file
from keybench.ui.shared.device_states import DeviceStates
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.requests import Case
from keybench.ui.shared.sales.actions import is_failed
from keybench.ui.shared.sales.selection import SaleFeed
from keybench.ui.shared.session import Session
from keybench.words.explain import explain
from keybench.words.fields import field_sentence
from keybench.words.language import _, ngettext

#: A device's last sale, and those that tell of its habit, are among so many of the environment's newest.
_LOOK_BACK: Final = 2000


class DevicesPage(QWidget):
    """All three views, kept up to date for the environment shown."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._session = session
        self._shown: str | None = None
        self._reports = DeviceReports(session, self)
        self._states = DeviceStates(session, "devices page", self)
        self.list = ListView(
            session.preferences,
            self._reports,
            self._states,
            session.console.clock,
            {
                "refresh": self._refresh,
                "open": self.open_list,
                "run": self._show_run,
                "devices.sell": self.sell_on_chosen,
                "device.register": self._register,
                "device.check": self._check,
                "device.rename": self._rename,
                "device.deregister": self._deregister,
                "device.diagnose": self._diagnose,
            },
        )
        self._manager = DeviceManager(session, self, self.list.say)
        self._wanted = ""
        self.order = OrderView(session)
        self.run_view = RunView(session)
        self.views = QStackedWidget()
        for view in (self.list, self.order, self.run_view):
            self.views.addWidget(view)
        in_column(self.views, within=self, margins=(16, 16, 16, 16))
        self._reading = Reading(session, "devices page", self._read, self._show_read)
        self._asking = Reading(session, "devices page asks the gateway", self._ask_gateway, self._show_answer)
        self._feed = SaleFeed(session, self)
        self._connect()
        self._reload()

    # --- the devices ---------------------------------------------------------------------------------

    def _reload(self) -> None:
        environment = self._session.environment
        if self._shown != environment.id:
            self._shown = environment.id
            self._reports.clear()
            self.list.show_loading()
            self.list.say("")
            self._manager.key = None
        self.list.show_facts(self._session.console.environments.facts(environment))
        self._states.reload()
        self._judge()
        # The loop may not be running yet when the page is made.
        QTimer.singleShot(0, self, self._reading.request)

    async def _read(self) -> tuple[Sequence[SecurityKey], Sequence[Device], Sequence[Sale]]:
        environment, console = self._session.environment, self._session.console
        keys = await console.keys.listed(environment)
        devices = await console.devices.listed(environment)
        return keys, devices, await console.recent_sales(environment.id, _LOOK_BACK)

    def _show_read(self, read: tuple[Sequence[SecurityKey], Sequence[Device], Sequence[Sale]]) -> None:
        keys, devices, sales = read
        newest: dict[str, list[Sale]] = {}
        for sale in sales:
            newest.setdefault(sale.device, []).append(sale)
        self.order.key.show_keys(keys)
        self.list.show_devices(devices)
        if self._wanted and any(device.id == self._wanted for device in devices):
            self.list.table.select(self._wanted)
            self._wanted = ""
        self.list.show_sales({device: tuple(some[:MOST_SALES]) for device, some in newest.items()})
        self.list.show_key(has_key=bool(self.order.key.keys))
        self._reports.read(self._session.environment.id, sales)
        self._judge()

    def _refresh(self) -> None:
        if self._key():
            self.list.say(_("Asking the gateway…"))
            self._asking.request()

    def _key(self) -> SecurityKey | None:
        keys = self.order.key
        working = [key for key in keys.keys if key.state is KeyState.WORKING]
        return next(iter(working), None) or keys.key

    def _diagnose(self) -> None:
        device = self.list.selected
        if device is None:
            return
        last, key = self.list.last_sale(device.id), self._key()
        sale = last if last and is_failed(last) else None
        key_id = sale.key_id if sale else key.id if key else ""
        self._session.ask(Case(self._session.environment, key_id, device.id, sale))

    async def _ask_gateway(self) -> str:
        environment, key = self._session.environment, self._key()
        if key is None or key.environment_id != environment.id:
            return ""  # another environment is shown by now, and its keys are still being read
        try:
            devices = await self._session.console.devices.refresh(environment, key)
        except KeybenchError as error:
            return _("The device list couldn't be renewed. {title}").format(title=explain(error).title)
        return ngettext("One device", "{count:,} devices", len(devices)).format(count=len(devices))

    def _show_answer(self, message: str) -> None:
        if message:
            self.list.say(message)

    # --- what is done with one -----------------------------------------------------------------------

    def _check(self) -> None:
        device, key = self.list.selected, self._key()
        if device and key:
            self._states.ask(key, device.id)

    def _register(self) -> None:
        self._manage(lambda: self._manager.register(self._on_registered))

    def _rename(self) -> None:
        if device := self.list.selected:
            self._manage(lambda: self._manager.rename(device))

    def _deregister(self) -> None:
        if device := self.list.selected:
            self._manage(lambda: self._manager.deregister(device))

    def _manage(self, ask: Callable[[], Coroutine[Any, Any, str]]) -> None:
        environment, manager = self._session.environment, self._manager
        manager.keys, manager.key = self.order.key.keys, manager.key or self._key()

        async def managed() -> None:
            told = await ask()
            if environment == self._session.environment:
                self.list.say(told)

        self._session.run("devices page manages", managed())

    def _on_registered(self, state: DeviceState) -> None:
        if not self.list.table.select(state.device_id):
            self._wanted = state.device_id  # it is still being read

    def _on_sales(self, changes: list[SaleChanged]) -> None:
        shown = self._session.environment.id
        sales = [change.sale for change in changes if change.sale.environment_id == shown]
        self.list.take_in(sales)
        self._reports.learn(sales)

    def _on_changed(self, changed: KeysChanged | DevicesChanged) -> None:
        if changed.environment_id == self._session.environment.id:
            self._reading.request()

    def _on_environment(self, _environment: Environment) -> None:
        # What was chosen belongs to the environment before; a batch goes on where it is.
        if self.views.currentWidget() is self.order:
            self.views.setCurrentWidget(self.list)
        self._reload()

    # --- what to sell on -----------------------------------------------------------------------------

    def sell_on_chosen(self) -> None:
        devices = self.list.chosen()
        if not devices:
            return
        where = (
            devices[0].nickname or devices[0].id
            if len(devices) == 1
            else _("{count:,} devices").format(count=len(devices))
        )
        self._ask_order(_("Sell on {where}").format(where=where), tuple(device.id for device in devices))

    def open_list(self) -> None:
        ask_file(self, _("Open a list of devices"), LISTS, self.use_list)

    def use_list(self, path: str) -> None:
        self._ask_order(_("Sell on the devices of {name}").format(name=Path(path).name), Path(path))

    def _ask_order(self, title: str, source: Path | tuple[str, ...]) -> None:
        self.order.begin(title, source)
        self.views.setCurrentWidget(self.order)
        self.order.amount.setFocus()

    def _judge(self) -> None:
        environment, reason = self._session.environment, ""
        if self.run_view.is_running:
            reason = _("A run is under way. Wait for its end, or stop it first.")
        elif environment.is_live and not self._session.console.keystore_status.durable:
            reason = field_sentence(LiveBarred(environment.name))
        self.order.bar(reason)

    # --- the batch -----------------------------------------------------------------------------------

    def _on_start(self) -> None:
        rows, key = self.order.rows, self.order.key.key
        if rows and rows.rows and key:
            nicknames = {device.id: device.nickname for device in self.list.devices if device.nickname}
            self.run_view.start(key, rows.rows, self.order.lanes, nicknames)

    def _on_begun(self) -> None:
        self._show_run()
        if self.isVisible():
            self.run_view.stop.setFocus()

    def _on_moved(self) -> None:
        batch = self.run_view.batch
        if batch:
            is_running = self.run_view.is_running
            done = _("{done:,} of {total:,}").format(done=batch.done, total=batch.total)
            self.list.show_run_state(
                _("Show the run ({done})").format(done=done) if is_running else _("Show the last run")
            )
            self._judge()

    def _show_run(self) -> None:
        self.views.setCurrentWidget(self.run_view)
        self.run_view.show_progress()

    def _show_list(self) -> None:
        self.views.setCurrentWidget(self.list)
        self.list.table.setFocus()

    def _connect(self) -> None:
        self._session.subscribe(
            self,
            {
                KeysChanged: self._on_changed,
                DevicesChanged: self._on_changed,
                KeystoreChanged: lambda _event: self._judge(),
            },
        )
        self._feed.sales_changed.connect(self._on_sales)
        self._reports.changed.connect(self.list.show_reports)
        self._session.environment_changed.connect(self._on_environment)
        self.order.start_asked.connect(self._on_start)
        self.order.left.connect(self._show_list)
        self.run_view.left.connect(self._show_list)
        self.run_view.begun.connect(self._on_begun)
        self.run_view.moved.connect(self._on_moved)
