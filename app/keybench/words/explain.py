"""Every error a person can meet: what happened, what it means for the money, what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from keybench import __version__
from keybench.core import errors as e
from keybench.core.reasons import Reason
from keybench.runtime.data_folder import ENVIRONMENT_VARIABLE
from keybench.words.fields import field_sentence
from keybench.words.formats import number
from keybench.words.keystore_help import keystore_help
from keybench.words.language import _
from keybench.words.reasons import reason_sentence, sentences_of, unreadable_sentence

DEVICE_OFFLINE_TEXT: Final = _("The device isn't connected.")
_UNKNOWN_THING: Final = 404
_BY_REASON: Final = {
    Reason.RATE_LIMIT,
    Reason.DEVICE_OFFLINE,
    Reason.DEVICE_BUSY,
    Reason.REQUEST_UNKNOWN,
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
        """Everything but the title, as one paragraph."""
        quoted = _("The gateway said: “{detail}”.").format(detail=self.detail) if self.detail else ""
        return " ".join(part for part in (quoted, self.money, self.next) if part)


def explain(error: e.KeybenchError) -> Explanation:
    """Return the explanation of any error of ours."""
    match error:
        case e.InputInvalid():
            return Explanation(field_sentence(error))
        case e.KeystoreError():
            return _keystore(error)
        case e.JournalError():
            return _journal(error)
        case e.GatewayError():
            return _gateway(error)
        case e.KeyUnsettled():
            return _key_unsettled(error)
        case e.FileNotSaved():
            return _file(error)
        case e.BundleInvalid() | e.BundleUnsafe():
            from keybench.words.bundle import bundle_error  # noqa: PLC0415 - few ever need it

            title, step = bundle_error(error)
            return Explanation(title, next=step)
        case e.ContractInvalid():
            return Explanation(
                _("A contract file can't be used."),
                next=_("Correct {file}{value}: {reason}.").format(
                    file=error.file, value=f", {error.where}" if error.where else "", reason=error.reason
                ),
            )
        case _:
            return Explanation(_("Something went wrong that Keybench can't explain."), next=str(error))


def _keystore(error: e.KeystoreError) -> Explanation:
    match error:
        case e.KeystoreMissing():
            told = keystore_help(error)
            elsewhere = _(
                "Nothing is kept elsewhere unless you choose to keep new values in this session's memory."
            )
            gone = isinstance(error, e.KeystoreGone)
            return Explanation(told.title, next=f"{told.step} {elsewhere}" if gone else told.step)
        case e.ValueTooLong():
            return Explanation(
                _("The value is longer than the {number} characters a keystore can keep.").format(
                    number=number(error.limit)
                ),
                next=_("Check that only the key was copied."),
            )
        case e.ValueDiffers():
            return Explanation(
                _("The keystore has another value for “{name}” than the one that was kept.").format(
                    name=error.name
                ),
                _("Nothing was sent with it, and nothing was erased."),
                _(
                    "The kept one's fingerprint is {expected}, this one's is {found}. If somebody changed "
                    "the entry on purpose, give the key its value again; if not, treat the key as compromised."
                ).format(expected=error.expected, found=error.found),
            )
        case _:
            words = sentences_of(error.reason)
            return Explanation(words.title, next=words.step)


def _journal(error: e.JournalError) -> Explanation:
    money = _("No new sale is sent while the journal can't be written. What was sent goes on.")
    match error:
        case e.KeyNotNoted():
            return Explanation(
                _("“{name}” is kept, and the journal couldn't list it.").format(name=error.name),
                explain(error.cause).title,
                _(
                    "Keybench lists it once the journal can be written: at the next try, or at its next start."
                ),
            )
        case e.JournalUnwritable():
            return _unwritable(error, money)
        case e.JournalNewer():
            return _newer(error)
        case e.JournalInUse():
            return Explanation(
                _("Another Keybench has this data folder open: {path}.").format(path=error.path),
                _(
                    "It is on a file system ({kind}) where one program at a time can open the journal, so nothing was "
                    "opened."
                ).format(kind=error.kind),
                _(
                    "Close the other window or wait for the other command, on this computer or another one, and try "
                    "again. Or choose a folder on a disk of this computer with --data-dir or {variable}."
                ).format(variable=ENVIRONMENT_VARIABLE),
            )
        case e.JournalDamaged():
            title = (
                _("The journal's file is empty: {path}.")
                if error.is_empty
                else _("The journal's file is damaged: {path}.")
            )
            return Explanation(
                title.format(path=error.path),
                _("It was not touched."),
                _(
                    "Put a copy from a backup in its place, or move the file away to begin with an empty journal."
                ),
            )
        case e.JournalGone():
            return _gone(error, money)
        case e.JournalUnfamiliar():
            return Explanation(
                _("This file isn't a journal that Keybench knows: {path}.").format(path=error.path),
                _("It has no {missing}, and was not touched.").format(missing=error.missing),
                _(
                    "Move the file away to begin with an empty journal, or choose another folder with --data-dir."
                ),
            )
        case e.JournalBusy():
            return Explanation(
                _("Another program is holding the journal."),
                money,
                _("Close other Keybench windows or commands, then try again."),
            )
        case _:
            return Explanation(
                _("The journal failed."),
                money,
                _("Try again; if it goes on, restart Keybench."),
            )


def _gone(error: e.JournalGone, money: str) -> Explanation:
    if error.is_open:
        title = _("The journal was deleted, moved or replaced under this Keybench: {path}.")
        step = _(
            "Put it back. If it is lost, ask the gateway about the sales under way, and restart Keybench."
        )
    else:
        title = _("This data folder had a journal, and it is gone: {path}.")
        money = _("No empty one was made: it wouldn't know your keys, nor which sales are under way.")
        step = _("Put it or a backup back, or start with an empty one (a command does with --new-journal).")
    return Explanation(title.format(path=error.path), money, step)


def _unwritable(error: e.JournalUnwritable, money: str) -> Explanation:
    match error.reason:
        case e.JournalUnwritable.LONG_PATH:
            return Explanation(
                _("The data folder's path is too long: {path}.").format(path=error.path),
                money,
                _(
                    "Choose a folder with a path of 400 letters at the most with --data-dir or {variable}."
                ).format(variable=ENVIRONMENT_VARIABLE),
            )
        case e.JournalUnwritable.NOT_KEPT:
            return Explanation(
                _("The data folder would be gone when this Flatpak ends: {path}.").format(path=error.path),
                money,
                _(
                    "Leave --data-dir out, or let the Flatpak into the folder by “flatpak run --filesystem=FOLDER”."
                ),
            )
        case e.JournalUnwritable.IO_FAILED:
            return Explanation(
                _("The journal couldn't be read or written just now: {path}.").format(path=error.path),
                money,
                _("Try again. If it goes on, look after the disk, or the network drive, that it is on."),
            )
        case _:
            return Explanation(
                _("The data folder can't be written: {path} ({reason}).").format(
                    path=error.path, reason=error.reason
                ),
                money,
                _(
                    "Make room or give yourself the right to write there, or choose another folder with --data-dir."
                ),
            )


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


def _file(error: e.FileNotSaved) -> Explanation:
    if error.reason == e.FileNotSaved.FORMAT:
        return Explanation(
            _("The file's name has no known format: {path}.").format(path=error.path),
            next=_("End it in .csv or .json."),
        )
    if error.reason == e.FileNotSaved.NOT_KEPT:
        return Explanation(
            _("The file wasn't saved: {path} would be gone when this Flatpak ends.").format(path=error.path),
            _("Nothing is lost: what it would hold is still in the journal."),
            _(
                "The window's own dialogs reach every folder. Give a command the folder by “flatpak run "
                "--filesystem=FOLDER”, and the file's whole path."
            ),
        )
    return Explanation(
        _("The file couldn't be saved: {path} ({reason}).").format(path=error.path, reason=error.reason),
        _("Nothing is lost: what it would hold is still in the journal, and an older file is as it was."),
        _("Make room, or choose a folder you may write to."),
    )


def _key_unsettled(error: e.KeyUnsettled) -> Explanation:
    if error.is_made:
        title = _("The gateway created “{name}”, and its value is lost.").format(name=error.name)
        step = _("Keybench deletes the key at the gateway as soon as it can.")
    else:
        title = _("Nobody can tell whether “{name}” was created.").format(name=error.name)
        step = _(
            "Keybench finds out as soon as it can, and adds the key, or deletes it where its value is lost."
        )
    return Explanation(title, explain(error.cause).title, step)


def _gateway(error: e.GatewayError) -> Explanation:
    detail = own_words(error.message, error.reference)
    match error:
        case e.PracticeUnavailable():
            return Explanation(
                _("The practice gateway can't be started."),
                _("No money is involved."),
                error.message or error.reason,
            )
        case e.NotSent():
            return Explanation(
                reason_sentence(error.reason), _("Nothing reached the gateway."), _("Check, then try again.")
            )
        case e.Refused():
            return _refused(error, detail)
        case e.AnswerUnreadable():
            return Explanation(unreadable_sentence(error.reason), "", _("Try again, or look it up."), detail)
        case e.GatewayFailed():
            return Explanation(
                _("The gateway itself failed ({status}).").format(status=error.status),
                "",
                _("Wait a moment, then try again."),
                detail,
            )
        case _:
            return Explanation(
                reason_sentence(error.reason), "", _("Check the connection, then try again."), detail
            )


def _refused(error: e.Refused, detail: str) -> Explanation:
    match error:
        case e.Refused() if _reason_of(error) in _BY_REASON:
            return _by_reason(error, detail)
        case e.KeyRefused():
            return Explanation(
                _("The gateway refused the key ({status}).").format(status=error.status),
                _("Nothing was done."),
                _("A diagnosis finds out why, and sends no sale."),
                detail,
            )
        case e.Forbidden():
            return Explanation(*_forbidden(error), detail)
        case e.KeyMadeBefore():
            return Explanation(
                _("The gateway has created this key before, and it shows a value only once."),
                _("Nothing was created twice."),
                _("Delete the key without a value at the gateway, then create it again."),
            )
        case e.Refused() if error.status == _UNKNOWN_THING:
            return Explanation(
                _("The gateway doesn't know what was asked for (404)."),
                _("Nothing was done."),
                _("Check the device, and the environment's address and contract."),
                detail,
            )
        case _:
            return Explanation(
                _("The gateway refused the request ({status}).").format(status=error.status),
                _("Nothing was done."),
                "",
                detail,
            )


def _by_reason(error: e.Refused, detail: str) -> Explanation:
    """Return what a refusal means that the gateway gave a reason for, whatever its status."""
    nothing = _("Nothing was done.")
    match _reason_of(error):
        case Reason.RATE_LIMIT:
            return Explanation(
                _("The gateway is limiting how often it may be called ({status}).").format(
                    status=error.status
                ),
                nothing,
                _("Wait {seconds:.0f} s, then try again.").format(seconds=error.retry_after_s)
                if error.retry_after_s
                else _("Wait a minute, then try again."),
                detail,
            )
        case Reason.DEVICE_OFFLINE:
            return Explanation(
                DEVICE_OFFLINE_TEXT,
                nothing,
                _("Check its power and its network, and wait until it is connected again; then try again."),
                detail,
            )
        case Reason.DEVICE_BUSY:
            return Explanation(
                _("The device is busy with another sale."),
                nothing,
                _("Wait until it is free, then try again."),
                detail,
            )
        case _:
            return Explanation(
                _("The gateway knows no such payment request ({status}).").format(status=error.status),
                _("Nothing more was done. What became of the sale can't be told from that."),
                _("Check in the gateway's portal before anything is sent again."),
                detail,
            )


def _reason_of(error: e.Refused) -> Reason:
    return Reason.RATE_LIMIT if isinstance(error, e.Forbidden) and error.asks_to_wait else error.reason


def _forbidden(error: e.Forbidden) -> tuple[str, str, str]:
    return (
        _("The gateway doesn't allow this ({status}).").format(status=error.status),
        _("Nothing was done."),
        # A 403 that doesn't say why may mean either.
        _(
            "Check the permissions of the key's user, the key's kind, and whether the account is restricted. "
            "It may also be called too often: then wait a minute and try again."
        ),
    )


def own_words(message: str, reference: str) -> str:
    """Return the gateway's words with its reference behind them, or nothing."""
    return (
        _("{message} (ref {reference})").format(message=message, reference=reference)
        if message and reference
        else message or reference
    )
