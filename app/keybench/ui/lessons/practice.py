"""What the menu Practice offers: prepared desks, moving time on, the handout; and rehearsing a rotation."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QWidget

from keybench.core.environments.environment import PRACTICE_ID, Environment
from keybench.core.errors import FileNotSaved
from keybench.core.input_errors import SalesUnderWay
from keybench.core.rotations.rotation import Rotation
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.saving import save
from keybench.ui.kit.choosers import Segments
from keybench.ui.kit.dialog import Dialog, ask_where
from keybench.ui.kit.form import Field, Form, Hint
from keybench.ui.shared.paper_pdf import pdf_of
from keybench.ui.shared.session import Notice, PlayLesson, Session
from keybench.words.formats import figure, path_words
from keybench.words.language import _
from keybench.words.paper import Paper, PaperSection, paper_html
from keybench.words.texts import lesson_in_language, text
from keybench.workflows.lessons.files import desk_files, read_lesson
from keybench.workflows.lessons.from_bundle import rehearsal

_DAY_S: Final = 24 * 60 * 60


def lessons_folder(session: Session) -> Path:
    """Return where each lesson has its data folder; a person's own lessons are in ``own`` there."""
    return DataFolder(Path(session.console.world.journal.place.folder)).lessons


async def keep_own(session: Session, name: str, content: str | bytes) -> Path:
    """Keep a lesson's file among a person's own and return its path.

    Raises:
        FileNotSaved: It can't be written.
    """
    own = lessons_folder(session) / "own"
    try:
        own.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileNotSaved(str(own), error.strerror or "") from None
    await save(own / name, content)
    return own / name


async def open_desk(parent: QWidget, session: Session) -> None:
    """Let a person choose a prepared desk, and open its window."""
    desks = {desk.id: desk for desk in map(lesson_in_language, map(read_lesson, desk_files()))}
    choice = Segments([(one.id, one.title) for one in desks.values()], _("Desks"))
    field = Field(_("Desks"), choice, check=lambda desk: Hint(desks[desk].story), lines=3)
    field.refresh()
    text = _("A desk has keys, devices and applications of its own. Nothing here changes.")
    dialog = Dialog(parent, title=_("Make ready"), text=text, confirm=_("Open the desk"), content=Form(field))
    if await dialog.answer():
        session.ask(PlayLesson(choice.value))


async def move_time(_parent: QWidget, session: Session, days: int) -> None:
    """Move the time of a lesson's gateway and window on."""
    if session.room is None:
        return
    try:
        await session.room.move_time(days * _DAY_S)
    except SalesUnderWay:
        title = _("Time can't be moved on while a sale is under way.")
        session.notify(Notice("warning", title, _("Wait for its outcome, then try again."), "time moved"))
    else:
        session.end_notice("time moved")


async def save_handout(parent: QWidget, session: Session) -> None:
    """Ask where the handout of the amounts is to be saved, and save it."""
    console = session.console
    practice = await console.calling.environment(PRACTICE_ID)
    amounts = console.world.facts("practice").amounts
    told = await console.world.practice.ask("GET", "/portal/devices")
    devices = {one["id"]: one["nickname"] for one in told["devices"]}
    paper = handout(practice, amounts, devices, console.clock.now())
    title, others = _("Handout of the amounts"), ((_("Web page"), ".html"),)
    path = await ask_where(parent, title=title, name="practice-amounts.pdf", kind="PDF", others=others)
    if path is None:
        return
    await save(path, pdf_of(paper) if path.suffix.lower() == ".pdf" else paper_html(paper))
    said, text = _("Saved {name}").format(name=path.name), _("The file is {path}.")
    session.notify(Notice("good", said, text.format(path=path_words(path)), title))


def handout(
    practice: Environment, amounts: Mapping[str, str], devices: Mapping[str, str], now: datetime
) -> Paper:
    """Return the page; `amounts` have an outcome of their own, which is named, and `devices` a nickname."""
    return Paper(
        title=_("Practice: amounts and what they give"),
        environment=practice,
        written_at=now,
        lead=_(
            "Press Add a New Key on the page Bench, then Create. Choose a device, type an amount of this page, "
            "and press Send sale."
        ),
        sections=(
            PaperSection(
                _("Amounts"),
                (_("Amount"), _("What happens")),
                tuple((figure(Decimal(one)), text(does)) for one, does in amounts.items()),
            ),
            PaperSection(_("Devices"), (_("Identifier"), _("Name")), tuple(devices.items())),
        ),
        closing=_("Any other amount is approved. No money moves, and nothing leaves this computer."),
    )


async def rehearse(_parent: QWidget, session: Session, rotation: Rotation) -> None:
    """Make a rotation a lesson of a person's own, and play it."""
    name = "".join(c if c.isalnum() else "-" for c in rotation.old.name).strip("-").lower() or "key"
    path = await keep_own(session, f"rehearsal-{name}.toml", rehearsal(rotation))
    session.ask(PlayLesson(str(path)))
