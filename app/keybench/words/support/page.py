"""The page of a support bundle that is read first: it needs nothing else, and opens without a network."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlsplit

from keybench.core.environments.environment import EnvironmentKind, mark_of
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
from keybench.words.language import _
from keybench.words.paper import visible
from keybench.words.paper_html import COLOURS
from keybench.words.sales.outcomes import UNDER_WAY, outcome_word
from keybench.words.support.bundle import FILES, headline, taken_out_words

_STYLE: Final = """
body { background: #ffffff; color: #1b2430; font: 15px/1.5 system-ui, sans-serif; margin: 24px auto; max-width: 1080px;
  padding: 0 20px; }
h1 { font-size: 24px; margin: 16px 0 4px; } h2 { font-size: 18px; margin: 28px 0 8px; }
table { border-collapse: collapse; width: 100%; } th { background: #f5f6f8; text-align: left; }
th, td { border: 1px solid #dfe3e8; padding: 4px 8px; vertical-align: top; overflow-wrap: anywhere; }
th.name { width: 26%; } pre { background: #f5f6f8; padding: 8px; white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; padding: 4px 0; } .dim { color: #5b6675; } .mark { color: #ffffff; padding: 6px 12px;
  border-radius: 6px; display: inline-block; font-weight: 600; }
details.sale { border: 1px solid #dfe3e8; border-radius: 6px; margin: 6px 0; padding: 2px 12px; }
"""
#: The marks of so many environments stand on top.
_MOST_MARKS: Final = 4


def bundle_page(documents: Documents) -> str:
    """Return the page; whatever people and gateways wrote stays text. The same bundle gives the same page."""
    title = _text(headline(documents))
    manifest, versions = documents[MANIFEST], documents[VERSIONS]
    saved = _(
        "Saved {moment} by Keybench {version}. Times are UTC. keybench practice --replay plays it back."
    )
    parts = [
        *_marks(documents),
        f"<h1>{title}</h1>",
        _paragraph(saved.format(moment=_moment(manifest["saved_at"]), version=versions["keybench"])),
        *_diagnosis(documents[DIAGNOSIS]),
        *_sales(documents[TIMELINE]["sales"], documents[HAR]["log"]["entries"]),
        *_settings(documents[SETTINGS], versions),
        _heading(_("Left out")),
        _table((_("What"), _("Where or why")), taken_out_words(documents)),
        _heading(_("Files of the bundle")),
        _table((), list(FILES.items())),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(filter(None, parts))
        + "\n</body>\n</html>\n"
    )


def _marks(documents: Documents) -> list[str]:
    kinds = {one["name"]: EnvironmentKind(one["kind"]) for one in documents[SETTINGS]["environments"]}
    told = [sale["environment"] for sale in documents[TIMELINE]["sales"]]
    return [
        f'<span class="mark" style="background: {COLOURS[kinds[name]]}">'
        f"{mark_of(kinds[name])} {kinds[name].upper()} · {_text(name)}</span>"
        for name in list(dict.fromkeys(told))[:_MOST_MARKS]
        if name in kinds
    ]


def _diagnosis(told: Mapping[str, Any]) -> list[str]:
    if not (told["verdict"] or told["checks"]):
        return [_heading(_("Diagnosis")), _paragraph(_("No diagnosis was made."))]
    causes = _columns(told["causes"], "standing", "cause", "because", "remedy")
    checks = [
        (one["check"], one["result"], one["evidence"], ", ".join(one["rules_out"])) for one in told["checks"]
    ]
    return [
        _heading(_("Diagnosis")),
        _paragraph(_("Whose trouble it is: {verdict}").format(verdict=told["verdict"] or _("open"))),
        f"<pre>{_lines(told['text'])}</pre>" if told["text"] else "",
        _table((_("Likelihood"), _("Cause"), _("Because"), _("Remedy")), causes),
        _table((_("Check"), _("Result"), _("Evidence"), _("Rules out")), checks),
    ]


def _sales(sales: Sequence[Mapping[str, Any]], entries: Sequence[Mapping[str, Any]]) -> list[str]:
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
    parts = [
        _heading(_("Sales")),
        _table(heads, rows) if rows else _paragraph(_("No sales")),
    ]
    by_sale: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        by_sale.setdefault(entry[OURS]["sale"], []).append(entry)
    if sales:
        parts.append(_heading(_("Timelines")))
    is_one = len(sales) == 1
    parts += [_story(sale, by_sale.get(sale["reference"], []), is_one=is_one) for sale in sales]
    return parts


def _amount(sale: Mapping[str, Any]) -> str:
    asked, part = f"{sale['amount']} {sale['currency']}", sale.get("approved_amount")
    return _("{approved} of {money}").format(approved=part, money=asked) if part else asked


def _state(sale: Mapping[str, Any]) -> str:
    return outcome_word(Outcome(sale["outcome"])) if "outcome" in sale else UNDER_WAY


def _story(sale: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], *, is_one: bool) -> str:
    head = f"{sale['reference']} · {_amount(sale)} · {sale['device']} · {_state(sale)}"
    began = sale["noted_at"]
    events = [
        (_moment(one["at"]), _since(began, one["at"]), one["mark"].replace("_", " "), one["detail"])
        for one in sale.get("events", ())
    ]
    parts = [_table((_("Time"), _("After"), _("What"), _("Detail")), events)]
    parts += [_exchange(entry, began, in_full=is_one) for entry in entries]
    opened = " open" if is_one else ""
    body = "\n".join(parts)
    return f'<details class="sale"{opened}>\n<summary>{_text(head)}</summary>\n{body}\n</details>'


def _exchange(entry: Mapping[str, Any], began: str, *, in_full: bool) -> str:
    request, response, ours = entry["request"], entry["response"], entry[OURS]
    parts = urlsplit(request["url"])
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    answer = str(response["status"] or _("no answer ({reason})").format(reason=ours["failure"]))
    took = f"{ours['timings']['total_s']:.3f} s"
    line = f"{_since(began, ours['at'])} {request['method']} {path} → {answer}, {took}"
    if not in_full:
        return f"<div>{_text(line)}</div>"
    asked, said = (
        "\n".join(f"{one['name']}: {one['value']}" for one in side["headers"]) for side in (request, response)
    )
    return (
        f"<details><summary>{_text(line)}</summary>\n"
        f"<pre>{_lines(asked, request.get('postData', {}).get('text', ''))}</pre>\n"
        f"<pre>{_lines(said, response['content']['text'])}</pre>\n</details>"
    )


def _settings(settings: Mapping[str, Any], versions: Mapping[str, Any]) -> list[str]:
    environments = _columns(settings["environments"], "name", "kind", "base_url", "contract", "proxy")
    keys = _columns(
        settings["keys"],
        *("name", "environment", "username", "permission", "kind", "fingerprint", "state"),
    )
    facts = [
        (_("Keybench"), versions["keybench"]),
        (_("Python"), versions["python"]),
        (_("System"), versions["system"]),
    ]
    return [
        _heading(_("Environments")),
        _table((_("Name"), _("Kind"), _("Base URL"), _("API version"), _("Proxy")), environments),
        _heading(_("Keys, without their values")),
        _table(
            (
                *(_("Name"), _("Environment"), _("Username"), _("Permission"), _("Kind")),
                *(_("Fingerprint"), _("Last look")),
            ),
            keys,
        ),
        _heading(_("Versions")),
        _table((), [*facts, *versions["libraries"]]),
    ]


def _columns(records: Iterable[Mapping[str, str]], *names: str) -> list[list[str]]:
    return [[record[name] for name in names] for record in records]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = "".join(f"<th>{_text(name)}</th>" for name in head)
    parts = [f"<tr>{cells}</tr>"] if head else []
    for row in rows:
        first = _text(row[0])
        lead = f"<td>{first}</td>" if head else f'<th class="name">{first}</th>'
        parts.append(f"<tr>{lead}{''.join(f'<td>{_text(one)}</td>' for one in row[1:])}</tr>")
    body = "\n".join(parts)
    return f"<table>\n{body}\n</table>"


def _heading(text: str) -> str:
    return f"<h2>{_text(text)}</h2>"


def _paragraph(text: str) -> str:
    return f"<p>{_text(text)}</p>"


def _moment(moment: str) -> str:
    told = datetime.fromisoformat(moment).astimezone(UTC)
    return told.isoformat(sep=" ", timespec="milliseconds").removesuffix("+00:00")


def _since(began: str, at: str) -> str:
    after = datetime.fromisoformat(at) - datetime.fromisoformat(began)
    return f"+{max(after.total_seconds(), 0.0):.3f} s"


def _lines(*texts: str) -> str:
    return "\n\n".join(html.escape("\n".join(map(visible, text.splitlines()))) for text in texts if text)


def _text(text: str) -> str:
    return html.escape(visible(" ".join(text.splitlines())))
