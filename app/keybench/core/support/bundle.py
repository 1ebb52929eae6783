"""A support bundle: what of a console's records goes to a colleague, in one ZIP of JSON documents and a page.

Only what has a line here can get into one; for a key's value there is a placeholder such as ``<key:kiosk>``.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from keybench.core.environments.environment import NO_PROXY, SYSTEM_PROXY, Environment
from keybench.core.exchange import Exchange, as_har
from keybench.core.keys.key import SecurityKey
from keybench.core.personal_data import without_personal_data
from keybench.core.sales.sale import Sale, SaleEvent
from keybench.core.secret import MASK

#: What a bundle says, each file's document by its name.
Documents = dict[str, Any]

#: The version of the form; what is newer isn't read.
VERSION: Final = 1
#: The manifest's field that has it.
FORM: Final = "keybench_bundle"
PAGE: Final = "read-me-first.html"
MANIFEST: Final = "bundle.json"
TIMELINE: Final = "timeline.json"
HAR: Final = "exchanges.har"
DIAGNOSIS: Final = "diagnosis.json"
VERSIONS: Final = "versions.json"
SETTINGS: Final = "settings.json"
#: Every file of a bundle, in its order: the page for people, then the documents.
FILES: Final = (PAGE, TIMELINE, HAR, DIAGNOSIS, VERSIONS, SETTINGS, MANIFEST)
#: HAR lets programs add fields of this form; what it has no field for is there.
OURS: Final = "_keybench"
#: Stands where something was masked when it was recorded, and nobody knows what it was.
MASKED: Final = "<masked>"
#: Stand for a card's number, and for the names of the user and the computer.
CARD: Final = "<card number>"
USER: Final = "<user>"
COMPUTER: Final = "<computer>"
#: The header that carries the key.
_KEY_HEADER: Final = "authorization"
#: A duration is as exact as a clock is: further figures read as a card number.
_DECIMALS: Final = 6
_LONGEST_S: Final = 1e9
#: An ordinary file that everybody may read.
_RIGHTS: Final = 0o100644 << 16


#: What is told of each; nothing else is.
_OF_ENVIRONMENT: Final = ("name", "kind", "base_url", "contract")
_OF_KEY: Final = ("name", "username", "permission", "kind", "fingerprint", "state", "status")
_OF_SALE: Final = ("key_name", "device", "mode", "stage", "request_id", "polls")
_OF_VERDICT: Final = (
    *("outcome", "reason", "message", "status", "gateway_status", "transaction_id", "authorisation"),
    *("response_code", "error_reference"),
)


def placeholder_of(name: str) -> str:
    """Return what stands for the value of a key, such as ``<key:kiosk>``."""
    return f"<key:{''.join(c for c in name if c.isprintable() and c not in '<>')}>"


def placeholders(names: Mapping[str, str]) -> dict[str, str]:
    """Return the placeholder of each key from its name, both by its id; no two have the same."""
    found: dict[str, str] = {}
    for key_id, name in names.items():
        told, number = placeholder_of(name), 1
        while told in found.values():
            number += 1
            told = placeholder_of(f"{name} {number}")
        found[key_id] = told
    return found


def environment_record(environment: Environment) -> dict[str, Any]:
    """Return an environment as it is bundled; a proxy's address, user and password stay out."""
    proxy = environment.proxy if environment.proxy in {SYSTEM_PROXY, NO_PROXY} else "its own"
    limit = "" if environment.amount_limit is None else str(environment.amount_limit)
    return {**_fields(environment, _OF_ENVIRONMENT), "amount_limit": limit, "proxy": proxy}


def key_record(key: SecurityKey, placeholder: str, environment: str, *, has_value: bool) -> dict[str, Any]:
    """Return what is known of a key, but its value."""
    return {
        "placeholder": placeholder,
        "environment": environment,
        **_fields(key, _OF_KEY),
        "tested_at": _moment(key.tested_at),
        "has_value": has_value,
    }


def sale_record(sale: Sale, environment: str, key: str, events: Sequence[SaleEvent]) -> dict[str, Any]:
    """Return a sale as it is bundled, without the fields that say nothing."""
    part = sale.approved if sale.approved != sale.money else None
    record = {
        "reference": sale.reference,
        "environment": environment,
        "key": key,
        "amount": sale.money.figure,
        "currency": sale.money.currency,
        "noted_at": _moment(sale.noted_at),
        "accepted_at": _moment(sale.accepted_at),
        "finished_at": _moment(sale.finished_at),
        "lasted_s": _seconds(sale.lasted_s),
        **_fields(sale, _OF_SALE),
        **(_fields(sale.verdict, _OF_VERDICT) if sale.verdict else {}),
        "approved_amount": part.figure if part else "",
        "events": [
            {"at": _moment(one.at), "mark": one.mark, "detail": one.detail, "took_s": _seconds(one.took_s)}
            for one in events
        ],
    }
    always = {"reference", "environment", "key", "device", "key_name"}
    return {name: value for name, value in record.items() if value or name in always}


def exchange_entry(exchange: Exchange, sale: str, key: str) -> dict[str, Any]:
    """Return an exchange as an entry of an HTTP archive, with placeholders where masks stood."""
    headers = tuple(
        (name, value.replace(MASK, key) if key and name.lower() == _KEY_HEADER else value)
        for name, value in exchange.request_headers
    )
    har = as_har([replace(exchange, request_headers=headers)], "").replace(json.dumps(MASK)[1:-1], MASKED)
    entry: dict[str, Any] = json.loads(har)["log"]["entries"][0]
    timings = {name: _seconds(value) for name, value in asdict(exchange.timings).items()}
    ours = {"sale": sale, "at": _moment(exchange.at), "failure": str(exchange.failure), "timings": timings}
    return entry | {OURS: ours}


def diagnosis_record(lines: Sequence[Mapping[str, Any]], text: str = "") -> dict[str, Any]:
    """Return a diagnosis as it is bundled: whose trouble it is, and why."""
    last = lines[-1] if lines else {}
    causes = last.get("causes")
    return {
        "verdict": _text(last.get("verdict")),
        "text": text,
        "checks": [
            {
                **{name: _text(one.get(name)) for name in ("check", "result", "evidence")},
                "rules_out": _texts(one.get("rules_out")),
                "took_s": _seconds(one.get("took_s")),
            }
            for one in lines
            if "check" in one
        ],
        "causes": [
            {name: _text(one.get(name)) for name in ("cause", "standing", "because", "remedy")}
            for one in (causes if isinstance(causes, (list, tuple)) else ())
            if isinstance(one, Mapping)
        ],
    }


def taken_out(what: str, where: str = "", count: int = 1) -> dict[str, Any]:
    """Return a line of what isn't in a bundle: a placeholder or a rule's word, where, and how many.

    `where` is a document and a field, such as ``timeline/message``; empty for no one place.
    """
    return {"what": what, "where": where, "count": count}


@dataclass(frozen=True, slots=True)
class BundleFile:
    """One file of a bundle."""

    name: str
    data: bytes

    @property
    def text(self) -> str:
        """What it says; all of them are texts."""
        return self.data.decode("utf-8", "replace")


def files_of(documents: Documents, page: str) -> tuple[BundleFile, ...]:
    """Return the files of a bundle with its page for people, in their order."""
    # ASCII, so that a lone surrogate in a hostile answer can't spoil the file.
    texts = {name: json.dumps(plain, indent=1) + "\n" for name, plain in documents.items()}
    texts[PAGE] = page
    return tuple(BundleFile(name, texts[name].encode("utf-8", "replace")) for name in FILES)


def packed(files: Sequence[BundleFile], saved_at: datetime) -> bytes:
    """Return the files as a ZIP: the same bytes for the same files and date."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.name, saved_at.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # the same on every system
            entry.external_attr = _RIGHTS
            archive.writestr(entry, file.data)
    return out.getvalue()


def _fields(record: object, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(record, name) for name in names}


def _moment(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat() if moment else None


def _text(value: object) -> str:
    return without_personal_data(value) if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [_text(value)] if value else []
    return list(map(_text, value)) if isinstance(value, (list, tuple)) else []


def _seconds(value: object) -> float | None:
    return (
        round(float(value), _DECIMALS)
        if isinstance(value, (int, float)) and 0 <= value < _LONGEST_S
        else None
    )
