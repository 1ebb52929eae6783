"""The manual: its pages say what is true, F1 opens the right one, and everything in them can be found."""

from __future__ import annotations

import ast
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QKeySequence, QTextCursor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fakes.waiting import Until
from keybench import __version__
from keybench.cli.parser import COMMANDS as COMMAND_LINE
from keybench.cli.parser import build_parser
from keybench.runtime.data_folder import resource_path
from keybench.ui.kit.actions import COMMANDS
from keybench.ui.kit.theme import Scheme, Theme, tokens
from keybench.ui.shared.session import Session
from keybench.ui.shell import manual
from keybench.ui.shell.manual import PAGES, ManualWindow, page_text
from keybench.ui.shell.window import PAGES as OF_THE_WINDOW
from keybench.ui.shell.window import MainWindow

from .contrast import contrast
from .screens import faults

ROOT: Final = Path(__file__).resolve().parents[2]
LONGEST: Final = 120
#: All but what changed, which tells of older versions, too.
FILES: Final = PAGES[:-1]
#: Names in bold: what the window shows, to the letter.
_BOLD: Final = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
_LINK: Final = re.compile(r"\]\(([^)]+)\)")
_TYPED: Final = re.compile(r"^keybench .*$|`(keybench [^`]+)`", re.MULTILINE)


@cache
def words_of_the_program() -> set[str]:
    """Every text in the program's source that may be shown, without the marks of menus."""
    found = set()
    for path in (ROOT / "app" / "keybench").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value.replace("&", ""))
    return found


@pytest.fixture
def window(qtbot: QtBot) -> ManualWindow:
    window = ManualWindow()
    qtbot.addWidget(window)
    window.open("keys")
    return window


def listed(window: ManualWindow) -> list[str]:
    items = [window.contents.item(row) for row in range(window.contents.count())]
    return [item.text() for item in items if not item.isHidden()]


def listed_pages(window: ManualWindow) -> list[str]:
    return [page for row, page in enumerate(PAGES) if not window.contents.item(row).isHidden()]


# --- its pages --------------------------------------------------------------------------------------------


def test_the_pages_are_the_files() -> None:
    assert sorted(path.stem for path in resource_path("manual").iterdir()) == sorted(FILES)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_short_and_its_links_lead_somewhere(page: str) -> None:
    text = page_text(page)
    assert len(text.splitlines()) <= LONGEST
    assert text.startswith("# ")
    assert {link.removesuffix(".md") for link in _LINK.findall(text)} <= set(PAGES)


@pytest.mark.parametrize("page", FILES)
def test_what_a_page_names_is_in_the_window(page: str) -> None:
    named = {" ".join(name.split()) for name in _BOLD.findall(page_text(page))}
    steps = {name for name in named if re.match(r"\d\. ", name)}  # they are headings within a text
    assert named - steps - words_of_the_program() == set()


@pytest.mark.parametrize("page", FILES)
def test_what_a_page_has_one_type_can_be_typed(page: str) -> None:
    parser = build_parser([command.name for command in COMMAND_LINE])
    for found in _TYPED.finditer(page_text(page)):
        typed = shlex.split(" ".join((found[1] or found[0]).split()))[1:]
        if typed and {"COMMAND", "--help", "--self-test"}.isdisjoint(typed):
            commands = [word for word in typed if word in {one.name for one in COMMAND_LINE}]
            assert commands or typed[0] == "--data-dir", found[0]
            if commands and len(typed) > 1:
                parser.parse_args(typed)


def test_every_shortcut_is_on_its_page() -> None:
    text = " ".join(page_text("shortcuts").split())
    for command in COMMANDS.values():
        for keys in command.keys[:1]:
            assert f"| {keys} | **{command.text}**" in text
    assert f"Ctrl+1 to Ctrl+{len(OF_THE_WINDOW)}" in text


# --- its window -------------------------------------------------------------------------------------------


async def test_it_shows_a_page_and_follows_links_there_and_back(window: ManualWindow) -> None:
    assert window.windowTitle() == "Keybench – Manual"  # noqa: RUF001 - as it is shown
    assert window.view.toPlainText().startswith("Keys\n")
    assert window.contents.currentItem().text() == "Keys"
    window.view.anchorClicked.emit(QUrl("rotation.md"))
    assert window.view.accessibleDescription() == "Rotation"
    assert window.contents.currentItem().text() == "Rotation"
    window.view.anchorClicked.emit(QUrl("https://example.com/keys.md.html"))
    assert window.page == "rotation"
    QTest.keyClick(window, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert window.page == "keys"
    assert not window.back.isEnabled()
    window.open("devices")
    window.back.click()
    assert window.page == "keys"


async def test_a_search_finds_pages_and_goes_from_place_to_place(window: ManualWindow) -> None:
    window.search.setText("TICKET copies")
    assert {"Sales and money", "Diagnosis and support"} <= set(listed(window))
    assert window.found.text() == f"{len(listed(window))} pages"
    seen = []
    while len(seen) < 500 and (not seen or window.page != seen[-1] or seen[-1] != listed_pages(window)[-1]):
        seen.append(window.page)
        QTest.keyClick(window.search, Qt.Key.Key_Return)
        assert window.view.textCursor().selectedText().casefold() in {"ticket", "copies"}
        at = window.view.cursorRect(window.view.textCursor())
        assert window.view.viewport().rect().contains(at)
    assert window.page == listed_pages(window)[-1]
    while window.page == listed_pages(window)[-1]:
        QTest.keyClick(window.search, Qt.Key.Key_Return)
    assert window.page == listed_pages(window)[0]
    marked = [mark.cursor.selectedText().casefold() for mark in window.view.extraSelections()]
    assert set(marked) == {"ticket", "copies"}
    window.search.setText("eplay")  # within words nothing is looked for
    assert window.found.text() == "Nothing found. Try fewer words."
    assert not listed(window)
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert len(listed(window)) == len(PAGES)
    assert window.isVisible()
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isVisible()


async def test_the_keyboard_reaches_all_of_it(window: ManualWindow, until: Until) -> None:
    await until(window.isActiveWindow)
    QTest.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert window.search.hasFocus()
    assert window.search.accessibleName() == "Search the manual"
    QTest.keyClick(window.search, Qt.Key.Key_Down)
    assert window.contents.hasFocus()
    window.contents.setCurrentRow(PAGES.index("devices"))
    assert window.page == "devices"
    QTest.keyClick(window.contents, Qt.Key.Key_Tab)
    assert window.back.hasFocus()
    QTest.keyClick(window.back, Qt.Key.Key_Tab)
    assert window.view.hasFocus()
    assert {one.accessibleName() for one in (window.contents, window.view)} == {
        "Contents",
        "Page of the manual",
    }


@pytest.mark.thin(2)
@pytest.mark.parametrize("scheme", list(Scheme))
async def test_every_page_can_be_read_in_all_colours_and_sizes(
    window: ManualWindow, light_theme: Theme, until: Until, scheme: Scheme
) -> None:
    window.resize(700, 400)
    light_theme.choose(scheme)
    for size in ("9", "18"):
        window.open("keys")
        window.view.moveCursor(QTextCursor.MoveOperation.End)
        light_theme.choose_text_size(size)
        assert window.view.verticalScrollBar().value() > 0  # it keeps its place
        assert faults(window) == []
        for page in PAGES:
            window.open(page)
            await until(lambda: window.view.horizontalScrollBar().maximum() == 0)
    ink = window.view.palette().text().color().name()
    link = window.view.palette().link().color().name()
    assert contrast(ink, tokens().panel) >= 4.5
    assert contrast(link, tokens().panel) >= 4.5
    assert contrast(tokens().warning, tokens().soft("warning")) >= 4.5


async def test_whats_new_begins_with_this_version(window: ManualWindow) -> None:
    window.open("changes")
    assert f"\n{__version__}" in window.view.toPlainText().partition("\n-")[0][:200]


async def test_a_page_that_is_missing_is_told(
    window: ManualWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manual, "resource_path", lambda name: tmp_path / name)
    assert "missing" in page_text("keys")


# --- the way to it ----------------------------------------------------------------------------------------


@pytest.fixture
def main(qtbot: QtBot, session: Session) -> MainWindow:
    main = MainWindow()
    qtbot.addWidget(main)
    main.resize(1024, 700)
    main.show()
    return main


def press(main: MainWindow, command: str) -> ManualWindow:
    next(one for one in main.commands if one.command is COMMANDS[command]).trigger()
    assert main.manual
    assert main.manual.isVisible()
    return main.manual


async def test_f1_opens_it_at_the_page_one_is_on(main: MainWindow, session: Session, until: Until) -> None:
    assert press(main, "help.manual").page == "trouble"  # while nothing can be opened
    main.attach(session)
    await until(lambda: press(main, "help.manual").page == "first-sale")
    of_pages = {
        "keys": "keys",
        "rotations": "rotation",
        "devices": "devices",
        "history": "sales",
        "diagnose": "diagnosis",
        "lessons": "lessons",
        "settings": "environments",
    }
    for page, about in of_pages.items():
        main.show_page(page)
        assert press(main, "help.manual").page == about
    assert set(of_pages) | {"bench"} == {page.id for page in OF_THE_WINDOW}
    shown = press(main, "help.shortcuts")
    assert shown.page == "shortcuts"
    assert COMMANDS["help.manual"].sequences()[0] == QKeySequence("F1")
    main.close()
    assert not shown.isVisible()
