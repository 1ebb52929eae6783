"""The Diagnose page: what it asks, how it shows what was found, and where its buttons lead."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog, QLabel
from pytestqt.qtbot import QtBot

from fakes.journal import put_key
from fakes.waiting import until
from fakes.world import MADE_UP, Bench
from keybench.core.diagnosis.checks import Check, Sign, Silence
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import JournalError, KeybenchError
from keybench.core.keys.key import KeyKind, KeyState, SecurityKey
from keybench.core.ports import Device
from keybench.core.sales.sale import Sale
from keybench.runtime.supervisor import Supervisor
from keybench.ui.diagnose.page import DiagnosePage
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.theme import Theme
from keybench.ui.settings.page import SettingsPage
from keybench.ui.shared.session import Case, Notice, Place, Session
from keybench.ui.shell.lock import Lock
from keybench.ui.shell.window import MainWindow

from .diagnose_support import REFUSED, WELL, FakeDiagnose, found, silent
from .inventory_support import button_of, press
from .screens import faults, sideways
from .test_screens import settled

LONG = "a key with a name of sixty characters, as long as one can be"


@dataclass
class Stage:
    """The page in a window, on fakes."""

    bench: Bench
    window: MainWindow
    session: Session
    page: DiagnosePage
    fake: FakeDiagnose
    sandbox: Environment
    eu: Environment
    key: SecurityKey
    notices: list[Notice]
    failures: list[KeybenchError]

    @property
    def verdict(self) -> str:
        """What a screen reader says of the verdict."""
        return str(self.page.verdict.pill.accessibleDescription())

    @property
    def rows(self) -> dict[Check, str]:
        return {row.check: row.spoken for row in self.page.asking.findings.rows}

    def texts(self) -> list[str]:
        """Return what stands on the right, from top to bottom."""
        return [one.text() for one in self.page.verdict.findChildren(QLabel) if one.isVisible()]

    async def ended(self) -> None:
        await until(lambda: not self.page.is_running)

    async def refused(self) -> None:
        """Wait until it is known that a person doesn't agree."""
        await until(lambda: not [one for one in self.session.supervisor.running if "one more" in one])

    async def run(self) -> None:
        press(self.page, "Run diagnosis")
        await self.ended()


@pytest.fixture
async def stage(qtbot: QtBot, supervisor: Supervisor) -> Stage:
    bench = Bench()
    await bench.journal.open()
    await bench.practice_environment()
    sandbox = await bench.add("Sandbox", EnvironmentKind.TEST)
    eu = await bench.add("Sandbox EU", EnvironmentKind.TEST)
    key = await bench.add_key(sandbox, "old kiosk")
    await bench.journal.remember_devices(sandbox.id, [Device("K-3", "Kiosk 3", "connected")])
    fake = FakeDiagnose(others=(eu,))
    vars(bench.console)["diagnose"] = fake  # where it is kept once it was asked for
    session = Session(bench.console, supervisor, sandbox)
    notices: list[Notice] = []
    failures: list[KeybenchError] = []
    session.notified.connect(notices.append)
    session.failed.connect(failures.append)
    window = MainWindow()
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.rail.choose("diagnose")  # the Bench isn't made, unless a test goes there
    window.attach(session)
    window.show()
    page = window.page("diagnose")
    assert isinstance(page, DiagnosePage)
    await until(lambda: page.asking.key.key is not None)
    return Stage(bench, window, session, page, fake, sandbox, eu, key, notices, failures)


async def dialog_of(stage: Stage) -> Dialog:
    def shown() -> Sequence[Dialog]:
        return [one for one in stage.window.findChildren(Dialog) if one.isVisible()]

    await until(shown)
    return shown()[0]


# --- before the first one ----------------------------------------------------------------------------


async def test_it_says_what_it_does_and_what_it_never_does_and_lists_the_checks(stage: Stage) -> None:
    assert any("never sends a sale" in text for text in stage.texts())
    assert stage.page.asking.count.text() == "17 checks · never sends a sale"
    assert stage.rows[Check.CALL] == "Not made. Call with the key"
    assert Check.DEVICE not in stage.rows  # no device is chosen, and none needs to be
    assert stage.page.asking.findings.table.accessibleName() == "Findings"
    assert stage.page.verdict.pill.accessibleName() == "Verdict"
    stage.page.asking.device.choose("K-3")
    assert Check.DEVICE in stage.rows


async def test_without_keys_the_way_to_the_gateway_is_checked(stage: Stage) -> None:
    stage.session.choose_environment(stage.eu)
    await until(stage.page.asking.no_keys.isVisible)
    assert Check.CALL not in stage.rows
    await stage.run()
    assert stage.fake.asked[0].key is None
    assert stage.fake.asked[0].environment == stage.eu


async def test_public_keys_are_offered_too_for_their_kind_may_be_the_cause(stage: Stage) -> None:
    public = await stage.bench.add_key(stage.sandbox, "page", kind=KeyKind.PUBLIC)
    stage.page._reading.request()
    await until(lambda: stage.page.asking.key.findText("page", Qt.MatchFlag.MatchContains) >= 0)
    stage.page.asking.choose(public, "", None)
    await stage.run()
    assert stage.fake.asked[0].key is not None
    assert stage.fake.asked[0].key.id == public.id


async def test_a_text_that_is_no_key_and_a_card_number_are_not_asked_about(stage: Stage) -> None:
    stage.page.asking.key.setEditText("nobody")
    press(stage.page, "Run diagnosis")
    stage.page.asking.key.setEditText("")
    stage.page.asking.device.setEditText("4111 1111 1111 1111")
    press(stage.page, "Run diagnosis")
    assert stage.fake.asked == []
    assert "4111" not in stage.page.asking.device.currentText()


# --- running -----------------------------------------------------------------------------------------


async def test_checks_are_shown_as_they_end_and_the_verdict_comes_with_its_proof(stage: Stage) -> None:
    stage.fake.gate.clear()
    press(stage.page, "Run diagnosis")
    await until(lambda: stage.rows[Check.JOURNAL].startswith("Fine"))
    assert stage.rows[Check.CALL].startswith("Not ended yet")
    assert button_of(stage.page, "Stop").isEnabled()
    assert stage.page.verdict.progress.value() == 1
    stage.fake.gate.set()
    await stage.ended()
    assert stage.verdict.startswith("Our side. The key belongs to another environment. Not the network")
    assert stage.rows[Check.CALL].startswith("Fault. Call with the key: The gateway refused the key (401)")
    assert stage.rows[Check.ELSEWHERE].startswith("Not made")
    texts = stage.texts()
    assert texts.index("likely") < texts.index("possible") < texts.index("Ruled out, and by what")
    kept = "that was kept, with the fingerprint amber-river-nine-fox."
    assert any(kept in text for text in texts)
    assert any(text.startswith("Could not tell: Permissions of the user") for text in texts)
    assert "0 of 1 value found in what is shown" in texts
    assert "◆ TEST · Sandbox · sandbox.example · old kiosk (amber-river-nine-fox)" in texts


async def test_the_refusal_is_chosen_with_what_was_asked_and_answered_masked(stage: Stage) -> None:
    await stage.run()
    findings = stage.page.asking.findings
    assert findings.table.selected is not None
    assert findings.table.selected.check is Check.CALL
    shown = findings.exchange.toPlainText()
    assert shown.startswith("GET /api/v5/devices\nAuthorization: ••••••\n→ ✕ 401")
    assert "Bearer" not in shown
    findings.table.select(Check.FORMS)
    assert "Bearer ••••••" in findings.exchange.toPlainText()
    findings.table.select(Check.GATEWAY)
    assert "Authorization" not in findings.exchange.toPlainText()
    assert "\nRules out: " in findings.text.text()
    findings.table.select(Check.JOURNAL)
    assert not findings.exchange.isVisible()


async def test_the_next_one_of_the_same_is_shown_in_place(stage: Stage) -> None:
    stage.fake.findings = (found(Check.CALL, Sign.RATE_LIMIT), *(REFUSED[:-1]))
    await stage.run()
    findings, verdict = stage.page.asking.findings, stage.page.verdict
    findings.table.select(Check.GATEWAY)
    asked = findings.exchange.toPlainText()
    again = next(one for one in verdict.buttons if one.text() == "Test again")
    await until(stage.window.isActiveWindow)
    again.setFocus()
    stage.fake.gate.clear()
    again.click()
    await until(lambda: stage.page.is_running)
    assert stage.rows[Check.GATEWAY].startswith("Not ended yet")
    assert findings.exchange.toPlainText() == asked
    stage.fake.gate.set()
    await stage.ended()
    assert again.hasFocus()
    assert again in verdict.buttons
    assert findings.table.selected is not None
    assert findings.table.selected.check is Check.GATEWAY
    stage.fake.findings = REFUSED
    again.click()
    await until(lambda: len(stage.fake.asked) == 3)
    await stage.ended()
    assert again not in verdict.buttons
    assert verdict.buttons[0].hasFocus()
    stage.page.diagnose(Case(stage.sandbox))
    await until(lambda: len(stage.fake.asked) == 4)
    assert list(verdict.buttons) == []
    assert findings.table.selected is None


async def test_a_stopped_one_concludes_from_what_is_known(stage: Stage) -> None:
    stage.fake.gate.clear()
    press(stage.page, "Run diagnosis")
    await until(lambda: stage.rows[Check.JOURNAL].startswith("Fine"))
    press(stage.page, "Stop")
    await stage.ended()
    assert stage.verdict.startswith("Open. ")
    assert stage.rows[Check.CALL] == "Not made. Call with the key: Could not tell: it was stopped."
    assert any(text.startswith("Stopped after") for text in stage.texts())


async def test_by_keyboard_it_is_run_and_stopped_and_the_focus_stays_at_the_button(stage: Stage) -> None:
    asking = stage.page.asking
    await until(stage.window.isActiveWindow)
    asking.run_button.setFocus()
    stage.fake.gate.clear()
    asking.run_button.click()
    await until(asking.stop_button.hasFocus)
    asking.stop_button.click()
    await until(asking.run_button.hasFocus)
    run = stage.page.run_action
    assert [keys.toString() for keys in run.shortcuts()] == ["Ctrl+R"]


async def test_what_fails_itself_is_told_and_it_can_be_run_again(stage: Stage) -> None:
    stage.fake.error = JournalError("the disk is full")
    press(stage.page, "Run diagnosis")
    await until(lambda: stage.failures)
    await stage.ended()
    assert stage.verdict == ""
    stage.fake.error = None
    await stage.run()
    assert stage.verdict


async def test_one_that_ends_on_another_page_is_reported_and_nothing_is_read_aloud(stage: Stage) -> None:
    stage.fake.gate.clear()
    press(stage.page, "Run diagnosis")
    await until(lambda: stage.fake.asked)
    stage.window.show_page("bench")
    stage.fake.gate.set()
    await until(lambda: any(one.topic == "diagnosis" for one in stage.notices))
    (notice,) = [one for one in stage.notices if one.topic == "diagnosis"]
    assert notice.title == "Our side: The key belongs to another environment."
    assert notice.environment == "Sandbox"
    assert notice.place == Place("diagnose")
    stage.window.show_place(notice.place)
    assert stage.page.isVisible()
    assert stage.page.diagnosis is not None


async def test_a_result_keeps_its_environment_while_another_is_shown(stage: Stage) -> None:
    await stage.run()
    stage.session.choose_environment(stage.eu)
    await until(stage.page.asking.no_keys.isVisible)
    assert any("◆ TEST · Sandbox ·" in text for text in stage.texts())
    assert stage.verdict.startswith("Our side")
    assert [one.text() for one in stage.page.verdict.buttons]


async def test_closing_the_window_ends_it_without_a_word(stage: Stage) -> None:
    stage.fake.gate.clear()
    press(stage.page, "Run diagnosis")
    await until(lambda: stage.fake.asked)
    stage.session.end()
    await until(lambda: not [one for one in stage.session.supervisor.running if "diagnosis" in one])
    assert [one for one in stage.notices if one.topic == "diagnosis"] == []


async def test_a_locked_window_shows_nothing_of_it_and_gives_it_back(stage: Stage) -> None:
    stage.fake.gate.clear()
    press(stage.page, "Run diagnosis")
    await until(lambda: stage.fake.asked)
    lock = Lock(stage.window, stage.session, stage.session.preferences)
    lock.lock()
    stage.fake.gate.set()
    await stage.ended()
    assert not stage.page.isVisible()
    lock.unlock()
    assert stage.page.isVisible()
    assert stage.page.diagnosis is not None


# --- from a failure ----------------------------------------------------------------------------------


async def test_a_case_is_run_at_once_with_everything_filled_in(stage: Stage) -> None:
    sale = await a_sale(stage)
    stage.session.choose_environment(stage.eu)
    stage.window.show_page("bench")
    stage.session.ask(Case(stage.sandbox, stage.key.id, "K-3", sale))
    await until(lambda: stage.page.diagnosis is not None)
    (question,) = stage.fake.asked
    assert (question.environment, question.device, question.sale) == (stage.sandbox, "K-3", sale)
    assert question.key is not None
    assert question.key.id == stage.key.id
    assert stage.session.environment == stage.sandbox
    assert stage.page.asking.device.currentText() == "Kiosk 3 · K-3"
    assert sale.reference in stage.page.asking.sale_line.text()
    stage.page.asking.device.choose("")  # what is asked isn't about the sale any more
    await stage.run()
    assert stage.fake.asked[-1].sale is None
    assert not stage.page.asking.sale_line.isVisible()


async def test_a_case_takes_the_place_of_what_goes_on(stage: Stage) -> None:
    stage.fake.gate.clear()
    press(stage.page, "Run diagnosis")
    await until(lambda: stage.fake.asked)
    stage.page.diagnose(Case(stage.sandbox))
    await until(lambda: len(stage.fake.asked) == 2)
    stage.fake.gate.set()
    await stage.ended()
    assert stage.page.diagnosis is not None
    assert stage.page.diagnosis.key_name == ""
    assert stage.page.asking.key.currentText() == ""


async def test_one_can_begin_in_the_turn_in_which_the_one_before_ends(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is made anew may be where something was before.
    monkeypatch.setattr("keybench.ui.diagnose.page.id", lambda _object: 1, raising=False)
    turn = asyncio.get_running_loop()
    stage.page.copy_action.changed.connect(lambda: stage.page.is_running or turn.call_soon(stage.page.run))
    press(stage.page, "Run diagnosis")
    await until(lambda: len(stage.fake.asked) >= 8)


async def a_sale(stage: Stage) -> Sale:
    draft = replace(await stage.bench.draft(environment=stage.sandbox), device="K-3")
    return await stage.session.console.sell.note(draft)


# --- what helps --------------------------------------------------------------------------------------


async def test_the_key_is_tried_elsewhere_only_after_a_person_agrees(stage: Stage) -> None:
    stage.fake.more = {
        Check.ELSEWHERE: found(Check.ELSEWHERE, Sign.ELSEWHERE_ACCEPTED, environment="Sandbox EU")
    }
    await stage.run()
    press(stage.page, "Try it there…")
    dialog = await dialog_of(stage)
    assert "Sandbox EU" in dialog.accessibleDescription()
    assert "old kiosk" in dialog.accessibleDescription()
    dialog.reject()
    await stage.refused()
    assert len(stage.fake.asked) == 1
    press(stage.page, "Check")
    (await dialog_of(stage)).accept()
    await until(lambda: len(stage.fake.asked) == 2)
    await stage.ended()
    assert stage.fake.asked[-1].elsewhere == (stage.eu,)
    assert stage.rows[Check.ELSEWHERE].endswith("Sandbox EU accepts the key.")
    assert "Try it there…" not in [one.text() for one in stage.page.verdict.buttons]


async def test_in_live_the_key_is_tried_in_other_forms_only_after_a_person_agrees(stage: Stage) -> None:
    live = await stage.bench.add("Shop", EnvironmentKind.LIVE)
    key = await stage.bench.add_key(live, "counter")
    asks = silent(Check.FORMS, Silence.NOT_ASKED)
    stage.fake.findings = [asks if one.check is Check.FORMS else one for one in REFUSED]
    stage.fake.more = {Check.FORMS: found(Check.FORMS, Sign.OTHER_FORM_ACCEPTED, form="Bearer")}
    stage.session.ask(Case(live, key.id, "", None))
    await until(lambda: stage.page.diagnosis is not None)
    await stage.ended()
    assert stage.rows[Check.FORMS] == "Not made. Other header forms: Not asked: it needs your consent."
    press(stage.page, "Try other forms…")
    dialog = await dialog_of(stage)
    assert "▲ LIVE · Shop" in dialog.accessibleDescription()
    dialog.reject()
    await stage.refused()
    assert len(stage.fake.asked) == 1
    press(stage.page, "Try other forms…")
    (await dialog_of(stage)).accept()
    await until(lambda: len(stage.fake.asked) == 2)
    await stage.ended()
    assert stage.fake.asked[-1].other_forms
    assert "Try other forms…" not in [one.text() for one in stage.page.verdict.buttons]


async def test_the_portal_is_opened_where_the_key_is_listed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def open_url(url: QUrl) -> bool:
        opened.append(url.toString())
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    await stage.run()
    portals = [one for one in stage.page.verdict.buttons if one.text() == "Open the portal"]
    assert portals
    portals[0].click()
    assert opened == [stage.session.console.environments.facts(stage.sandbox).portal_page(stage.sandbox)]


async def test_the_environment_is_edited_where_its_address_is_wrong(stage: Stage) -> None:
    stage.fake.findings = (
        found(Check.BASE_URL, Sign.URL_PATH_TWICE, correction="https://gateway.example"),
        found(Check.GATEWAY, Sign.GATEWAY_NO_PATH),
    )
    await stage.run()
    edit = [one for one in stage.page.verdict.buttons if one.text() == "Edit the environment"]
    edit[0].click()
    await until(lambda: stage.window.page_id == "settings")
    settings = stage.window.page("settings")
    assert isinstance(settings, SettingsPage)
    await until(settings.environments.form.isVisible)
    assert settings.environments.form.environment == stage.sandbox


async def test_a_key_without_its_value_is_given_one_and_looked_at_again(stage: Stage) -> None:
    await put_key(stage.bench.journal, replace(stage.key, state=KeyState.VALUE_LOST))
    stage.fake.findings = (found(Check.KEYSTORE, Sign.VALUE_MISSING),)
    await stage.run()
    press(stage.page, "Give it a value…")
    dialog = await dialog_of(stage)
    dialog.reject()
    await until(lambda: not [one for one in stage.window.findChildren(QDialog) if one.isVisible()])
    assert len(stage.fake.asked) == 1


async def test_a_refused_value_can_be_replaced(stage: Stage) -> None:
    await put_key(stage.bench.journal, replace(stage.key, state=KeyState.REFUSED, status=401))
    stage.fake.findings = (found(Check.CALL, Sign.CALL_UNAUTHORISED, status=401),)
    await stage.run()
    assert "Give it a value…" in [one.text() for one in stage.page.verdict.buttons]


async def test_a_cause_that_may_pass_is_tested_again(stage: Stage) -> None:
    stage.fake.findings = (found(Check.CALL, Sign.RATE_LIMIT),)
    await stage.run()
    press(stage.page, "Test again")
    await until(lambda: len(stage.fake.asked) == 2)


async def test_what_works_says_so_and_offers_nothing_to_mend(stage: Stage) -> None:
    stage.fake.findings = WELL
    await stage.run()
    assert stage.verdict.startswith("No trouble. Everything that was checked works.")
    assert list(stage.page.verdict.buttons) == []


# --- copying -----------------------------------------------------------------------------------------


async def test_a_diagnosis_is_copied_for_a_ticket_with_its_environment_and_no_value(stage: Stage) -> None:
    await stage.run()
    press(stage.page, "Copy for the ticket")
    text = QGuiApplication.clipboard().text()
    assert text.startswith("◆ TEST · Sandbox\nOur side: The key belongs to another environment.\n")
    assert "old kiosk (amber-river-nine-fox)" in text
    assert MADE_UP not in text


async def test_what_holds_a_value_is_not_copied(stage: Stage) -> None:
    stage.fake.findings = (found(Check.CALL, Sign.CALL_UNAUTHORISED, status=401, message=MADE_UP),)
    await stage.run()
    assert "A value that is kept stands in it, so it can't be copied." in stage.texts()
    assert not button_of(stage.page, "Copy for the ticket").isEnabled()


@pytest.mark.parametrize(("size", "text"), [((1024, 700), "9"), ((800, 450), "9"), ((1024, 700), "18")])
async def test_long_names_are_cut_or_wrapped_and_nothing_scrolls_sideways(
    stage: Stage, size: tuple[int, int], light_theme: Theme, text: str
) -> None:
    light_theme.choose_text_size(text)
    long = await stage.bench.add_key(stage.sandbox, LONG)
    stage.window.resize(*size)
    stage.page.diagnose(Case(stage.sandbox, long.id, "D" * 60))
    await until(lambda: stage.page.diagnosis is not None)
    await settled(stage.window)
    wrong = faults(stage.window) + [f"{one} scrolls sideways" for one in sideways(stage.window)]
    assert wrong == []


async def test_a_fresh_verdict_is_scrolled_into_sight(stage: Stage, light_theme: Theme) -> None:
    light_theme.choose_text_size("18")
    stage.window.resize(800, 450)
    await stage.run()
    pill, summary = stage.page.verdict.pill, stage.page.verdict.summary
    await until(lambda: pill.visibleRegion().boundingRect().height() == pill.height())
    assert not summary.visibleRegion().isEmpty()
