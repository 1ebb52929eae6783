"""The Diagnose page: what is asked and the checks at the left, the verdict at the right."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from keybench.core.diagnosis.checks import Check, CheckFinding
from keybench.core.diagnosis.conclusion import Diagnosis
from keybench.core.environments.environment import Environment, marking
from keybench.core.errors import KeybenchError
from keybench.core.events import DevicesChanged, EnvironmentsChanged, KeysChanged
from keybench.core.input_errors import ValueMisplaced
from keybench.core.keys.key import SecurityKey
from keybench.core.ports import Device
from keybench.ui.diagnose.asking import AskingPane
from keybench.ui.diagnose.remedies import CHECKS, Help, give_help, helps_against
from keybench.ui.diagnose.verdict import VerdictPane
from keybench.ui.kit.actions import Action
from keybench.ui.kit.boxes import in_row_or_column
from keybench.ui.kit.dialog import confirm
from keybench.ui.kit.theme import keep_size, scaled
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.session import Case, Notice, Place, SaveBundle, Session
from keybench.words.diagnosis import count_text, evidence_text, headline, summary, ticket_text
from keybench.words.diagnosis.causes import trouble_word
from keybench.words.formats import listed
from keybench.words.language import _, ngettext
from keybench.workflows.diagnosis.checks import Question
from keybench.workflows.guard import refuse_values

_MARGIN: Final = 16
_LEFT_PX: Final = 400
_LEAST_LEFT_PX: Final = 300
_LEAST_RIGHT_PX: Final = 420
_WIDEST_PX: Final = 2000
#: Of the width, in per cent.
_LEFT_SHARE: Final = 32
#: How high the verdict is at the least where it stands below the checks, at 13 px text.
_LEAST_HEIGHT_PX: Final = 360
_TOPIC: Final = "diagnosis"


class DiagnosePage(QWidget):
    """Both sides. A result stays with its environment named, whatever the window shows by then."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._session = session
        self._diagnose = session.console.diagnose
        self._shown_in = session.environment.id
        self._chooses = True
        self._cases = self._runs = 0
        self._stop: asyncio.Event | None = None  # of the diagnosis that goes on
        self._question: Question | None = None
        #: What is shown; None before the first one, and while one goes on.
        self.diagnosis: Diagnosis | None = None
        self._may_copy = False
        self.run_action = Action(self, "diagnose.run", self.run)
        # Its keys work as long as the page is in sight, wherever the keyboard is in the window.
        self.run_action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        self.stop_action = Action(self, "diagnose.stop", self.stop)
        self.copy_action = Action(self, "diagnose.copy", self._on_copy, self._can_copy)
        self.bundle_action = Action(self, "diagnose.bundle", self._on_bundle, self._can_copy)
        self.asking = AskingPane(self.run_action, self.stop_action)
        self.verdict = VerdictPane(self.copy_action, self.bundle_action)
        self._reading = Reading(session, "diagnose page", self._read, self._show_read)
        self._lay_out()
        self._connect()
        self.asking.show_running(running=False)
        self.verdict.show_nothing()
        self._offer()
        self._reading.request()

    @property
    def is_running(self) -> bool:
        return self._stop is not None

    @property
    def _task(self) -> str:
        # Not by its event's id: the next event may be at the same address before this task is put away.
        return f"diagnosis {id(self)} #{self._runs}"

    def diagnose(self, case: Case) -> None:
        """Find out why something failed: no sale is sent, so it begins at once."""
        self._session.choose_environment(case.environment)
        self._chooses = False
        self._cases += 1
        self._session.run(f"diagnose #{self._cases}", self._take(case), owner=self)

    def run(self) -> None:
        if not self.is_running and not self.asking.has_fault():
            self._start(self._asked())

    def stop(self) -> None:
        """End what goes on; what is known by then is concluded from."""
        if self._stop and not self._stop.is_set():
            self._stop.set()
        else:
            self._cancel()

    async def _read(self) -> tuple[Sequence[SecurityKey], Sequence[Device]]:
        environment, console = self._session.environment, self._session.console
        return await console.keys.listed(environment), await console.devices.listed(environment)

    def _show_read(self, read: tuple[Sequence[SecurityKey], Sequence[Device]]) -> None:
        keys, devices = read
        self.asking.show_keys(keys, choose=self._chooses)
        self.asking.device.show_devices(devices, choose=False)
        self._chooses = self._chooses and not keys  # the first key there is
        self._offer()

    async def _take(self, case: Case) -> None:
        environment = case.environment
        keys = await self._session.console.keys.listed(environment)
        self.asking.show_keys(keys, choose=False)
        devices = await self._session.console.devices.listed(environment)
        self.asking.device.show_devices(devices, choose=False)
        key = next((one for one in keys if one.id == case.key_id), None)
        self.asking.choose(key, case.device, case.sale)
        self._start(Question(environment, key, case.device, case.sale))

    def _asked(self) -> Question:
        asking = self.asking
        return Question(self._session.environment, asking.key.key, asking.device.device_id, asking.sale)

    def _offer(self) -> None:
        checks, asking = self._diagnose.checks(self._asked()), self.asking
        asking.count.setText(count_text(len(checks)))
        if all(row.finding is None for row in asking.findings.rows):
            asking.findings.list_checks(checks)

    def _on_environment(self, environment: Environment) -> None:
        if environment.id != self._shown_in:
            self._shown_in = environment.id
            self._chooses = True
            self.asking.choose(None, "", None)
        self._reading.request()

    def _start(self, question: Question) -> None:
        self._give_up()
        is_again = self._question is not None and _about(self._question) == _about(question)
        self._question, self.diagnosis = question, None
        checks, asking = self._diagnose.checks(question), self.asking
        asking.count.setText(count_text(len(checks)))
        asking.findings.await_checks(checks, again=is_again)
        if not is_again:
            self._clear()
        self.verdict.show_running(0, len(checks))
        self._stop = asyncio.Event()
        self._runs += 1
        asking.show_running(running=True)
        self.copy_action.refresh()
        self.bundle_action.refresh()
        self._session.run(self._task, self._run(question, self._stop), owner=self)

    async def _run(self, question: Question, stop: asyncio.Event) -> None:
        try:
            diagnosis = await self._diagnose.run(question, partial(self._on_finding, stop), stop=stop)
            await self._conclude(question, diagnosis, stop)
        finally:
            self._over(stop)

    def _on_finding(self, stop: asyncio.Event, finding: CheckFinding) -> None:
        if stop is self._stop:
            self.asking.findings.take(finding)
            rows = self.asking.findings.rows
            self.verdict.show_running(sum(not row.is_awaited for row in rows), len(rows))

    async def _conclude(self, question: Question, diagnosis: Diagnosis, stop: asyncio.Event) -> None:
        held = await self._look_for_values(diagnosis)
        if stop is not self._stop:  # another one was begun meanwhile
            return
        self.diagnosis = diagnosis
        environment = question.environment
        portal = self._session.console.environments.facts(environment).portal_page(environment)
        helps = helps_against(diagnosis, portal, has_key=question.key is not None)
        self.verdict.show_diagnosis(diagnosis, helps, marking(environment), held, stopped=stop.is_set())
        if not self.isVisible():
            title = f"{trouble_word(diagnosis.conclusion.trouble)}: {headline(diagnosis)}"
            words, where = summary(diagnosis), diagnosis.environment
            there = Place("diagnose")
            notice = Notice("info", title, words, _TOPIC, environment=where, place=there, ends=True)
            self._session.notify(notice)

    async def _look_for_values(self, diagnosis: Diagnosis) -> str:
        # Values that are held mustn't be in what is shown and copied.
        self._may_copy = False
        world = self._session.console.world
        texts = [ticket_text(diagnosis), *map(evidence_text, diagnosis.findings)]
        try:
            held = sum(key.has_value for key in await world.journal.all_keys())
            await refuse_values(world, [("text", text) for text in texts])
        except ValueMisplaced:
            return _("A value that is kept stands in it, so it can't be copied.")
        except KeybenchError:
            self._may_copy = True  # without the journal no key is known, nor was anything of one shown
            return ""
        self._may_copy = True
        words = ngettext(
            "0 of {count} value found in what is shown",
            "0 of {count} values found in what is shown",
            held,
        )
        return words if held else ""

    def _over(self, stop: asyncio.Event) -> None:
        if stop is not self._stop:
            return
        self._stop = None
        self.asking.show_running(running=False)
        if self.diagnosis is None:
            self.asking.findings.list_checks(self._diagnose.checks(self._asked()))
            self._clear()
            self.verdict.show_nothing()
        else:
            self.asking.findings.end(self.diagnosis.findings)
        self.copy_action.refresh()
        self.bundle_action.refresh()

    def _clear(self) -> None:
        if self.verdict.isAncestorOf(self.window().focusWidget()):  # what is there goes
            self.asking.run_button.setFocus(Qt.FocusReason.OtherFocusReason)
        self.verdict.clear()

    def _give_up(self) -> None:
        self._cancel()
        self._stop = None

    def _cancel(self) -> None:
        if self._stop:
            self._session.supervisor.cancel(self._task)

    async def _check(self, question: Question, check: Check) -> None:
        if check is Check.ELSEWHERE:
            others = tuple(await self._diagnose.elsewhere(question))
            if not others or not await self._agreed(question, others):
                return
            question = replace(question, elsewhere=others)
        if check is Check.FORMS and question.environment.is_live:
            if not await self._agreed(question):
                return
            question = replace(question, other_forms=True)
        self._start(question)

    async def _agreed(self, question: Question, others: Sequence[Environment] = ()) -> bool:
        """Ask whether the key's value may be sent to other environments, or in other forms to its own."""
        name = question.key.name if question.key else ""
        places = "\n".join(f"{marking(one)} ({urlsplit(one.base_url).netloc or one.name})" for one in others)
        if others:
            title = _("Try the key in {names}?").format(names=listed([one.name for one in others]))
            confirmed = _("Try it there")
            text = _("The value of “{name}” is sent there, in one harmless call each:\n\n{places}")
        else:
            title, confirmed, places = (
                _("Try other forms?"),
                _("Try other forms"),
                marking(question.environment),
            )
            text = _(
                "The value of “{name}” is sent to {places} as Bearer, as Basic and in X-Api-Key, in one "
                "harmless call each."
            )
        never = _("No sale is sent, and nothing is changed.")
        text = f"{text.format(name=name, places=places)}\n\n{never}"
        return await confirm(self, title=title, text=text, confirm=confirmed)

    def _on_wanted(self, wanted: Help | Check) -> None:
        question = self._question
        if question is None or self.diagnosis is None or self.is_running:
            return
        check = CHECKS.get(wanted, wanted) if isinstance(wanted, Help) else wanted
        if isinstance(check, Check):
            name = f"diagnosis {id(self)}: one more"
            self._session.run(name, self._check(question, check), owner=self)
        else:
            # What a person agreed to, they agreed to once.
            again = partial(self._start, replace(question, elsewhere=(), other_forms=False))
            give_help(check, question, self._session, self, again)

    def _can_copy(self) -> bool:
        return self.diagnosis is not None and self._may_copy and not self.is_running

    def _on_copy(self) -> None:
        if self.diagnosis and self._question:
            text = f"{marking(self._question.environment)}\n{ticket_text(self.diagnosis)}"
            words = _("What was found, tried and ruled out, without keys.")
            self._session.copy(text, _("Copied for the ticket"), words)

    def _on_bundle(self) -> None:
        if self.diagnosis:
            self._session.ask(SaveBundle(self.diagnosis))

    def _beside_px(self) -> int:
        left = max(scaled(_LEAST_LEFT_PX), self.asking.minimumSizeHint().width())
        right = max(scaled(_LEAST_RIGHT_PX), self.verdict.minimumSizeHint().width())
        return left + right + 3 * _MARGIN

    def _on_turned(self, is_row: bool) -> None:  # noqa: FBT001 - the signal's own shape
        keep_size(self.verdict, least_height=0 if is_row else _LEAST_HEIGHT_PX)
        least, most = (_LEAST_LEFT_PX, _LEFT_PX) if is_row else (0, _WIDEST_PX)
        keep_size(self.asking, least_width=least, most_width=most)

    def _connect(self) -> None:
        self.asking.edited.connect(self._offer)
        self.verdict.wanted.connect(self._on_wanted)
        self._session.environment_changed.connect(self._on_environment)
        self._session.ending.connect(self._give_up)
        events = (KeysChanged, DevicesChanged, EnvironmentsChanged)
        self._session.subscribe(self, dict.fromkeys(events, lambda _event: self._reading.request()))

    def _lay_out(self) -> None:
        parts, margins = ((self.asking, _LEFT_SHARE), (self.verdict, 100 - _LEFT_SHARE)), (_MARGIN,) * 4
        box = in_row_or_column(*parts, from_px=self._beside_px, within=self, margins=margins, spacing=_MARGIN)
        box.turned.connect(self._on_turned)


def _about(question: Question) -> tuple[str, str, str, str]:
    """Return what a diagnosis is about, whatever a person agreed to."""
    key, sale = question.key, question.sale
    return (
        question.environment.id,
        key.id if key else "",
        question.device_id,
        sale.reference if sale else "",
    )
