"""What a self-test says: each check by name, what was seen, what is wrong and what to do, the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from keybench.core.self_test import Check, Checked, Result, Verdict, verdict_of
from keybench.runtime.system_libraries import FONTS, installing, missing_library
from keybench.words.formats import duration, listed
from keybench.words.language import _, ngettext

_TITLES: Final = {
    Check.WINDOW: _("window"),
    Check.KEYSTORE: _("keystore"),
    Check.JOURNAL: _("journal"),
    Check.SALE: _("practice sale"),
    Check.FILES: _("own files"),
    Check.PAGES: _("pages"),
    Check.PLATFORMS: _("displays"),
    Check.ICONS: _("icons"),
    Check.PRINTING: _("printing"),
    Check.CHARTS: _("charts"),
    Check.CERTIFICATES: _("certificates"),
}
_RESULTS: Final = {
    Result.OK: _("ok"),
    Result.FAILED: _("FAILED"),
    Result.COULD_NOT_TELL: _("can't tell"),
}
_TITLE: Final = max(map(len, _TITLES.values()))
_RESULT: Final = max(map(len, _RESULTS.values()))
#: As long as ``999 ms`` and ``3.01 s``.
_TOOK: Final = 6

STOPPING: Final = _("Stopping, and cleaning up what the test began.")
NO_TEMPORARY_FOLDER: Final = _(
    "No temporary folder can be made: {reason}. Make room, or set TMPDIR to a folder you may write to."
)
NO_TIME: Final = _("The other checks took too long, so this one wasn't made.")
LEFT_BEHIND: Final = _(
    "An entry of the test may be left in the keystore: a made-up value, or the key of a practice gateway that is "
    "gone. It does no harm."
)
NOT_PAINTED: Final = _("The window wasn't painted within {seconds:.0f} s.")
NO_LOG: Final = _(
    "SQLite keeps no write-ahead log in {folder}. A folder on a network share may be the cause: choose one on "
    "this computer."
)
PRINTS: Final = _("Qt's print support loads")
NOBODY_ANSWERED: Final = _("{name} asks for your permission, and nobody answered. Try again, and allow it.")
NOT_APPROVED: Final = _("The practice sale of {money} ended otherwise: {outcome}. {meaning}")


def line(checked: Checked) -> str:
    """Return a check in a line."""
    title, result = _TITLES[checked.check], _RESULTS[checked.result]
    head = f"{title:<{_TITLE}}  {result:<{_RESULT}}  {duration(checked.took_s):>{_TOOK}}"
    return f"{head}  {checked.message}".rstrip()


def verdict_line(made: Sequence[Checked], version: str, took_s: float) -> str:
    """Return what the checks came to."""
    verdict = verdict_of(made)
    program = _("Keybench {version}").format(version=version)
    if verdict is Verdict.STOPPED:
        return _("{program}: stopped before all checks were made.").format(program=program)
    count = len(made)
    if verdict is Verdict.OK:
        return _("{program}: all {count} checks are ok, in {took}.").format(
            program=program, count=count, took=duration(took_s)
        )
    if verdict is Verdict.NO_KEYSTORE:
        return _("{program}: everything but the keystore is ok; its line says what to do.").format(
            program=program
        )
    parts = []
    for result, form in (
        (Result.FAILED, _("failed: {names}")),
        (Result.COULD_NOT_TELL, _("couldn't be told: {names}")),
    ):
        if names := [_TITLES[one.check] for one in made if one.result is result]:
            parts.append(form.format(names=listed(names)))
    return f"{program}: {'; '.join(parts)}."


def missing_part(error: ImportError) -> str:
    """Say which part of the program or of the system isn't there."""
    if library := missing_library(str(error)):
        return no_library(library)
    return _("Keybench isn't whole: {name} can't be loaded ({reason}). Install it anew.").format(
        name=error.name or _("a part"), reason=error
    )


def no_library(name: str) -> str:
    """Say that a library of the system isn't there."""
    return _with_command(_("This system lacks {library}.").format(library=name), installing(name))


def no_fonts() -> str:
    """Say that there is no font to write in."""
    return _with_command(_("This system has no fonts, so texts would be boxes."), installing(FONTS))


def _with_command(what: str, command: str) -> str:
    step = (
        _("Install what is missing: {command}").format(command=command)
        if command
        else _("Install the package of your system that brings it.")
    )
    return f"{what} {step}"


def not_loaded(what: str, reason: str) -> str:
    """Say that a part of Qt can't be loaded.

    Args:
        what: Its folder and name.
        reason: Qt's own words.
    """
    return _("Qt's part {what} can't be loaded ({reason}). Install Keybench anew.").format(
        what=what, reason=reason
    )


def no_printers(reason: str) -> str:
    """Return what prints where the system's printing isn't there: the library that is missing, or Qt's words."""
    return _("Qt's print support loads, CUPS doesn't ({reason}): without it only files are printed").format(
        reason=reason
    )


def missing_file(name: str) -> str:
    """Say that a file of the program isn't there or can't be used."""
    return _("Keybench isn't whole: {name} is missing or can't be read. Install it anew.").format(name=name)


def broke_off(error: BaseException) -> str:
    """Say that a check met what Keybench has no words for."""
    return _("It broke off: {error}").format(error=f"{type(error).__name__}: {error}")


def no_answer(seconds: float) -> str:
    """Say that a check took too long."""
    return _("It took longer than {seconds:.0f} s and was stopped.").format(seconds=seconds)


def ended_itself(status: int, said: str) -> str:
    """Say that the program ended while it made a check.

    Args:
        status: The exit status, or the signal as a negative number.
        said: The last line it wrote; empty for none.
    """
    if library := missing_library(said):
        return no_library(library)
    how = (
        _("The program crashed meanwhile (signal {number})").format(number=-status)
        if status < 0
        else _("The program ended meanwhile (status {number})").format(number=status)
    )
    return f"{how}: {said}" if said else f"{how}."


def not_started(reason: str) -> str:
    """Say that the process that makes the checks can't be started."""
    return _("Keybench couldn't start itself: {reason}.").format(reason=reason)


# --- what was seen -------------------------------------------------------------------------------------------


def window_seen(qt: str, font: str) -> str:
    """Return what a painted window shows."""
    return _("painted by Qt {qt} in {font}").format(qt=qt, font=font)


def keystore_seen(name: str) -> str:
    """Return what a probe entry that came and went shows."""
    return _("{name}: a probe was written, read and deleted").format(name=name)


def journal_seen(sqlite: str) -> str:
    """Return what a new journal shows."""
    return _("SQLite {sqlite}, write-ahead log on").format(sqlite=sqlite)


def sale_seen(money: str, elapsed_s: float) -> str:
    """Return what an approved sale shows."""
    return _("{money} approved after {took}").format(money=money, took=duration(elapsed_s))


def files_seen(contracts: int, commit: str) -> str:
    """Return what the program's own files show."""
    words = ngettext("{count} contract", "{count} contracts", contracts).format(count=contracts)
    return _("{words}, build {commit}").format(words=words, commit=commit) if commit else words


def counted(check: Check, count: int) -> str:
    """Return how many of a check's things were found sound."""
    match check:
        case Check.PAGES:
            return ngettext("{count} part", "{count} parts", count).format(count=count)
        case Check.ICONS:
            return ngettext("{count} drawing", "{count} drawings", count).format(count=count)
        case _:
            return ngettext("{count} authority", "{count} authorities", count).format(count=count)


def certificates_seen(openssl: str, authorities: int) -> str:
    """Return what TLS goes by.

    Args:
        openssl: What Python's TLS is.
        authorities: How many the system trusts; 0 where it is asked by itself.
    """
    return f"{openssl}, {counted(Check.CERTIFICATES, authorities)}" if authorities else openssl
