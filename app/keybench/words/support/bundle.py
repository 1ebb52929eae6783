"""Support bundles in words: what a bundle says, what was taken out of it, and why one wasn't written."""

from __future__ import annotations

import html
import re
from typing import Any, Final

from keybench.core.diagnosis.conclusion import Diagnosis
from keybench.core.errors import BundleUnsafe
from keybench.core.support.bundle import (
    DIAGNOSIS,
    HAR,
    MANIFEST,
    PAGE,
    SETTINGS,
    TIMELINE,
    VERSIONS,
    Documents,
    diagnosis_record,
)
from keybench.words.diagnosis import check_record, ticket_text, verdict_record
from keybench.words.formats import sentence_case
from keybench.words.language import _, ngettext, number
from keybench.workflows.support import bundles as b

#: What each file of a bundle is.
FILES: Final = {
    PAGE: _("Read this first"),
    TIMELINE: _("Sales and their timelines"),
    HAR: _("Requests and answers"),
    DIAGNOSIS: _("Diagnosis"),
    VERSIONS: _("Versions"),
    SETTINGS: _("Environments, devices, keys without values"),
    MANIFEST: _("What the bundle is, and what was left out"),
}


def bundle_error(error: BundleUnsafe) -> tuple[str, str]:
    title = _(
        "The support bundle wasn't written: something that must not leave this computer was found in it."
    )
    lines = [
        _("{what} in {file}, {where}").format(what=thing(what), file=file, where=where)
        for what, file, where in error.places
    ]
    return title, "\n".join(lines)


def thing(what: str) -> str:
    kind, _colon, name = what.strip("<>").partition(":")
    return _("the value of the key “{name}”").format(name=name) if kind == "key" else what


def taken_out_words(documents: Documents) -> list[tuple[str, str]]:
    return [_taken_out(**line) for line in documents[MANIFEST]["taken_out"]]


def _taken_out(what: str, where: str, count: int) -> tuple[str, str]:
    match what:
        case b.VALUES:
            told = ngettext("The value of 1 key", "The values of {count} keys", count)
            return told, _("never in a bundle; placeholders stand for them")
        case b.NEVER:
            return _("Activity, applications, rotations, proxies' passwords"), _("never in a bundle")
        case b.OLDER_SALES:
            return ngettext("1 older sale", "{count} older sales", count), _("only the newest are in it")
        case b.LONG_EXCHANGES:
            told = ngettext("1 request with its answer", "{count} requests with their answers", count)
            return told, _("the bundle would become too large")
        case b.NOT_HELD:
            return _("Not searched for: {thing}").format(thing=thing(where)), _("it isn't on this computer")
    times = "" if count == 1 else _(" ({count} times)").format(count=number(count))
    return f"{sentence_case(thing(what))}{times}", where


def readable(page: str) -> str:
    text = re.sub(r"<style>.*?</style>|<head>.*?<title>", "", page, flags=re.DOTALL)
    text = re.sub(r"</(?:td|th)>(?=<t)", "   ", text)
    text = html.unescape(re.sub(r"<[^>]*>", "", text.replace("<br>", "\n")))
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def headline(documents: Documents) -> str:
    if about := documents[MANIFEST]["about"]:
        return _("Support bundle about the sale {reference}").format(reference=about)
    count = len(documents[TIMELINE]["sales"])
    told = ngettext("Support bundle: 1 sale", "Support bundle: {count} sales", count)
    return told if count else _("Support bundle: no sales")


def bundled_diagnosis(diagnosis: Diagnosis) -> dict[str, Any]:
    lines = [*map(check_record, diagnosis.findings), verdict_record(diagnosis)]
    return diagnosis_record(lines, ticket_text(diagnosis))
