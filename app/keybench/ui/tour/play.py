"""Plays the tour's scenes in the window, telling each and taking its picture."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from PySide6.QtCore import QBuffer, QEvent, QIODevice, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QDialog, QFrame, QHBoxLayout, QWidget

from keybench.core.errors import FileNotSaved, KeybenchError
from keybench.core.sale import Sale
from keybench.runtime.saving import save_here
from keybench.ui.session import Session
from keybench.ui.tour.driver import Driver, Scene, Stage, TourStopped
from keybench.ui.tour.scenes import SCENES
from keybench.ui.widgets.labels import Label, button, label, set_tip
from keybench.ui.window import MainWindow
from keybench.words.explain import explain
from keybench.words.language import _
from keybench.words.outcomes import outcome_headline

Tell = Callable[[dict[str, Any], str], None]


def pictures_in(window: MainWindow, folder: Path | None) -> Callable[[str], None]:
    """Return what saves a picture of the window as ``NN-name.png``, numbered in order.

    Args:
        window: What is pictured.
        folder: Where the pictures go; made if it isn't there. Without one no picture is saved.
    """
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
    window: MainWindow, session: Session, *, pace_s: float, pictures: Path | None, tell: Tell
) -> bool:
    """Play all scenes and return whether each was seen.

    Args:
        window: The window, attached to `session`.
        session: Showing the practice environment.
        pace_s: How long a scene stays, in seconds.
        pictures: Where pictures go, or None.
        tell: Given each scene's record and line as it ends.
    """
    driver = Driver(window, session.console.clock, pace_s)
    picture = pictures_in(window, pictures)
    card = TourCard(window.close)
    window.show_below(card)
    stage = Stage(driver, session.console, session.administration, session.environment, picture)
    for number, scene in enumerate(SCENES, start=1):
        card.show_scene(number, len(SCENES), scene.caption)
        await driver.rest(0.5)
        try:
            sale = await scene.play(stage)
        except (TourStopped, KeybenchError) as error:
            picture(f"{scene.name}-stopped")
            tell(*_stopped(scene, error))
            return False
        await driver.rest()
        picture(scene.name)
        tell(*_seen(scene, sale))
    return True


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
    return record, f"{scene.caption}  {outcome_headline(sale)}, {sale.money}, {sale.reference}"


def _stopped(scene: Scene, error: TourStopped | KeybenchError) -> tuple[dict[str, Any], str]:
    words = (
        _("waited for: {error}").format(error=error)
        if isinstance(error, TourStopped)
        else explain(error).title
    )
    return {"scene": scene.name, "error": words}, _("{caption}  Stopped: {words}").format(
        caption=scene.caption, words=words
    )


class TourCard(QFrame):
    """Says which scene plays and what it shows; has room of its own, so that it covers nothing.

    Args:
        on_end: Called when a person wants the tour to end: by its button, Esc, or by closing a dialog.
    """

    def __init__(self, on_end: Callable[[], object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tour")
        self._on_end = on_end
        self.title = label("", "strong")
        self.caption = Label()
        self.caption.setWordWrap(True)
        self.caption.setAccessibleName(_("Tour"))
        self.end_button = button(_("End the tour"), on_end)
        set_tip(self.end_button, _("End the tour (Esc)"))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 6, 16, 6)
        layout.setSpacing(12)
        layout.addWidget(self.title)
        layout.addWidget(self.caption, 1)
        layout.addWidget(self.end_button)
        app = QApplication.instance()
        if app:
            app.installEventFilter(self)

    def show_scene(self, number: int, count: int, caption: str) -> None:
        """Show which scene plays now."""
        self.title.setText(_("Tour {number} of {count}").format(number=number, count=count))
        self.caption.setText(caption)
        self.caption.setAccessibleDescription(
            _("{number} of {count}: {caption}").format(number=number, count=count, caption=caption)
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """End the tour on Esc wherever the keyboard is, and when a person closes a dialog of the tour's."""
        by_person = event.spontaneous()
        if by_person and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() is QEvent.Type.KeyPress:
                self._on_end()
            return True
        if by_person and event.type() is QEvent.Type.Close and isinstance(watched, QDialog):
            self._on_end()
        return super().eventFilter(watched, event)
