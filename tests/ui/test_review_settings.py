"""Settings, Key review: limits are shown, checked as they are typed, and kept in the journal."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from fakes.slow import Slow
from fakes.waiting import Until
from keybench.core.errors import JournalUnwritable, KeybenchError
from keybench.core.keys.admin_settings import FIGURES, AdminSettings
from keybench.core.ports import Journal
from keybench.ui.settings.review import LABELS, ReviewSection
from keybench.ui.shared.session import Session
from keybench.workflows.world import World


@pytest.fixture
async def section(qtbot: QtBot, session: Session, until: Until) -> ReviewSection:
    section = ReviewSection(session)
    qtbot.addWidget(section)
    section.resize(880, 420)
    section.show()
    await until(lambda: section._shown)
    return section


async def test_every_limit_has_a_label_that_is_its_name(section: ReviewSection) -> None:
    assert set(LABELS) == set(FIGURES)
    assert [edit.accessibleName() for edit in section.edits.values()] == [LABELS[name][0] for name in FIGURES]


async def test_what_is_usual_stands_there_first_and_needs_no_keeping(section: ReviewSection) -> None:
    assert section.edits["idle_days"].text() == str(AdminSettings().idle_days)
    assert not section.save_button.isEnabled()


async def test_limits_are_kept(qtbot: QtBot, section: ReviewSection, session: Session, until: Until) -> None:
    section.edits["idle_days"].setText("30")
    assert section.save_button.isEnabled()
    qtbot.mouseClick(section.save_button, Qt.MouseButton.LeftButton)
    await until(lambda: section.message.text() == "Saved.")
    kept = await session.administration.settings.read()
    assert kept.idle_days == 30
    assert not section.save_button.isEnabled()


async def test_a_limit_that_will_not_do_is_told_as_it_is_typed(section: ReviewSection) -> None:
    section.edits["overlap_days"].setText("0")
    assert "Enter 1 to 365 days" in section.fields["overlap_days"].message.text()
    assert not section.save_button.isEnabled()
    section.edits["overlap_days"].setText("5")
    assert not section.fields["overlap_days"].has_message
    assert section.save_button.isEnabled()


async def test_an_empty_limit_becomes_what_is_usual(section: ReviewSection, until: Until) -> None:
    section.edits["idle_days"].setText("30")
    section.save_button.click()
    await until(lambda: section._shown["idle_days"] == "30")
    section.edits["idle_days"].clear()
    section.save_button.click()
    await until(lambda: section.edits["idle_days"].text() == str(AdminSettings().idle_days))


async def test_what_the_journal_refuses_is_told_and_nothing_entered_is_lost(
    section: ReviewSection, session: Session, world: World, until: Until
) -> None:
    failures: list[KeybenchError] = []
    session.failed.connect(failures.append)
    world.journal.failure = JournalUnwritable("/data", "No space left")  # type: ignore[attr-defined]  # a fake's
    section.edits["idle_days"].setText("30")
    section.save_button.click()
    await until(lambda: failures)
    assert section.edits["idle_days"].text() == "30"
    assert section.save_button.isEnabled()


async def test_what_is_typed_while_the_limits_are_being_read_or_kept_stays(
    qtbot: QtBot, slow_session: Session, slow_journal: Slow[Journal], until: Until
) -> None:
    slow_journal.hold("setting")
    section = ReviewSection(slow_session)
    qtbot.addWidget(section)
    section.show()
    await until(lambda: slow_journal.is_held)
    section.edits["idle_days"].setText("30")
    slow_journal.let_go()
    await until(lambda: section._shown)
    assert section.edits["idle_days"].text() == "30"

    slow_journal.hold("update_setting")
    section.save_button.click()
    await until(lambda: slow_journal.is_held)
    section.edits["idle_days"].setText("31")
    slow_journal.let_go()
    await until(lambda: section.message.text() == "Saved.")
    assert section.edits["idle_days"].text() == "31"
    assert section.save_button.isEnabled()
