"""Makes the checks that it is told to, one after another, and prints each as a JSON line as it ends."""

from __future__ import annotations

import asyncio
import gc
import logging
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from keybench.cli import exits
from keybench.cli.output import Output, meaning_of
from keybench.core.errors import KeybenchError
from keybench.core.ports import KeystoreStatus
from keybench.core.self_test import Check, Checked, Result
from keybench.self_test import installation, program
from keybench.self_test.place import NotOk, Opener, Place
from keybench.words import self_test as words
from keybench.words.system import asking_sentence

_MAKE: Final[Mapping[Check, Callable[[Place], str]]] = {
    Check.WINDOW: program.window,
    Check.KEYSTORE: program.keystore,
    Check.JOURNAL: program.journal,
    Check.SALE: program.sale,
    Check.FILES: installation.files,
    Check.PAGES: installation.pages,
    Check.PLATFORMS: installation.platforms,
    Check.ICONS: installation.icons,
    Check.PRINTING: installation.printing,
    Check.CHARTS: installation.charts,
    Check.CERTIFICATES: installation.certificates,
}
#: The most that is told of an error, in characters.
_MOST: Final = 600


def make_checks(checks: Sequence[Check], folder: Path, opener: Opener) -> int:
    """Make checks in `folder` until standard input ends; where it did, the folder goes with all in it.

    Args:
        checks: Which; none to clean up after a process that couldn't do it itself.
        folder: The test's own.
        opener: Opens the program in a data folder.

    Returns:
        0; 1 where the keystore may have something of the test's.
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s")
    output = Output(as_json=True)

    def on_asking(status: KeystoreStatus) -> None:
        output.result({"say": asking_sentence(status)}, "")

    place = Place(folder, opener, on_asking)
    place.stop_with_stdin()
    gc.disable()  # collected on a thread of the journal's, a widget would take the program with it
    status = exits.DONE
    try:
        if not checks:
            program.clean_up(place)
        for check in checks:
            if not place.stopped:
                output.result(_made(check, place).record(), "")
    except (KeybenchError, BrokenPipeError):
        status = exits.OTHER
    except asyncio.CancelledError:
        pass  # nobody waits for it any more
    finally:
        if place.stopped and not place.left_behind:
            shutil.rmtree(folder, ignore_errors=True)
            with suppress(OSError):
                folder.parent.rmdir()
    return exits.OTHER if place.left_behind else status


def _made(check: Check, place: Place) -> Checked:
    """Make one check; whatever goes wrong in it, it ends."""
    began = time.monotonic()

    def ended(result: Result, message: str, *, no_keystore: bool = False) -> Checked:
        line = " ".join(message.split())[:_MOST]
        return Checked(check, result, time.monotonic() - began, line, no_keystore=no_keystore)

    try:
        return ended(Result.OK, _MAKE[check](place))
    except NotOk as error:
        return ended(error.result, str(error), no_keystore=error.no_keystore)
    except KeybenchError as error:
        no_keystore = exits.status_of_error(error) == exits.NO_KEYSTORE
        return ended(Result.FAILED, meaning_of(error), no_keystore=no_keystore)
    except ImportError as error:
        while isinstance(error.__cause__, ImportError):
            error = error.__cause__
        return ended(Result.FAILED, words.missing_part(error))
    except FileNotFoundError as error:
        return ended(Result.FAILED, words.missing_file(str(error.filename)))
    except Exception as error:  # a check of a broken installation may meet anything
        logging.getLogger("keybench").warning("%s", check, exc_info=error)
        return ended(Result.FAILED, words.broke_off(error))
