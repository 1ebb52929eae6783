"""Support bundles in words: what a bundle says, what was taken out of it, and why one wasn't written."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Final

from keybench.core.bundle import (
    COMPUTER,
    Bundle,
    BundleCause,
    BundleCheck,
    BundleDiagnosis,
    BundleSale,
    TakenOut,
)
from keybench.core.diagnosis.conclusion import Diagnosis
from keybench.core.diagnosis.rules import result_of, rules_out
from keybench.words.bundle_errors import thing
from keybench.words.diagnosis import because, evidence_text, remedy, ticket_text
from keybench.words.formats import day_and_time, number
from keybench.words.language import _, ngettext
from keybench.words.outcomes import UNDER_WAY, outcome_word
from keybench.workflows import bundle as b
from keybench.workflows.bundle_file import (
    DIAGNOSIS,
    HAR,
    MANIFEST,
    PAGE,
    SETTINGS,
    TIMELINE,
    VERSIONS,
    BundleFile,
)

#: What each file of a bundle is.
FILES: Final = {
    PAGE: _("Read this first"),
    TIMELINE: _("Sales and their timelines"),
    HAR: _("Requests and answers"),
    DIAGNOSIS: _("Diagnosis"),
    VERSIONS: _("Versions"),
    SETTINGS: _("Environments, devices, keys without values, settings"),
    MANIFEST: _("What the bundle is, and what was left out"),
}
STEPS: Final = {
    b.READING_KEYS: _("Reading the values to search for…"),
    b.READING_SALES: _("Reading sales…"),
    b.SEARCHING: _("Taking out values and searching the finished files…"),
}
READ_ONLY: Final = _("A support bundle from elsewhere: to read only. Nothing can be sent from here.")
_FIELDS: Final = {
    "url": _("address"),
    "request_headers": _("request's header"),
    "request_body": _("request's body"),
    "response_headers": _("answer's header"),
    "response_body": _("answer's body"),
    "message": _("gateway's words"),
    "request_id": _("payment request"),
    "transaction_id": _("transaction"),
    "authorisation": _("authorisation"),
    "error_reference": _("error reference"),
    "response_code": _("response code"),
    "gateway_status": _("gateway's status"),
    "detail": _("timeline"),
    "events": _("timeline"),
    "device": _("device"),
    "key_name": _("key's name"),
    "environments": _("environments"),
    "devices": _("devices"),
    "keys": _("keys"),
    "diagnosis": _("diagnosis"),
    "system": _("versions"),
}
_ORDINAL: Final = re.compile(r"exchanges/(?P<sale>[^/]*)/(?P<number>\d+)/(?P<field>\w+)(?P<rest>.*)")
_OF_SALE: Final = re.compile(r"sales/(?P<sale>[^/]+)/(?P<field>\w+)")


def taken_out_line(one: TakenOut) -> tuple[str, str]:
    """Return what isn't in the bundle, and where it would be or why it isn't."""
    count = number(one.count)
    match one.what:
        case b.VALUES:
            told = ngettext("The value of 1 key", "The values of {count} keys", one.count)
            return told.format(count=count), _("never in a bundle; placeholders stand for them")
        case b.NEVER:
            return (
                _("Activity, applications, rotations, proxies' passwords"),
                _("never in a bundle"),
            )
        case b.OLDER_SALES:
            told = ngettext("1 older sale", "{count} older sales", one.count)
            return told.format(count=count), _("only the newest are in it")
        case b.OLDER_EXCHANGES:
            told = ngettext(
                "Timeline, requests and answers of 1 sale",
                "Timelines, requests and answers of {count} sales",
                one.count,
            )
            return told.format(count=count), _("only those of the newest sales are in it")
        case b.LONG_EXCHANGES:
            told = ngettext("1 request with its answer", "{count} requests with their answers", one.count)
            return told.format(count=count), _("the bundle would become too large")
    if one.where.startswith("<key:"):
        name = one.where[5:-1]
        return (
            _("Not searched for: the value of the key “{name}”").format(name=name),
            _("it isn't on this computer"),
        )
    if one.what == b.OWN_WORD:
        name = _("computer") if one.where == COMPUTER else _("user")
        return (
            _("The {name}'s name where it was recorded").format(name=name),
            _("it is also a word of this program, so the finished files have that word"),
        )
    times = "" if one.count == 1 else _(" ({count} times)").format(count=count)
    return f"{thing(one.what)[:1].upper()}{thing(one.what)[1:]}{times}", place(one.where)


def place(where: str) -> str:
    """Return where something stood, such as ``KB-7Q2M-X4T9-KD3F, exchange 3, answer's body``."""
    if found := _ORDINAL.match(where):
        field = _FIELDS.get(found["field"], found["field"])
        told = _("exchange {number}, {field}").format(number=found["number"], field=field)
        return f"{found['sale']}, {told}" if found["sale"] else _("diagnosis, {told}").format(told=told)
    if found := _OF_SALE.match(where):
        return f"{found['sale']}, {_FIELDS.get(found['field'], found['field'])}"
    name = where.removeprefix("settings.").partition(".")[0].partition("[")[0]
    return _FIELDS.get(name, name)


def taken_out_words(bundle: Bundle) -> list[tuple[str, str]]:
    """Return what isn't in the bundle, line by line."""
    return [taken_out_line(one) for one in bundle.taken_out]


def readable(file: BundleFile) -> str:
    """Return what a file says as lines to read: of a page what stands on it, without its markup."""
    if not file.name.endswith(".html"):
        return file.text
    text = re.sub(r"<style>.*?</style>|<head>.*?<title>", "", file.text, flags=re.DOTALL)
    text = re.sub(r"</(?:td|th)>(?=<t)", "   ", text)
    text = html.unescape(re.sub(r"<[^>]*>", "", text))
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def headline(bundle: Bundle) -> str:
    """Return what a bundle is about, in a line."""
    if bundle.about:
        return _("Support bundle about the sale {reference}").format(reference=bundle.about)
    return _("Support bundle: {sales}").format(sales=sales_words(bundle))


def sales_words(bundle: Bundle) -> str:
    """Return how many sales are in a bundle, or which sale it is about."""
    if bundle.about:
        return _("The sale {reference}").format(reference=bundle.about)
    if not bundle.sales:
        return _("No sales")
    return ngettext("1 sale", "{count} sales", len(bundle.sales)).format(count=number(len(bundle.sales)))


def place_words(bundle: Bundle) -> Sequence[tuple[str, str]]:
    """Return the environments, keys, diagnosis and libraries of a bundle, each as a fact with its name."""
    settings = bundle.settings
    facts = [
        (
            _("Environment “{name}”").format(name=one.name),
            f"{one.kind.value} · {one.base_url} · {one.contract}",
        )
        for one in settings.environments
    ]
    facts += [
        (
            _("Key “{name}”").format(name=one.name),
            f"{one.environment} · {one.username} · {one.permission} · {one.fingerprint} · {one.state}",
        )
        for one in settings.keys
    ]
    facts += [
        (f"{one.standing}: {one.cause}", f"{one.because} {one.remedy}") for one in bundle.diagnosis.causes
    ]
    facts += [(f"{one.check}: {one.result}", one.evidence) for one in bundle.diagnosis.checks]
    facts += [(name, text) for name, text in (*settings.review, *settings.window) if text]
    return [*facts, *bundle.versions.libraries]


def bundled_diagnosis(diagnosis: Diagnosis) -> BundleDiagnosis:
    """Return a diagnosis as it is bundled: its stable words, and the evidence in sentences."""
    return BundleDiagnosis(
        diagnosis.conclusion.trouble.value,
        ticket_text(diagnosis),
        tuple(
            BundleCheck(
                one.check.value,
                result_of(one).value,
                evidence_text(one),
                tuple(cause.value for cause in rules_out(one)),
                one.took_s,
            )
            for one in diagnosis.findings
        ),
        tuple(
            BundleCause(one.cause.value, one.standing.value, because(one), remedy(one.cause))
            for one in diagnosis.conclusion.causes
        ),
    )


def sale_state(sale: BundleSale) -> str:
    """Return a sale's outcome, or that it is under way."""
    return outcome_word(sale.outcome) if sale.outcome else UNDER_WAY


def summary(bundle: Bundle) -> Sequence[tuple[str, str]]:
    """Return what a bundle says of itself: each fact with its name."""
    facts = [
        (_("Saved"), day_and_time(bundle.saved_at)),
        (_("Keybench"), bundle.versions.keybench),
        (_("System"), bundle.versions.system),
        (_("Sales"), number(len(bundle.sales))),
        (_("Requests and answers"), number(len(bundle.exchanges))),
        (_("Diagnosis"), bundle.diagnosis.verdict or _("none in it")),
        (_("Left out"), number(sum(1 for one in bundle.taken_out))),
    ]
    return [(name, text) for name, text in facts if text]
