"""Keeping people's data out of what is recorded: of a body only named fields stay, of texts no card data.

Of any other value only its length stays, so that a reader still sees how the body was built.
"""

from __future__ import annotations

import json
import re
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final
from urllib.parse import unquote_plus

from keybench.core.secret import MASK

#: Fields that tell of a sale, a device or a refusal, and of nobody; without case or separators.
KEPT: Final = frozenset(
    """
    id uuid guid reference ref refid referenceid requestid paymentrequestid paymentrequestguid asyncstatusguid
    transactionid saleid paymentid orderid deviceid poideviceid terminalid merchantid locationid traceid
    correlationid errorid incidentid busyrequestid processorid object
    status statuscode asyncstatus state success ok response responsecode responsetext responsemessage result
    resultcode outcome code codes errorcode authcode authorizationcode approvalcode avsresponse cvvresponse
    type kind mode permission permissions
    amount amountauthorized approvedamount requestedamount total currency currencycode
    message messages msg error errors errormessage errordescription fault faultstring reason reasons
    detail title
    devicename nickname devicenickname connection connected connectionstatus battery batterylevel level busy
    model firmware serialnumber version apiversion
    timestamp time created createdat createddate updated updatedat completed completedat completeddate
    lastconnecteddate lasttransactiondate retryafter
    href url link links next previous prev self more hasmore count page limit offset remaining
    """.split()  # noqa: SIM905 - reads better
)
#: Fields and objects that tell of a person or a card; of such an object nothing is kept.
_OF_PEOPLE: Final = re.compile(
    "(?:billing|shipping|delivery|card|customer|consumer|payer|buyer|shopper|recipient|person|contact).*"
    "|.*(?:address(?:es)?|holder|card|mail|phone|mobile|iban|street|birth|dob|firstname|lastname|surname).*"
)
#: How much of a page or a plain text is kept, in characters: enough to tell who answered.
_BEGINNING: Final = 300

_MARK: Final = re.compile(rf"\u2039[0-9]{{1,7}} characters\u203a|{MASK}[0-9]{{0,4}}")
_TOKEN: Final = re.compile(
    r'("(?:[^"\\]|\\.)*+(?:"|\\?\Z))(\s*:)?|([{}\[\],:])|\s+|([^\s{}\[\],:"]+)', re.DOTALL
)
_NUMBER: Final = re.compile(r"-?[0-9][0-9.eE+-]*")
_LITERALS: Final = frozenset({"true", "false", "null"})
#: A field's name as programs write them; a map's keys may be anything.
_NAME: Final = re.compile(r"(?!.*[0-9]{5})[A-Za-z_$@][A-Za-z0-9_$.-]{0,63}")
#: JSON within a text.
_JSON: Final = re.compile(r'\s*[\[{]\s*[\[{"]')
_FORM: Final = re.compile(r"\s*[A-Za-z0-9_.%+\[\]-]{1,64}=")
_PAGE: Final = re.compile(r"\s*<(?:!doctype\s+html|html)", re.IGNORECASE)
_SHORTENED: Final = re.compile(r"(.*)(\u2039[0-9]{1,7} more characters\u203a)", re.DOTALL)
_QUERY: Final = re.compile(r"((?:https?:/|\A|<)/[^\s?#]*)[?#][^\s<>\"'\u2039]+")

#: Stands in every text that there is something to mask in; most have neither, and are told quickly.
_TELLING: Final = re.compile(r"[0-9@:=\[{]")
_LABEL: Final = re.compile(
    "cv[vc]|csc|code|verif|pin|exp|valid|thru|born|birth|dob|tel|phone|mobile|holder|card", re.IGNORECASE
)
_EMAIL: Final = re.compile(
    r"[^\s@<>()\[\],;:\"'=/\u2039\u203a&]{1,64}(?:@|%40)[^\W_](?:[\w-]{0,62}\.){1,8}[^\W\d_]{2,24}"
)
_IBAN: Final = re.compile(
    r"(?<![0-9A-Z])[A-Z]{2}[0-9]{2}"
    r"(?:[0-9A-Z]{11,30}|(?:[ -][0-9A-Z]{4}){2,7}(?:[ -][0-9A-Z]{1,3})?)(?![0-9A-Z])",
    re.IGNORECASE,
)
_TELEPHONE: Final = re.compile(r"(?<![\w+])\+[1-9](?:[ ()./-]{0,2}[0-9]){7,14}(?![0-9])")
_FILLERS: Final = (
    r"(?:[^0-9A-Za-z\u2039]{1,4}(?:code|number|no|nr|date|value|is|was|of|on|the|card|entered|given|received|got|"
    r"wrong|invalid|incorrect|mismatch)(?![0-9A-Za-z])){0,3}[^0-9A-Za-z\u2039]{0,4}"
)
_NAMED: Final = tuple(
    re.compile(rf"(?<![A-Za-z0-9])((?:{label}){_FILLERS})(?:{value})", re.IGNORECASE)
    for label, value in (
        (r"cvv2?|cvc2?|csc|security code|card verification(?: (?:code|value))?|pin", r"[0-9]{3,6}(?![0-9])"),
        (
            r"exp|expir(?:y|es|ed|ing|ation)|valid (?:thru|through|until|to)|good thru",
            r"(?:0?[1-9]|1[0-2])(?:\s?[/-]\s?(?:20)?|\.20)[0-9]{2}(?![0-9]|[/.-][0-9])"  # noqa: ISC004 - one value
            r"|20[0-9]{2}[/.-](?:0[1-9]|1[0-2])(?![0-9]|[/.-][0-9])|(?:0[1-9]|1[0-2])[0-9]{2}(?![0-9])",
        ),
        (r"born|birth ?da(?:te|y)|date of birth|dob", r"[0-9][0-9 ./-]{3,9}[0-9]"),
        (r"tel|telephone|phone|mobile", r"[0-9(](?:[ ()./-]{0,2}[0-9]){5,14}"),
        (
            r"card ?holder(?:'s)?(?: name)?|account ?holder(?:'s)?|name on card",
            r"(?<=[:=] |.[:=])[^\s\u2039,;][^\u2039,;.\n]*",
        ),
    )
)
_HIDDEN: Final = "\u2039hidden\u203a"
_IBAN_LENGTHS: Final = frozenset(range(15, 35)) - {32}


def without_personal_data(text: str, names: AbstractSet[str] = frozenset()) -> str:
    """Return a text without e-mail addresses, IBANs, telephone numbers, and what it calls a card's.

    Card numbers are found elsewhere (see `core.card_data`). JSON in its place is treated as by `reduced`.
    """
    if not _TELLING.search(text):
        return text
    if _JSON.match(text):
        return _reduced_json(text, KEPT | names)
    if "@" in text or "%40" in text:
        text = _EMAIL.sub("\u2039e-mail\u203a", text)
    text = _IBAN.sub(_without_iban, text)
    text = _TELEPHONE.sub("\u2039telephone\u203a", text)
    for named in _NAMED if _LABEL.search(text) else ():
        text = named.sub(rf"\1{_HIDDEN}", text)
    return text


def reduced(body: str, names: AbstractSet[str] = frozenset()) -> str:
    """Return of a body what may be recorded: names, structure, and the values of fields that are on a list.

    Of a page or a text the beginning stays, of other markup nothing; `names` are plain ones besides the
    usual.
    """
    begins = body.lstrip()[:1]
    if begins in {"{", "[", '"'}:
        return _reduced_json(body, KEPT | names)
    if begins == "<" and not _PAGE.match(body):
        return _length(body)
    if _FORM.match(body):
        return "&".join(_reduced_pair(pair, KEPT | names) for pair in body.split("&"))
    shortened = _SHORTENED.fullmatch(body)
    text = without_personal_data(shortened[1] if shortened else body)
    if len(text) > _BEGINNING:
        return f"{text[:_BEGINNING]}\u2039{len(text) - _BEGINNING} more characters\u203a"
    return f"{text}{shortened[2]}" if shortened else text


@lru_cache(maxsize=1024)
def plain_name(name: str) -> str:
    """Return a field's name without case and separators."""
    return "".join(c for c in name.lower() if c.isalnum())


def _without_iban(found: re.Match[str]) -> str:
    """Return what was found without the IBAN at its beginning; words may follow that look like groups."""
    groups = re.split("([ -])", found[0])
    for count in range(len(groups), 0, -2):
        written = "".join(groups[:count:2])
        # A hexadecimal identifier may look like one, but for the case of its letters or its length.
        if (written.isupper() or written[2:].isdigit()) and len(written) in _IBAN_LENGTHS:
            turned = "".join(str(int(c, 36)) for c in written[4:] + written[:4])
            if int(turned) % 97 == 1:  # ISO 7064, as ISO 13616 has it
                return "\u2039IBAN\u203a" + "".join(groups[count:])
    return found[0]


def _length(value: str) -> str:
    if not value or _MARK.fullmatch(value):
        return value
    return MASK if MASK in value else f"\u2039{len(value)} characters\u203a"


def _reduced_pair(pair: str, names: AbstractSet[str]) -> str:
    name, equals, value = pair.partition("=")
    plain = unquote_plus(value)
    if plain_name(unquote_plus(name)) not in names:
        value = _length(plain)
    elif (told := without_queries(plain, names)) != plain:
        value = told
    return f"{_name(unquote_plus(name), name)}{equals}{value}" if equals else _length(pair)


def without_queries(text: str, names: AbstractSet[str] = frozenset()) -> str:
    """Return what `without_personal_data` does, and links without what stands behind their question marks."""
    return without_personal_data(_QUERY.sub(rf"\1?{_HIDDEN}", text), names)


def is_of_people(name: str) -> bool:
    """Tell whether a field's name, as `plain_name` returns it, says that it tells of a person or a card."""
    return bool(_OF_PEOPLE.fullmatch(name))


def _name(name: str, written: str) -> str:
    """Return a field's name as it was written, or its length where it doesn't look like one."""
    return written if _NAME.fullmatch(name) and without_personal_data(name) == name else _length(name)


class _Level:
    """An object or a list in JSON; if it is of people, nothing in it stays."""

    __slots__ = ("is_list", "is_of_people", "is_shown")

    def __init__(self, *, is_list: bool, is_shown: bool, is_of_people: bool) -> None:
        self.is_list, self.is_shown, self.is_of_people = is_list, is_shown, is_of_people


def _reduced_json(body: str, names: AbstractSet[str]) -> str:
    """Read it piece by piece: it may be broken, cut, or have a name twice, and what stays is as it came."""
    pieces: list[str] = []
    levels = [_Level(is_list=False, is_shown=False, is_of_people=False)]
    about = ""  # the name of the value that comes next
    for token in _TOKEN.finditer(body):
        text, colon, mark, word = token.groups()
        here = levels[-1]
        if colon:
            value = _unquoted(text)
            about = plain_name(value)
            here.is_shown = about in names and not here.is_of_people
            pieces.append((text if _name(value, text) == text else _quoted(_length(value))) + colon)
        elif text:
            value = _unquoted(text)
            told = without_queries(value, names) if here.is_shown else _length(value)
            pieces.append(text if told == value and text[-1:] == '"' != text else _quoted(told))
        elif word:
            is_shown = (
                word in _LITERALS or _MARK.fullmatch(word) or (here.is_shown and _NUMBER.fullmatch(word))
            )
            pieces.append(word if is_shown else _quoted(_length(word)))
        else:
            pieces.append(token[0])
            if mark in {"{", "["}:
                is_private = here.is_of_people or (not here.is_list and is_of_people(about))
                is_list = mark == "["
                is_shown = is_list and here.is_shown and not is_private
                levels.append(_Level(is_list=is_list, is_shown=is_shown, is_of_people=is_private))
                about = ""
            elif mark in {"}", "]"} and len(levels) > 1:
                levels.pop()
            if mark == "," and not levels[-1].is_list:
                levels[-1].is_shown = False
    return "".join(pieces)


def _unquoted(text: str) -> str:
    """Return what a text in JSON says, as it is written where that can't be told."""
    try:
        value = json.loads(text if text[-1:] == '"' != text else f'{text}"', strict=False)
    except ValueError:
        return text.strip('"')
    return value if isinstance(value, str) else text


def _quoted(text: str) -> str:
    return json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False)  # no half of a pair
