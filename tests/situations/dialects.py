"""How gateways say no: dialects of made-up gateways, in two sets.

`KNOWN` is what the table was made with, `HELD_OUT` what nobody looked at meanwhile. A dialect answers
by what a refusal is about, with the words of `practice.faults`: `missing`, `header`, `key_form`,
`key_unknown`, `key_deleted`, `key_expired`, `key_kind`, `user_disabled`, `permission`, `account`,
`rate_limit`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

ABOUT: Final = (
    *("missing", "header", "key_form", "key_unknown", "key_deleted", "key_expired", "key_kind"),
    *("user_disabled", "permission", "account", "rate_limit"),
)
_KEY: Final = frozenset(ABOUT[:6])
JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Said:
    """One answer: a status, more headers, a body and its type."""

    status: int
    body: str = ""
    kind: str = JSON
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dialect:
    """A gateway's way to refuse.

    Attributes:
        says: By what a refusal is about.
        names_cause: Whether its English words, or the field's own words, name the cause and don't mislead.
    """

    name: str
    says: Callable[[str], Said]
    names_cause: bool = False

    def alike(self, about: str) -> frozenset[str]:
        """Return what else it answers as it answers this."""
        return frozenset(one for one in ABOUT if one != about and self.says(one) == self.says(about))


def _status(about: str) -> int:
    return 401 if about in _KEY else 403


def _terse(about: str) -> Said:
    word = "unauthorized" if about in _KEY else "forbidden"
    return Said(_status(about), json.dumps({"error": word}))


def _always(status: int, body: str, kind: str = JSON) -> Callable[[str], Said]:
    return lambda _about: Said(status, body, kind)


def _by(texts: Mapping[str, str], write: Callable[[str, str], Said]) -> Callable[[str], Said]:
    return lambda about: write(about, texts[about])


_ENGLISH: Final = {
    "missing": "No API key was sent with this request",
    "header": "Send the credential exactly as documented in the authorization header",
    "key_form": "The API key is malformed",
    "key_unknown": "There is no such API key",
    "key_deleted": "This API key was revoked",
    "key_expired": "This API key has expired",
    "key_kind": "A publishable key can't be used for this call; use a secret key",
    "user_disabled": "The user who owns this key is deactivated",
    "permission": "The user who owns this key lacks the permission for this call",
    "account": "This merchant account is suspended",
    "rate_limit": "Too many requests; slow down",
}
_GERMAN: Final = {
    "missing": "Der Authorization-Header fehlt",
    "header": "Der Header hat die falsche Form",
    "key_form": "Der Schlüssel hat eine ungültige Form",
    "key_unknown": "Schlüssel unbekannt",
    "key_deleted": "Der Schlüssel wurde gelöscht",
    "key_expired": "Der Schlüssel ist abgelaufen",
    "key_kind": "Öffentliche Schlüssel sind hier nicht zugelassen",
    "user_disabled": "Der Benutzer ist gesperrt",
    "permission": "Keine Berechtigung",
    "account": "Das Konto ist eingeschränkt",
    "rate_limit": "Zu viele Anfragen",
}
_FRENCH: Final = {
    "missing": "Clé absente",
    "header": "En-tête incorrect",
    "key_form": "Format de clé invalide",
    "key_unknown": "Clé inconnue",
    "key_deleted": "Clé révoquée",
    "key_expired": "Clé expirée",
    "key_kind": "Type de clé incorrect",
    "user_disabled": "Utilisateur désactivé",
    "permission": "Droits insuffisants",
    "account": "Compte suspendu",
    "rate_limit": "Trop de requêtes",
}
_CODES: Final = {about: f"{1000 + 7 * place}" for place, about in enumerate(ABOUT)}
_OTHER_ENGLISH: Final = {
    "missing": "Credentials required",
    "header": "Unsupported authentication scheme",
    "key_form": "Key has an illegal length",
    "key_unknown": "Unrecognised credentials",
    "key_deleted": "Key is no longer active",
    "key_expired": "Key validity period is over",
    "key_kind": "Client-side keys may not call server endpoints",
    "user_disabled": "Operator has been blocked",
    "permission": "Operator is not entitled to this function",
    "account": "Merchant closed",
    "rate_limit": "Quota exhausted",
}


def _v5(about: str, text: str) -> Said:
    body = {"type": "error", "error_code": f"E_{about.upper()}", "message": text, "ref_id": "7f3a"}
    return Said(_status(about), json.dumps(body))


def _plain_v5(about: str, text: str) -> Said:
    return Said(_status(about), json.dumps({"message": text}, ensure_ascii=False))


def _oauth(about: str, text: str) -> Said:
    word = "invalid_token" if about in _KEY else "insufficient_scope"
    header = f'WWW-Authenticate: Bearer realm="api", error="{word}"'
    body = json.dumps({"error": word, "error_description": text})
    return Said(_status(about), body, headers=(header,))


def _not_found(about: str) -> Said:
    if about in {"key_unknown", "key_deleted", "key_expired", "key_form"}:
        return Said(404, json.dumps({"message": "Not found"}))
    return _terse(about)


def _problem(about: str, text: str) -> Said:
    body = {
        "type": f"https://errors.example/{about}",
        "title": text,
        "status": _status(about),
        "detail": text,
    }
    return Said(_status(about), json.dumps(body), "application/problem+json")


def _xml(about: str, text: str) -> Said:
    return Said(_status(about), f"<error><code>{about}</code><text>{text}</text></error>", "application/xml")


def _statuses(about: str) -> Said:
    status = {"account": 402, "rate_limit": 429, "key_form": 400, "header": 400, "missing": 401}.get(
        about, _status(about)
    )
    return Said(status, json.dumps({"code": status}))


def _numbers(about: str, text: str) -> Said:
    return Said(_status(about), json.dumps({"code": int(text)}))


def _nested(about: str, text: str) -> Said:
    body = {"errors": [{"status": str(_status(about)), "detail": text}]}
    return Said(_status(about), json.dumps(body))


_WAF: Final = (
    "<html><head><title>403 Forbidden</title></head><body><center>403 Forbidden</center></body></html>"
)


def _bad_request(about: str, text: str) -> Said:
    return Said(400, json.dumps({"result": "ERROR", "reason": text}))


def _spanish(about: str, text: str) -> Said:
    return Said(_status(about), text, "text/plain; charset=utf-8")


_SPANISH: Final = {about: f"Error {place}: acceso denegado" for place, about in enumerate(ABOUT, 40)}

#: Made with. The practice gateway's own way comes besides.
KNOWN: Final = (
    Dialect("terse", _terse),
    Dialect("always 401", _always(401, json.dumps({"message": "Authentication failed"}))),
    Dialect("always 403 without a body", _always(403, "", "")),
    Dialect("verbose", _by(_ENGLISH, _v5), names_cause=True),
    Dialect("German", _by(_GERMAN, _plain_v5)),
    Dialect("says expired whatever it is", _always(401, json.dumps({"message": "Your API key has expired"}))),
    Dialect("OAuth's words", _by(_ENGLISH, _oauth), names_cause=True),
    Dialect("404 for keys it doesn't know", _not_found),
    Dialect("a page for every refusal", _always(403, _WAF, "text/html")),
    Dialect(
        "says permission whatever it is",
        _always(403, json.dumps({"message": "Insufficient permissions for this operation"})),
    ),
)
#: Never looked at while the table was made.
HELD_OUT: Final = (
    Dialect("problem details", _by(_OTHER_ENGLISH, _problem), names_cause=True),
    Dialect("XML", _by(_OTHER_ENGLISH, _xml), names_cause=True),
    Dialect("French", _by(_FRENCH, _nested)),
    Dialect("other statuses", _statuses),
    Dialect("one word", _always(401, "Nope", "text/plain")),
    Dialect("numbers alone", _by(_CODES, _numbers)),
    Dialect("400 for everything", _by(_OTHER_ENGLISH, _bad_request), names_cause=True),
    Dialect("Spanish", _by(_SPANISH, _spanish)),
)
