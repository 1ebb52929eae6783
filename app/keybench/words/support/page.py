"""The page of a support bundle that is read first: it needs nothing else, and opens without a network."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlsplit

from keybench.core.environments.environment import EnvironmentKind, mark_of
from keybench.core.money import Money
from keybench.core.sales.sale import Outcome
from keybench.core.support.bundle import (
    DIAGNOSIS,
    HAR,
    MANIFEST,
    OURS,
    SETTINGS,
    TIMELINE,
    VERSIONS,
    Documents,
)
from keybench.words.formats import figure, money
from keybench.words.language import _
from keybench.words.paper import COLOURS, PaperSection, escaped, paragraph, section_html, visible, web_page
from keybench.words.sales.outcomes import UNDER_WAY, outcome_word
from keybench.words.support.bundle import FILES, headline, taken_out_words

_STYLE: Final = """
body { margin: 24px auto; max-width: 1080px; padding: 0 20px; }
pre { background: #f5f6f8; padding: 8px; white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; padding: 4px 0; }
.mark { color: #ffffff; padding: 6px 12px; border-radius: 6px; display: inline-block; font-weight: 600; }
details.sale { border: 1px solid #dfe3e8; border-radius: 6px; margin: 6px 0; padding: 2px 12px; }
"""
#: The marks of so many environments stand on top.
_MOST_MARKS: Final = 4


def bundle_page(documents: Documents) -> str:
    """Return the page; whatever people and gateways wrote stays text. The same bundle gives the same page."""
    title = headline(documents)
    manifest, versions = documents[MANIFEST], documents[VERSIONS]
    saved = _(
        "Saved {moment} by Keybench {version}. Times are UTC. keybench practice --replay plays it back."
    )
    parts = [
        *_marks(documents),
        f"<h1>{escaped(title)}</h1>",
        paragraph(saved.format(moment=_moment(manifest["saved_at"]), version=versions["keybench"])),
        *_diagnosis(documents[DIAGNOSIS]),
        *_sales(documents[TIMELINE]["sales"], documents[HAR]["log"]["entries"]),
        *_settings(documents[SETTINGS], versions),
        _section(_("Left out"), (_("What"), _("Where or why")), taken_out_words(documents)),
        _section(_("Files of the bundle"), (), FILES.items()),
    ]
    return web_page(title, parts, _STYLE)


def _marks(documents: Documents) -> list[str]:
    kinds = {one["name"]: EnvironmentKind(one["kind"]) for one in documents[SETTINGS]["environments"]}
    told = [sale["environment"] for sale in documents[TIMELINE]["sales"]]
    return [
        f'<span class="mark" style="background: {COLOURS[kinds[name]]}">'
        f"{mark_of(kinds[name])} {kinds[name].upper()} · {escaped(name)}</span>"
        for name in list(dict.fromkeys(told))[:_MOST_MARKS]
        if name in kinds
    ]


def _diagnosis(told: Mapping[str, Any]) -> list[str]:
    if not (told["verdict"] or told["checks"]):
        return [_section(_("Diagnosis"), note=_("No diagnosis was made."))]
    whose = _("Whose trouble it is: {verdict}").format(verdict=told["verdict"] or _("open"))
    checks = [
        (one["check"], one["result"], one["evidence"], ", ".join(one["rules_out"])) for one in told["checks"]
    ]
    return [
        _section(_("Diagnosis"), note=whose),
        f"<pre>{_lines(told['text'])}</pre>" if told["text"] else "",
        _section(
            _("Causes"),
            (_("Likelihood"), _("Cause"), _("Because"), _("Remedy")),
            _columns(told["causes"], "standing", "cause", "because", "remedy"),
        ),
        _section(_("Checks"), (_("Check"), _("Result"), _("Evidence"), _("Rules out")), checks),
    ]


def _sales(sales: Sequence[Mapping[str, Any]], entries: Sequence[Mapping[str, Any]]) -> list[str]:
    if not sales:
        return [_section(_("Sales"), note=_("No sales"))]
    heads = (
        *(_("Recorded"), _("Environment"), _("Device"), _("Amount"), _("Key"), _("Outcome"), _("Reference")),
        _("The gateway said"),
    )
    rows = [
        (
            _moment(sale["noted_at"]),
            *(sale["environment"], sale["device"], _amount(sale), sale["key_name"]),
            *(_state(sale), sale["reference"], sale.get("message") or sale.get("reason", "")),
        )
        for sale in sales
    ]
    by_sale: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        by_sale.setdefault(entry[OURS]["sale"], []).append(entry)
    is_one = len(sales) == 1
    stories = [_story(sale, by_sale.get(sale["reference"], []), is_one=is_one) for sale in sales]
    return [_section(_("Sales"), heads, rows), _section(_("Timelines")), *stories]


def _amount(sale: Mapping[str, Any]) -> str:
    asked, part = money(Money(Decimal(sale["amount"]), sale["currency"])), sale.get("approved_amount")
    return _("{approved} of {money}").format(approved=figure(Decimal(part)), money=asked) if part else asked


def _state(sale: Mapping[str, Any]) -> str:
    return outcome_word(Outcome(sale["outcome"])) if "outcome" in sale else UNDER_WAY


def _story(sale: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], *, is_one: bool) -> str:
    head = f"{sale['reference']} · {_amount(sale)} · {sale['device']} · {_state(sale)}"
    began = sale["noted_at"]
    events = [
        (_moment(one["at"]), _since(began, one["at"]), one["mark"].replace("_", " "), one["detail"])
        for one in sale.get("events", ())
    ]
    parts = [_section("", (_("Time"), _("After"), _("What"), _("Detail")), events)]
    parts += [_exchange(entry, began, in_full=is_one) for entry in entries]
    opened = " open" if is_one else ""
    body = "\n".join(parts)
    return f'<details class="sale"{opened}>\n<summary>{escaped(head)}</summary>\n{body}\n</details>'


def _exchange(entry: Mapping[str, Any], began: str, *, in_full: bool) -> str:
    request, response, ours = entry["request"], entry["response"], entry[OURS]
    parts = urlsplit(request["url"])
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    answer = str(response["status"] or _("no answer ({reason})").format(reason=ours["failure"]))
    took = f"{ours['timings']['total_s']:.3f} s"
    line = f"{_since(began, ours['at'])} {request['method']} {path} → {answer}, {took}"
    if not in_full:
        return f"<div>{escaped(line)}</div>"
    asked, said = (
        "\n".join(f"{one['name']}: {one['value']}" for one in side["headers"]) for side in (request, response)
    )
    return (
        f"<details><summary>{escaped(line)}</summary>\n"
        f"<pre>{_lines(asked, request.get('postData', {}).get('text', ''))}</pre>\n"
        f"<pre>{_lines(said, response['content']['text'])}</pre>\n</details>"
    )


def _settings(settings: Mapping[str, Any], versions: Mapping[str, Any]) -> list[str]:
    facts = [
        (_("Keybench"), versions["keybench"]),
        (_("Python"), versions["python"]),
        (_("System"), versions["system"]),
    ]
    return [
        _section(
            _("Environments"),
            (_("Name"), _("Kind"), _("Base URL"), _("API version"), _("Proxy")),
            _columns(settings["environments"], "name", "kind", "base_url", "contract", "proxy"),
        ),
        _section(
            _("Keys, without their values"),
            (
                *(_("Name"), _("Environment"), _("Username"), _("Permission"), _("Kind")),
                *(_("Fingerprint"), _("Last look")),
            ),
            _columns(
                settings["keys"],
                *("name", "environment", "username", "permission", "kind", "fingerprint", "state"),
            ),
        ),
        _section(_("Versions"), (), [*facts, *versions["libraries"]]),
    ]


def _columns(records: Iterable[Mapping[str, str]], *names: str) -> list[list[str]]:
    return [[record[name] for name in names] for record in records]


def _section(
    title: str, head: tuple[str, ...] = (), rows: Iterable[Iterable[str]] = (), note: str = ""
) -> str:
    return section_html(PaperSection(title, head, tuple(map(tuple, rows)), note))


def _moment(moment: str) -> str:
    told = datetime.fromisoformat(moment).astimezone(UTC)
    return told.isoformat(sep=" ", timespec="milliseconds").removesuffix("+00:00")


def _since(began: str, at: str) -> str:
    after = datetime.fromisoformat(at) - datetime.fromisoformat(began)
    return f"+{max(after.total_seconds(), 0.0):.3f} s"


def _lines(*texts: str) -> str:
    return "\n\n".join(html.escape("\n".join(map(visible, text.splitlines()))) for text in texts if text)
