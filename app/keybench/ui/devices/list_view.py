"""The list of devices: search, refresh, choose some, and go on to sell on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy

from keybench.core.devices.habit import UNTAUGHT
from keybench.core.ports import Clock, ContractFacts, Device
from keybench.core.sales.sale import Sale
from keybench.ui.devices.device_card import DeviceCard
from keybench.ui.devices.reports import DeviceReports
from keybench.ui.devices.tables import DEVICES, DeviceLine
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.labels import ElidedLabel, button, label
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.tables.model import TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.device_states import DeviceStates
from keybench.ui.shared.list_page import find_in, search_field
from keybench.ui.shared.reading import READING
from keybench.words.devices.states import connection_cell, lately_cell
from keybench.words.language import _, ngettext

NO_DEVICES: Final = _(
    "No devices are known here yet. Refresh asks the gateway for the account's devices with one of your "
    "private keys, Register… adds one by the code that it shows. A device you sell on from the Bench by its "
    "identifier isn't added to this list."
)
NO_KEY: Final = _(
    "No devices are known here yet, and there is no private key to ask the gateway with. "
    "Go to the Bench and Add a New Key first, then come back and press Refresh."
)
#: The table's width, at 13 px text, from which on there is room for the usual times, and beside habits for the
#: last sales' times; the card and a tool tip have them, too.
_USUAL_PX: Final = 1080
_LAST_PX: Final = 960
#: The same for what was sold within a day; and how often the states' ages are told anew.
_LATELY_PX: Final = 1200
_AGE_MS: Final = 30_000
_NOT_OFFERED: Final = _("This environment's gateway has no call for it. Use its portal.")
#: As many of a device's sales are looked through for what was sold lately.
MOST_SALES: Final = 500
#: What is done with a device, and which fact tells that the gateway offers it.
_MANAGING: Final = (
    ("device.register", "can_register_devices"),
    ("device.check", "can_tell_device"),
    ("device.rename", "can_rename_devices"),
    ("device.deregister", "can_deregister_devices"),
)
NOTHING_FOUND: Final = _("No device matches the search.")


class ListView(QFrame):
    """The page's first view.

    Args:
        does: What is done for each command, for Refresh and for the other buttons.
    """

    def __init__(
        self,
        preferences: Preferences,
        reports: DeviceReports,
        states: DeviceStates,
        clock: Clock,
        does: Mapping[str, Callable[[], None]],
    ) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self.model = TableModel(DEVICES, lambda line: line.device.id, parent=self)
        self.table = Table(_("Devices"), self.model, several=True, empty_text=READING)
        self.table.columns.keep(preferences, "devices/columns")
        self._reports, self._states, self._clock = reports, states, clock
        self._sales: dict[str, tuple[Sale, ...]] = {}
        self._facts = ContractFacts("")
        self._has_key = True
        self._managing = [
            Action(self, command, does[command], partial(self._can_manage, fact))
            for command, fact in _MANAGING
        ]
        diagnose = Action(self, "device.diagnose", does["device.diagnose"], lambda: self.selected is not None)
        self._of_device = (*self._managing[1:], diagnose)
        self.card = DeviceCard(self._of_device)
        self._age = QTimer(self, interval=_AGE_MS)
        self._age.timeout.connect(self._show_ages)
        self._age.start()
        self._is_read = False
        self.search = search_field(
            _("Search devices"), _("Search by name, identifier, connection, outcome, habit…")
        )
        find_in(self, self.search)
        self.refresh: QPushButton = button(_("Refresh"), does["refresh"])
        self.register_button: QPushButton = ActionButton(self._managing[0])
        self.sell_action = Action(self, "devices.sell", does["devices.sell"], self._can_sell)
        self.sell: QPushButton = ActionButton(self.sell_action, "primary")
        self.open_list: QPushButton = button(_("Open a list of devices…"), does["open"])
        self.show_run: QPushButton = button(_("Show the run"), does["run"])
        self.message = ElidedLabel("", "dim")
        self.chosen_words = ElidedLabel("", "dim")
        self._lay_out()
        self._connect()
        self._on_selection()

    def show_devices(self, devices: Sequence[Device]) -> None:
        self._is_read = True
        self.model.show(self._line(device) for device in devices)
        self._tell_empty()
        self._fit_columns()

    def show_sales(self, newest: Mapping[str, tuple[Sale, ...]]) -> None:
        self._sales = dict(newest)
        self.show_devices(self.devices)

    def show_states(self) -> None:
        self.model.put([self._line(line.device) for line in self.model.items])
        self._fit_columns()
        self._show_card()
        for action in self._managing:
            action.refresh()

    def show_facts(self, facts: ContractFacts) -> None:
        self._facts = facts
        for action, (_command, fact) in zip(self._managing, _MANAGING, strict=True):
            action.set_tip("" if getattr(facts, fact) else _NOT_OFFERED)
            action.refresh()

    def take_in(self, sales: Iterable[Sale]) -> None:
        """Show sales that were made or moved on just now, where none newer is known."""
        changed = set()
        for sale in sales:
            others = [one for one in self._sales.get(sale.device, ()) if one.reference != sale.reference]
            newest = sorted((sale, *others), key=lambda one: one.noted_at, reverse=True)
            self._sales[sale.device] = tuple(newest[:MOST_SALES])
            changed.add(sale.device)
        lines = (line for device in changed if (line := self.model.item(device)))
        self.model.put([self._line(line.device) for line in lines])

    def show_reports(self) -> None:
        lines = [line for line in self.model.items if line.report is not self._reports.of(line.device.id)]
        if lines:
            self.model.put([self._line(line.device) for line in lines])
            self._fit_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.table.setMinimumHeight(self.table.minimumSizeHint().height())

    def _fit_columns(self) -> None:
        has_habits = any(line.report for line in self.model.items)
        self.table.columns.show_from(
            {"usual": _USUAL_PX, "last": _LAST_PX if has_habits else 0, "lately": _LATELY_PX}
        )

    def _line(self, device: Device) -> DeviceLine:
        sales, state, now = self._sales.get(device.id, ()), self._states.of(device.id), self._clock.now()
        return DeviceLine(
            device,
            sales,
            self._reports.of(device.id),
            state,
            connection=connection_cell(device, state, now),
            lately=lately_cell(sales, now),
        )

    @property
    def devices(self) -> tuple[Device, ...]:
        return tuple(line.device for line in self.model.items)

    def show_loading(self) -> None:
        self._is_read = False
        self._sales = {}
        self.model.show(())
        self._tell_empty()

    def show_key(self, *, has_key: bool) -> None:
        self._has_key = has_key
        self.refresh.setEnabled(has_key)
        self._tell_empty()
        self._on_selection()

    def say(self, text: str) -> None:
        self.message.setText(text)

    def show_run_state(self, text: str) -> None:
        self.show_run.show()
        self.show_run.setText(text)

    def last_sale(self, device: str) -> Sale | None:
        return next(iter(self._sales.get(device, ())), None)

    def chosen(self) -> list[Device]:
        return [line.device for line in self.table.selection]

    @property
    def selected(self) -> Device | None:
        chosen = self.chosen()
        return chosen[0] if len(chosen) == 1 else None

    def _can_manage(self, fact: str) -> bool:
        is_meant = self.selected is not None or fact == "can_register_devices"
        return bool(getattr(self._facts, fact)) and self._has_key and is_meant

    def _show_ages(self) -> None:
        if self.isVisible():
            self.show_states()

    def _can_sell(self) -> bool:
        return self._has_key and bool(self.table.selection)

    def _on_selection(self) -> None:
        count = len(self.chosen())
        for action in (self.sell_action, *self._managing, self._of_device[-1]):
            action.refresh()
        self.open_list.setEnabled(self._has_key)
        one = ngettext("One device is selected", "{count} devices are selected", count).format(count=count)
        self.chosen_words.setText(one if count else _("Select devices with Ctrl, Shift or Ctrl+A"))
        self._show_card()

    def _show_card(self) -> None:
        line = self.table.selected
        self._states.look_at(line.device.id if line else "")
        if line is None:
            remarkable = [one for one in self.model.items if one.report and one.report.remark]
            self.card.show_all(remarkable, self._reports.habit_of_others(""))
        else:
            others = self._reports.habit_of_others(line.device.id) if line.report else UNTAUGHT
            self.card.show_line(line, others)
            holder, failure = self._states.holder, self._states.failure(line.device.id)
            is_asking = self._states.is_asking(line.device.id)
            self.card.show_state(line, holder, failure, is_asking=is_asking, now=self._clock.now())

    def _tell_empty(self) -> None:
        self.card.setVisible(bool(self.model.items))
        if not self._is_read:
            text = READING
        elif self.model.items:
            text = NOTHING_FOUND
        else:
            text = NO_DEVICES if self._has_key else NO_KEY
        self.table.empty_text = text

    def _connect(self) -> None:
        self.search.textChanged.connect(self.model.search)
        self.table.selection_changed.connect(self._on_selection)
        self.table.opened.connect(self.sell_action.trigger)
        self._states.changed.connect(self.show_states)
        self.table.set_row_actions([self.sell_action, *self._of_device])

    def _lay_out(self) -> None:
        heading = label(_("Devices"), "title")
        head = in_row(heading, (self.message, 1), self.show_run, self.refresh, self.register_button)
        foot = in_row((self.chosen_words, 1), self.open_list, self.sell)
        # Above words of several lines, Qt would take the height that a table likes for what it needs.
        self.table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        parts = self.search, (self.table, 1), self.card, foot
        layout = in_column(*parts, within=self, margins=(16, 14, 16, 16), spacing=12)
        layout.insertLayout(0, head)  # Tab comes to the search first
        self.show_run.hide()
