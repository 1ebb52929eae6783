"""Exporting from the History page: progress, stopping, and what is told afterwards."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from contracts.journal_samples import a_sale, note
from fakes.waiting import until
from keybench.core.errors import FileNotSaved, KeybenchError
from keybench.core.sales.history import SaleFilter
from keybench.core.sales.sale import Sale
from keybench.runtime.saving import Progress
from keybench.ui.kit.dialog import SaveDialog
from keybench.ui.shared.export_bar import ExportBar
from keybench.ui.shared.session import Notice, Session

from .saving import save_as

TASK = "export sales"


def names_in(folder: Path) -> list[str]:
    return [one.name for one in folder.iterdir()]


@pytest.fixture
async def bar(qtbot: QtBot, session: Session) -> ExportBar:
    for number in range(600):
        await note(session.console.world.journal, a_sale(f"KB-{number:04}", minutes=number))

    async def write(wanted: SaleFilter, path: Path, progress: Progress) -> int:
        return await session.console.history.export(wanted, path, progress=progress)

    bar = ExportBar(
        session,
        name="sales",
        title="Export sales",
        wanted=SaleFilter,
        write=write,
        exported=lambda count: f"Exported {count:,} sales",
    )
    qtbot.addWidget(bar)
    bar.show()
    return bar


@pytest.fixture
def told(session: Session) -> list[Notice]:
    notices: list[Notice] = []
    session.notified.connect(notices.append)
    return notices


async def test_the_sales_found_go_to_the_file_that_was_chosen(
    bar: ExportBar, session: Session, told: list[Notice], tmp_path: Path
) -> None:
    path = tmp_path / "found.json"
    bar.buttons["json"].click()
    await until(lambda: bar.findChild(SaveDialog))
    question = bar.findChild(SaveDialog)
    assert isinstance(question, SaveDialog)
    assert question.defaultSuffix() == "json"
    save_as(question, path)
    await until(lambda: told)
    assert told[0].title == "Exported 600 sales"
    assert str(path) in told[0].text
    assert len(json.loads(path.read_text("utf-8"))) == 600
    assert not bar.stop.isVisible()


async def test_leaving_the_question_exports_nothing(
    bar: ExportBar, session: Session, told: list[Notice]
) -> None:
    bar.buttons["csv"].click()
    await until(lambda: bar.findChild(SaveDialog))
    question = bar.findChild(SaveDialog)
    assert isinstance(question, SaveDialog)
    question.reject()
    await until(lambda: not session.supervisor.is_running(TASK))
    assert not told


async def test_an_export_shows_how_far_it_is_and_can_be_stopped(
    bar: ExportBar,
    session: Session,
    told: list[Notice],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    journal, gate = session.console.world.journal, asyncio.Event()
    answer = journal.find_sales

    async def slow(wanted: SaleFilter, *, after: str = "", limit: int) -> Sequence[Sale]:
        if after:
            await gate.wait()
        return await answer(wanted, after=after, limit=limit)

    monkeypatch.setattr(journal, "find_sales", slow)
    path = tmp_path / "sales.csv"
    path.write_text("an older export", "utf-8")
    session.run(TASK, bar.write(SaleFilter(), path))
    await until(lambda: bar.figures.text() == "250 of 600")
    assert (bar.progress.value(), bar.progress.maximum()) == (250, 600)
    assert bar.stop.isVisible()
    assert not bar.buttons["csv"].isVisible()
    bar.stop.click()
    await until(lambda: not session.supervisor.is_running(TASK))
    assert bar.buttons["csv"].isVisible()
    assert told[-1].title == "Export stopped"
    assert names_in(tmp_path) == ["sales.csv"]
    assert path.read_text("utf-8") == "an older export"


async def test_a_file_that_cannot_be_written_is_told(
    bar: ExportBar, session: Session, told: list[Notice], tmp_path: Path
) -> None:
    failures: list[KeybenchError] = []
    session.failed.connect(failures.append)
    session.run(TASK, bar.write(SaleFilter(), tmp_path / "missing" / "sales.csv"))
    await until(lambda: failures)
    assert isinstance(failures[0], FileNotSaved)
    assert bar.buttons["csv"].isVisible()
    assert not told
