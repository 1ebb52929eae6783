"""What a gateway's own words hint at, by a vocabulary that isn't one gateway's.

Words are hints and no more: gateways say the same of different causes. So what is denied isn't hinted at
("has not expired"), a phrase that names the key among other things counts for these, and where a sentence
lists what it may be ("invalid, expired or revoked") the list says no more than that the key isn't known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from keybench.core.diagnosis.checks import Seen

#: As much of a message is looked at.
_MOST: Final = 600
_URL: Final = re.compile(r"\b(?:https?://|www\.)\S*", re.IGNORECASE)
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MARKS: Final = re.compile(r"[^a-z0-9.;,]+")
_CLAUSE: Final = re.compile(r"[.;]")

_KEY: Final = r"(?:(?:api|access|secret)?key|token|credential|secret|jwt)s?"
_KEY_WORDS: Final = rf"(?:(?:api|security|secret|access|auth|private|merchant|gateway) )*{_KEY}"
#: The key named beside what a sentence is about: the user of this key, the account that owns the token.
_BESIDE: Final = re.compile(
    r"\b(?:of|for|behind|to|by|(?:associated|linked|tied) (?:with|to)|(?:that|who) (?:owns|has|holds)) "
    rf"(?:this|the|your|that|an?|its) {_KEY_WORDS}\b|\b{_KEY} s (?=user|owner|login|account)"
)
_ENDS: Final = (
    r"(?:expired|revoked|deleted|removed|disabled|suspended|frozen|locked|blocked|restricted|closed|terminated"
    r"|deactivated|inactivated|inactive|retired|rotated|cancell?ed|withdrawn|banned|limited|invalidated|blacklisted)"
)
_NOT: Final = r"(?:not|never|neither|nor|(?:isn|wasn|hasn|aren|haven|weren) t)"
_DENIED: Final = re.compile(rf"\b{_NOT} (?:yet |been |yet been |currently |an? )?{_ENDS}\b")

_USER: Final = r"(?:user(?:name)?s?|login|operator|employee|member|person|owner)"
_ACCOUNT: Final = (
    r"(?:accounts?|merchants?|business|company|organi[sz]ation|tenant|store|shop|partner|processors?"
    r"|subscription|licen[cs]e|trial)"
)
#: Whose trouble a word such as "disabled" tells: what it is said of stands before it, or right behind.
_SAID_OF: Final = re.compile(
    rf"\b(?:(?P<user>{_USER}(?: account)?|account user)|(?P<account>{_ACCOUNT})|(?P<key>{_KEY}))\b"
)
_TROUBLE: Final = re.compile(rf"\b(?:{_ENDS}|no longer (?:valid|active|exists?|in use)|not active)\b")
_REACH: Final = 60
_BEHIND: Final = re.compile(r" (?:(?:for|on|of) (?:this|your|the) )?")

_ASKS: Final = (
    r"(?:missing|required|requires?|expected|expects?|need(?:s|ed)?|must|provide|supply|supplied|use|absent)"
)
_WRONG: Final = (
    r"(?:not found|unknown|invalid|incorrect|wrong|not (?:been )?recogni[sz]ed|unrecogni[sz]ed|bad"
    r"|mismatch\w*|(?:does not|doesn t|do not|don t) (?:exist|match)|not (?:a )?valid|no such"
    r"|(?:can ?not|could not|couldn t) (?:be )?(?:found|find|verified))"
)
_PARSED: Final = r"(?:malformed|format|ill formed|badly formed|pattern|prefix|checksum)"
_LATER: Final = r"[^.;]{0,60}?"
_AFTER: Final = r"[^.;]{0,30}?"
_SOON: Final = r"[^.;]{0,12}?"


def _any(*forms: str) -> re.Pattern[str]:
    return re.compile("|".join(rf"\b(?:{form})\b" for form in forms))


_BY_WORDS: Final[Mapping[Seen, re.Pattern[str]]] = {
    Seen.WORDS_KEY_ENDED: _any(rf"(?:expired|revoked) {_KEY_WORDS}", rf"{_KEY} expir(?:ed|y|ation)"),
    Seen.WORDS_KEY_UNKNOWN: _any(
        rf"{_KEY_WORDS}\b{_LATER}\b{_WRONG}",
        rf"{_WRONG} (?:[a-z]+ ){{0,3}}?{_KEY_WORDS}",
    ),
    Seen.WORDS_KEY_FORM: _any(
        rf"(?:{_PARSED}|syntax)\b{_LATER}\b{_KEY}",
        rf"{_KEY}\b{_LATER}\b(?:{_PARSED}|length|characters|white ?space|too (?:short|long))",
        rf"{_KEY}\b{_LATER}\b(?:must|should) (?:start|begin) with",
        rf"{_KEY}\b{_LATER}\bcould not be (?:parsed|decoded|read)",
        rf"{_KEY}\b{_LATER}\bnot (?:an? )?(?:valid )?(?:uuid|base64|hex\w*|jwt)",
    ),
    Seen.WORDS_HEADER: _any(
        r"headers?",
        r"bearer|(?:auth\w* )?scheme|basic (?:token|auth\w*|prefix|realm)",
        rf"(?:no|missing) {_KEY_WORDS}",
        rf"{_KEY} (?:is |was |are |were )?(?:missing|required|absent|empty)",
        rf"{_KEY} (?:is |was |are |were )?not (?:provided|supplied|sent|present|given)",
        r"authenti\w+ (?:is )?required",
    ),
    Seen.WORDS_KIND: _any(
        rf"(?:public|publishable|tokeni[sz]ation|client side|browser|checkout)\b{_SOON}\b{_KEY}",
        rf"(?:private|secret|server side) {_KEY}\b{_LATER}\b{_ASKS}",
        rf"{_ASKS}\b{_LATER}\b(?:private|server side) {_KEY}",
        rf"{_ASKS} (?:an? |your |the )?secret {_KEY}",
        rf"{_KEY} (?:type|kind)|(?:type|kind) of {_KEY_WORDS}|{_KEY} of (?:type|kind)|wrong kind",
        r"key of the [a-z]+ api",
        rf"{_KEY} (?:can ?not|can t|may not|must not) be used (?:here|for|on|with)",
    ),
    Seen.WORDS_ENVIRONMENT: _any(
        r"sandbox|production|environments?|staging",
        rf"(?:test|live|demo) ?mode|{_KEY} mode|expected (?:test|live)",
        rf"(?:test|live|demo) (?:api )?(?:{_KEY}|accounts?|server|host|gateway|url|api|endpoint|system)",
    ),
    Seen.WORDS_PERMISSION: _any(
        r"permissions?|privileges?|scopes?|entitle\w+",
        r"(?:insufficient|sufficient|elevated|higher|necessary|additional) (?:rights?|access|role)",
        rf"role\b{_AFTER}\b(?:can ?not|can t|may not|not allowed)",
        r"not (?:authori[sz]ed|allowed|permitted) (?:to|for)",
        r"(?:may|must) not (?!be\b)[a-z]+",
        r"(?:lacks?|lacking|missing) (?:the )?(?:rights?|access|role)",
        r"(?:does not|doesn t|do not|don t) have (?:the )?(?:necessary |required )?(?:access|rights?|role)",
        r"operation (?:is )?not (?:allowed|permitted)",
    ),
    Seen.WORDS_ACCOUNT: _any(
        rf"{_ACCOUNT}\b{_AFTER}\b(?:restrict\w*|on hold|configuration|limitations?|pending|under review)",
        rf"{_ACCOUNT}\b{_AFTER}\bnot (?:yet )?(?:been )?(?:set ?up|configured|enabled|approved|activated)",
        r"not (?:been )?(?:enabled|configured|activated|available|set ?up) "
        rf"(?:for|on|by) (?:(?:this|your|the) )?{_ACCOUNT}",
        rf"unavailable (?:for|on) (?:this|your|the) {_ACCOUNT}",
        rf"restricted {_ACCOUNT}|no (?:active )?processor",
        rf"(?:ip|address|country|region|location|domain|origin|referr?er)\b{_AFTER}"
        r"\b(?:not (?:allow\w*|permitted|white ?listed|authori[sz]ed)|blocked|restricted|denied)",
    ),
    Seen.WORDS_RATE: _any(
        r"rate ?limit\w*|throttl\w+|too many|too (?:often|fast|frequent\w*)|slow down|quota",
        r"(?:requests?|calls?|api) limit|limit of requests",
        rf"exceeded\b{_AFTER}\b(?:requests|calls)",
    ),
}
_BY_SUBJECT: Final[Mapping[str, Seen]] = {
    "user": Seen.WORDS_USER,
    "account": Seen.WORDS_ACCOUNT,
    "key": Seen.WORDS_KEY_ENDED,
}
_LISTS: Final = re.compile(r"\bor\b|\beither\b|,")
#: What a list of everything that may be wrong with a key doesn't tell apart.
_OF_THE_KEY: Final = (Seen.WORDS_KEY_ENDED, Seen.WORDS_KEY_FORM)
_ORDER: Final = tuple(one for one in Seen if one.name.startswith("WORDS_"))
_TOO_MANY: Final = 429
#: OAuth's words for errors (RFC 6750, 3.1) say it in the header that a 401 has to have.
_CHALLENGE: Final = re.compile(r"\berror(?:_description)?\s*=\s*\"([^\"]*)\"", re.IGNORECASE)

_VARIES: Final = re.compile(r"\S*[0-9*•…]\S*")


def hints(status: int, code: str, message: str, headers: Mapping[str, str]) -> tuple[Seen, ...]:
    """Return what an answer's words hint at, in the order of `Seen`; nothing where they say nothing.

    Args:
        status: The HTTP status.
        code: The gateway's code, and its type if there is one.
        message: Its words for people.
        headers: The answer's, by name in any case of letters.
    """
    challenge = next((value for name, value in headers.items() if name.lower() == "www-authenticate"), "")
    texts = [code, message, *_CHALLENGE.findall(challenge[:_MOST])]
    found = {seen for text in texts for seen in _in(text)}
    if status == _TOO_MANY:
        found.add(Seen.WORDS_RATE)
    if len(found) > 1 and any(_LISTS.search(_plain(text)) for text in texts):
        found.add(Seen.WORDS_SEVERAL)
    return tuple(one for one in _ORDER if one in found)


def _in(text: str) -> set[Seen]:
    """Return what one text hints at."""
    plain = _DENIED.sub(" ", _BESIDE.sub(" ", _plain(text)))
    found = {seen for seen, form in _BY_WORDS.items() if form.search(plain)}
    for clause in _CLAUSE.split(plain):
        found |= {_BY_SUBJECT[subject] for subject in _troubled(clause)}
    if Seen.WORDS_KEY_UNKNOWN in found and _LISTS.search(plain):
        found.difference_update(_OF_THE_KEY)
    return found


def _troubled(clause: str) -> set[str]:
    """Return what in a clause is said to be disabled, expired and so on: ``user``, ``account`` or ``key``."""
    subjects = [(one.start(), one.end(), str(one.lastgroup)) for one in _SAID_OF.finditer(clause)]
    found = set()
    for trouble in _TROUBLE.finditer(clause):
        before = [one for one in subjects if 0 <= trouble.start() - one[1] <= _REACH]
        behind = [one for one in subjects if _BEHIND.fullmatch(clause, trouble.end(), one[0])]
        if behind or before:
            found.add((behind or before[-1:])[0][2])
    return found


def _plain(text: str) -> str:
    """Return a text in small letters and single spaces, with nothing but words, full stops and commas."""
    told = _HUMP.sub(" ", _URL.sub(" ", text[:_MOST]))
    return " ".join(_MARKS.sub(" ", told.lower().replace(":", ".").replace("!", ".")).split())


def likeness(status: int, code: str, message: str) -> str:
    """Return what is left of an answer without what differs each time: identifiers, figures, masked values.

    Two answers with the same likeness say the same.
    """
    return " ".join((str(status), code, " ".join(_VARIES.sub("#", message).split())))
