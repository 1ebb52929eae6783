"""Every error a person can meet: what happened, what it means for the money, what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from keybench import __version__
from keybench.core import errors as e
from keybench.core.reasons import Reason
from keybench.runtime.data_folder import ENVIRONMENT_VARIABLE
from keybench.words.fields import field_sentence
from keybench.words.formats import decimal
from keybench.words.keystore_help import keystore_help
from keybench.words.language import _, number
from keybench.words.reasons import reason_sentence, sentences_of, unreadable_sentence

DEVICE_OFFLINE_TEXT: Final = _("The device isn't connected.")
_NO_NEW_SALE: Final = _("No new sale is sent while the journal can't be written. What was sent goes on.")
_NOT_DONE: Final = _("Nothing was done.")
_STILL_THERE: Final = _("Nothing is lost: what it would hold is still in the journal.")

#: Title, money and next step of errors, or of one kind of them; the error's facts stand in them by name.
_ROWS: Final[Mapping[object, tuple[str, str, str]]] = {
    e.ValueTooLong: (
        _("The value is longer than the {limit} characters a keystore can keep."),
        "",
        _("Check that only the key was copied."),
    ),
    e.ValueDiffers: (
        _("The keystore has another value for “{name}” than the one that was kept."),
        _("Nothing was sent with it, and nothing was erased."),
        _(
            "The kept one's fingerprint is {expected}, this one's is {found}. If somebody changed "
            "the entry on purpose, give the key its value again; if not, treat the key as compromised."
        ),
    ),
    e.KeyNotNoted: (
        _("“{name}” is kept, and the journal couldn't list it."),
        "{because}",
        _("Keybench lists it once the journal can be written: at the next try, or at its next start."),
    ),
    e.JournalInUse: (
        _("Another Keybench has this data folder open: {path}."),
        _(
            "It is on a file system ({kind}) where one program at a time can open the journal, so nothing was "
            "opened."
        ),
        _(
            "Close the other window or wait for the other command, on this computer or another one, and try "
            "again. Or choose a folder on a disk of this computer with --data-dir or {variable}."
        ),
    ),
    e.JournalDamaged: (
        _("The journal's file is damaged: {path}."),
        _("It was not touched."),
        _("Put a copy from a backup in its place, or move the file away to begin with an empty journal."),
    ),
    (e.JournalDamaged, "is_empty"): (
        _("The journal's file is empty: {path}."),
        _("It was not touched."),
        _("Put a copy from a backup in its place, or move the file away to begin with an empty journal."),
    ),
    (e.JournalGone, "is_open"): (
        _("The journal was deleted, moved or replaced under this Keybench: {path}."),
        _NO_NEW_SALE,
        _("Put it back. If it is lost, ask the gateway about the sales under way, and restart Keybench."),
    ),
    e.JournalGone: (
        _("This data folder had a journal, and it is gone: {path}."),
        _("No empty one was made: it wouldn't know your keys, nor which sales are under way."),
        _("Put it or a backup back, or start with an empty one (a command does with --new-journal)."),
    ),
    e.JournalUnfamiliar: (
        _("This file isn't a journal that Keybench knows: {path}."),
        _("It has no {missing}, and was not touched."),
        _("Move the file away to begin with an empty journal, or choose another folder with --data-dir."),
    ),
    e.JournalBusy: (
        _("Another program is holding the journal."),
        _NO_NEW_SALE,
        _("Close other Keybench windows or commands, then try again."),
    ),
    (e.JournalUnwritable, e.JournalUnwritable.LONG_PATH): (
        _("The data folder's path is too long: {path}."),
        _NO_NEW_SALE,
        _("Choose a folder with a path of 400 letters at the most with --data-dir or {variable}."),
    ),
    (e.JournalUnwritable, e.JournalUnwritable.NOT_KEPT): (
        _("The data folder would be gone when this Flatpak ends: {path}."),
        _NO_NEW_SALE,
        _("Leave --data-dir out, or let the Flatpak into the folder by “flatpak run --filesystem=FOLDER”."),
    ),
    (e.JournalUnwritable, e.JournalUnwritable.IO_FAILED): (
        _("The journal couldn't be read or written just now: {path}."),
        _NO_NEW_SALE,
        _("Try again. If it goes on, look after the disk, or the network drive, that it is on."),
    ),
    (e.JournalUnwritable, e.JournalUnwritable.SERVER_FULL): (
        _("The team's server has no room left: {path}."),
        _NO_NEW_SALE,
        _("Ask who runs it to make room, then try again."),
    ),
    e.JournalUnwritable: (
        _("The data folder can't be written: {path} ({reason})."),
        _NO_NEW_SALE,
        _("Make room or give yourself the right to write there, or choose another folder with --data-dir."),
    ),
    e.JournalAway: (
        _("The team's journal can't be reached: {path}{because}."),
        _NO_NEW_SALE,
        _("Check the network. Keybench tries again by itself; if it goes on, ask who runs the server."),
    ),
    (e.JournalForbidden, e.JournalForbidden.LOGIN): (
        _("The team's server doesn't let this role in: {path}."),
        _NO_NEW_SALE,
        _("Check the role in the URL and its password, in Settings under Journal."),
    ),
    (e.JournalForbidden, e.JournalForbidden.TABLES): (
        _("The team's journal isn't ready for Keybench {version}: {path}."),
        _("It was not touched: your role has no right to make its tables or to change them."),
        _("Ask “{owner}”, who owns it, to open it once with this version."),
    ),
    e.JournalForbidden: (
        _("Your role in the team's journal has no right to do this."),
        _NOT_DONE,
        _("Ask an administrator of the team to do it."),
    ),
    e.JournalError: (
        _("The journal failed."),
        _NO_NEW_SALE,
        _("Try again; if it goes on, restart Keybench."),
    ),
    (e.KeyUnsettled, "is_made"): (
        _("The gateway created “{name}”, and its value is lost."),
        "{because}",
        _("Keybench deletes the key at the gateway as soon as it can."),
    ),
    e.KeyUnsettled: (
        _("Nobody can tell whether “{name}” was created."),
        "{because}",
        _("Keybench finds out as soon as it can, and adds the key, or deletes it where its value is lost."),
    ),
    (e.FileNotSaved, e.FileNotSaved.FORMAT): (
        _("The file's name has no known format: {path}."),
        "",
        _("End it in .csv or .json."),
    ),
    (e.FileNotSaved, e.FileNotSaved.NOT_KEPT): (
        _("The file wasn't saved: {path} would be gone when this Flatpak ends."),
        _STILL_THERE,
        _(
            "The window's own dialogs reach every folder. Give a command the folder by “flatpak run "
            "--filesystem=FOLDER”, and the file's whole path."
        ),
    ),
    e.FileNotSaved: (
        _("The file couldn't be saved: {path} ({reason})."),
        _("Nothing is lost: what it would hold is still in the journal, and an older file is as it was."),
        _("Make room, or choose a folder you may write to."),
    ),
    e.NotSent: ("{because}", _("Nothing reached the gateway."), _("Check, then try again.")),
    e.AnswerUnreadable: ("{because}", "", _("Try again, or look it up.")),
    e.GatewayFailed: (
        _("The gateway itself failed ({status})."),
        "",
        _("Wait a moment, then try again."),
    ),
    e.GatewayError: ("{because}", "", _("Check the connection, then try again.")),
    e.KeyRefused: (
        _("The gateway refused the key ({status})."),
        _NOT_DONE,
        _("A diagnosis finds out why, and sends no sale."),
    ),
    # A 403 that doesn't say why may mean any of this.
    e.Forbidden: (
        _("The gateway doesn't allow this ({status})."),
        _NOT_DONE,
        _(
            "Check the permissions of the key's user, the key's kind, and whether the account is restricted. "
            "It may also be called too often: then wait a minute and try again."
        ),
    ),
    e.KeyMadeBefore: (
        _("The gateway has created this key before, and it shows a value only once."),
        _("Nothing was created twice."),
        _("Delete the key without a value at the gateway, then create it again."),
    ),
    e.Refused: (_("The gateway refused the request ({status})."), _NOT_DONE, ""),
    (e.Refused, "status 404"): (
        _("The gateway doesn't know what was asked for (404)."),
        _NOT_DONE,
        _("Check the device, and the environment's address and contract."),
    ),
    # What a refusal means that the gateway gave a reason for, whatever its status.
    (e.Refused, Reason.RATE_LIMIT): (
        _("The gateway is limiting how often it may be called ({status})."),
        _NOT_DONE,
        _("Wait a minute, then try again."),
    ),
    (e.Refused, Reason.DEVICE_OFFLINE): (
        DEVICE_OFFLINE_TEXT,
        _NOT_DONE,
        _("Check its power and its network, and wait until it is connected again; then try again."),
    ),
    (e.Refused, Reason.DEVICE_BUSY): (
        _("The device is busy with another sale."),
        _NOT_DONE,
        _("Wait until it is free, then try again."),
    ),
    (e.Refused, Reason.CLASS_CODE): (_("This isn't the code on the board."), _NOT_DONE, ""),
    (e.Refused, Reason.CLASS_WORD): (_("Nobody in the class has this word."), _NOT_DONE, ""),
    (e.Refused, Reason.CLASS_FULL): (_("The class is full."), _NOT_DONE, ""),
    (e.Refused, Reason.CLASS_TOO_MANY): (_("Too many tries: wait {retry_after_s} s."), _NOT_DONE, ""),
    (e.Refused, Reason.CLASS_TICKET): (_("This seat is used on another computer now."), _NOT_DONE, ""),
    (e.Refused, Reason.CLASS_NO_LESSON): (_("The class has no lesson yet. Join again later."), _NOT_DONE, ""),
    (e.Refused, Reason.REQUEST_UNKNOWN): (
        _("The gateway knows no such payment request ({status})."),
        _("Nothing more was done. What became of the sale can't be told from that."),
        _("Check in the gateway's portal before anything is sent again."),
    ),
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """An explanation as shown; each part is a plain sentence or empty."""

    title: str
    money: str = ""
    next: str = ""
    detail: str = ""

    @property
    def text(self) -> str:
        quoted = _("The gateway said: “{detail}”.").format(detail=self.detail) if self.detail else ""
        return " ".join(part for part in (quoted, self.money, self.next) if part)


def explain(error: e.KeybenchError) -> Explanation:
    match error:
        case e.InputInvalid():
            return Explanation(field_sentence(error))
        case e.KeystoreMissing():
            told = keystore_help(error)
            return Explanation(told.title, next=told.step)
        case e.JournalNewer():
            return _newer(error)
        case e.BundleUnsafe():
            from keybench.words.support.bundle import bundle_error  # noqa: PLC0415 - few ever need it

            title, step = bundle_error(error)
            return Explanation(title, next=step)
        case e.ContractInvalid() | e.LessonInvalid():
            is_lesson = isinstance(error, e.LessonInvalid)
            return Explanation(
                _("A lesson can't be used.") if is_lesson else _("A contract file can't be used."),
                next=_("Correct {file}{value}: {reason}.").format(
                    file=error.file, value=f", {error.where}" if error.where else "", reason=error.reason
                ),
            )
        case e.PracticeUnavailable():
            return Explanation(
                _("The practice gateway can't be started."),
                _("No money is involved."),
                error.message or error.reason,
            )
        case e.Refused(retry_after_s=float(wait_s)) if _variant(error) == Reason.RATE_LIMIT and wait_s:
            waited = _("Wait {seconds} s, then try again.").format(seconds=decimal(wait_s, 0))
            return replace(_of_row(error), next=waited)
        case e.KeystoreError() if type(error) not in _ROWS:
            words = sentences_of(error.reason)
            return Explanation(words.title, next=words.step)
        case _:
            return _of_row(error)


def _of_row(error: e.KeybenchError) -> Explanation:
    kinds, variant = type(error).__mro__, _variant(error)
    keys = (*((kind, variant) for kind in kinds), *kinds)
    row = next((_ROWS[key] for key in keys if key in _ROWS), None)
    if row is None:
        return Explanation(_("Something went wrong that Keybench can't explain."), next=str(error))
    facts = vars(error) | {
        "because": _because(error),
        "variable": ENVIRONMENT_VARIABLE,
        "version": __version__,
    }
    if isinstance(error, e.ValueTooLong):
        facts["limit"] = number(error.limit)
    detail = ""
    if isinstance(error, e.GatewayError) and not isinstance(error, e.NotSent):
        detail = own_words(error.message, error.reference)
    title, money, step = (part.format(**facts) for part in row)
    return Explanation(title, money, step, detail)


def _variant(error: e.KeybenchError) -> str:
    match error:
        case e.JournalDamaged(is_empty=True):
            return "is_empty"
        case e.JournalGone(is_open=True):
            return "is_open"
        case e.KeyUnsettled(is_made=True):
            return "is_made"
        case e.Forbidden(asks_to_wait=True):
            return Reason.RATE_LIMIT
        case e.Refused(status=404) if type(error) is e.Refused and (e.Refused, error.reason) not in _ROWS:
            return "status 404"
        case e.JournalUnwritable() | e.JournalForbidden() | e.FileNotSaved() | e.Refused():
            return error.reason
        case _:
            return ""


def _because(error: e.KeybenchError) -> str:
    match error:
        case e.KeyNotNoted() | e.KeyUnsettled():
            return explain(error.cause).title
        case e.JournalAway(reason=reason) if reason:
            return f" ({reason})"
        case e.AnswerUnreadable():
            return unreadable_sentence(error.reason)
        case e.GatewayError():
            return reason_sentence(error.reason)
        case _:
            return ""


def _newer(error: e.JournalNewer) -> Explanation:
    """Return how to go on, and how to go back: what was written since is in the newer journal alone."""
    title = (
        _("This journal was written by a newer Keybench, {version}.").format(version=error.writer)
        if error.writer
        else _("This journal was written by a newer Keybench.")
    )
    step = _("Install the newer Keybench, or choose another folder with --data-dir.")
    if error.copy:
        back = _(
            "To go back, put a copy of {path}, which is from before, into an empty folder as journal.sqlite3 and "
            "choose that. What was written since is in the newer journal alone, so keep both."
        ).format(path=error.copy)
        step = f"{step} {back}"
    return Explanation(
        title,
        _("Keybench {version} can't read it. It was not touched.").format(version=__version__),
        step,
    )


def own_words(message: str, reference: str) -> str:
    return (
        _("{message} (ref {reference})").format(message=message, reference=reference)
        if message and reference
        else message or reference
    )
