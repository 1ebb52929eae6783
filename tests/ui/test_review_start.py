"""The word about what becomes due today: only when something does, and only today."""

from __future__ import annotations

import pytest

from fakes.clock import MovedClock
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.ui.keys.review_list import notify_due_today
from keybench.ui.shared.session import Notice, Session

DAY_S = 86_400


@pytest.fixture
def notices(session: Session) -> list[Notice]:
    heard: list[Notice] = []
    session.notified.connect(heard.append)
    return heard


async def _add(session: Session, name: str) -> None:
    draft = KeyDraft(name, f"user of {name}", "API", KeyKind.PRIVATE)
    await session.console.add_key.keep(session.environment, draft, f"MadeUpForThisTest0123456789{name}")


async def test_what_becomes_due_later_today_is_told(
    session: Session, notices: list[Notice], clock: MovedClock
) -> None:
    await _add(session, "Till")
    clock.move(60 * DAY_S - 60)
    await notify_due_today(session)
    (notice,) = notices
    assert (notice.tone, notice.title) == ("info", "1 key becomes due today")
    assert notice.text == "“Till” becomes idle (● PRACTICE · practice). See Keys, Review."


async def test_many_are_counted(session: Session, notices: list[Notice], clock: MovedClock) -> None:
    for number in range(5):
        await _add(session, f"K{number}")
    clock.move(60 * DAY_S - 60)
    await notify_due_today(session)
    assert notices[0].title == "5 keys become due today"
    assert "2 more." in notices[0].text


@pytest.mark.parametrize("seconds", [0, 58 * DAY_S, 60 * DAY_S])
async def test_nothing_is_told_when_nothing_becomes_due_today(
    session: Session, notices: list[Notice], clock: MovedClock, seconds: int
) -> None:
    await _add(session, "Till")
    clock.move(seconds)
    await notify_due_today(session)
    assert notices == []
