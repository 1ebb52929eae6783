"""The History page's charts: what they are of, in a picture, for the ear and as a table; exported whole."""

from __future__ import annotations

import asyncio
import csv
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from contracts.journal_samples import a_sale
from fakes.waiting import until
from keybench.core.events import SaleChanged
from keybench.core.sales.figures import By
from keybench.core.sales.history import SaleFilter
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent, Verdict
from keybench.ui.history.charts import PICTURE, TABLE, ChartsView
from keybench.ui.history.page import CHARTS, SALES, HistoryPage
from keybench.ui.kit.axis import chart_font
from keybench.ui.kit.dialog import SaveDialog
from keybench.ui.kit.theme import Scheme, theme, tokens
from keybench.words.sales import charts as words

from .history_support import Past
from .saving import save_as


def names_in(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def some(
    count: int, outcome: Outcome = Outcome.APPROVED, *, device: str = "D-7", first: int = 0
) -> list[Sale]:
    sales = [replace(a_sale(f"KB-{first + at:04}", minutes=first + at), device=device) for at in range(count)]
    return [
        sale.finish(Verdict(outcome), sale.noted_at + timedelta(seconds=4 + at % 5))
        for at, sale in enumerate(sales)
    ]


async def opened(page: HistoryPage) -> ChartsView:
    page.views.choose(CHARTS)
    await until(lambda: page.charts is not None and page.charts._charted is not None)
    assert page.charts
    return page.charts


def open_dialogs(charts: ChartsView) -> list[SaveDialog]:
    return [one for one in charts.window().findChildren(SaveDialog) if one.isVisible()]


def names(charts: ChartsView) -> list[str]:
    return [row.name for row in charts.table.model().items]


async def test_charts_stand_below_the_filters_in_place_of_the_list(past: Past) -> None:
    page = (await past(some(12))).page
    charts = await opened(page)
    assert charts.isVisible()
    assert page.filters.isVisible()
    assert not page.table.isVisible()
    assert not page.export.isVisible()
    page.views.choose(SALES)
    assert (page.table.isVisible(), charts.isVisible(), page.export.isVisible()) == (True, False, True)


async def test_charts_stay_in_sight_while_newer_figures_of_the_same_are_worked_out(past: Past) -> None:
    charts = await opened((await past(some(12))).page)
    charts._reading._slow.setInterval(0)
    held = asyncio.Event()
    page_of = charts._session.console.history.page

    async def slow(*given: Any, **more: Any) -> Sequence[Sale]:
        await held.wait()
        return await page_of(*given, **more)

    charts._session.console.history.page = slow  # type: ignore[method-assign]  # as 20,000 sales are
    charts.refresh()
    charts.by.choose(By.KEY.value)
    await until(charts.status.isVisible)
    held.set()
    await until(charts.sheet.isVisible)

    held.clear()
    charts.refresh()
    assert not charts._reading._slow.isActive()
    assert charts.sheet.isVisible()
    held.set()
    await until(lambda: not charts._session.supervisor.running)


async def test_a_picture_says_the_same_to_the_ear_and_in_a_table(past: Past) -> None:
    page = (await past([*some(12), *some(3, device="D-9", first=20)])).page
    charts = await opened(page)
    assert charts.sheet.isVisible()
    assert charts.sheet.accessibleName() == "Charts"
    assert charts.sheet.accessibleDescription().splitlines() == [
        "Time to outcome and failed sales by device",
        "All environments · 15 sales",
        "Terrace bar: 12 sales; median time 5.50 s, middle half 4.75 s to 7.00 s; 0 failed, which is 0%.",
        "D-9: 3 sales; too few for a time; 0 failed.",
    ]
    charts.form.choose(TABLE)
    assert charts.table.isVisible()
    model = charts.table.model()
    cells = [[str(model.index(row, at).data()) for at in range(model.columnCount())] for row in range(2)]
    assert cells == [
        ["Terrace bar", "12", "5.50 s", "4.75 s to 7.00 s", "0", "0%"],
        ["D-9", "3", words.TOO_FEW, "", "0", words.TOO_FEW],
    ]
    charts.form.choose(PICTURE)
    assert charts.sheet.isVisible()


async def test_they_are_by_device_by_hour_and_by_key(past: Past) -> None:
    charts = await opened((await past(some(12))).page)
    charts.by.choose(By.HOUR.value)
    await until(lambda: len(names(charts)) == 24)
    assert names(charts)[:2] == ["00:00", "01:00"]
    charts.by.choose(By.KEY.value)
    await until(lambda: names(charts) == ["Till 3"])


async def test_they_respect_the_filters(past: Past) -> None:
    page = (await past([*some(12), *some(10, Outcome.REFUSED, device="D-9", first=20)])).page
    charts = await opened(page)
    page.filters.outcome.setCurrentIndex(page.filters.outcome.findData(Outcome.REFUSED.value))
    await until(lambda: names(charts) == ["D-9"])
    page.filters.text.setText("no such till")
    await until(lambda: charts.status.text() == words.NO_SALE and charts.status.isVisible())
    assert not charts.export.isEnabled()


async def test_a_sale_that_ends_meanwhile_is_taken_in(past: Past) -> None:
    page = (await past(some(12))).page
    charts = await opened(page)
    (sale,) = some(1, device="D-9", first=50)
    journal = page.session.console.world.journal
    await journal.note_sale(
        replace(sale, verdict=None, finished_at=None), SaleEvent(sale.reference, sale.noted_at, Mark.NOTED)
    )
    await journal.advance_sale(sale.reference, lambda _stored: sale)
    charts._gather.setInterval(0)
    page.session.console.events.publish(
        SaleChanged(sale, SaleEvent(sale.reference, sale.noted_at, Mark.OUTCOME))
    )
    await until(lambda: names(charts) == ["Terrace bar", "D-9"])


async def test_the_unknown_ones_are_shown_as_sales(past: Past) -> None:
    page = (await past(some(12))).page
    await opened(page)
    page.show_unknown()
    assert page.table.isVisible()


@pytest.mark.usefixtures("light_theme")
@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
async def test_bars_have_the_looks_colours(past: Past, scheme: Scheme) -> None:
    theme().choose(scheme)
    charts = await opened((await past(some(12))).page)
    picture = QImage.fromData(charts.sheet.png())
    found = {
        picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(0, picture.height(), 2)
    }
    assert {QColor(colour).name() for colour in (tokens().panel, tokens().accent)} <= found


@pytest.mark.parametrize("width", [960, 560])
async def test_no_name_is_cut_by_the_axis(past: Past, width: int) -> None:
    page = (await past([*some(12), *some(3, device="till-outdoor-terrace-0042", first=20)])).page
    page.resize(width, 640)
    charts = await opened(page)
    times, failures = charts.sheet.times, charts.sheet.failures
    measure = QFontMetricsF(chart_font(times.font()))
    assert times.names_px > measure.horizontalAdvance("till-outdoor-terrace-0042 (3)")
    await until(lambda: times.width() == failures.width() > times.names_px)
    assert (times.y() == failures.y()) is (width == 960)


async def test_both_exports_are_whole_files(past: Past, tmp_path: Path) -> None:
    page = (await past(some(12))).page
    charts = await opened(page)
    told: list[str] = []
    page.session.notified.connect(lambda notice: told.append(notice.title))
    for ending in ("png", "csv"):
        charts.export.buttons[ending].click()
        await until(lambda: open_dialogs(charts))
        (question,) = open_dialogs(charts)
        assert question.defaultSuffix() == ending
        before = len(told)
        save_as(question, tmp_path / f"charts.{ending}")
        await until(lambda before=before: len(told) > before)
        await until(lambda: not page.session.supervisor.is_running("export charts"))
    assert QImage(str(tmp_path / "charts.png")).width() > charts.sheet.width()
    (row,) = csv.DictReader((tmp_path / "charts.csv").read_text("utf-8").splitlines())
    assert (row["name"], row["sales"]) == ("D-7", "12")
    assert told == ["Exported the charts"] * 2
    assert names_in(tmp_path) == ["charts.csv", "charts.png"]


async def test_the_keyboard_scrolls_them(past: Past, qtbot: QtBot) -> None:
    sales = [sale for at in range(30) for sale in some(2, device=f"D-{at}", first=at * 2)]
    page = (await past(sales)).page
    charts = await opened(page)
    page.activateWindow()
    await until(page.isActiveWindow)
    area = charts._scroll
    area.setFocus(Qt.FocusReason.TabFocusReason)
    assert QApplication.focusWidget() is area
    assert area.focusPolicy() & Qt.FocusPolicy.TabFocus
    await until(lambda: area.verticalScrollBar().maximum() > 0)
    qtbot.keyClick(area, Qt.Key.Key_Down)
    assert area.verticalScrollBar().value() > 0
    assert area.accessibleDescription() == charts.sheet.accessibleDescription()


async def test_every_control_has_a_name(past: Past) -> None:
    charts = await opened((await past(some(12))).page)
    assert charts.table.accessibleName() == "Figures of the charts"
    assert charts.by.accessibleName() == "Charts by"
    assert charts.form.accessibleName() == "How charts are shown"
    assert all(one.text() for one in charts.sheet.findChildren(QLabel))
    assert SaleFilter() == charts._wanted()
