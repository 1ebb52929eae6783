"""A batch of sales: how far it is, how many of each outcome, and each row, to filter, sort and save."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QProgressBar, QPushButton, QWidget

from keybench.core.csv_lists import DeviceRow, totals
from keybench.core.environments.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid
from keybench.core.keys.key import SecurityKey
from keybench.core.sales.sale import Outcome, Sale
from keybench.runtime.saving import UTF_8_MARKED, safe_cell, save
from keybench.ui.devices.order_view import START_LIVE, counted
from keybench.ui.devices.tables import result_note, results_columns
from keybench.ui.kit.actions import Action
from keybench.ui.kit.boxes import framed, in_column, in_row
from keybench.ui.kit.dialog import ask_where, confirm
from keybench.ui.kit.labels import Pill, button, label, prose
from keybench.ui.kit.tables.model import TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import set_role
from keybench.ui.shared.list_page import lead_to_rows, search_field
from keybench.ui.shared.sales.actions import may_send
from keybench.ui.shared.session import Notice, NoticeTone, Place, Session
from keybench.words.explain import explain
from keybench.words.formats import duration, listed, money, roughly
from keybench.words.keys.states import told_key
from keybench.words.language import _, ngettext, number
from keybench.words.sales.outcomes import outcome_shape, outcome_word, tone_of_outcome
from keybench.workflows.sales.batch import RowResult, SaleBatch

RUN_TASK: Final = "sale run on many devices"
_TOPIC: Final = "many sales"
_REPAINT_MS: Final = 100
_SECOND_MS: Final = 1000
_COLUMNS: Final = (
    *("row", "environment", "kind", "device", "amount", "currency", "state", "elapsed_s"),
    *("reference", "request_id", "transaction", "message", "note", "approved_amount"),
)


class RunView(QWidget):
    """What stands in place of the list; one batch at a time, which goes on whichever page is shown.

    Attributes:
        batch: The one under way, or the last.
        environment: Where it sells.
        is_running: Whether it is under way.

    Signals:
        begun: A batch has begun.
        moved: It is further, or over.
        left: Back to the devices; the batch goes on.
    """

    begun = Signal()
    moved = Signal()
    left = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._changed: set[int] = set()
        self.batch: SaleBatch | None = None
        self.environment = session.environment
        self.is_running = False
        self.title = label("", "title")
        self.progress = QProgressBar(textVisible=False)
        self.progress.setAccessibleName(_("Progress of the run"))
        self.words = prose("", "dim", selectable=True)
        self.counts = {outcome: Pill() for outcome in Outcome}
        self.stop: QPushButton = button(_("Stop"), self.stop_batch)
        self.save: QPushButton = button(
            _("Save the results…"), lambda: session.run("save results", self._ask_and_save())
        )
        self.back: QPushButton = button(_("Back to the devices"), self.left)
        self.search = search_field(_("Filter results"), _("Filter by device, amount, outcome, reference…"))
        self._nicknames: dict[str, str] = {}
        self.model = TableModel(results_columns(self._nicknames), lambda result: result.row.line, parent=self)
        self.table = Table(_("Results"), self.model, empty_text=_("No row matches the filter."))
        self.table.horizontalHeader().setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        self.show_sale = Action(self, "sale.show", self._on_show_sale, lambda: self._chosen_sale is not None)
        self.table.set_row_actions([self.show_sale])
        self._lay_out()
        self._connect()
        self.table.columns.keep(session.preferences, "devices/results columns")

    def start(
        self, key: SecurityKey, rows: tuple[DeviceRow, ...], at_once: int, nicknames: Mapping[str, str]
    ) -> None:
        """Sell `rows` in the environment shown; in live, only after the whole was confirmed."""
        environment = self._session.environment
        batch = SaleBatch(
            self._session.console.sell,
            self._session.console.clock,
            rows,
            self._on_row,
            environment_id=environment.id,
            key_id=key.id,
            at_once=at_once,
            confirmed=environment.is_live,  # nothing is carried out in live before the dialog was confirmed
        )
        self._session.run(RUN_TASK, self._carry_out(batch, key, rows, environment, nicknames), self._on_error)

    def stop_batch(self) -> None:
        if self.batch:
            self.batch.stop()
            self.show_progress()

    def flush(self) -> None:
        self._repaint.stop()
        changed, self._changed = self._changed, set()
        if self.batch:
            self.model.put(self.batch.rows[index] for index in changed)
            self.show_progress()

    def show_progress(self) -> None:
        batch = self.batch
        if batch is None:
            return
        self.progress.setMaximum(max(batch.total, 1))
        self.progress.setValue(batch.done - batch.left)
        for outcome, pill in self.counts.items():
            count = batch.count(outcome)
            pill.show_state(
                f"{outcome_shape(outcome)} {outcome_word(outcome)} {number(count)}", tone_of_outcome(outcome)
            )
            pill.setVisible(bool(count))
        text = progress_words(batch, is_over=not self.is_running)
        self.words.setText(text)
        self.progress.setAccessibleDescription(text)
        self.stop.setEnabled(self.is_running and not batch.is_stopping)
        set_role(self.words, "tone", "bad" if batch.trouble else "")
        self.moved.emit()

    async def _carry_out(
        self,
        batch: SaleBatch,
        key: SecurityKey,
        rows: tuple[DeviceRow, ...],
        environment: Environment,
        nicknames: Mapping[str, str],
    ) -> None:
        await batch.check()
        devices = {row.device for row in rows}
        if not await may_send(self._session, self.window(), environment, devices, key):
            return
        if environment.is_live and not await self._confirm(environment, key, rows):
            return
        self._begin(batch, environment, nicknames)
        try:
            await batch.carry_out()
        finally:
            self.is_running = False
            self._session.sales_waiting = 0
            self._seconds.stop()
            self.flush()
        self._session.notify(end_notice(batch, environment))

    def _begin(self, batch: SaleBatch, environment: Environment, nicknames: Mapping[str, str]) -> None:
        self.batch, self.environment, self.is_running = batch, environment, True
        self._session.sales_waiting = batch.waiting
        self._changed.clear()
        self._seconds.start()
        sales = ngettext("One sale", "{count} sales", batch.total)
        self.title.setText(
            _("{sales} in {name}{words}").format(
                sales=sales, name=environment.name, words=" (LIVE)" if environment.is_live else ""
            )
        )
        self._nicknames.clear()
        self._nicknames.update(nicknames)
        self.model.show(batch.rows)
        self.show_progress()
        self.begun.emit()

    async def _confirm(self, environment: Environment, key: SecurityKey, rows: tuple[DeviceRow, ...]) -> bool:
        sums = listed([money(one) for one in totals(rows)])
        return await confirm(
            self.window(),
            title=_("Take {money} for real?").format(money=sums),
            text=_(
                "{counted}\n"
                "Key: {key}\n"
                "Environment: {name} (LIVE)\n\n"
                "This is not a test: the customers' cards are charged."
            ).format(counted=counted(rows), key=told_key(key), name=environment.name),
            confirm=START_LIVE,
            tone="danger",
        )

    def _on_row(self, index: int) -> None:
        self._changed.add(index)
        if self.batch and (sale := self.batch.rows[index].sale):
            self._session.sales_in_runs.add(sale.reference)
            self._session.sales_waiting = self.batch.waiting
        if not self._repaint.isActive():
            self._repaint.start()

    def _on_error(self, error: KeybenchError) -> None:
        if isinstance(error, InputInvalid):
            self._session.notify(Notice("bad", explain(error).title, _("Nothing was sent."), _TOPIC))
        else:
            self._session.failed.emit(error)

    async def _ask_and_save(self) -> None:
        path = await ask_where(self, title=_("Save the results"), name="results.csv", kind=_("CSV file"))
        if path:
            await self.save_to(path)

    async def save_to(self, path: Path) -> None:
        await save(path, results_text(self.model.rows, self.environment), UTF_8_MARKED)
        self._session.notify(Notice("good", _("Saved {name}").format(name=path.name), topic="results saved"))

    def _connect(self) -> None:
        self._repaint = QTimer(self, singleShot=True, interval=_REPAINT_MS)
        self._repaint.timeout.connect(self.flush)
        self._seconds = QTimer(self, interval=_SECOND_MS)
        self._seconds.timeout.connect(self.show_progress)
        self.search.textChanged.connect(self.model.search)
        lead_to_rows(self.search, self.table)
        self.table.selection_changed.connect(self.show_sale.refresh)
        self.table.opened.connect(self.show_sale.trigger)

    @property
    def _chosen_sale(self) -> Sale | None:
        return self.table.selected.sale if self.table.selected else None

    def _on_show_sale(self) -> None:
        if sale := self._chosen_sale:
            self._session.ask(Place("bench", self.environment, sale.reference))

    def _lay_out(self) -> None:
        head = in_row((self.title, 1), self.stop, self.save, self.back)
        counts = framed(in_row(*self.counts.values(), None))
        counts.setMinimumHeight(Pill("x", "good").sizeHint().height())
        parts = head, self.progress, self.words, counts, self.search, (self.table, 1)
        in_column(*parts, within=self, spacing=12)


def progress_words(batch: SaleBatch, *, is_over: bool) -> str:
    parts = [
        _("{done} of {total} done").format(done=number(batch.done - batch.left), total=number(batch.total))
    ]
    if is_over:
        parts.append(_("took {duration}").format(duration=duration(batch.elapsed_s)))
        if batch.left:
            parts.append(_("{left} not started").format(left=number(batch.left)))
    else:
        parts.append(_("{under_way} under way").format(under_way=number(batch.under_way)))
        if batch.time_left_s is not None:
            parts.append(_("about {roughly} left").format(roughly=roughly(batch.time_left_s)))
    text = " · ".join(parts)
    if batch.trouble:
        return _("{text}. The journal can't be written, so no more sales are started.").format(text=text)
    if batch.is_stopping and not is_over:
        return _("{text}. Stopping: what is under way is finished, no more sales are started.").format(
            text=text
        )
    return text


def end_notice(batch: SaleBatch, environment: Environment) -> Notice:
    counts = {outcome: batch.count(outcome) for outcome in Outcome if batch.count(outcome)}
    parts = [f"{outcome_word(outcome)}: {number(count)}" for outcome, count in counts.items()]
    if batch.left:
        parts.append(_("not started: {left}").format(left=number(batch.left)))
    text = ", ".join(parts)
    if counts.get(Outcome.UNKNOWN):
        text += _(". Look the unknown ones up before anything is sent again.")
    all_well = set(counts) == {Outcome.APPROVED} and not batch.left
    tone: NoticeTone = "bad" if batch.trouble else "good" if all_well else "warning"
    title = _("The run was stopped") if batch.left else _("The run is over")
    return Notice(
        tone,
        f"{title} ({environment.name}, {duration(batch.elapsed_s)})",
        text,
        _TOPIC,
        environment.name,
        Place("devices", environment),
        ends=True,
    )


def results_text(results: Iterable[RowResult], environment: Environment) -> str:
    """Return results as CSV (RFC 4180) with column names; no cell is one that a spreadsheet would run."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    for result in results:
        writer.writerow([safe_cell(value) for value in _values(result, environment)])
    return out.getvalue()


def _values(result: RowResult, environment: Environment) -> list[object]:
    row, sale = result.row, result.sale
    verdict = sale.verdict if sale else None
    return [
        row.line,
        environment.name,
        environment.kind.value,
        row.device,
        row.money.figure,
        row.money.currency,
        result.outcome.value if result.outcome else result.state.value,
        round(sale.elapsed_s, 3) if sale and sale.elapsed_s is not None else "",
        sale.reference if sale else "",
        sale.request_id if sale else "",
        verdict.transaction_id if verdict else "",
        verdict.message if verdict else "",
        result_note(result) if result.error else "",
        sale.approved.figure if sale and sale.approved else "",
    ]
