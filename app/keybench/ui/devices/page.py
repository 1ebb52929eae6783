"""The Devices page: the list, what to sell on many of them, and the run, one view at a time."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFileDialog, QStackedWidget, QVBoxLayout, QWidget

from keybench.core.csv_lists import DeviceList, DeviceRow
from keybench.core.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid
from keybench.core.money import parse_money
from keybench.runtime.worker import DaemonWorker
from keybench.ui.devices.list_view import ListView
from keybench.ui.devices.order_view import OrderView
from keybench.ui.devices.results_file import read_list, results_text, save_results
from keybench.ui.devices.run_view import RunView
from keybench.ui.devices.runner import Runner
from keybench.ui.devices.source import DevicesSource
from keybench.ui.refresh import Refresh
from keybench.ui.session import Notice, Session
from keybench.words.explain import explain
from keybench.words.fields import field_sentence

_CSV: Final = "CSV files (*.csv *.txt);;All files (*)"
_TYPING_MS: Final = 250


class DevicesPage(QWidget):
    """All three views.

    Args:
        session: What the window shares.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._session = session
        self._path: Path | None = None
        self._places: tuple[str, ...] = ()
        self._worker = DaemonWorker("keybench device lists")
        self.list = ListView(session.preferences)
        self.order = OrderView()
        self.run_view = RunView(session.preferences)
        self.views = QStackedWidget()
        self.source = DevicesSource(session, self.list, self.order.key, self)
        self.runner = Runner(session, self)
        self._rows = Refresh(session, "rows of many sales", self._make_rows)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        for view in (self.list, self.order, self.run_view):
            self.views.addWidget(view)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.addWidget(self.views)
        self._connect()
        session.ending.connect(self._worker.stop)
        self.source.reload()

    # --- what to sell on -----------------------------------------------------------------------------

    def sell_on_chosen(self) -> None:
        """Ask what to sell on the chosen devices."""
        devices = self.list.chosen()
        if not devices:
            return
        self._path, self._places = None, tuple(device.id for device in devices)
        one = f"Sell on {devices[0].nickname or devices[0].id}"
        self._ask_order(one if len(devices) == 1 else f"Sell on {len(devices):,} devices", from_file=False)

    def open_list(self) -> None:
        """Let a person choose a file with a list of devices."""
        dialog = QFileDialog(self.window(), "Open a list of devices")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(_CSV)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.use_list)
        dialog.open()

    def use_list(self, path: str) -> None:
        """Ask what to sell on the devices of a file."""
        self._path, self._places = Path(path), ()
        self._ask_order(f"Sell on the devices of {self._path.name}", from_file=True)

    def _ask_order(self, title: str, *, from_file: bool) -> None:
        self.order.begin(title, self._session.environment, from_file=from_file)
        self.views.setCurrentWidget(self.order)
        self.order.amount.setFocus()
        self._rows.request()

    def _on_entered(self) -> None:
        self.order.show_rows(None)
        self._typing.start()

    async def _make_rows(self) -> None:
        wanted = self._wanted()
        amount, currency = self.order.entered_amount, self.order.entered_currency
        try:
            if self._path:
                rows = await self._worker.run(partial(read_list, self._path, amount, currency))
            else:
                rows = _selected(self._places, amount, currency)
        except InputInvalid as error:
            self.views.setCurrentWidget(self.list)
            self._session.notify(
                Notice("bad", "This list can't be used", field_sentence(error), "device list")
            )
            return
        if wanted == self._wanted():  # else it is made once more
            self.order.show_rows(rows)

    def _wanted(self) -> tuple[object, ...]:
        return self._path, self._places, self.order.entered_amount, self.order.entered_currency

    # --- the run -------------------------------------------------------------------------------------

    def _on_start(self) -> None:
        rows, key = self.order.rows, self.order.key.key
        if rows and rows.rows and key:
            self.runner.start(key, rows.rows, self.order.lanes)

    def _on_begun(self) -> None:
        run = self.runner.run
        if run is None:
            return
        environment = self.runner.environment
        live = " (LIVE)" if environment.is_live else ""
        count = run.account.total
        sales = "One sale" if count == 1 else f"{count:,} sales"
        self.run_view.title.setText(f"{sales} in {environment.name}{live}")
        self.run_view.show_results(run.account.results, self.source.nicknames)
        self._show_run()
        if self.isVisible():
            self.run_view.stop.setFocus()

    def _on_moved(self, changed: object) -> None:
        if isinstance(changed, dict) and changed:
            self.run_view.model.put(changed.values())
        run = self.runner.run
        if run:
            is_over = not self.runner.is_running
            self.run_view.show_run(run, is_over=is_over)
            done = f"{run.account.done:,} of {run.account.total:,}"
            self.list.show_run_state("Show the last run" if is_over else f"Show the run ({done})")
            self._judge()

    def _on_ended(self) -> None:
        self.run_view.model.renew()
        self._on_moved({})

    def _show_run(self) -> None:
        self.views.setCurrentWidget(self.run_view)
        self._on_moved({})

    def _show_list(self) -> None:
        self.views.setCurrentWidget(self.list)
        self.list.table.setFocus()

    def _on_rejected(self, error: KeybenchError) -> None:
        words = explain(error)
        self._session.notify(Notice("bad", words.title, "Nothing was sent.", "many sales"))

    def _judge(self) -> None:
        reason = "A run is under way. Wait for its end, or stop it first." if self.runner.is_running else ""
        self.order.bar(reason or self.source.live_bar)

    # --- saving --------------------------------------------------------------------------------------

    def _on_save(self) -> None:
        dialog = QFileDialog(self.window(), "Save the results")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter("CSV files (*.csv)")
        dialog.setDefaultSuffix("csv")
        dialog.selectFile("results.csv")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.save_to)
        dialog.open()

    def save_to(self, path: str) -> None:
        """Save the rows shown, in the order shown."""
        text = results_text(self.run_view.model.rows, self.runner.environment)
        self._session.run("save results", self._save(Path(path), text))

    async def _save(self, path: Path, text: str) -> None:
        await self._worker.run(partial(save_results, path, text))
        self._session.notify(Notice("good", f"Saved {path.name}", topic="results saved"))

    # --- inside --------------------------------------------------------------------------------------

    def _on_environment(self, _environment: Environment) -> None:
        # What was chosen belongs to the environment before; a run goes on where it is.
        if self.views.currentWidget() is self.order:
            self.views.setCurrentWidget(self.list)
        self.source.reload()

    def _connect(self) -> None:
        self._session.environment_changed.connect(self._on_environment)
        self._typing.timeout.connect(self._rows.request)
        self.source.judged.connect(self._judge)
        self.list.sell_asked.connect(self.sell_on_chosen)
        self.list.open_asked.connect(self.open_list)
        self.list.refresh_asked.connect(self.source.refresh)
        self.list.run_asked.connect(self._show_run)
        self.order.entered.connect(self._on_entered)
        self.order.start_asked.connect(self._on_start)
        self.order.left.connect(self._show_list)
        self.run_view.left.connect(self._show_list)
        self.run_view.stop_asked.connect(self.runner.stop)
        self.run_view.save_asked.connect(self._on_save)
        self.runner.begun.connect(self._on_begun)
        self.runner.moved.connect(self._on_moved)
        self.runner.ended.connect(self._on_ended)
        self.runner.rejected.connect(self._on_rejected)


def _selected(devices: tuple[str, ...], amount: str, currency: str) -> DeviceList:
    """Return one row a chosen device; none while the amount isn't one, which its field says."""
    try:
        money = parse_money(amount, currency)
    except InputInvalid:
        return DeviceList((), ())
    return DeviceList(tuple(DeviceRow(n, device, money) for n, device in enumerate(devices, 1)), ())
