"""The checks that use the program as a person does: window, keystore, journal, practice sale."""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final, TypeVar

from keybench.core.environment import PRACTICE_ID
from keybench.core.errors import KeystoreDenied, ValueLost
from keybench.core.events import KeystoreChanged
from keybench.core.ports import KeystoreStatus
from keybench.core.sale import Outcome, SaleDraft
from keybench.core.secret import Secret
from keybench.core.security_key import KeyDraft, KeyKind
from keybench.core.self_test import Result
from keybench.runtime.data_folder import DataFolder
from keybench.self_test.place import NotOk, Place
from keybench.words import self_test as words
from keybench.words.outcomes import explain_sale, outcome_headline

T = TypeVar("T")

#: How long the window may take to be painted, in seconds: a busy computer isn't a broken window.
_PAINTED_S: Final = 15.0
#: How long a person is waited for whom the keystore asks, in seconds.
_ANSWER_S: Final = 8.0
#: What a SQLite file has at this place where it has a write-ahead log (sqlite.org/fileformat.html).
_LOG_MARK: Final = (slice(18, 20), b"\x02\x02")
#: The keystore's entry that comes and goes.
_PROBE: Final = "probe"
_SALE: Final = "sale"


def window(place: Place) -> str:
    """Show the main window on a screen that isn't there, and wait until it is painted."""
    from PySide6.QtCore import qVersion
    from PySide6.QtGui import QFontInfo, QFontMetrics

    from keybench.loop import run
    from keybench.self_test.installation import load_plugins
    from keybench.ui.application import make_application
    from keybench.ui.lifecycle import show_first_frame
    from keybench.ui.theme import theme
    from keybench.ui.window import MainWindow

    load_plugins([("platforms", "offscreen")])  # Qt would end the program without it
    app = make_application(sys.argv[:1])
    place.held.append(app)

    async def shown() -> int:
        with theme().undressed():
            shown = MainWindow()
        try:
            if not await show_first_frame(shown, _PAINTED_S):
                sentence = words.NOT_PAINTED.format(seconds=_PAINTED_S)
                raise NotOk(sentence, result=Result.COULD_NOT_TELL)
        finally:
            shown.finish_close()
        return 0

    run(app, partial(place.over, shown()))
    if not QFontMetrics(app.font()).inFont("a"):
        raise NotOk(words.no_fonts())
    return words.window_seen(qVersion(), QFontInfo(app.font()).family())


def keystore(place: Place) -> str:
    """Write a made-up value into the keystore, read it back, and delete it."""
    from keybench.keystore.native import candidates_for
    from keybench.keystore.os_keystore import OsKeystore

    for candidate in candidates_for(sys.platform):
        candidate.build(place.name)  # a library that isn't there must not pass for a missing keystore

    async def probed() -> str:
        asked = _Asked(place)
        store = OsKeystore(place.name, on_change=asked.on_status)
        asked.give_up = store.stop_asking
        try:
            status = await store.probe()
            if status.trouble:
                raise status.trouble
            value = Secret(secrets.token_hex(16))
            try:
                await store.write(_PROBE, value)
                if not (await store.read(_PROBE)).matches(value):
                    raise ValueLost("the keystore gave back another value")
            finally:
                await place.erased(store.erase(_PROBE))
        except KeystoreDenied:
            asked.raise_if_unanswered()
            raise
        finally:
            asked.settle()
            await store.finish()
            store.close()
        return words.keystore_seen(status.name)

    return _run(place, probed())


def journal(place: Place) -> str:
    """Open a new journal as every start does, and look whether it is kept as the program relies on."""
    folder = DataFolder(place.folder / "journal")

    async def opened() -> None:
        async with place.opener(folder) as console:
            await console.environments.all()
            at, mark = _LOG_MARK
            if folder.journal.read_bytes()[at] != mark:
                raise NotOk(words.NO_LOG.format(folder=folder.root))

    _run(place, opened())
    return words.journal_seen(sqlite3.sqlite_version)


def sale(place: Place) -> str:
    """Have the practice gateway make a key, sell 10.00 with it, and wait for the outcome."""
    folder = DataFolder(place.folder / _SALE)

    async def sold() -> str:
        async with place.opener(folder) as console:
            asked = _Asked(place, console.stop_asking)
            console.events.subscribe(KeystoreChanged, lambda changed: asked.on_status(changed.status))
            # A keystore in trouble has been told by its own check. Here it may not be in the way.
            if (await console.look_at_keystore()).trouble:
                console.keep_in_memory()
            environments = {one.id: one for one in await console.environments.all()}
            practice = environments[PRACTICE_ID]
            try:
                draft = KeyDraft("self-test", "counter1", "API", KeyKind.PRIVATE)
                added = await console.add_key.create(practice, draft)
                wanted = SaleDraft(practice.id, added.key.id, "till-1", "10.00", "USD")
                ended = await console.sell.carry_out(await console.sell.note(wanted))
            except KeystoreDenied:
                asked.raise_if_unanswered()
                raise
            finally:
                asked.settle()
                await place.erased(console.keys.erase_values())
        money = str(ended.money)
        if ended.outcome is not Outcome.APPROVED:
            why = explain_sale(ended, practice.kind)
            told = {"money": money, "outcome": outcome_headline(ended), "meaning": f"{why.title} {why.text}"}
            raise NotOk(words.NOT_APPROVED.format(**told))
        return words.sale_seen(money, ended.elapsed_s or 0.0)

    return _run(place, sold())


def clean_up(place: Place) -> None:
    """Take out of the keystore what checks left there that didn't come to their end.

    Raises:
        KeybenchError: It can't be told whether all is gone.
    """
    from keybench.keystore.os_keystore import OsKeystore

    async def cleaned() -> None:
        store = OsKeystore(place.name)
        try:
            if (await store.probe()).durable:
                await store.erase(_PROBE)
        finally:
            store.close()
        folder = DataFolder(place.folder / _SALE)
        if folder.journal.exists():
            async with place.opener(folder) as console:
                if (await console.look_at_keystore()).durable:
                    await console.keys.erase_values()

    _run(place, cleaned())


class _Asked:
    """Tells a person that the keystore asks them, and waits a while for the answer."""

    def __init__(self, place: Place, give_up: Callable[[], None] = lambda: None) -> None:
        self._place = place
        self.give_up = give_up
        self._name = ""
        self._timer: asyncio.TimerHandle | None = None
        self._gave_up = False

    def on_status(self, status: KeystoreStatus) -> None:
        """Take note of the keystore's new status."""
        self.settle()
        if status.asking:
            self._name = status.name
            self._place.on_asking(status)
            self._timer = asyncio.get_running_loop().call_later(_ANSWER_S, self._on_silence)

    def settle(self) -> None:
        """Wait no longer."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def raise_if_unanswered(self) -> None:
        """Raise that nobody answered, where a person hasn't refused it."""
        if self._gave_up:
            sentence = words.NOBODY_ANSWERED.format(name=self._name)
            raise NotOk(sentence, result=Result.COULD_NOT_TELL, no_keystore=True)

    def _on_silence(self) -> None:
        self._gave_up = True
        self.give_up()


def _run(place: Place, work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(place.over(work))
