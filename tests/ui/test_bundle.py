"""Saving a support bundle in the window."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from contracts.journal_samples import a_sale, note
from fakes.clock import MovedClock
from fakes.keystore import FakeKeystore
from fakes.own_search import zip_texts
from fakes.waiting import until
from keybench.core.diagnosis.conclusion import Diagnosis, conclude
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import KeystoreLocked
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.support.bundle import DIAGNOSIS, FILES, diagnosis_record
from keybench.ui.kit.dialog import SaveDialog
from keybench.ui.kit.preferences import Preferences
from keybench.ui.shared.bundle_dialog import BundleDialog
from keybench.ui.shared.preview import Preview
from keybench.ui.shared.session import Notice, SaveBundle, Session
from keybench.ui.shell.window import MainWindow

from .saving import save_as

VALUE = "zK4vX9mQ2tL7pR5wB8nD3cF6hJ1sG0yA"


@pytest.fixture
def told(session: Session) -> list[Notice]:
    notices: list[Notice] = []
    session.notified.connect(notices.append)
    return notices


@pytest.fixture
async def window(qtbot: QtBot, session: Session) -> QWidget:
    """A window over a journal with a key and two sales."""
    console = session.console
    draft = KeyDraft("Till", "mira", "Sale", KeyKind.PRIVATE)
    await console.add_key.keep(session.environment, draft, VALUE)
    for number in range(2):
        await note(console.world.journal, a_sale(f"KB-000{number}", minutes=number))
    window = QWidget()
    window.resize(900, 600)
    qtbot.addWidget(window)
    window.show()
    return window


def texts_in(model: object, column: int) -> Sequence[str]:
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]  # type: ignore[attr-defined]


async def opened(window: QWidget, session: Session, reference: str = "") -> BundleDialog:
    dialog = BundleDialog(
        window, session, reference, diagnosis=diagnosis_record([{"verdict": "ours"}], "It is the key.")
    )
    dialog.open()
    return dialog


async def test_all_of_it_is_seen_before_it_is_saved(
    window: QWidget, session: Session, told: list[Notice], tmp_path: Path
) -> None:
    dialog = await opened(window, session)
    assert not dialog.confirm_button.isEnabled()
    await until(lambda: dialog.prepared)
    names = [file.name for file in dialog.files.model().items]  # type: ignore[attr-defined]
    assert names == list(FILES)
    assert "Support bundle: 2 sales" in dialog.preview.toPlainText()
    assert "<" not in dialog.preview.toPlainText().splitlines()[0]
    for row in range(len(FILES)):
        dialog.files.select_row(row)
        assert VALUE not in dialog.preview.toPlainText()
    assert "The value of 1 key" in texts_in(dialog.taken_out.model(), 0)
    assert dialog.state.text().startswith("Support bundle: 2 sales · ")
    path = tmp_path / "bundle.zip"
    dialog.confirm_button.click()
    await until(lambda: dialog.findChild(SaveDialog))
    question = dialog.findChild(SaveDialog)
    assert isinstance(question, SaveDialog)
    save_as(question, path)
    await until(lambda: told)
    assert told[0].title == f"Saved {path}"
    assert json.loads(zip_texts(path.read_bytes())[DIAGNOSIS])["text"] == "It is the key."
    await until(lambda: not dialog.isVisible())


async def test_its_controls_have_names(window: QWidget, session: Session) -> None:
    dialog = await opened(window, session)
    assert dialog.accessibleName() == "Support bundle"
    assert dialog.files.accessibleName() == "Files of the bundle"
    assert dialog.taken_out.accessibleName() == "Taken out"
    assert dialog.confirm_button.accessibleName() == "Save…"
    assert dialog.preview.accessibleName() == "What the file says"
    dialog.reject()


async def test_a_locked_keystore_is_said_and_nothing_can_be_saved(window: QWidget, session: Session) -> None:
    keystore = session.console.world.keystore
    assert isinstance(keystore, FakeKeystore)
    keystore.failure = KeystoreLocked()
    dialog = await opened(window, session)
    await until(lambda: "locked" in dialog.state.text())
    assert not dialog.confirm_button.isEnabled()
    assert not dialog.files.isVisible()
    dialog.reject()


async def test_what_was_found_is_said_with_its_place(
    window: QWidget, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keybench.words.support.page._STYLE", f"p {{ content: '{VALUE}' }}")
    dialog = await opened(window, session)
    await until(lambda: "wasn't written" in dialog.state.text())
    assert "the value of the key “Till” in read-me-first.html, line " in dialog.trouble.text()
    assert not dialog.confirm_button.isEnabled()
    dialog.reject()


async def test_leaving_it_stops_what_is_under_way(window: QWidget, session: Session) -> None:
    dialog = await opened(window, session)
    dialog.reject()
    await until(lambda: not dialog.isVisible())
    assert dialog.prepared is None


async def test_a_long_file_is_shown_to_its_end(qtbot: QtBot) -> None:
    preview = Preview()
    qtbot.addWidget(preview)
    preview.show()
    text = "".join(f"line {number}\n" for number in range(40_000))
    preview.show_text(text)
    bar = preview.verticalScrollBar()
    while len(preview.toPlainText()) < len(text):
        before = len(preview.toPlainText())
        bar.setValue(bar.maximum())
        assert len(preview.toPlainText()) > before
    assert preview.toPlainText() == text


async def test_a_diagnosis_is_saved_from_its_page(
    qtbot: QtBot, session: Session, window: QWidget, clock: MovedClock
) -> None:
    """The window shows the dialog for what the page asks for, with the diagnosis in it."""
    main = MainWindow(Preferences())
    qtbot.addWidget(main)
    main.attach(session)
    main.show()
    conclusion = conclude([])
    diagnosis = Diagnosis(
        clock.now(), 1.0, "practice", EnvironmentKind.PRACTICE, "h", "Till", "", "", (), conclusion
    )
    session.ask(SaveBundle(diagnosis))
    await until(lambda: main.findChild(BundleDialog))
    dialog = main.findChild(BundleDialog)
    assert isinstance(dialog, BundleDialog)
    await until(lambda: dialog.prepared)
    assert dialog.prepared
    assert dialog.prepared.documents[DIAGNOSIS]["verdict"] == conclusion.trouble.value
    dialog.reject()
    await until(lambda: main.findChild(BundleDialog) is None)
