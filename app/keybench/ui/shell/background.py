"""What goes on behind an open window, begun one after another so that its keys are listed first."""

from __future__ import annotations

import gc
import importlib
import logging
from functools import partial
from typing import Final

from keybench import __version__
from keybench.core.environments.addresses import proxy_entry
from keybench.core.events import ClassServed, JournalStood, SaleChanged, SalesUnkept, TimeMoved
from keybench.core.sales.sale import Mark
from keybench.runtime.identity import system_name
from keybench.runtime.supervisor import shielded
from keybench.runtime.updating import ProgramFile, program_file
from keybench.runtime.worker import run_in_thread
from keybench.ui.bench.settling import settle_keys
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.preferences import Preferences
from keybench.ui.rotations.resume import resume_rotations
from keybench.ui.shared.attention import AttentionWatch
from keybench.ui.shared.notice_causes import AWAY, end_with_causes
from keybench.ui.shared.session import Notice, Session
from keybench.ui.shell.lock import Lock
from keybench.ui.shell.notices.desktop import DesktopNotices
from keybench.ui.shell.presenting import Presenting
from keybench.ui.shell.resumed_sales import ResumedSales, resume_sales
from keybench.ui.shell.window import MainWindow
from keybench.words.language import _
from keybench.words.system import (
    CLASS_ENDS,
    CLOSE_WITH_CLASS,
    CLOSE_WITH_KEYS,
    UPDATED,
    lost_keys_sentence,
    network_words,
    practice_version_words,
)
from keybench.words.team.edits import away_words

#: How long the list of keys is given to be painted, in seconds: three frames. Importing the keystore
#: meanwhile would hold the interpreter, and the list with it, for a fifth of a second.
_LISTED_S: Final = 0.05
#: When all that opening the window makes has been made, in seconds after its keys are listed.
_SETTLED_S: Final = 1.0
#: When a person has found their way, in seconds after that: what is due today can wait that long.
_QUIET_S: Final = 5.0
#: How long the window's end waits for a module that is just being imported, in seconds.
_IMPORTED_S: Final = 1.0
_NOTHING_LEFT: Final = (_("Close Keybench?"), _("No sale is under way any more."))
#: The pause between two looks whether the program was updated, in seconds.
UPDATE_S: Final = 30.0
_VERSION: Final = "window/version"
_LOGGER: Final = logging.getLogger("keybench")
#: What a person or the program comes to sooner or later: the pages and what they import, and what a diagnosis
#: asks the network by.
LATER: Final = (
    "keybench.ui.history.page",
    "keybench.ui.devices.page",
    "keybench.ui.rotations.page",
    "keybench.ui.diagnose.page",
    "keybench.ui.keys.page",
    "keybench.ui.keys.inventory",
    "keybench.ui.keys.applications",
    "keybench.ui.keys.review",
    "keybench.ui.keys.activity",
    "keybench.ui.settings.page",
    "keybench.ui.lessons.page",
    "keybench.ui.bench.add_key",
    "keybench.ui.shell.palette",
    "keybench.gateway.diagnosis.probing",
)


class Background:
    """What goes on behind one window; `sales` are those that closing would leave under way."""

    def __init__(self, window: MainWindow, session: Session, preferences: Preferences) -> None:
        self._window = window
        self._session = session
        self.sales = ResumedSales(session)
        end_with_causes(session)
        self._attention = AttentionWatch(session)
        self._lock = Lock(window, session, preferences)
        DesktopNotices(window, session, preferences, lambda: self._lock.is_locked)
        Presenting(window, session)
        self._serves_class = False
        session.subscribe(window, {TimeMoved: self._on_time, ClassServed: self._on_class})
        session.subscribe(window, {JournalStood: self._on_journal})
        _LOGGER.info("version %s, %s, environment %s", __version__, system_name(), session.environment.name)
        session.environment_changed.connect(lambda one: _LOGGER.info("environment %s", one.name))
        session.subscribe(window, {SaleChanged: _log_sale})

    async def begin(self, *, reminds: bool) -> None:
        """Begin everything, each as a task of its own; it `reminds` a person of what is due today, or doesn't."""
        session, console = self._session, self._session.console
        await console.clock.sleep(_LISTED_S)
        if console.world.journal.place.alone_on:
            session.notify(Notice("warning", *network_words(console.world.journal.place), topic="network"))
        self._on_journal(JournalStood(console.world.journal.standing))
        session.run("look at the keystore", console.look_at_keystore())
        session.run("watch the keystore", console.watch_keystore())
        if holdings := console.calling.holdings:
            session.run("tell the team what this desk holds", holdings.keep_reported())
        session.run("practice gateway", self._start_practice())
        session.run("unfinished sales", resume_sales(session))
        session.run("delete what is past its age", session.administration.retention.go_by_age())
        await console.clock.sleep(_SETTLED_S)
        self._attention.begin()
        session.run("unfinished rotations", resume_rotations(session))
        session.run("unsettled keys", settle_keys(session))
        if started := program_file():
            session.run("watch for an update", watch_for_update(session, started))
        # What is there now stays: a search for garbage that goes through all of it holds the loop for 0.1 s.
        gc.freeze()
        session.run("import what comes later", self._import_the_rest())
        if reminds:
            tell_of_upgrade(session)
            session.run("reminders", _remind(session))

    def _on_time(self, _moved: TimeMoved) -> None:
        """Remind of what is due by the time that a lesson's was moved on to."""
        if self._session.console.clock.moved_s > 0:
            self._session.run("reminders", _remind(self._session))

    def _on_journal(self, stood: JournalStood) -> None:
        title, text = away_words(stood.standing)
        if title:
            self._session.notify(Notice("warning", title, text, topic=AWAY))
        else:
            self._session.end_notice(AWAY)

    def _on_class(self, served: ClassServed) -> None:
        self._serves_class = bool(served.address)

    async def _start_practice(self) -> None:
        """Start the practice gateway, and say if it is another version's that was there before."""
        practice = self._session.console.world.practice
        await practice.ensure()
        if practice.version not in {"", __version__}:
            words = practice_version_words(practice.version)
            self._session.notify(Notice("warning", *words, topic="practice version"))

    def closing_question(self) -> tuple[str, str] | None:
        """Return the title and text of what to ask before closing; None where closing loses nothing."""
        entries = self._session.console.world.keystore.memory_only
        served = CLASS_ENDS if self._serves_class else ""
        lost = lost_keys_sentence(sum(one != proxy_entry(one.partition("/")[0]) for one in entries))
        title, text = self.sales.closing_question() or (CLOSE_WITH_CLASS if served else CLOSE_WITH_KEYS, "")
        return (title, " ".join(filter(None, (text, served, lost)))) if text or served or lost else None

    async def confirm_closing(self, title: str, text: str) -> bool:
        """Return whether a person closes the window although that loses something; what is now is told."""
        question = Dialog(self._window, title=title, text=text, confirm=_("Close"), cancel=_("Stay"))

        def tell(_change: SaleChanged | SalesUnkept) -> None:
            question.say(*(self.closing_question() or _NOTHING_LEFT))

        self._session.subscribe(question, {SaleChanged: tell, SalesUnkept: tell})
        return await question.answer()

    async def _import_the_rest(self) -> None:
        """Import the other pages on a thread, so that the window doesn't stand still at a first visit.

        That thread and the window's take turns, so it waits while a sale is under way. If this is cancelled,
        the module under way is waited for: Python must not end while that thread is in Qt's code.
        """
        clock = self._session.console.clock
        for name in LATER:
            while self.sales.closing_question():
                await clock.sleep(_SETTLED_S)
            work = run_in_thread("keybench imports", partial(importlib.import_module, name))
            await shielded(work, clock, grace_s=_IMPORTED_S)
        gc.freeze()


async def watch_for_update(session: Session, started: ProgramFile) -> None:
    """Say so, once, when another version has taken the place of the file that runs."""
    while program_file() in {started, None}:  # while it is being exchanged there may be none
        await session.console.clock.sleep(UPDATE_S)
    session.notify(Notice("warning", *UPDATED, topic="update"))


def _log_sale(change: SaleChanged) -> None:
    if change.event.mark in {Mark.SENT, Mark.ACCEPTED, Mark.OUTCOME}:  # not each poll, nor its amount
        _LOGGER.info("sale %s: %s %s", change.sale.reference, change.event.mark, change.sale.outcome or "")


async def _remind(session: Session) -> None:
    await session.console.clock.sleep(_QUIET_S)
    from keybench.ui.keys.review_list import notify_due_today  # noqa: PLC0415 - imported meanwhile, see above

    await notify_due_today(session)


def tell_of_upgrade(session: Session) -> None:
    """Say once, after an upgrade, that something is new; at the first start ever say nothing."""
    if was_upgraded(session.preferences):
        title = _("Keybench is now version {version}.").format(version=__version__)
        session.notify(Notice("info", title, _("What's new, in the Help menu, tells what changed.")))


def was_upgraded(preferences: Preferences) -> bool:
    """Return whether an older version was the last that ran, and remember that this one has."""
    last = preferences.text(_VERSION)
    preferences.set_text(_VERSION, __version__)
    # Version 0.1.0 left none.
    return _number(last) < _number(__version__) if last else preferences.was_there


def _number(version: str) -> tuple[int, ...]:
    try:
        return tuple(map(int, version.split(".")))
    except ValueError:
        return (10**9,)
