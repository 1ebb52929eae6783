"""Testing the chosen keys: how far it is, how each ended in figures, and a way to stop it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from keybench.core.keys.inventory import InventoryRow
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import in_row
from keybench.ui.kit.labels import ElidedLabel, button
from keybench.ui.kit.theme import keep_size
from keybench.ui.shared.session import Notice, NoticeTone, Place, Session
from keybench.words.explain import explain
from keybench.words.keys.states import TEST_WORDS
from keybench.words.language import _, ngettext, number
from keybench.workflows.keys.testing import KeyTests, TrialEnd

TASK: Final = "test keys"
_TOPIC: Final = "key tests"
_BUSY_TITLE: Final = _("Other keys are being tested")
_BUSY: Final = _("Those tests were started in another view. Wait until they are over, or stop them there.")


class KeyTestsBar(QWidget):
    """The words, the progress and the buttons."""

    running_changed = Signal()

    def __init__(self, session: Session, start: Action) -> None:
        super().__init__()
        self._session = session
        self._start = start
        self._rows: Sequence[InventoryRow] = ()
        self.run: KeyTests | None = None
        self.words = ElidedLabel("", "dim")
        self.progress = QProgressBar(textVisible=False)
        keep_size(self.progress, width=160)
        self.progress.setAccessibleName(_("Progress of the tests"))
        self.stop = button(_("Stop the tests"), self._on_stop)
        self.start = ActionButton(start, "primary")
        session.ending.connect(self._on_ending)
        in_row((self.words, 1), self.progress, self.stop, self.start, within=self)
        self._show_running(running=False)

    @property
    def is_running(self) -> bool:
        return self.stop.isVisibleTo(self)

    def show_chosen(self, rows: Sequence[InventoryRow]) -> None:
        self._rows = rows
        live = sum(row.environment.is_live for row in rows)
        text = ngettext(
            "Each is called with once; 1 of them is LIVE. The call moves no money.",
            "Each is called with once; {count} of them are LIVE. The call moves no money.",
            live,
        )
        self._start.set_tip(text if live else _("Makes a harmless call with each"))
        if not self.is_running:
            chosen = ngettext("One key is selected", "{count} keys are selected", len(rows))
            some = (
                _("{chosen}, {number} of them LIVE").format(chosen=chosen, number=number(live))
                if live
                else chosen
            )
            self.words.setText(some if rows else _("Select keys with Ctrl, Shift or Ctrl+A"))

    def test(self, rows: Sequence[InventoryRow]) -> None:
        """Test these keys, unless some are being tested."""
        if rows and not self.is_running:
            run = KeyTests(self._session.console, rows, lambda _index: self._show_run())
            if self._session.run(TASK, self._carry_out(run)):
                self.run = run
                self._show_running(running=True)
                self._show_run()
            else:  # by the bar of another view
                self._session.notify(Notice("info", _BUSY_TITLE, _BUSY, _TOPIC))

    def _on_ending(self) -> None:
        if self.run:
            self.run.stop()

    async def _carry_out(self, run: KeyTests) -> None:
        try:
            await run.carry_out()
        finally:
            self._show_running(running=False)
            self.show_chosen(self._rows)
        is_good = run.count(TrialEnd.WORKING) == run.total
        text = counts_of(run)
        if run.trouble:
            trouble = explain(run.trouble)
            text = f"{text}. {trouble.title} {trouble.text}"
        title = ngettext("Tested {done} of {count} key", "Tested {done} of {count} keys", run.total).format(
            done=number(run.done - run.count(TrialEnd.NOT_TESTED))
        )
        tone: NoticeTone = "good" if is_good else "warning"
        self._session.notify(Notice(tone, title, text, _TOPIC, place=Place("keys"), ends=True))

    def _on_stop(self) -> None:
        if self.run:
            self.run.stop()
            self._show_run()

    def _show_run(self) -> None:
        if self.run is None:
            return
        self.progress.setMaximum(max(self.run.total, 1))
        self.progress.setValue(self.run.done)
        live = any(test.item.environment.is_live for test in self.run.rows)
        parts = [
            _("{done} of {total} done").format(done=number(self.run.done), total=number(self.run.total)),
            counts_of(self.run),
        ]
        if self.run.is_stopping:
            parts.insert(1, _("stopping: what is under way is finished"))
        elif live:
            parts.insert(1, _("LIVE keys, no money moves"))
        text = " · ".join(parts)
        self.words.setText(text)
        self.progress.setAccessibleDescription(text)
        self.stop.setEnabled(not self.run.is_stopping)

    def _show_running(self, *, running: bool) -> None:
        had_focus = self.stop.hasFocus() or self.start.hasFocus()
        for widget in (self.progress, self.stop):
            widget.setVisible(running)
        self._start.setVisible(not running)
        self.running_changed.emit()
        if had_focus:
            (self.stop if running else self.start).setFocus()


def counts_of(run: KeyTests) -> str:
    counts = {word: run.count(end) for end, word in TEST_WORDS.items()}
    return " · ".join(f"{number(count)} {word}" for word, count in counts.items() if count) or _("none yet")
