"""What a self-test says: each check by name, what was seen, what is wrong and what to do, the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from keybench.runtime.system_libraries import FONTS, installing, missing_library
from keybench.words.formats import duration, listed
from keybench.words.language import _

#: The checks in the order in which they are made, by their names in JSON.
TITLES: Final = {
    "window": _("window"),
    "keystore": _("keystore"),
    "journal": _("journal"),
    "sale": _("practice sale"),
    "files": _("own files"),
    "pages": _("pages"),
    "platforms": _("displays"),
    "certificates": _("certificates"),
}
_RESULTS: Final = {"ok": _("ok"), "failed": _("FAILED"), "could_not_tell": _("can't tell")}
#: What a check saw that is ok.
SEEN: Final = {
    "window": _("painted by Qt {qt} in {font}"),
    "keystore": _("{name}: a probe was written, read and deleted"),
    "journal": _("opened by SQLite {sqlite}"),
    "sale": _("{money} approved after {took}"),
    "files": _("contracts: {count}, build {commit}"),
    "pages": _("parts: {count}"),
    "certificates": _("{openssl}, authorities: {count}"),
}

STOPPING: Final = _("Stopping, and cleaning up what the test began.")
NO_TEMPORARY_FOLDER: Final = _(
    "No temporary folder can be made: {reason}. Make room, or set TMPDIR to a folder you may write to."
)
NOT_MADE: Final = _("Not made, because the test ended at the check before.")
NOT_PAINTED: Final = _("The window wasn't painted within {seconds} s.")
NOT_APPROVED: Final = _("The practice sale of {money} ended otherwise: {outcome}.")
NOT_LOADED: Final = _("Qt's part {what} can't be loaded ({reason}). Install Keybench anew.")
MISSING_FILE: Final = _("Keybench isn't whole: {name} is missing or can't be read. Install it anew.")
BROKE_OFF: Final = _("It broke off: {error}")
NO_ANSWER: Final = _("It took too long: the test was stopped after {seconds} s.")
NO_FONTS: Final = _("This system has no fonts, so texts would be boxes.")


def line(check: str, result: str, took_s: float, message: str) -> str:
    width = max(map(len, TITLES.values()))
    return f"{TITLES[check]:<{width}}  {_RESULTS[result]:<10}  {duration(took_s):>6}  {message}".rstrip()


def verdict_line(verdict: str, made: Sequence[Mapping[str, Any]], version: str, took_s: float) -> str:
    program = _("Keybench {version}").format(version=version)
    match verdict:
        case "stopped":
            return _("{program}: stopped before all checks were made.").format(program=program)
        case "ok":
            return _("{program}: all {count} checks are ok, in {took}.").format(
                program=program, count=len(made), took=duration(took_s)
            )
        case "no_keystore":
            return _("{program}: everything but the keystore is ok; its line says what to do.").format(
                program=program
            )
    names = listed([TITLES[one["check"]] for one in made if one["result"] != "ok"])
    return _("{program}: not ok: {names}.").format(program=program, names=names)


def missing_part(error: ImportError) -> str:
    if library := missing_library(str(error)):
        return no_library(library)
    return _("Keybench isn't whole: {name} can't be loaded ({reason}). Install it anew.").format(
        name=error.name or _("a part"), reason=error
    )


def no_library(name: str) -> str:
    return with_command(_("This system lacks {library}.").format(library=name), name)


def with_command(what: str, part: str = FONTS) -> str:
    if command := installing(part):
        return _("{what} Install what is missing: {command}").format(what=what, command=command)
    return _("{what} Install the package of your system that brings it.").format(what=what)


def ended_itself(status: int, said: str) -> str:
    """Say that the program ended while it made a check; `status` is a signal as a negative number."""
    if library := missing_library(said):
        return no_library(library)
    if status < 0:
        how = _("The program crashed meanwhile (signal {number}).").format(number=-status)
    else:
        how = _("The program ended meanwhile (status {number}).").format(number=status)
    return f"{how} {said}".rstrip()
