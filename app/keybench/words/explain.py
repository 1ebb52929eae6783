"""Every error a person can meet: what happened, what it means for the money, what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from keybench.core import errors as e
from keybench.core.reasons import Reason
from keybench.words.fields import field_sentence
from keybench.words.formats import number
from keybench.words.reasons import reason_sentence, sentences_of, unreadable_sentence

DEVICE_OFFLINE_TEXT: Final = "The device isn't connected."
DEVICE_OFFLINE_STEP: Final = "Check its power and its network, and wait until it is connected again; then"
TOO_OFTEN_TEXT: Final = "The gateway is limiting how often it may be called"
#: A 403 that doesn't say why may mean either.
FORBIDDEN_STEP: Final = (
    "Check the permissions of the key's user, the key's kind, and whether the account is restricted. It may also "
    "be called too often: then wait a minute and"
)
_UNKNOWN_THING: Final = 404
_BY_REASON: Final = {
    Reason.RATE_LIMIT,
    Reason.DEVICE_OFFLINE,
    Reason.DEVICE_BUSY,
    Reason.REQUEST_UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """An explanation as shown; each part is a plain sentence or empty.

    Attributes:
        money: What it means for the money.
        detail: The gateway's own words and reference, as they came.
    """

    title: str
    money: str = ""
    next: str = ""
    detail: str = ""

    @property
    def text(self) -> str:
        """Everything but the title, as one paragraph."""
        quoted = f"The gateway said: “{self.detail}”." if self.detail else ""
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
        case e.ContractInvalid():
            return Explanation(
                "A contract file can't be used.",
                next=f"Correct {error.file}{f', {error.where}' if error.where else ''}: {error.reason}.",
            )
        case _:
            return Explanation("Something went wrong that Keybench can't explain.", next=str(error))


def _keystore(error: e.KeystoreError) -> Explanation:
    match error:
        case e.KeystoreGone():
            return Explanation(
                f"{error.name} isn't there, and this installation keeps keys in it.",
                next=f"Start {error.name} and unlock it, then try again. Nothing is kept elsewhere unless you choose "
                "to keep new values in this session's memory.",
            )
        case e.ValueTooLong():
            return Explanation(
                f"The value is longer than the {number(error.limit)} characters a keystore can keep.",
                next="Check that only the key was copied.",
            )
        case e.ValueDiffers():
            return Explanation(
                f"The keystore has another value for “{error.name}” than the one that was kept.",
                "Nothing was sent with it, and nothing was erased.",
                f"The kept one's fingerprint is {error.expected}, this one's is {error.found}. If somebody changed "
                "the entry on purpose, give the key its value again; if not, treat the key as compromised.",
            )
        case _:
            words = sentences_of(error.reason)
            return Explanation(words.title, next=words.step)


def _journal(error: e.JournalError) -> Explanation:
    money = "Nothing is sent while the journal can't be written, so no money moves unseen."
    match error:
        case e.KeyNotNoted():
            return Explanation(
                f"“{error.name}” is kept, and the journal couldn't list it.",
                explain(error.cause).title,
                "Keybench lists it once the journal can be written: at the next try, or at its next start.",
            )
        case e.JournalUnwritable():
            return Explanation(
                f"The data folder can't be written: {error.path} ({error.reason}).",
                money,
                "Make room or give yourself the right to write there, or choose another folder with --data-dir.",
            )
        case e.JournalNewer():
            return Explanation(
                "This journal was written by a newer Keybench.",
                "It was not touched.",
                "Install the newer Keybench, or choose another folder with --data-dir.",
            )
        case e.JournalDamaged():
            return Explanation(
                f"The journal's file is {'empty' if error.is_empty else 'damaged'}: {error.path}.",
                "It was not touched.",
                "Put a copy from a backup in its place, or move the file away to begin with an empty journal.",
            )
        case e.JournalUnfamiliar():
            return Explanation(
                f"This file isn't a journal that Keybench knows: {error.path}.",
                "It was not touched.",
                "Move the file away to begin with an empty journal, or choose another folder with --data-dir.",
                detail=f"It has no {error.missing}.",
            )
        case e.JournalBusy():
            return Explanation(
                "Another program is holding the journal.",
                money,
                "Close other Keybench windows or commands, then try again.",
            )
        case _:
            return Explanation(
                "The journal failed.",
                money,
                "Try again; if it goes on, restart Keybench.",
            )


def _file(error: e.FileNotSaved) -> Explanation:
    if error.reason == e.FileNotSaved.FORMAT:
        return Explanation(
            f"The file's name has no known format: {error.path}.", next="End it in .csv or .json."
        )
    return Explanation(
        f"The file couldn't be saved: {error.path} ({error.reason}).",
        "Nothing is lost: what it would hold is still in the journal, and an older file is as it was.",
        "Make room, or choose a folder you may write to.",
    )


def _key_unsettled(error: e.KeyUnsettled) -> Explanation:
    if error.is_made:
        title = f"The gateway created “{error.name}”, and its value is lost."
        step = "Keybench deletes the key at the gateway as soon as it can."
    else:
        title = f"Nobody can tell whether “{error.name}” was created."
        step = (
            "Keybench finds out as soon as it can, and adds the key, or deletes it where its value is lost."
        )
    return Explanation(title, explain(error.cause).title, step)


def _gateway(error: e.GatewayError) -> Explanation:
    detail = own_words(error.message, error.reference)
    match error:
        case e.PracticeUnavailable():
            return Explanation(
                "The practice gateway can't be started.",
                "No money is involved.",
                error.message or error.reason,
            )
        case e.NotSent():
            return Explanation(
                reason_sentence(error.reason), "Nothing reached the gateway.", "Check, then try again."
            )
        case e.Refused():
            return _refused(error, detail)
        case e.AnswerUnreadable():
            return Explanation(unreadable_sentence(error.reason), "", "Try again, or look it up.", detail)
        case e.GatewayFailed():
            return Explanation(
                f"The gateway itself failed ({error.status}).", "", "Wait a moment, then try again.", detail
            )
        case _:
            return Explanation(
                reason_sentence(error.reason), "", "Check the connection, then try again.", detail
            )


def _refused(error: e.Refused, detail: str) -> Explanation:
    match error:
        case e.Refused() if _reason_of(error) in _BY_REASON:
            return _by_reason(error, detail)
        case e.KeyRefused():
            return Explanation(
                f"The gateway refused the key ({error.status}).",
                "Nothing was done.",
                "Most likely the key belongs to another environment, was deleted in the portal, or its user is "
                "disabled.",
                detail,
            )
        case e.Forbidden():
            return Explanation(*_forbidden(error), detail)
        case e.KeyMadeBefore():
            return Explanation(
                "The gateway has created this key before, and it shows a value only once.",
                "Nothing was created twice.",
                "Delete the key without a value at the gateway, then create it again.",
            )
        case e.Refused() if error.status == _UNKNOWN_THING:
            return Explanation(
                "The gateway doesn't know what was asked for (404).",
                "Nothing was done.",
                "Check the device, and the environment's address and contract.",
                detail,
            )
        case _:
            return Explanation(
                f"The gateway refused the request ({error.status}).", "Nothing was done.", "", detail
            )


def _by_reason(error: e.Refused, detail: str) -> Explanation:
    """Return what a refusal means that the gateway gave a reason for, whatever its status."""
    nothing = "Nothing was done."
    match _reason_of(error):
        case Reason.RATE_LIMIT:
            pause = f"{error.retry_after_s:.0f} s" if error.retry_after_s else "a minute"
            return Explanation(
                f"{TOO_OFTEN_TEXT} ({error.status}).", nothing, f"Wait {pause}, then try again.", detail
            )
        case Reason.DEVICE_OFFLINE:
            return Explanation(DEVICE_OFFLINE_TEXT, nothing, f"{DEVICE_OFFLINE_STEP} try again.", detail)
        case Reason.DEVICE_BUSY:
            return Explanation(
                "The device is busy with another sale.",
                nothing,
                "Wait until it is free, then try again.",
                detail,
            )
        case _:
            return Explanation(
                f"The gateway knows no such payment request ({error.status}).",
                "Nothing more was done. What became of the sale can't be told from that.",
                "Check in the gateway's portal before anything is sent again.",
                detail,
            )


def _reason_of(error: e.Refused) -> Reason:
    return Reason.RATE_LIMIT if isinstance(error, e.Forbidden) and error.asks_to_wait else error.reason


def _forbidden(error: e.Forbidden) -> tuple[str, str, str]:
    return (
        f"The gateway doesn't allow this ({error.status}).",
        "Nothing was done.",
        f"{FORBIDDEN_STEP} try again.",
    )


def own_words(message: str, reference: str) -> str:
    """Return the gateway's words with its reference behind them, or nothing."""
    return f"{message} (ref {reference})" if message and reference else message or reference
