"""The self-test's checks, each a function: returns what it saw, or raises what is wrong.

They are made one after another in a process of its own, since a broken Qt ends the program it is loaded into.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import secrets
import shutil
import sqlite3
import ssl
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from keybench.cli import exits
from keybench.cli.output import meaning_of
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.errors import KeybenchError, ValueLost
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.money import decimal_places
from keybench.core.ports import KeystoreStatus
from keybench.core.sales.sale import Outcome, SaleDraft
from keybench.core.secret import Secret
from keybench.runtime.build import this_build
from keybench.runtime.data_folder import DataFolder, resource_path
from keybench.runtime.system_libraries import missing_for
from keybench.words import self_test as words
from keybench.words.formats import duration
from keybench.words.reasons import reason_sentence
from keybench.words.sales.outcomes import outcome_headline
from keybench.words.system import asking_sentence
from keybench.workflows.console import Console

Opener = Callable[[DataFolder], AbstractAsyncContextManager[Console]]
Check = Callable[[Path, Opener], str | Coroutine[Any, Any, str]]

#: How long the window may take to be painted, in seconds: a busy computer isn't a broken window.
_PAINTED_S: Final = 15.0
#: How long a person is waited for whom the keystore asks, in seconds.
_ANSWER_S: Final = 8.0
#: What the window needs of Qt on each system.
_PLATFORMS: Final = {
    "linux": (
        *("platforms/*offscreen*", "platforms/*xcb*", "platforms/*wayland*"),
        *("wayland-shell-integration/*xdg-shell*", "wayland-decoration-client/*"),
    ),
    "win32": ("platforms/*windows*", "platforms/*offscreen*"),
    "darwin": ("platforms/*cocoa*", "platforms/*offscreen*"),
}


class NotOk(Exception):
    """A check isn't ok; its sentence says why and what to do."""


def window(_folder: Path, _opener: Opener) -> str:
    """Show the main window on a screen that isn't there, and wait until it is painted."""
    from PySide6.QtCore import qVersion
    from PySide6.QtGui import QFontInfo, QFontMetrics

    from keybench.loop import run
    from keybench.ui.kit.theme import theme
    from keybench.ui.shell.application import make_application
    from keybench.ui.shell.lifecycle import show_first_frame
    from keybench.ui.shell.window import MainWindow

    _load_plugins("platforms/*offscreen*")  # Qt would end the program without it
    app = make_application(sys.argv[:1])

    async def shown() -> int:
        with theme().undressed():
            shown = MainWindow()
        try:
            if not await show_first_frame(shown, _PAINTED_S):
                raise NotOk(words.NOT_PAINTED.format(seconds=_PAINTED_S))
        finally:
            shown.finish_close()
        return 0

    run(app, shown)
    if not QFontMetrics(app.font()).inFont("a"):
        raise NotOk(words.with_command(words.NO_FONTS))
    return words.SEEN["window"].format(qt=qVersion(), font=QFontInfo(app.font()).family())


async def keystore(folder: Path, _opener: Opener) -> str:
    """Write a made-up value into the keystore, read it back, and delete it."""
    from keybench.keystore.native import system_store
    from keybench.keystore.os_keystore import OsKeystore

    name = folder.name  # no other run has the same
    system_store(sys.platform).build(name)  # a library that isn't there must not pass for a missing keystore

    def on_change(status: KeystoreStatus) -> None:
        if status.asking:
            _tell({"say": asking_sentence(status)})
            asyncio.get_running_loop().call_later(_ANSWER_S, store.stop_asking)

    store = OsKeystore(name, on_change=on_change)
    try:
        status = await store.probe()
        if status.trouble:
            raise status.trouble
        value = Secret(secrets.token_hex(16))
        try:
            await store.write("probe", value)
            if not (await store.read("probe")).matches(value):
                raise ValueLost("the keystore gave back another value")
        finally:
            await store.erase("probe")
    finally:
        await store.finish()
        store.close()
    return words.SEEN["keystore"].format(name=status.name)


async def journal(folder: Path, opener: Opener) -> str:
    """Open a new journal as every start does."""
    async with opener(DataFolder(folder / "journal")) as console:
        await console.environments.all()
    return words.SEEN["journal"].format(sqlite=sqlite3.sqlite_version)


async def sale(folder: Path, opener: Opener) -> str:
    """Have the practice gateway make a key, sell 10.00 with it, and wait for the outcome."""
    async with opener(DataFolder(folder / "sale")) as console:
        console.keep_in_memory()  # the keystore has a check of its own, and nothing may stay in it
        practice = next(one for one in await console.environments.all() if one.id == PRACTICE_ID)
        draft = KeyDraft("self-test", "counter1", "API", KeyKind.PRIVATE)
        added = await console.add_key.create(practice, draft)
        wanted = SaleDraft(practice.id, added.key.id, "till-1", "10.00", "USD")
        ended = await console.sell.carry_out(await console.sell.note(wanted))
    if ended.outcome is not Outcome.APPROVED:
        raise NotOk(words.NOT_APPROVED.format(money=ended.money, outcome=outcome_headline(ended)))
    return words.SEEN["sale"].format(money=ended.money, took=duration(ended.elapsed_s or 0.0))


def files(folder: Path, _opener: Opener) -> str:
    """Read the contracts, the list of changes, the drawings, the currencies, and what the libraries are."""
    from PySide6.QtGui import QImageReader

    from keybench.gateway.contracts import Contracts
    from keybench.runtime.identity import library_versions
    from keybench.workflows.support.bundles import LIBRARIES

    listed = Contracts(DataFolder(folder).contracts).listed()
    for contract in listed:
        if contract.trouble:
            raise contract.trouble
    if not listed or not resource_path("changes.md").read_text("utf-8").strip():
        raise NotOk(words.MISSING_FILE.format(name="resources"))
    for path in sorted(resource_path("icons").glob("*.svg")):
        reader = QImageReader(str(path))
        if reader.read().isNull():
            raise NotOk(words.NOT_LOADED.format(what=path.name, reason=reader.errorString()))
    decimal_places("USD")
    if missing := {*LIBRARIES} - {name for name, _version in library_versions(LIBRARIES)}:
        raise NotOk(words.MISSING_FILE.format(name=f"METADATA ({min(missing)})"))
    return words.SEEN["files"].format(count=len(listed), commit=this_build().commit)


def pages(_folder: Path, _opener: Opener) -> str:
    """Import what is named in the program's tables, and imported only when a person comes to it."""
    from keybench.cli.parser import COMMANDS
    from keybench.ui.shell.background import LATER

    for name in LATER:
        import_module(name)
    for command in COMMANDS:
        command.module()
    return words.SEEN["pages"].format(count=len(LATER) + len(COMMANDS))


def platforms(_folder: Path, _opener: Opener) -> str:
    """Load what draws windows on this system's kinds of screens; no screen is touched."""
    return ", ".join(path.stem for path in _load_plugins(*_PLATFORMS.get(sys.platform, ())))


def certificates(_folder: Path, _opener: Opener) -> str:
    """Load whom the system trusts, and the public authorities that a diagnosis compares them with."""
    from keybench.gateway.messages import CallFailed
    from keybench.gateway.trust import authorities, public_trust, system_trust

    try:
        context = system_trust(authorities())
    except CallFailed as error:
        raise NotOk(reason_sentence(error.reason)) from None
    public_trust()
    count = len(context.get_ca_certs()) if type(context) is ssl.SSLContext else 0
    return words.SEEN["certificates"].format(openssl=ssl.OPENSSL_VERSION, count=count or "?")


#: In the order of `words.TITLES`, where their names are.
CHECKS: Final[Sequence[Check]] = (window, keystore, journal, sale, files, pages, platforms, certificates)


def _load_plugins(*patterns: str) -> Sequence[Path]:
    """Load parts of Qt, each with all libraries that it needs."""
    from PySide6.QtCore import QPluginLoader

    from keybench.ui.shell.plugins import plugin_folder

    loaded: list[Path] = []
    for pattern in patterns:
        found = [path for path in sorted(plugin_folder().glob(pattern)) if path.is_file()]
        if not found:
            raise NotOk(words.MISSING_FILE.format(name=pattern))
        for path in found:
            loader = QPluginLoader(str(path))
            if not loader.load():
                if library := missing_for(path):
                    raise NotOk(words.no_library(library))
                raise NotOk(words.NOT_LOADED.format(what=path.name, reason=loader.errorString()))
        loaded += found
    return loaded


def make_checks(folder: Path, opener: Opener) -> int:
    """Make all checks in `folder`, and print each as a JSON line as it ends."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s")
    threading.Thread(target=_end_with_stdin, args=[folder], name="self-test-stdin", daemon=True).start()
    gc.disable()  # collected on a thread of the journal's, a widget would take the program with it
    for check in CHECKS:
        began = time.monotonic()
        record = {"check": check.__name__, "no_keystore": False} | _made(check, folder, opener)
        _tell(record | {"took_s": round(time.monotonic() - began, 3)})
    return 0


def _made(check: Check, folder: Path, opener: Opener) -> dict[str, Any]:
    """Make one check and return how it ended; whatever goes wrong in it, it ends."""
    try:
        seen = check(folder, opener)
        return {"result": "ok", "message": seen if isinstance(seen, str) else asyncio.run(seen)}
    except NotOk as error:
        return {"result": "failed", "message": str(error)}
    except KeybenchError as error:
        no_keystore = exits.status_of_error(error) == exits.NO_KEYSTORE
        return {"result": "failed", "message": meaning_of(error), "no_keystore": no_keystore}
    except ImportError as error:
        while isinstance(error.__cause__, ImportError):
            error = error.__cause__
        return {"result": "failed", "message": words.missing_part(error)}
    except Exception as error:  # a check of a broken installation may meet anything
        logging.getLogger("keybench").warning("%s", check.__name__, exc_info=error)
        message = words.BROKE_OFF.format(error=f"{type(error).__name__}: {error}")
        return {"result": "failed", "message": message}


def _tell(record: dict[str, Any]) -> None:
    print(json.dumps(record), flush=True)  # noqa: T201 - whoever started this process reads it


def _end_with_stdin(folder: Path) -> None:
    """End once nobody waits for the checks any more: standard input ends, however that process went."""
    while os.read(0, 4096):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(exits.OTHER)
