"""Opens the window in a made-up language, goes through its pages, and prints each text that isn't in it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator

from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenu,
    QTableView,
    QWidget,
)

from fakes.made_up import CLOSE, OPEN, speak

speak()

from fakes.world import Bench  # noqa: E402 - the language first
from keybench.loop import run  # noqa: E402
from keybench.runtime.supervisor import Supervisor  # noqa: E402
from keybench.ui.kit.preferences import Preferences  # noqa: E402
from keybench.ui.shared.session import Session  # noqa: E402
from keybench.ui.shell.application import make_application  # noqa: E402
from keybench.ui.shell.window import PAGES, MainWindow  # noqa: E402


def texts_of(widget: QWidget) -> Iterator[str]:
    """Give what a widget says to eyes and to screen readers."""
    yield from (widget.accessibleName(), widget.toolTip())
    match widget:
        case QMenu():
            yield from (action.text().replace("&", "") for action in widget.actions())
        case QLabel() | QAbstractButton():
            yield widget.text()
        case QGroupBox():
            yield widget.title()
        case QLineEdit():
            yield widget.placeholderText()
        case QComboBox():
            yield from (widget.itemText(row) for row in range(widget.count()))
        case QTableView() if widget.model():
            header = widget.horizontalHeader()
            yield from (
                str(widget.model().headerData(column, header.orientation()) or "")
                for column in range(widget.model().columnCount())
            )
        case _:
            pass


def plain(window: QWidget) -> set[str]:
    """Return the texts with two letters or more outside of all marks."""
    found = set()
    for widget in window.findChildren(QWidget):
        for text in texts_of(widget):
            rest = re.sub(f"{OPEN}[^{CLOSE}]*{CLOSE}", "", text)
            if re.search("[A-Za-z]{2}", rest):
                found.add(text)
    return found


async def go_through(app: QApplication) -> int:
    bench = Bench()
    await bench.journal.open()
    practice = await bench.practice_environment()
    await bench.add_key(practice)
    supervisor = Supervisor(on_failure=lambda name, error: print(f"failed: {name}: {error!r}"))
    window = MainWindow(Preferences())
    window.resize(1280, 860)
    window.show()
    window.attach(Session(bench.console, supervisor, practice, window))
    found: set[str] = set()
    for page in PAGES:
        window.show_page(page.id)
        for _turn in range(60):
            await asyncio.sleep(0)
            app.sendPostedEvents()
        await asyncio.sleep(0.2)
        found |= plain(window)
    for text in sorted(found):
        print(text.replace("\n", " / "))
    await supervisor.close()
    return 0


if __name__ == "__main__":
    application = make_application(["keybench"])
    raise SystemExit(run(application, lambda: go_through(application)))
