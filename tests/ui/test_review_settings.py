"""Settings, Key review: limits are shown, checked as they are typed, and kept in the journal."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from fakes.slow import Slow
from fakes.waiting import Until
from keybench.core.errors import JournalUnwritable, KeybenchError
from keybench.core.keys.admin_settings import FIGURES, AdminSettings
from keybench.core.ports import Journal
from keybench.ui.settings.sections import LABELS, ReviewSection
from keybench.ui.shared.session import Session
from keybench.workflows.world import World


@pytest.fixture
async def section(qtbot: QtBot, session: Session, until: Until) -> ReviewSection:
    section = ReviewSection(session)
    qtbot.addWidget(section)
    section.resize(880, 420)
    section.show()
    await until(lambda: section._kept)
    return section


def enter(section: ReviewSection, name: str, text: str) -> None:
    edit = section.fields[name].editor
    assert isinstance(edit, QLineEdit)
    edit.setText(text)
    edit.editingFinished.emit()


async def test_every_limit_is_named_and_shown_as_it_is_kept(section: ReviewSection) -> None:
    assert list(LABELS) == list(FIGURES)
    names = {name: field.editor.accessibleName() for name, field in section.fields.items()}
    assert names == {name: title for name, (title, _sentence) in LABELS.items()}
    assert section.entered["idle_days"] == str(AdminSettings().idle_days)


async def test_a_limit_is_kept_once_it_was_entered_and_an_empty_one_becomes_what_is_usual(
    section: ReviewSection, session: Session, until: Until
) -> None:
    enter(section, "idle_days", "30")
    await until(lambda: section._kept["idle_days"] == "30")
    assert (await session.administration.settings.read()).idle_days == 30
    enter(section, "idle_days", "")
    await until(lambda: section.entered["idle_days"] == str(AdminSettings().idle_days))


async def test_a_limit_that_will_not_do_is_told_as_it_is_typed_and_not_kept(
    section: ReviewSection, session: Session
) -> None:
    enter(section, "overlap_days", "0")
    assert "Enter 1 to 365 days" in section.fields["overlap_days"].message.text()
    assert not session.supervisor.running
    enter(section, "overlap_days", "5")
    assert not section.fields["overlap_days"].has_message


async def test_what_the_journal_refuses_is_told_and_nothing_entered_is_lost(
    section: ReviewSection, session: Session, world: World, until: Until
) -> None:
    failures: list[KeybenchError] = []
    session.failed.connect(failures.append)
    world.journal.failure = JournalUnwritable("/data", "No space left")  # type: ignore[attr-defined]  # a fake's
    enter(section, "idle_days", "30")
    await until(lambda: failures)
    assert section.entered["idle_days"] == "30"


async def test_what_is_typed_while_the_limits_are_being_read_or_kept_stays(
    qtbot: QtBot, slow_session: Session, slow_journal: Slow[Journal], until: Until
) -> None:
    slow_journal.hold("setting")
    section = ReviewSection(slow_session)
    qtbot.addWidget(section)
    section.show()
    await until(lambda: slow_journal.is_held)
    enter(section, "idle_days", "30")
    slow_journal.let_go()
    await until(lambda: section._kept)
    assert section.entered["idle_days"] == "30"

    slow_journal.hold("update_setting")
    enter(section, "idle_days", "31")
    await until(lambda: slow_journal.is_held)
    enter(section, "idle_days", "32")
    slow_journal.let_go()
    await until(lambda: section._kept["idle_days"] == "32")
    assert section.entered["idle_days"] == "32"
