"""What is wrong with something that was entered, in one sentence that says how to correct it."""

from __future__ import annotations

from collections.abc import Sequence

from keybench.core.errors import (
    AmountInvalid,
    AmountOverLimit,
    BaseUrlInvalid,
    CardDataRefused,
    CurrencyInvalid,
    DeviceListInvalid,
    EnvironmentBuiltIn,
    InputInvalid,
    KeyKindUnfit,
    KeyListInvalid,
    KeysUnsettled,
    KeyUnderWay,
    KeyValueInvalid,
    KeyWithoutValue,
    ListInvalid,
    LiveBarred,
    LiveNotConfirmed,
    ModeNotOffered,
    NameInvalid,
    NameTaken,
    NotChecked,
    NotFound,
    ProxyInvalid,
    RotationBarred,
    RotationUnderWay,
    SalesUnderWay,
    SettingInvalid,
    TextNotErasable,
    ValueMisplaced,
)
from keybench.words.activity import not_erasable_sentence
from keybench.words.formats import number

_BASE_URL = {
    BaseUrlInvalid.EMPTY: "Enter the gateway's address, such as https://sandbox.example.com.",
    BaseUrlInvalid.NO_SCHEME: "The address must begin with https://.",
    BaseUrlInvalid.NOT_HTTPS: "The address must begin with https://. Plain http would show your key to the "
    "network; it is allowed only to this computer (127.0.0.1, localhost).",
    BaseUrlInvalid.CREDENTIALS: "Leave the user name and password out of the address. Keybench signs in with keys.",
    BaseUrlInvalid.NO_HOST: "The address has no host name. It should look like https://sandbox.example.com.",
    BaseUrlInvalid.EXTRA: "Leave out everything from ? or # on: the base URL is only the address.",
    BaseUrlInvalid.LOOK_ALIKE: "The host's name mixes letters of several scripts, so that it looks like another. "
    "Copy the address from its owner's own page.",
    BaseUrlInvalid.MALFORMED: "This isn't a web address. It should look like https://sandbox.example.com.",
}

_PROXY = {
    ProxyInvalid.KIND: "Keybench can use HTTP proxies only: the address begins with http:// or https://.",
    ProxyInvalid.MALFORMED: "Enter the proxy's address with its port, such as http://proxy.example.com:3128.",
    ProxyInvalid.PASSWORD: "Leave the password out of the address. It is asked for apart and kept in the keystore only.",
    ProxyInvalid.NO_PASSWORD: "Enter the password of the proxy's user.",
    ProxyInvalid.NO_USER: "Enter the user name that the password belongs to.",
    ProxyInvalid.PRACTICE: "The practice gateway runs on this computer, so no proxy stands before it.",
}

_KEY_VALUE = {
    KeyValueInvalid.EMPTY: "Paste the key's value from the portal.",
    KeyValueInvalid.LINE_BREAKS: "The value has line breaks in it, so more than the key was copied. Copy the key alone.",
    KeyValueInvalid.UNPRINTABLE: "The value has characters that no key has. Copy it again from the portal.",
}

#: Of either kind of list, and of one kind alone.
_LIST = {
    ListInvalid.NOT_CSV: "The file can't be read as CSV: its quotation marks don't match up. Save it as CSV again.",
    ListInvalid.NOT_TEXT: "The file isn't text in UTF-8. Save the list as “CSV UTF-8”.",
    ListInvalid.TOO_MANY: "The list has more than 10,000 rows. Split it into several.",
    ListInvalid.COLUMN_TWICE: "The first row names a column twice. Keep one of each.",
    ListInvalid.UNREADABLE: "The file can't be read. Check that it is there and may be read.",
}
_DEVICE_LIST = _LIST | {
    DeviceListInvalid.EMPTY: "The list has no devices in it: one a row is needed, the device's identifier first.",
    DeviceListInvalid.TOO_LARGE: "The file is larger than 5 MB. A list of devices is smaller; split it otherwise.",
    DeviceListInvalid.NO_DEVICE_COLUMN: "The first row names columns, but no column is named “device”.",
    DeviceListInvalid.WRONG_ROWS: "Some rows of the list can't be sold as they are, so nothing was sent.",
}
_KEY_LIST = _LIST | {
    KeyListInvalid.EMPTY: "The file lists no keys: the first row names the columns, then comes one key a row.",
    KeyListInvalid.TOO_LARGE: "The file is larger than 5 MB. Split it into several.",
    KeyListInvalid.NO_NAME_COLUMN: "The first row must name the columns, and one of them must be “name”.",
    KeyListInvalid.VALUE_COLUMN: "The file has a column of values. Values never come from files: take that column "
    "out, delete the file, and give each key its value in Keybench.",
    KeyListInvalid.VALUE_CELL: "There is what looks like a key's value in the file, so nothing was taken over. "
    "Values never come from files: take it out, and think about whether the file itself should be kept.",
    KeyListInvalid.KIND: "The kind is “private” or “public”.",
    KeyListInvalid.CREATED: "The day it was created looks like 2026-03-31.",
    KeyListInvalid.WRONG_ROWS: "Some rows can't be taken over as they are, so nothing was.",
}

_ROTATION = {
    RotationBarred.OVER: "This rotation is finished or was abandoned, so nothing in it changes any more.",
    RotationBarred.NO_REPLACEMENT: "There is no replacement yet. Create it first.",
    RotationBarred.REPLACED_ALREADY: "There is a replacement already. Take it back first if it is the wrong one.",
    RotationBarred.IN_USE: "An application uses the replacement, so it can't be taken back.",
    RotationBarred.NOT_CHANGED: "The new key must be set in the application before it can be seen working there.",
    RotationBarred.NOT_LISTED: "This application isn't part of the rotation.",
    RotationBarred.NOT_TESTED: "The old key can't be deleted yet: not everything was seen working with the new one. "
    "Test the new key and record who saw what is left work, or write down why the key must go now.",
    RotationBarred.NOT_ASKED: "Ask for the deletion first.",
    RotationBarred.NOT_DELETED: "The old key has to be deleted before it can be seen to be refused.",
    RotationBarred.NOT_REFUSED: "The old key has to be seen to be refused before this.",
    RotationBarred.DELETED: "The old key is deleted, and that can't be taken back.",
    RotationBarred.NOT_COMPROMISED: "This list is for compromised keys only.",
    RotationBarred.REASON_MISSING: "Write down the reason; it goes into the record.",
    RotationBarred.NOT_PLANNED: "Say first what the replacement shall be: its name, user and permission type.",
    RotationBarred.SAME_VALUE: "This is the old key's own value. Create a new key in the portal and paste its value.",
    RotationBarred.STILL_ACCEPTED: "The gateway still accepts the old key. Spreading a deletion can take a while: look "
    "again later. If you delete keys in the portal, check there that it is gone.",
    RotationBarred.ELSEWHERE: "Another Keybench window is at this step of the rotation just now. Let it finish, or "
    "close it, and look again.",
    RotationBarred.WENT_ON: "This rotation went on while you were asked, so nothing was done. Look at it as it is now, "
    "and ask again for what is still wanted.",
}


def field_sentence(error: InputInvalid) -> str:  # noqa: C901 - one sentence a class; a table would hide the fields
    """Return what is wrong with the field and how to correct it."""
    match error:
        case AmountInvalid():
            return _amount(error)
        case CurrencyInvalid():
            if error.reason == CurrencyInvalid.UNKNOWN:
                return f"There is no money with the code {error.text.strip().upper()} (ISO 4217). Check the letters."
            return "A currency is three letters, such as USD."
        case NameInvalid():
            return _name(error)
        case NameTaken():
            return f"There is already {_article(error.what)} {error.what} named “{error.name}”. Choose another name."
        case BaseUrlInvalid():
            return _BASE_URL[error.reason]
        case ProxyInvalid():
            return _PROXY[error.reason]
        case KeyValueInvalid():
            return _key_value(error)
        case CardDataRefused():
            seen = "a card number" if error.reason == CardDataRefused.NUMBER else "a card's details"
            return (
                f"This looks like {seen}. Card data never goes into Keybench: the device collects it. "
                "It was not kept."
            )
        case ValueMisplaced():
            return (
                "This text contains a key's value, so it was not kept. Take it out: a value belongs into the "
                "field for it, and nowhere else."
            )
        case KeyKindUnfit():
            return f"“{error.name}” is a public key, and public keys can't sell. Choose a private key."
        case KeyWithoutValue():
            return (
                f"“{error.name}” has no value here, so nothing can be sent with it. Give it its value (Keys, "
                "Inventory, “Give it a value…”), or choose another key."
            )
        case NotFound():
            return f"There is no {error.what} named “{error.name}” here."
        case LiveNotConfirmed():
            return (
                f"“{error.environment}” is live: real money would move, so the sale must be confirmed first."
            )
        case LiveBarred():
            return (
                "Live sales need a keystore. Keys are in this session's memory only, so live is off until the "
                "system's keystore can be used."
            )
        case AmountOverLimit():
            return (
                f"{error.amount} is above the limit of {error.limit} for “{error.environment}”. Enter less, or "
                "change the limit in Settings."
            )
        case ModeNotOffered():
            return "This environment's gateway doesn't offer this way to sell. Choose another."
        case SalesUnderWay():
            return _under_way(error)
        case DeviceListInvalid():
            return _DEVICE_LIST[error.reason]
        case RotationBarred():
            return _ROTATION[error.reason]
        case RotationUnderWay():
            return f"“{error.name}” is being rotated. Finish that rotation or abandon it first."
        case KeyUnderWay():
            return f"Another Keybench is just adding “{error.name}”. Wait until that is done."
        case KeysUnsettled():
            return (
                f"Nobody can tell yet whether its gateway has made {_quoted(error.names)}. Keybench finds out as "
                "soon as the gateway answers."
            )
        case KeyListInvalid():
            return (f"Line {error.line}: " if error.line else "") + _KEY_LIST[error.reason]
        case SettingInvalid():
            return _setting(error)
        case TextNotErasable():
            return not_erasable_sentence(error)
        case NotChecked():
            return (
                f"{error.reference} may have been made: look it up, or check at the gateway, before it is sent "
                "again."
            )
        case EnvironmentBuiltIn():
            return "The practice environment is built in and stays."
        case _:
            return "This can't be used as it is."


def _amount(error: AmountInvalid) -> str:
    match error.reason:
        case AmountInvalid.EMPTY:
            return "Enter an amount, such as 10.00."
        case AmountInvalid.ZERO:
            return "The amount must be more than zero."
        case AmountInvalid.TOO_PRECISE if error.places == 0:
            return "This currency has no decimal places."
        case AmountInvalid.TOO_PRECISE:
            return f"This currency has {error.places} decimal places at the most."
        case _:
            return "Enter the amount as plain figures, such as 10.00: no sign, letters or grouping."


def _name(error: NameInvalid) -> str:
    what = error.what.capitalize()
    match error.reason:
        case NameInvalid.EMPTY:
            return f"{what} can't be empty."
        case NameInvalid.TOO_LONG:
            return f"{what} can have {error.limit} characters at the most."
        case NameInvalid.UNSEEN:
            return f"{what} has characters in it that can't be seen. Type it again instead of pasting it."
        case NameInvalid.NOT_A_PERSON:
            return "“Keybench” stands for this program in the record. Enter a person's name."
        case _:
            return f"{what} can't have line breaks or control characters."


def _key_value(error: KeyValueInvalid) -> str:
    if error.reason == KeyValueInvalid.TOO_LONG:
        return (
            f"The value has {number(error.length)} characters; a key has {number(error.limit)} at the most. "
            "Perhaps more than the key was copied."
        )
    return _KEY_VALUE[error.reason]


def _setting(error: SettingInvalid) -> str:
    if error.reason == SettingInvalid.TOO_LONG:
        return f"These busy times have more than {number(error.most)} characters. Name fewer."
    if error.reason == SettingInvalid.NOT_A_TIME:
        return f"“{error.line}” isn't a time. Enter one a line, such as Fri 16:00-20:00, Sat, or 2026-12-24."
    return f"From {error.least} to {number(error.most)} days."


def _under_way(error: SalesUnderWay) -> str:
    if error.count == 1:
        return f"A sale that needs “{error.name}” is still under way. Wait for the outcome first."
    return f"{error.count} sales that need “{error.name}” are still under way. Wait for the outcome first."


def _quoted(names: Sequence[str]) -> str:
    return " and ".join(f"“{name}”" for name in names)


def _article(what: str) -> str:
    return "an" if what[0] in "aeiou" else "a"
