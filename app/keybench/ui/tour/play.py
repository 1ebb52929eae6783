"""Plays the tour's scenes in the window, telling each and taking its picture."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

from PySide6.QtCore import QBuffer, QEvent, QIODevice, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QMoveEvent, QPixmap
from PySide6.QtWidgets import QApplication, QDialog, QFrame, QWidget

from keybench.core.errors import FileNotSaved, KeybenchError
from keybench.core.sales.sale import Sale
from keybench.runtime.saving import save_here
from keybench.ui.kit.boxes import WrappingRow, in_column
from keybench.ui.kit.labels import Label, button, explain_button, label
from keybench.ui.shared.session import Session
from keybench.ui.shell.window import MainWindow
from keybench.ui.tour.driver import Driver, Pace, Scene, TourStage, TourStopped
from keybench.ui.tour.scenes import SCENES
from keybench.words.explain import explain
from keybench.words.language import _
from keybench.words.sales.outcomes import outcome_headline, sale_amount

Tell = Callable[[dict[str, Any], str], None]

TITLE: Final = _("Keybench – Tour")  # noqa: RUF001 - an en dash, as promised to others
_THE_END: Final = _("That was the tour. Look around: what is here goes when you close it.")


def pictures_in(window: MainWindow, folder: Path | None) -> Callable[[str], None]:
    """Return what saves a picture of the window as ``NN-name.png``, numbered in order; or does nothing."""
    if folder is None:
        return lambda _name: None
    folder.mkdir(parents=True, exist_ok=True)
    numbers = count(1)

    def take(name: str) -> None:
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        window.grab().save(buffer, "PNG")
        with suppress(FileNotSaved):  # the scene was seen all the same
            save_here(folder / f"{next(numbers):02}-{name}.png", bytes(buffer.data().data()))

    return take


async def play(
    window: MainWindow,
    session: Session,
    *,
    pace_s: float,
    pictures: Path | None,
    tell: Tell,
    stay: bool = False,
) -> bool:
    """Play all scenes and return whether each was seen; `tell` gets each one's record and line as it ends.

    If it is to stay, the window stays at the end, or where a scene stopped, until it is closed.
    """
    window.setWindowTitle(TITLE)
    pace = Pace(session.console.clock, pace_s)
    driver = Driver(window, session.console.clock, pace)
    picture = pictures_in(window, pictures)
    card = TourCard(window, pace)
    window.show_below(card)
    stage = TourStage(driver, session.console, session.administration, session.environment, picture)
    is_whole, end = True, _THE_END
    for number, scene in enumerate(SCENES, start=1):
        pace.begin_scene()
        card.show_scene(number, len(SCENES), scene.caption)
        await driver.rest(0.5)
        try:
            sale = await scene.play(stage)
        except (TourStopped, KeybenchError) as error:
            picture(f"{scene.name}-stopped")
            record, end = _stopped(scene, error)
            tell(record, end)
            is_whole = False
            break
        await driver.rest()
        card.remember()
        picture(scene.name)
        tell(*_seen(scene, sale))
    if stay:
        card.show_end(end)
        await asyncio.get_running_loop().create_future()  # until the window is closed, which cancels this
    return is_whole


def _seen(scene: Scene, sale: Sale | None) -> tuple[dict[str, Any], str]:
    record: dict[str, Any] = {"scene": scene.name, "caption": scene.caption}
    if sale is None or sale.verdict is None:
        return record, scene.caption
    record |= {
        "state": sale.verdict.outcome.value,
        "reference": sale.reference,
        "device": sale.device,
        "amount": sale.money.figure,
        "currency": sale.money.currency,
        "elapsed_s": sale.elapsed_s,
        "polls": sale.polls,
        "status": sale.verdict.status,
    }
    return record, f"{scene.caption}  {outcome_headline(sale)}, {sale_amount(sale)}, {sale.reference}"


def _stopped(scene: Scene, error: TourStopped | KeybenchError) -> tuple[dict[str, Any], str]:
    words = (
        _("waited for: {error}").format(error=error)
        if isinstance(error, TourStopped)
        else explain(error).title
    )
    return {"scene": scene.name, "error": words}, _("{caption}  Stopped: {words}").format(
        caption=scene.caption, words=words
    )


class _Seen(NamedTuple):
    """A scene that was played: its number, its caption and the window at its end."""

    number: int
    caption: str
    picture: QPixmap


class TourCard(QFrame):
    """Says which scene plays, and lets a person pause, go on, look back and end the tour.

    It has room of its own below the window's content, so that it covers nothing. What was done isn't undone by
    looking back: earlier scenes are shown as pictures.
    """

    def __init__(self, window: QWidget, pace: Pace) -> None:
        super().__init__(window)
        self.setObjectName("tour")
        self._window, self._pace = window, pace
        self._count = 0
        self._now = (0, "")
        self._seen: list[_Seen] = []
        self._back = 0  # how many scenes before the present one are looked at
        self.title = label("", "strong")
        self.caption = label("", "afar")
        self.caption.setWordWrap(True)
        self.caption.setAccessibleName(_("Tour"))
        self.back_button = button(_("Back"), self._on_back, hint=_("Look at the scene before (Page Up)"))
        self.pause_button = button(
            _("Pause"), self._on_pause, hint=_("Pause or resume (Ctrl+Space)"), others=(_("Resume"),)
        )
        self.next_button = button(_("Next"), self._on_next, hint=_("Go on at once (Page Down)"))
        self.end_button = button(_("End the tour"), window.close, hint=_("End the tour (Esc)"))
        self._keys = {
            QKeySequence(Qt.Key.Key_Escape): self.end_button,
            QKeySequence(Qt.Key.Key_PageUp): self.back_button,
            QKeySequence(Qt.Key.Key_PageDown): self.next_button,
            QKeySequence("Ctrl+Space"): self.pause_button,
        }
        self.picture = Label()
        self.picture.setParent(window)
        self.picture.setObjectName("tour-picture")
        self.picture.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter)
        self.picture.setAutoFillBackground(True)
        self.picture.setAccessibleName(_("Earlier scene"))
        self.picture.hide()
        buttons = (self.back_button, self.pause_button, self.next_button, self.end_button)
        row = WrappingRow((self.title, *buttons))
        in_column(self.caption, row, within=self, margins=(16, 6, 16, 6), spacing=4)
        self.back_button.setEnabled(False)
        app = QApplication.instance()
        if app:
            app.installEventFilter(self)

    def show_scene(self, number: int, count: int, caption: str) -> None:
        self._count, self._now = count, (number, caption)
        self._show()

    def show_end(self, words: str = _THE_END) -> None:
        """Say that the tour is over; from now on the keys and the dialogs are the person's own."""
        self._now = (self._now[0], words)
        if app := QApplication.instance():
            app.removeEventFilter(self)
        explain_button(self.back_button, _("Look at the scene before"))
        explain_button(self.next_button, _("Look at the scene after"))
        explain_button(self.end_button, "")
        self.pause_button.hide()
        self.end_button.setText(_("Close the tour"))
        self.end_button.setAccessibleName(self.end_button.text())
        self._show()

    def remember(self) -> None:
        self.picture.hide()
        self._seen.append(_Seen(*self._now, self._window.grab(self._above())))
        self._back += bool(self._back)  # it stays at the same earlier scene
        self._show()

    def _on_back(self) -> None:
        self._pace.paused = True
        self._back = min(self._back + 1, len(self._seen))
        self._show()

    def _on_next(self) -> None:
        if self._back:
            self._back -= 1
            self._show()
        else:
            self._pace.hurried = True

    def _on_pause(self) -> None:
        self._pace.paused = not self._pace.paused
        self._back = 0
        self._show()

    def _show(self) -> None:
        number, caption = self._now
        if self._back:
            number, caption, _picture = self._seen[-self._back]
            self._place_picture()
            self.picture.raise_()
        self.picture.setVisible(bool(self._back))
        self.back_button.setEnabled(self._back < len(self._seen))
        self.next_button.setEnabled(bool(self._back) or not self.pause_button.isHidden())
        self.pause_button.setText(_("Resume") if self._pace.paused else _("Pause"))
        self.pause_button.setAccessibleName(self.pause_button.text())
        self.title.setText(_("Tour {number} of {count}").format(number=number, count=self._count))
        self.caption.setText(_("Seen before: {caption}").format(caption=caption) if self._back else caption)
        self.caption.setAccessibleDescription(
            _("{number} of {count}: {caption}").format(
                number=number, count=self._count, caption=self.caption.text()
            )
        )

    def _above(self) -> QRect:
        return QRect(0, 0, self._window.width(), self.mapTo(self._window, QPoint(0, 0)).y())

    def _place_picture(self) -> None:
        ratio = self._window.devicePixelRatio()
        fitting = self._seen[-self._back].picture.scaled(
            self._above().size() * ratio,
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        fitting.setDevicePixelRatio(ratio)
        self.picture.setPixmap(fitting)
        self.picture.setGeometry(self._above())

    def moveEvent(self, event: QMoveEvent) -> None:
        """Keep an earlier scene above the card when the window or the caption changes its height."""
        super().moveEvent(event)
        if self._back:
            self._place_picture()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Obey a person's keys wherever the keyboard is; closing a dialog of the tour's ends the tour."""
        # Qt sends a key on as an event of its own where a screen reader listens; the tour's have no key code.
        if isinstance(event, QKeyEvent):
            pressed = self._keys.get(QKeySequence(event.keyCombination()))
            if pressed and event.type() is QEvent.Type.KeyPress:
                pressed.click()
            if pressed:
                return True
        is_closed_by_hand = event.type() is QEvent.Type.Close and event.spontaneous()
        if is_closed_by_hand and isinstance(watched, QDialog):
            self._window.close()
        return super().eventFilter(watched, event)
