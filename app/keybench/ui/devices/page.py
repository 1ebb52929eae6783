"""The Devices page: the list with the card of a device; in its place what to sell on many, and the run of it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLineEdit, QWidget

from keybench.core.devices.habit import UNTAUGHT
from keybench.core.environments.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.events import DevicesChanged, KeysChanged, KeystoreChanged, SaleChanged
from keybench.core.input_errors import LiveBarred
from keybench.core.keys.key import KeyState, SecurityKey
from keybench.core.ports import ContractFacts, Device
from keybench.core.sales.sale import Sale
from keybench.ui.devices.device_card import DeviceCard
from keybench.ui.devices.managing import DeviceManager
from keybench.ui.devices.order_view import OrderView
from keybench.ui.devices.reports import DeviceReports
from keybench.ui.devices.run_view import RunView
from keybench.ui.devices.tables import DEVICES, DeviceLine
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import WrappingRow
from keybench.ui.kit.dialog import LISTS, ask_file
from keybench.ui.kit.labels import ElidedLabel, button
from keybench.ui.kit.tables.model import TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.device_states import DeviceStates
from keybench.ui.shared.list_page import ListPage, search_field
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.sales.actions import is_failed
from keybench.ui.shared.sales.selection import SaleFeed
from keybench.ui.shared.session import Case, Session
from keybench.words.devices.states import connection_cell, lately_cell
from keybench.words.explain import explain
from keybench.words.fields import field_sentence
from keybench.words.language import _, ngettext, number

NO_DEVICES: Final = _(
    "No devices are known here yet. Refresh asks the gateway for the account's devices with one of your "
    "private keys, Register… adds one by the code that it shows. A device you sell on from the Bench by its "
    "identifier isn't added to this list."
)
NO_KEY: Final = _(
    "No devices are known here yet, and there is no private key to ask the gateway with. "
    "Go to the Bench and Add a New Key first, then come back and press Refresh."
)
NOTHING_FOUND: Final = _("No device matches the search.")
#: From which width of the table on, in pixels at 13 px text, there is room for a column; the card has them all.
_SHOWN_FROM: Final = {"last": 960, "usual": 1080, "lately": 1200}
#: How often the states' ages are told anew.
_AGE_MS: Final = 30_000
_NOT_OFFERED: Final = _("This environment's gateway has no call for it. Use its portal.")
#: A device's last sales, and those that tell of its habit, are among so many of the environment's newest; of each
#: device so many are looked through for what was sold lately.
_LOOK_BACK: Final = 2000
_MOST_SALES: Final = 500


class DevicesPage(ListPage[DeviceLine]):
    """The list, kept up to date for the environment shown, and the two views that lead on from it."""

    is_page = True
    stale_after = (KeysChanged, DevicesChanged)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        table = Table(_("Devices"), TableModel(DEVICES, lambda line: line.device.id), several=True)
        table.columns.show_from(_SHOWN_FROM)
        search = search_field(
            _("Search devices"), _("Search by name, identifier, connection, outcome, habit…")
        )
        super().__init__(session, "devices", table, search, parent)
        self._keys: Sequence[SecurityKey] = ()
        self._facts = ContractFacts("")
        self._said = ""
        self._reports = DeviceReports(session, self)
        self._states = DeviceStates(session, "devices page", self)
        self._manager = DeviceManager(session, self)
        self.order = OrderView(session)
        self.run_view = RunView(session)
        self._asking = Reading(session, "devices page asks the gateway", self._ask_gateway, self._show_answer)
        self._feed = SaleFeed(session, self)
        self._age = QTimer(self, interval=_AGE_MS)
        self._lay_out_parts()
        self._connect_parts()
        self._begin()

    # --- the list ------------------------------------------------------------------------------------

    def wanted(self) -> str:
        return self.session.environment.id

    def _begin(self) -> None:
        """Begin with the environment shown, which may be the same one with other facts."""
        environment = self.session.environment
        self._facts = self.session.console.environments.facts(environment)
        for action, fact in self._managing.items():
            action.set_tip("" if getattr(self._facts, fact) else _NOT_OFFERED)
        if self.shown != environment.id:
            self._keys = ()
            self._manager.key = None
            self._reports.clear()
            self.model.show(())
            self.say("")
        self._states.reload()
        self._judge()
        self._show_actions()

    async def read(self) -> Sequence[DeviceLine]:
        environment, console = self.session.environment, self.session.console
        keys, devices = await console.keys.listed(environment), await console.devices.listed(environment)
        newest: dict[str, list[Sale]] = {}
        for sale in await console.recent_sales(environment.id, _LOOK_BACK):
            newest.setdefault(sale.device, []).append(sale)
        self._keys = keys
        return [self._line(one, tuple(newest.get(one.id, ())[:_MOST_SALES])) for one in devices]

    def show_rows(self, rows: Sequence[DeviceLine]) -> None:
        self.order.key.show_keys(self._keys)
        super().show_rows(rows)
        self._reports.read(self.session.environment.id, [sale for row in rows for sale in row.sales])
        self._judge()
        self.show_row(self.table.selected)

    def _line(self, device: Device, sales: tuple[Sale, ...]) -> DeviceLine:
        state, now = self._states.of(device.id), self.session.console.clock.now()
        return DeviceLine(
            device,
            sales,
            self._reports.of(device.id),
            state,
            connection=connection_cell(device, state, now),
            lately=lately_cell(sales, now),
        )

    def renew(self) -> None:
        """Show each device as it is by now, with the ages of what is known."""
        self.model.put([self._line(line.device, line.sales) for line in self.model.items])
        self.show_row(self.table.selected)

    def _on_sales(self, changes: list[SaleChanged]) -> None:
        shown = self.session.environment.id
        sales = [change.sale for change in changes if change.sale.environment_id == shown]
        for sale in sales:
            if line := self.model.item(sale.device):
                others = [one for one in line.sales if one.reference != sale.reference]
                newest = sorted((sale, *others), key=lambda one: one.noted_at, reverse=True)
                self.model.put([self._line(line.device, tuple(newest[:_MOST_SALES]))])
        self._reports.learn(sales)

    def show_device(self, device_id: str) -> None:
        self.search.clear()
        self.choose(device_id)

    def say(self, text: str) -> None:
        self._said = text
        self.show_words()

    def summary(self) -> str:
        return self._said

    def field_to_find_in(self) -> QLineEdit:
        return self.run_view.search if self.run_view.isVisible() else self.search

    def empty_words(self) -> str:
        if self.shown != self.wanted():
            return self.loading_text
        return NOTHING_FOUND if self.model.items else NO_DEVICES if self.order.key.keys else NO_KEY

    def show_words(self) -> None:
        super().show_words()
        if frame := self.edge.widget(1):
            frame.setVisible(bool(self.model.items))

    def _on_age(self) -> None:
        if self.isVisible():
            self.renew()

    def _on_environment(self, _environment: Environment) -> None:
        # What was chosen belongs to the environment before; a batch goes on where it is.
        if self.order.isVisible():
            self.show_instead(None)
        self._begin()
        if self.isVisible():
            self.refresh()
        else:
            self.on_event(None)

    # --- the chosen ones -----------------------------------------------------------------------------

    def chosen(self) -> list[Device]:
        return [line.device for line in self.table.selection]

    @property
    def selected(self) -> Device | None:
        chosen = self.chosen()
        return chosen[0] if len(chosen) == 1 else None

    def show_row(self, row: DeviceLine | None) -> None:
        self._show_actions()
        self._states.look_at(row.device.id if row else "")
        if row is None:
            remarkable = [one for one in self.model.items if one.report and one.report.remark]
            self.card.show_all(remarkable, self._reports.habit_of_others(""))
            return
        device, now = row.device.id, self.session.console.clock.now()
        others = self._reports.habit_of_others(device) if row.report else UNTAUGHT
        self.card.show_line(row, others, self._states.told(device), now)

    def _show_actions(self) -> None:
        for action in (*self._managing, self.sell_action, self._diagnosing):
            action.refresh()
        has_key, count = bool(self.order.key.keys), len(self.chosen())
        self.refresh_button.setEnabled(has_key)
        self.list_button.setEnabled(has_key)
        one = ngettext("One device is selected", "{count} devices are selected", count)
        self.chosen_words.setText(one if count else _("Select devices with Ctrl, Shift or Ctrl+A"))

    def _can_sell(self) -> bool:
        return bool(self.order.key.keys and self.table.selection)

    def _can_manage(self, fact: str) -> bool:
        is_meant = self.selected is not None or fact == "can_register_devices"
        return bool(getattr(self._facts, fact) and self.order.key.keys and is_meant)

    def _key(self) -> SecurityKey | None:
        keys = self.order.key
        working = [key for key in keys.keys if key.state is KeyState.WORKING]
        return next(iter(working), None) or keys.key

    def _ask_anew(self) -> None:
        if self._key():
            self.say(_("Asking the gateway…"))
            self._asking.request()

    async def _ask_gateway(self) -> str:
        environment, key = self.session.environment, self._key()
        if key is None or key.environment_id != environment.id:
            return ""  # another environment is shown by now, and its keys are still being read
        try:
            devices = await self.session.console.devices.refresh(environment, key)
        except KeybenchError as error:
            return _("The device list couldn't be renewed. {title}").format(title=explain(error).title)
        return ngettext("One device", "{count} devices", len(devices))

    def _show_answer(self, message: str) -> None:
        if message:
            self.say(message)

    def _check(self) -> None:
        device, key = self.selected, self._key()
        if device and key:
            self._states.ask(key, device.id)

    def _diagnose(self) -> None:
        if line := self.table.selected:
            key = self._key()
            sale = line.sale if line.sale and is_failed(line.sale) else None
            key_id = sale.key_id if sale else key.id if key else ""
            self.session.ask(Case(self.session.environment, key_id, line.device.id, sale))

    def _register(self) -> None:
        self._manage(lambda: self._manager.register(lambda state: self.choose(state.device_id)))

    def _rename(self) -> None:
        if device := self.selected:
            self._manage(lambda: self._manager.rename(device))

    def _deregister(self) -> None:
        if device := self.selected:
            self._manage(lambda: self._manager.deregister(device))

    def _manage(self, ask: Callable[[], Coroutine[Any, Any, str]]) -> None:
        environment, manager = self.session.environment, self._manager
        manager.keys, manager.key = self.order.key.keys, manager.key or self._key()

        async def managed() -> None:
            told = await ask()
            if environment == self.session.environment:
                self.say(told)

        self.session.run("devices page manages", managed())

    # --- selling on many -----------------------------------------------------------------------------

    def _sell(self) -> None:
        devices = self.chosen()
        where = (
            devices[0].nickname or devices[0].id
            if len(devices) == 1
            else _("{count} devices").format(count=number(len(devices)))
        )
        self._ask_order(_("Sell on {where}").format(where=where), tuple(device.id for device in devices))

    def use_list(self, path: str) -> None:
        self._ask_order(_("Sell on the devices of {name}").format(name=Path(path).name), Path(path))

    def _ask_order(self, title: str, source: Path | tuple[str, ...]) -> None:
        self.order.begin(title, source)
        self.show_instead(self.order)
        self.order.amount.setFocus()

    def _judge(self) -> None:
        environment, reason = self.session.environment, ""
        if self.run_view.is_running:
            reason = _("A run is under way. Wait for its end, or stop it first.")
        elif environment.is_live and not self.session.console.keystore_status.durable:
            reason = field_sentence(LiveBarred(environment.name))
        self.order.bar(reason)

    def _on_start(self) -> None:
        rows, key = self.order.rows, self.order.key.key
        if rows and rows.rows and key:
            devices = (line.device for line in self.model.items)
            nicknames = {device.id: device.nickname for device in devices if device.nickname}
            self.run_view.start(key, rows.rows, self.order.lanes, nicknames)

    def _on_begun(self) -> None:
        self._show_run()
        if self.isVisible():
            self.run_view.stop.setFocus()

    def _on_moved(self) -> None:
        if batch := self.run_view.batch:
            done = _("{done} of {total}").format(done=number(batch.done), total=number(batch.total))
            running = _("Show the run ({done})").format(done=done)
            self.show_run.setText(running if self.run_view.is_running else _("Show the last run"))
            self.show_run.show()
            self._judge()

    def _show_run(self) -> None:
        self.show_instead(self.run_view)
        self.run_view.show_progress()

    def _show_list(self) -> None:
        self.show_instead(None)
        self.table.setFocus()

    # --- put together --------------------------------------------------------------------------------

    def _lay_out_parts(self) -> None:
        #: What is done with a device, and which fact tells that the gateway offers it.
        self._managing = {
            Action(self, command, do, partial(self._can_manage, fact)): fact
            for command, fact, do in (
                ("device.register", "can_register_devices", self._register),
                ("device.check", "can_tell_device", self._check),
                ("device.rename", "can_rename_devices", self._rename),
                ("device.deregister", "can_deregister_devices", self._deregister),
            )
        }
        register, *managing = self._managing
        self._diagnosing = Action(self, "device.diagnose", self._diagnose, lambda: self.selected is not None)
        self.sell_action = Action(self, "devices.sell", self._sell, self._can_sell)
        of_device = [*managing, self._diagnosing]
        self.table.set_row_actions([self.sell_action, *of_device])
        self.card = DeviceCard(self.session, of_device)
        self.refresh_button = button(_("Refresh"), self._ask_anew)
        self.register_button = ActionButton(register)
        self.show_run = button(_("Show the run"), self._show_run)
        self.show_run.hide()
        self.chosen_words = ElidedLabel("", "dim")
        self.list_button = button(
            _("Open a list of devices…"),
            partial(ask_file, self, _("Open a list of devices"), LISTS, self.use_list),
        )
        self.sell = ActionButton(self.sell_action, "primary")
        buttons = WrappingRow([self.list_button, self.sell], whole=True)
        foot = WrappingRow([self.chosen_words, buttons], spread=True)
        actions = [self.show_run, self.refresh_button, self.register_button]
        self.lay_out(title=_("Devices"), actions=actions, below=[foot], detail=self.card)

    def _connect_parts(self) -> None:
        session = self.session
        session.subscribe(self, {KeystoreChanged: lambda _event: self._judge()})
        session.environment_changed.connect(self._on_environment)
        self._age.timeout.connect(self._on_age)
        self._age.start()
        self.table.opened.connect(self.sell_action.trigger)
        self._states.changed.connect(self.renew)
        self._reports.changed.connect(self.renew)
        self._feed.sales_changed.connect(self._on_sales)
        self.order.start_asked.connect(self._on_start)
        self.order.left.connect(self._show_list)
        self.run_view.left.connect(self._show_list)
        self.run_view.begun.connect(self._on_begun)
        self.run_view.moved.connect(self._on_moved)
