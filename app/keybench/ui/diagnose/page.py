"""The Diagnose page: what is asked and the checks at the left, the verdict at the right."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from keybench.core.diagnosis.causes import Cause
from keybench.core.diagnosis.checks import Check, CheckFinding
from keybench.core.diagnosis.conclusion import Diagnosis
from keybench.core.environments.environment import Environment, marking
from keybench.core.errors import KeybenchError
from keybench.core.events import DevicesChanged, EnvironmentsChanged, KeysChanged
from keybench.core.input_errors import ValueMisplaced
from keybench.core.keys.key import SecurityKey
from keybench.core.ports import Device
from keybench.ui.diagnose.asking import AskingPane
from keybench.ui.diagnose.remedies import Help, give_help, help_against
from keybench.ui.diagnose.verdict import VerdictPane
from keybench.ui.kit.actions import Action
from keybench.ui.kit.boxes import in_row_or_column
from keybench.ui.kit.dialog import confirm
from keybench.ui.kit.theme import keep_size, scaled
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.requests import Case, Place, SaveBundle
from keybench.ui.shared.session import Notice, Session
from keybench.words.diagnosis import count_text, evidence_text, headline, summary, ticket_text, trouble_word
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
        self._turn = 0
        self._cases = 0
        self._task = ""
        self._stop: asyncio.Event | None = None
        self._question: Question | None = None
        self._diagnosis: Diagnosis | None = None
        self._may_copy = False
        self._ended: dict[Check, CheckFinding] = {}
        self._total = 0
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
        return bool(self._task)

    @property
    def diagnosis(self) -> Diagnosis | None:
        """What is shown; None before the first one, and while one goes on."""
        return self._diagnosis

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
        elif self._task:
            self._session.supervisor.cancel(self._task)

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
        self._question, self._diagnosis, self._ended = question, None, {}
        checks = self._diagnose.checks(question)
        self._total = len(checks)
        self.asking.count.setText(count_text(len(checks)))
        self.asking.findings.list_checks(checks, awaited=True)
        self.verdict.show_running(0, self._total)
        self._stop = asyncio.Event()
        self._turn += 1
        self._task = f"diagnosis {id(self)} #{self._turn}"
        if self.verdict.isAncestorOf(self.window().focusWidget()):  # what is there goes
            self.asking.run_button.setFocus(Qt.FocusReason.OtherFocusReason)
        self.asking.show_running(running=True)
        self.copy_action.refresh()
        self.bundle_action.refresh()
        self._session.run(self._task, self._run(question, self._stop, self._turn), owner=self)

    async def _run(self, question: Question, stop: asyncio.Event, turn: int) -> None:
        try:
            diagnosis = await self._diagnose.run(question, partial(self._on_finding, turn), stop=stop)
            await self._conclude(question, diagnosis, turn, stopped=stop.is_set())
        finally:
            self._over(turn)

    def _on_finding(self, turn: int, finding: CheckFinding) -> None:
        if turn == self._turn:
            self._ended[finding.check] = finding
            self.asking.findings.take(finding)
            self.verdict.show_running(len(self._ended), self._total)

    async def _conclude(self, question: Question, diagnosis: Diagnosis, turn: int, *, stopped: bool) -> None:
        helps = await self._helps(question, diagnosis)
        held = await self._look_for_values(diagnosis)
        if turn != self._turn:  # another one was begun meanwhile
            return
        self._question, self._diagnosis = question, diagnosis
        self.verdict.show_diagnosis(diagnosis, helps, marking(question.environment), held, stopped=stopped)
        if not self.isVisible():
            title = f"{trouble_word(diagnosis.conclusion.trouble)}: {headline(diagnosis)}"
            place, where = Place("diagnose"), diagnosis.environment
            notice = Notice(
                "info", title, summary(diagnosis), _TOPIC, environment=where, place=place, ends=True
            )
            self._session.notify(notice)

    async def _helps(self, question: Question, diagnosis: Diagnosis) -> dict[Cause, Help]:
        environment, key = question.environment, question.key
        try:
            if key:
                keys = await self._session.console.keys.listed(environment)
                key = next((one for one in keys if one.id == key.id), None)
        except KeybenchError:
            key = None
        portal = self._session.console.environments.facts(environment).portal_page(environment)
        against = {
            one.cause: help_against(one.cause, diagnosis, key, portal)
            for one in diagnosis.conclusion.suspects
        }
        return {cause: help_ for cause, help_ in against.items() if help_}

    async def _look_for_values(self, diagnosis: Diagnosis) -> str:
        # Values that are held mustn't be in what is shown and copied.
        self._may_copy = False
        world = self._session.console.world
        texts = [ticket_text(diagnosis), *map(evidence_text, diagnosis.findings)]
        try:
            held = sum(key.has_value for key in await world.keys.all_keys())
            await refuse_values(world, [("text", text) for text in texts])
        except ValueMisplaced:
            return _("A value that is kept stands in it, so it can't be copied.")
        except KeybenchError:
            self._may_copy = True  # without the journal no key is known, nor was anything of one shown
            return ""
        self._may_copy = True
        words = ngettext(
            "0 of {count:,} value found in what is shown",
            "0 of {count:,} values found in what is shown",
            held,
        )
        return words.format(count=held) if held else ""

    def _over(self, turn: int) -> None:
        if turn != self._turn:
            return
        self._task, self._stop = "", None
        self.asking.show_running(running=False)
        if self._diagnosis is None:
            self.asking.findings.list_checks(self._diagnose.checks(self._asked()))
            self.verdict.show_nothing()
        else:
            self.asking.findings.end(self._diagnosis.findings)
        self.copy_action.refresh()
        self.bundle_action.refresh()

    def _give_up(self) -> None:
        if self._task:
            task, self._task = self._task, ""
            self._turn += 1
            self._session.supervisor.cancel(task)

    def _on_check(self, check: Check) -> None:
        if self._question and not self.is_running:
            name = f"diagnosis {id(self)}: one more"
            self._session.run(name, self._check(self._question, check), owner=self)

    async def _check(self, question: Question, check: Check) -> None:
        if check is Check.ELSEWHERE:
            others = tuple(await self._diagnose.elsewhere(question))
            if not others or not await self._agreed(question, others):
                return
            question = replace(question, elsewhere=others)
        if check is Check.FORMS and question.environment.is_live:
            if not await self._agreed_to_forms(question):
                return
            question = replace(question, other_forms=True)
        self._start(question)

    async def _agreed(self, question: Question, others: Sequence[Environment]) -> bool:
        places = "\n".join(f"{marking(one)} ({urlsplit(one.base_url).netloc or one.name})" for one in others)
        name = question.key.name if question.key else ""
        text = _(
            "The value of “{name}” is sent there, in one harmless call each:\n\n{places}\n\n"
            "No sale is sent, and nothing is changed."
        ).format(name=name, places=places)
        title = _("Try the key in {names}?").format(names=listed([one.name for one in others]))
        return await confirm(self, title=title, text=text, confirm=_("Try it there"))

    async def _agreed_to_forms(self, question: Question) -> bool:
        text = _(
            "The value of “{name}” is sent to {place} as Bearer, as Basic and in X-Api-Key, in one harmless "
            "call each.\n\nNo sale is sent, and nothing is changed."
        ).format(name=question.key.name if question.key else "", place=marking(question.environment))
        return await confirm(self, title=_("Try other forms?"), text=text, confirm=_("Try other forms"))

    def _on_help(self, wanted: Help) -> None:
        question = self._question
        if question is None or self._diagnosis is None or self.is_running:
            return
        if wanted is Help.TRY_ELSEWHERE:
            self._on_check(Check.ELSEWHERE)
        elif wanted is Help.OTHER_FORMS:
            self._on_check(Check.FORMS)
        else:
            # What a person agreed to, they agreed to once.
            again = partial(self._start, replace(question, elsewhere=(), other_forms=False))
            give_help(wanted, question, self._session, self, again)

    def _can_copy(self) -> bool:
        return self._diagnosis is not None and self._may_copy and not self.is_running

    def _on_copy(self) -> None:
        if self._diagnosis and self._question:
            text = f"{marking(self._question.environment)}\n{ticket_text(self._diagnosis)}"
            QGuiApplication.clipboard().setText(text)
            words = _("What was found, tried and ruled out, without keys.")
            self._session.notify(Notice("info", _("Copied for the ticket"), words, topic="copied"))

    def _on_bundle(self) -> None:
        if self._diagnosis:
            self._session.ask(SaveBundle(self._diagnosis))

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
        self.verdict.help_wanted.connect(self._on_help)
        self.verdict.check_wanted.connect(self._on_check)
        self._session.environment_changed.connect(self._on_environment)
        self._session.ending.connect(self._give_up)
        events = (KeysChanged, DevicesChanged, EnvironmentsChanged)
        self._session.subscribe(self, dict.fromkeys(events, lambda _event: self._reading.request()))

    def _lay_out(self) -> None:
        parts, margins = ((self.asking, _LEFT_SHARE), (self.verdict, 100 - _LEFT_SHARE)), (_MARGIN,) * 4
        box = in_row_or_column(*parts, from_px=self._beside_px, within=self, margins=margins, spacing=_MARGIN)
        box.turned.connect(self._on_turned)
