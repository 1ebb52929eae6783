"""A value on the clipboard is marked as secret and cleared in time, if it is still ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QClipboard, QGuiApplication
from pytestqt.qtbot import QtBot

from fakes.clock import MovedClock
from keybench.core.secret import Secret
from keybench.ui.shared.clipboard import ClipboardOffer, Countdown, SecretClipboard, fingerprint_of

VALUE = "k" * 32


@pytest.fixture
def system(qapp: QGuiApplication) -> Iterator[QClipboard]:
    clipboard = qapp.clipboard()
    clipboard.clear()
    yield clipboard
    clipboard.clear()


@pytest.fixture
def ours(system: QClipboard, clock: MovedClock) -> Iterator[SecretClipboard]:
    clipboard = SecretClipboard(clock)
    yield clipboard
    clipboard.deleteLater()


def holds_value(system: QClipboard) -> bool:
    return system.text() == VALUE


def look(clipboard: SecretClipboard) -> None:
    clipboard.findChildren(Countdown)[0].look()


def test_copy_puts_the_value_there_with_every_marking(ours: SecretClipboard, system: QClipboard) -> None:
    ours.copy(Secret(VALUE))

    assert holds_value(system)
    data = system.mimeData()
    assert bytes(data.data("x-kde-passwordManagerHint").data()) == b"secret"
    for name in ("CanIncludeInClipboardHistory", "CanUploadToCloudClipboard"):
        assert bytes(data.data(f'application/x-qt-windows-mime;value="{name}"').data()) == bytes(4)
    assert data.hasFormat(
        'application/x-qt-windows-mime;value="ExcludeClipboardContentFromMonitorProcessing"'
    )
    assert data.hasFormat("org.nspasteboard.ConcealedType")


def test_it_is_cleared_when_the_time_is_over(
    ours: SecretClipboard, system: QClipboard, clock: MovedClock
) -> None:
    ticks: list[int] = []
    ends: list[bool] = []
    ours.ticked.connect(ticks.append)
    ours.finished.connect(ends.append)
    ours.copy(Secret(VALUE))

    clock.move(9.5)
    look(ours)
    assert holds_value(system)
    clock.move(0.5)
    look(ours)

    assert not system.text()
    assert ticks == [10, 1]
    assert ends == [True]
    assert not ours._countdown.running


def test_what_somebody_else_put_there_is_kept(
    ours: SecretClipboard, system: QClipboard, clock: MovedClock
) -> None:
    ends: list[bool] = []
    ours.finished.connect(ends.append)
    ours.copy(Secret(VALUE))
    system.setText("shopping list")

    clock.move(10)
    look(ours)

    assert system.text() == "shopping list"
    assert ends == [False]


def test_a_second_copy_starts_the_time_anew(
    ours: SecretClipboard, system: QClipboard, clock: MovedClock
) -> None:
    ours.copy(Secret("j" * 32))
    clock.move(9)
    ours.copy(Secret(VALUE))
    clock.move(9)
    look(ours)

    assert holds_value(system)
    clock.move(1)
    look(ours)
    assert not system.text()


def test_clear_now_clears_at_once_and_only_once(ours: SecretClipboard, system: QClipboard) -> None:
    ours.copy(Secret(VALUE))

    assert ours.clear_now()
    assert not system.text()
    system.setText("shopping list")
    assert not ours.clear_now()
    assert system.text() == "shopping list"


def test_the_end_of_the_program_clears_it(
    ours: SecretClipboard, system: QClipboard, qapp: QGuiApplication
) -> None:
    ours.copy(Secret(VALUE))

    qapp.aboutToQuit.emit()

    assert not system.text()


def test_the_timer_itself_looks_at_the_clock(
    ours: SecretClipboard, system: QClipboard, clock: MovedClock, pump: Callable[..., None]
) -> None:
    ours.copy(Secret(VALUE))
    clock.move(10)

    pump(lambda: not system.text())


def test_it_holds_no_copy_of_the_value(ours: SecretClipboard) -> None:
    ours.copy(Secret(VALUE))

    held = [attribute for attribute in vars(ours).values() if isinstance(attribute, str | bytes | Secret)]
    found = any(VALUE in str(each) or VALUE.encode() in bytes(str(each), "utf-8") for each in held)
    assert not found
    assert not any(isinstance(each, Secret) for each in held)


# --- the offer to clear it ---------------------------------------------------------------------------


@pytest.fixture
def offer(system: QClipboard, qtbot: QtBot) -> ClipboardOffer:
    made = ClipboardOffer()
    qtbot.addWidget(made)
    return made


def test_clearing_is_offered_only_while_the_value_is_there(offer: ClipboardOffer, system: QClipboard) -> None:
    offer.offer(fingerprint_of(VALUE))
    assert offer.isHidden()
    system.setText(f" {VALUE}\n")
    offer.offer(fingerprint_of(VALUE))
    assert not offer.isHidden()
    assert "still holds the value" in offer.text.text()
    system.setText("something else")
    assert offer.isHidden()


def test_it_clears_the_clipboard_and_says_so(offer: ClipboardOffer, system: QClipboard) -> None:
    system.setText(VALUE)
    offer.offer(fingerprint_of(VALUE))
    offer.button.click()
    assert system.text() == ""
    assert "was cleared" in offer.text.text()
    assert offer.button.isHidden()
    system.setText("later")
    assert system.text() == "later"


def test_what_was_copied_since_is_not_cleared(offer: ClipboardOffer, system: QClipboard) -> None:
    system.setText(VALUE)
    offer.offer(fingerprint_of(VALUE))
    with QSignalBlocker(system):  # as where another program's change isn't told
        system.setText("an address")
    offer.button.click()
    assert system.text() == "an address"


def test_it_keeps_nothing_of_the_value(offer: ClipboardOffer, system: QClipboard) -> None:
    system.setText(VALUE)
    offer.offer(fingerprint_of(VALUE))
    assert VALUE not in repr(vars(offer))
