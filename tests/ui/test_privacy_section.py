"""Settings, Privacy: how long things are kept, and deleting what is older after a question with counts."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from contracts.journal_samples import NOW
from contracts.retention_contract import sold
from fakes.journal import MemoryJournal
from fakes.waiting import Until
from keybench.core.sales.history import start_of
from keybench.core.sales.sale import Outcome
from keybench.journal.installation import setting
from keybench.ui.kit.choosers import Segments
from keybench.ui.kit.dialog import Dialog
from keybench.ui.settings.privacy import PrivacySection
from keybench.ui.shared.filters import DayEdit
from keybench.ui.shared.session import Notice, Session
from keybench.words.formats import day as words_day
from keybench.workflows.sales.retention import SETTING, Keeping


@pytest.fixture
async def section(qtbot: QtBot, session: Session) -> PrivacySection:
    section = PrivacySection(session)
    qtbot.addWidget(section)
    section.show()
    return section


async def dialog(section: PrivacySection, until: Until, title: str) -> Dialog:
    def found() -> list[Dialog]:
        return [
            one
            for one in section.findChildren(Dialog)
            if one.isVisible() and one.confirm_button.text() == title
        ]

    await until(found)
    return found()[0]


async def test_ages_are_shown_and_kept_for_all_programs(
    section: PrivacySection, session: Session, until: Until
) -> None:
    retention = session.administration.retention
    assert (section.exchanges.value, section.sales.value) == ("90", "0")
    section.exchanges.button("30").click()
    journal = session.console.world.journal
    assert isinstance(journal, MemoryJournal)
    await until(lambda: journal.change(partial(setting, name=SETTING)))
    assert await retention.keeping() == Keeping(30, 0)
    await retention.keep(Keeping(365, 1095))
    section.hide()
    section.show()
    await until(lambda: section.sales.value == "1095")
    assert section.exchanges.value == "365"
    section.sales.button("0").click()
    await until(lambda: section._keeping == Keeping(365, 0))


async def test_what_is_older_is_counted_and_deleted_after_a_yes(
    section: PrivacySection, session: Session, until: Until
) -> None:
    journal, told = session.console.world.journal, list[Notice]()
    session.notified.connect(told.append)
    await sold(journal, "KB-1", 0, Outcome.APPROVED)
    await sold(journal, "KB-2", 1, Outcome.UNKNOWN)
    button = next(one for one in section.findChildren(QPushButton) if one.text() == "Delete what is older…")
    button.click()
    choosing = await dialog(section, until, "Count…")
    (edit,) = choosing.findChildren(DayEdit)
    assert edit.day() == (session.console.clock.now() - timedelta(days=90)).astimezone().date()
    day = (NOW + timedelta(days=2)).date()
    edit.show_day(day)
    (what,) = choosing.findChildren(Segments)
    what.button("sales").click()
    choosing.confirm_button.click()
    question = await dialog(section, until, "Delete")
    text = question.accessibleDescription()
    assert text.startswith(
        f"1 sale from before {words_day(start_of(day))}, with its timeline and exchanges. 1 sale stays whole"
    )
    assert len(await journal.sales(None, 9)) == 2
    question.confirm_button.click()
    await until(lambda: "Deleted what was older" in [one.title for one in told])
    assert [sale.reference for sale in await journal.sales(None, 9)] == ["KB-2"]
