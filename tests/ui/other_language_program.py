"""Opens the window in a made-up language, goes through its pages, and prints what is wrong with them.

With `accents` that is each text which isn't in the language, with `mirrored` whatever doesn't stand where
people who read from right to left look for it. With a language's code it prints Qt's own words in that.
"""

from __future__ import annotations

import asyncio
import logging
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import Qt, QTranslator
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialogButtonBox,
    QFileDialog,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTableView,
    QWidget,
)

from fakes.made_up import CLOSE, HEBREW, OPEN, speak

MODE = sys.argv[1]
MIRRORED = MODE == "mirrored"
speak("he", HEBREW) if MIRRORED else speak("de" if MODE == "accents" else MODE)

from fakes.world import Bench  # noqa: E402 - the language first
from keybench.loop import run  # noqa: E402
from keybench.runtime.supervisor import Supervisor  # noqa: E402
from keybench.ui.bench.page import BenchPage  # noqa: E402
from keybench.ui.history.charts import Plot, _Bar  # noqa: E402
from keybench.ui.kit.actions import key_names  # noqa: E402
from keybench.ui.kit.boxes import in_row  # noqa: E402
from keybench.ui.kit.choosers import Segments  # noqa: E402
from keybench.ui.kit.dialog import LISTS, ask_file  # noqa: E402
from keybench.ui.kit.labels import Identifier, Label  # noqa: E402
from keybench.ui.kit.preferences import Preferences  # noqa: E402
from keybench.ui.kit.theme import tokens  # noqa: E402
from keybench.ui.shared.attention import PageCount  # noqa: E402
from keybench.ui.shared.session import Session  # noqa: E402
from keybench.ui.shell.application import make_application  # noqa: E402
from keybench.ui.shell.window import PAGES, MainWindow  # noqa: E402
from keybench.words.formats import change, path_words  # noqa: E402
from keybench.words.paper import web_page  # noqa: E402


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


def misplaced(window: MainWindow) -> set[str]:
    """Tell what stands where it would if people read from left to right."""
    found = set()
    if window.rail.geometry().right() != window.centralWidget().rect().right():
        found.add("the rail isn't at the right edge")
    for bench in window.findChildren(BenchPage):
        if bench.splitter.widget(0).x() < bench.splitter.widget(1).x():
            found.add("the keys are left of the sale")
    for segments in filter(QWidget.isVisible, window.findChildren(Segments)):
        buttons = sorted(segments.findChildren(QAbstractButton), key=QAbstractButton.x)
        places = [button.property("place") for button in buttons]
        if places != sorted(places, key=["first", "middle", "only", "last"].index):
            found.add(f"{segments.accessibleName()}: its round corners are at {places}")
    for table in filter(QWidget.isVisible, window.findChildren(QTableView)):
        header = table.horizontalHeader()
        shown = [one for one in range(header.count()) if not header.isSectionHidden(header.logicalIndex(one))]
        at = [header.sectionViewportPosition(header.logicalIndex(one)) for one in shown]
        if at != sorted(at, reverse=True):
            found.add(f"{table.accessibleName()}: its columns run to the right")
    for line in (*window.findChildren(Identifier), *window.findChildren(Label)):
        if not line.alignment() & (Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignHCenter):
            found.add(f"{line.accessibleName() or line.text()} is aligned by its own letters")
    return found


def drawn_or_written_wrong(window: MainWindow) -> set[str]:
    """Tell what is painted at the wrong side, or would be read in the wrong direction."""
    found = set()
    if '<html lang="he" dir="rtl">' not in web_page("", ()):
        found.add("a document runs to the right")
    if (change("a", "b"), path_words(Path("/a"))) != ("\u2066a → b\u2069", "\u2066/a\u2069"):
        found.add("a path or what follows an arrow is torn")
    if in_row(margins=(1, 0, 2, 0)).contentsMargins().left() != 2:
        found.add("margins are not mirrored")
    plot = Plot("", "accent", is_time=True)
    plot.show_bars([("", _Bar(1.0, ""))])
    plot.resize(400, plot.height())
    plot.show()
    button = window.rail.buttons["history"]
    button.show_count(PageCount(3, "bad", "", ""))
    for name, widget, colour, side in (
        ("the bar of a chart", plot, tokens().tone("accent"), 1),
        ("the count of a page", button, tokens().tone("bad"), -1),
    ):
        image = widget.grab().toImage()
        wanted, wide = QColor(colour).rgb(), image.width()
        ink = [x for x in range(wide) for y in range(image.height()) if image.pixel(x, y) == wanted]
        if not ink or (sum(ink) / len(ink) - wide / 2) * side < 0:
            found.add(f"{name} is at the wrong side")
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
        found |= misplaced(window) if MIRRORED else plain(window)
    if MIRRORED:
        found |= drawn_or_written_wrong(window)
    for text in sorted(found):
        print(text.replace("\n", " / "))
    await supervisor.close()
    return 0


def words_of_qt(app: QApplication, window: QWidget) -> Iterator[str]:
    """Give what Qt says by itself: a text field's menu, buttons, its dialog for files, names of keys."""
    yield f"{len(app.findChildren(QTranslator))} translator"
    line, dialogs = QLineEdit(window), QFileDialog.DialogLabel
    for menu in (line.createStandardContextMenu(), QPlainTextEdit(window).createStandardContextMenu()):
        yield ", ".join(action.text().replace("&", "").replace("\t", " ") for action in menu.actions()[:4])
    standard = QDialogButtonBox.StandardButton
    box = QDialogButtonBox(standard.Cancel | standard.Save, window)
    yield ", ".join(one.text().replace("&", "") for one in box.buttons())
    ask_file(window, "", LISTS, print)
    for dialog in window.findChildren(QFileDialog):
        labels = (dialogs.LookIn, dialogs.FileName, dialogs.FileType, dialogs.Accept, dialogs.Reject)
        yield ", ".join(dialog.labelText(one).replace("&", "") for one in labels)
        dialog.reject()
    yield ", ".join(key_names(keys) for keys in ("Ctrl+Shift+P", "Ctrl+Enter", "Del", "PgUp"))
    yield window.rail.buttons["keys"].toolTip().partition("(")[2]


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stdout, format="Qt: %(message)s")
    logging.getLogger("keybench.qt").addFilter(
        lambda record: "This plugin does not" not in record.getMessage()
    )
    application = make_application(["keybench"])
    if MODE not in {"mirrored", "accents"}:
        print(*words_of_qt(application, MainWindow(Preferences())), sep="\n")
        raise SystemExit
    raise SystemExit(run(application, lambda: go_through(application)))
