"""What is wrong with something that was entered, in one sentence that says how to correct it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from keybench.core import errors as e
from keybench.core.environments.connection import Slip
from keybench.core.money import Money
from keybench.words.environments.managing import SLIPS, move_sentences
from keybench.words.formats import figure, listed, money, quoted, sentence_case
from keybench.words.language import _, ngettext, number

_BASE_URL = {
    e.BaseUrlInvalid.EMPTY: _("Enter the gateway's address, such as https://sandbox.example.com."),
    e.BaseUrlInvalid.NO_SCHEME: SLIPS[Slip.NO_SCHEME],
    e.BaseUrlInvalid.NOT_HTTPS: SLIPS[Slip.PLAIN_HTTP],
    e.BaseUrlInvalid.CREDENTIALS: SLIPS[Slip.CREDENTIALS],
    e.BaseUrlInvalid.NO_HOST: _(
        "The address has no host name. It should look like https://sandbox.example.com."
    ),
    e.BaseUrlInvalid.EXTRA: SLIPS[Slip.EXTRA],
    e.BaseUrlInvalid.MALFORMED: _(
        "This isn't a web address. It should look like https://sandbox.example.com."
    ),
}

_PORTAL_URL = {
    e.BaseUrlInvalid.NOT_HTTPS: _("The portal's address must begin with https://."),
    e.BaseUrlInvalid.CREDENTIALS: _("Leave the user name and password out of the address."),
}

_PROXY = {
    e.ProxyInvalid.KIND: _(
        "Keybench can use HTTP proxies only: the address begins with http:// or https://."
    ),
    e.ProxyInvalid.MALFORMED: _(
        "Enter the proxy's address with its port, such as http://proxy.example.com:3128."
    ),
    e.ProxyInvalid.PASSWORD: _(
        "Leave the password out of the address. It is asked for separately and kept in the keystore only."
    ),
    e.ProxyInvalid.NO_PASSWORD: _("Enter the password of the proxy's user."),
    e.ProxyInvalid.NO_USER: _("Enter the user name that the password belongs to."),
    e.ProxyInvalid.PRACTICE: _("The practice gateway runs on this computer, so it needs no proxy."),
}

#: What a text that was entered is, by what `keybench.core.text.clean_text` was given.
_THINGS: Final = {
    "application": _("application"),
    "application name": _("application name"),
    "contact": _("contact"),
    "contract": _("contract"),
    "desk's name": _("desk's name"),
    "device": _("device"),
    "environment": _("environment"),
    "environment name": _("environment name"),
    "finding": _("finding"),
    "key": _("key"),
    "key name": _("key name"),
    "nickname": _("nickname"),
    "owner": _("owner"),
    "permission": _("permission"),
    "place": _("place"),
    "purpose": _("purpose"),
    "reason": _("reason"),
    "registration code": _("registration code"),
    "rotation": _("rotation"),
    "sale": _("sale"),
    "username": _("username"),
    "what was seen": _("what was seen"),
    "your name": _("your name"),
}

_KEY_VALUE = {
    e.KeyValueInvalid.EMPTY: _("Paste the key's value from the portal."),
    e.KeyValueInvalid.TOO_LONG: _(
        "The value has {length} characters; a key has {limit} at the most. "
        "Perhaps more than the key was copied."
    ),
    e.KeyValueInvalid.LINE_BREAKS: _(
        "The value has line breaks in it, so more than the key was copied. Copy the key alone."
    ),
    e.KeyValueInvalid.UNPRINTABLE: _(
        "The value has characters that no key has. Copy it again from the portal."
    ),
}

#: Of either kind of list, and of one kind alone.
_LIST = {
    e.ListInvalid.NOT_CSV: _(
        "The file can't be read as CSV: its quotation marks don't match up. Save it as CSV again."
    ),
    e.ListInvalid.NOT_TEXT: _("The file isn't text. Save the list as “CSV UTF-8”."),
    e.ListInvalid.WORKBOOK: _("This is a spreadsheet's own file. Save it as CSV there, and use that file."),
    e.ListInvalid.TOO_MANY: _("The list has more than 10,000 rows. Split it into several."),
    e.ListInvalid.COLUMN_TWICE: _("The first row names a column twice. Keep one of each."),
    e.ListInvalid.UNREADABLE: _("The file can't be read. Check that it is there and may be read."),
}
_DEVICE_LIST = _LIST | {
    e.DeviceListInvalid.EMPTY: _(
        "The list has no devices in it: one a row is needed, the device's identifier first."
    ),
    e.DeviceListInvalid.TOO_LARGE: _(
        "The file is larger than 5 MB. A list of devices is smaller; otherwise split it."
    ),
    e.DeviceListInvalid.NO_DEVICE_COLUMN: _("The first row names columns, but no column is named “device”."),
    e.DeviceListInvalid.WRONG_ROWS: _(
        "Some rows of the list can't be sold as they are, so nothing was sent."
    ),
}
_KEY_LIST = _LIST | {
    e.KeyListInvalid.EMPTY: _(
        "The file lists no keys: the first row names the columns, then comes one key a row."
    ),
    e.KeyListInvalid.TOO_LARGE: _("The file is larger than 5 MB. Split it into several."),
    e.KeyListInvalid.DATES: _(
        "“{text}” can be read in two ways. Say how the file's dates are written: day-first or month-first."
    ),
    e.KeyListInvalid.VALUE_COLUMN: _(
        "The file has a column of values. Values never come from files: take that column "
        "out, delete the file, and give each key its value in Keybench."
    ),
    e.KeyListInvalid.VALUE_CELL: _(
        "There is what looks like a key's value in the file, so nothing was imported. "
        "Values never come from files: take it out, and think about whether the file itself should be kept."
    ),
    e.KeyListInvalid.KIND: _("The kind is “private” or “public”."),
    e.KeyListInvalid.CREATED: _("Write dates as 2026-03-31."),
    e.KeyListInvalid.WRONG_ROWS: _("Some rows can't be imported as they are, so nothing was."),
}

_ROTATION = {
    e.RotationBarred.OVER: _(
        "This rotation is finished or was abandoned, so nothing in it changes any more."
    ),
    e.RotationBarred.NO_REPLACEMENT: _("There is no replacement yet. Create it first."),
    e.RotationBarred.REPLACED_ALREADY: _(
        "There is a replacement already. Take it back first if it is the wrong one."
    ),
    e.RotationBarred.IN_USE: _("An application uses the replacement, so it can't be taken back."),
    e.RotationBarred.NOT_CHANGED: _(
        "The new key must be set in the application before it can be seen working there."
    ),
    e.RotationBarred.NOT_LISTED: _("This application isn't part of the rotation."),
    e.RotationBarred.NOT_TESTED: _(
        "The old key can't be deleted yet: not everything was seen working with the new one. "
        "Test the new key and record who saw the remaining applications work, or write down why the key must go now."
    ),
    e.RotationBarred.NOT_ASKED: _("Ask for the deletion first."),
    e.RotationBarred.NOT_DELETED: _("The old key has to be deleted before it can be seen to be refused."),
    e.RotationBarred.NOT_REFUSED: _("The old key has to be seen to be refused before this."),
    e.RotationBarred.DELETED: _("The old key is deleted, and that can't be taken back."),
    e.RotationBarred.NOT_COMPROMISED: _("This list is for compromised keys only."),
    e.RotationBarred.REASON_MISSING: _("Write down the reason; it goes into the record."),
    e.RotationBarred.NOT_PLANNED: _(
        "First enter what the replacement is to be: its name, user and permission type."
    ),
    e.RotationBarred.SAME_VALUE: _(
        "This is the old key's own value. Create a new key in the portal and paste its value."
    ),
    e.RotationBarred.STILL_ACCEPTED: _(
        "The gateway still accepts the old key. A deletion can take a while to spread: look "
        "again later. If you delete keys in the portal, check there that it is gone."
    ),
    e.RotationBarred.ELSEWHERE: _(
        "Another Keybench window is working on this step of the rotation. Let it finish, or "
        "close it, and look again."
    ),
    e.RotationBarred.WENT_ON: _(
        "This rotation changed while you were asked, so nothing was done. Look at it as it is now, "
        "and repeat what is still needed."
    ),
    e.RotationBarred.HELD_ELSEWHERE: _(
        "Other desks of the team still hold the old key. Have its value erased there first, or give a reason "
        "to delete it all the same."
    ),
}


def _key_list(error: e.KeyListInvalid) -> str:
    if error.reason == e.KeyListInvalid.NO_COLUMN:
        missing = listed([quoted(sentence_case(name)) for name in error.missing])
        text = ngettext(
            "Column {missing} is missing; found: {text}.",
            "Columns {missing} are missing; found: {text}.",
            len(error.missing),
        )
        return text.format(missing=missing, text=error.text or _("other names"))
    text = _KEY_LIST[error.reason].format(text=error.text)
    if error.reason == e.KeyListInvalid.CREATED and error.text:
        text = _("Write dates as 2026-03-31; this row has {text}.").format(text=error.text)
    return _("Line {line}: {text}").format(line=error.line, text=text) if error.line else text


#: How the address of a team's database looks.
TEAM_EXAMPLE: Final = "postgresql://ana@db.example.com/keybench"
_KEY_TAKEN: Final = _("There is already a key named “{name}”. Choose another name.")
_TAKEN = {
    "environment": _("There is already an environment named “{name}”. Choose another name."),
    "application": _("There is already an application named “{name}”. Choose another name."),
}

#: Errors with one sentence, or one for each reason; the error's facts stand in it by their names.
_SENTENCES: Final[Mapping[type[e.InputInvalid], str | Mapping[str, str]]] = {
    e.AmountInvalid: {
        e.AmountInvalid.EMPTY: _("Enter an amount, such as 10.00."),
        e.AmountInvalid.ZERO: _("The amount must be more than zero."),
        e.AmountInvalid.TOO_PRECISE: _("This currency has {decimals} decimal places at the most."),
        e.AmountInvalid.NOT_A_FIGURE: _(
            "Enter the amount as plain figures, such as 10.00: no sign, letters or grouping."
        ),
    },
    e.NameInvalid: {
        e.NameInvalid.EMPTY: _("{subject} can't be empty."),
        e.NameInvalid.TOO_LONG: _("{subject} can have {limit} characters at the most."),
        e.NameInvalid.CONTROL_CHARACTERS: _("{subject} can't have line breaks or control characters."),
        e.NameInvalid.UNSEEN: _(
            "{subject} has characters in it that can't be seen. Type it again instead of pasting it."
        ),
        e.NameInvalid.NOT_A_PERSON: _(
            "“Keybench” stands for this program in the record. Enter a person's name."
        ),
    },
    e.BaseUrlInvalid: _BASE_URL,
    e.PortalUrlInvalid: _BASE_URL | _PORTAL_URL,
    e.ProxyInvalid: _PROXY,
    e.KeyValueInvalid: _KEY_VALUE,
    e.SettingInvalid: _("Enter {least} to {most} days."),
    e.DeviceListInvalid: _DEVICE_LIST,
    e.RotationBarred: _ROTATION,
    e.JoinInvalid: {
        e.JoinInvalid.NOT_ONE: _("Enter what the board shows, such as otter-maple-42@192.0.2.10:8443."),
        e.JoinInvalid.OTHER_WORDS: _("The class shows other words than the board. Nothing was sent to it."),
        e.JoinInvalid.NOT_COMPARED: _("The words weren't compared with the board. Nothing was sent."),
        e.JoinInvalid.NO_CLASS: _("No class was joined here yet. Enter what the board shows."),
    },
    e.JournalMoveBarred: {
        e.JournalMoveBarred.ADDRESS: _("Write the database's address as {example}."),
        e.JournalMoveBarred.PASSWORD_SEEN: _(
            "Others can read a password on the command line. Leave it out: it is read from standard input or asked for."
        ),
        e.JournalMoveBarred.FOLDER: _("A journal's file is in its data folder. Name that, or a database."),
        e.JournalMoveBarred.CODE: _(
            "Enter the team code, 26 letters and figures that a desk of the team shows."
        ),
        e.JournalMoveBarred.OTHER_TEAM: _("This code is another team's. Check it, or the address."),
        e.JournalMoveBarred.IN_TEAM: _(
            "The journal is a team's in another database. Move it back to this computer first."
        ),
        e.JournalMoveBarred.SALES: _("Sales are under way. Wait for their outcomes, then move the journal."),
        e.JournalMoveBarred.KEYS: _("A key is being added. Finish that, then move the journal."),
        e.JournalMoveBarred.WAITING: _(
            "Answers or edits wait to get into the journal. Move it when they are there."
        ),
        e.JournalMoveBarred.PROGRAMS: _("Another Keybench has this journal open. Close it first."),
        e.JournalMoveBarred.NOT_EMPTY: _(
            "The database has a journal that no team uses. Choose an empty one."
        ),
        e.JournalMoveBarred.DIFFERS: _(
            "A move to here broke off, and this desk went on. Choose an empty database."
        ),
    },
    e.DiagnosisInvalid: _(
        "The file of the diagnosis can't be read. Check that it is there and what is in it."
    ),
    e.ValueMisplaced: _(
        "This text contains a key's value, so it was not kept. Take it out: a value belongs in the "
        "field for it, and nowhere else."
    ),
    e.KeyKindUnfit: _("“{name}” is a public key, and public keys can't sell. Choose a private key."),
    e.KeyWithoutValue: _(
        "“{name}” has no value here, so nothing can be sent with it. Give it its value (Keys, "
        "Inventory, “Give it a value…”), or choose another key."
    ),
    e.NotFound: _("There is no {what} named “{name}” here."),
    e.LiveNotConfirmed: _("“{name}” is live: real money would move, so the sale must be confirmed first."),
    e.DeregistrationNotConfirmed: _(
        "“{name}” takes live sales, so deregistering it must be confirmed first."
    ),
    e.LiveBarred: _(
        "Live sales need a keystore. Keys are in this session's memory only, so live is off until the "
        "system's keystore can be used."
    ),
    e.AmountOverLimit: _(
        "{amount} is above the limit of {limit} for “{environment}”. Enter less, or "
        "change the limit in Settings."
    ),
    e.ModeNotOffered: _("This environment's gateway doesn't offer this way to sell. Choose another."),
    e.RotationUnderWay: _("“{name}” is being rotated. Finish that rotation or abandon it first."),
    e.KeyUnderWay: _("Another Keybench is adding “{name}” just now. Wait until that is done."),
    e.NotChecked: _(
        "{reference} may have been made: look it up, or check at the gateway, before it is sent again."
    ),
    e.EnvironmentFixed: _(
        "The practice environment is built in: Keybench starts its gateway itself. Only its maximum "
        "amount per sale can be changed."
    ),
    e.EnvironmentBuiltIn: _("The practice environment is built in and stays."),
}


def field_sentence(error: e.InputInvalid) -> str:
    match error:
        case e.AmountInvalid(reason=e.AmountInvalid.TOO_PRECISE, decimals=0):
            return _("This currency has no decimal places.")
        case e.CurrencyInvalid():
            if error.reason == e.CurrencyInvalid.UNKNOWN:
                return _("There is no currency with the code {text} (ISO 4217). Check the letters.").format(
                    text=error.text.strip().upper()
                )
            return _("A currency is three letters, such as USD.")
        case e.NameTaken():
            return _TAKEN.get(error.what, _KEY_TAKEN).format(name=error.name)
        case e.CardDataRefused():
            seen = _("a card number") if error.reason == e.CardDataRefused.NUMBER else _("a card's details")
            return _(
                "This looks like {seen}. Card data never goes into Keybench: the device collects it. "
                "It was not kept."
            ).format(seen=seen)
        case e.SalesUnderWay():
            return _under_way(error)
        case e.KeysUnsettled():
            return _(
                "Nobody can tell yet whether its gateway has created {quoted}. Keybench finds out as "
                "soon as the gateway answers."
            ).format(quoted=listed(list(map(quoted, error.names))))
        case e.KeyListInvalid():
            return _key_list(error)
        case e.MoveNotConfirmed():
            return " ".join(
                (_("“{name}” isn't moved without a yes.").format(name=error.name), *move_sentences(error))
            )
        case _:
            told = _SENTENCES.get(type(error), _("This can't be used as it is."))
            sentence = told if isinstance(told, str) else told[error.reason]
            named = getattr(error, "what", "")
            what = _THINGS.get(named, named)
            facts = {name: _written(value) for name, value in vars(error).items()} | {"what": what}
            return sentence.format(**facts, subject=sentence_case(what), example=TEAM_EXAMPLE)


def _written(value: object) -> object:
    match value:
        case bool():
            return value
        case int():
            return number(value)
        case Decimal():
            return figure(value)
        case Money():
            return money(value)
        case _:
            return value


def _under_way(error: e.SalesUnderWay) -> str:
    sentence = ngettext(
        "A sale that needs “{name}” is still under way. Wait for the outcome first.",
        "{count} sales that need “{name}” are still under way. Wait for the outcome first.",
        error.count,
    )
    return sentence.format(name=error.name)
