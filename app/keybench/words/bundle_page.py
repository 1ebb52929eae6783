"""The page of a support bundle that is read first: it needs nothing else, and opens without a network."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlsplit

from keybench.core.bundle import Bundle, BundleExchange, BundleSale
from keybench.core.environment import marking
from keybench.words.bundle import FILES, headline, sale_state, taken_out_words
from keybench.words.language import _
from keybench.words.paper import visible
from keybench.words.record_html import COLOURS

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
#: So many sales are listed on the page; all of them are in the timeline's file.
_MOST_LISTED: Final = 500
#: Of so many sales the page shows the timeline, and of a single one its bodies, too.
_MOST_SHOWN: Final = 50


def bundle_page(bundle: Bundle) -> str:
    """Return the page; whatever people and gateways wrote stays text. The same bundle gives the same page."""
    title = _text(headline(bundle))
    parts = [
        *(_mark(bundle, name) for name in _places(bundle)),
        f"<h1>{title}</h1>",
        _paragraph(
            _(
                "Saved {moment} by Keybench {version}. Open it in Keybench with File, Open a support bundle…, or "
                "play it back with keybench practice --replay. Times are UTC."
            ).format(moment=_moment(bundle.saved_at), version=bundle.versions.keybench)
        ),
        *_diagnosis(bundle),
        *_sales(bundle),
        *_settings(bundle),
        *_taken_out(bundle),
        *_files(),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(filter(None, parts))
        + "\n</body>\n</html>\n"
    )


def _places(bundle: Bundle) -> list[str]:
    return list(dict.fromkeys(sale.environment for sale in bundle.sales if sale.is_told))[:4]


def _mark(bundle: Bundle, name: str) -> str:
    environment = bundle.environment(name)
    if environment is None:
        return ""
    return f'<span class="mark" style="background: {COLOURS[environment.kind]}">{_text(marking(environment))}</span>'


def _diagnosis(bundle: Bundle) -> list[str]:
    told = bundle.diagnosis
    if not (told.verdict or told.checks):
        return [_heading(_("Diagnosis")), _paragraph(_("No diagnosis was made."))]
    causes = [(one.standing, one.cause, one.because, one.remedy) for one in told.causes]
    checks = [(one.check, one.result, one.evidence, ", ".join(one.rules_out)) for one in told.checks]
    return [
        _heading(_("Diagnosis")),
        _paragraph(_("Whose trouble it is: {verdict}").format(verdict=told.verdict or _("open"))),
        f"<pre>{_lines(told.text)}</pre>" if told.text else "",
        _table((_("Likelihood"), _("Cause"), _("Because"), _("Remedy")), causes),
        _table((_("Check"), _("Result"), _("Evidence"), _("Rules out")), checks),
    ]


def _sales(bundle: Bundle) -> list[str]:
    heads = (
        *(_("Recorded"), _("Environment"), _("Device"), _("Amount"), _("Key"), _("Outcome"), _("Reference")),
        _("The gateway said"),
    )
    rows = [
        (
            _moment(sale.noted_at),
            sale.environment,
            sale.device,
            _amount(sale),
            sale.key_name,
            sale_state(sale),
            sale.reference,
            sale.message or sale.reason,
        )
        for sale in bundle.sales[:_MOST_LISTED]
    ]
    more = len(bundle.sales) - len(rows)
    parts = [
        _heading(_("Sales")),
        _table(heads, rows) if rows else _paragraph(_("No sales")),
    ]
    if more > 0:
        parts.append(_paragraph(_("{count:,} more are in timeline.json.").format(count=more)))
    by_sale: dict[str, list[BundleExchange]] = {}
    for exchange in bundle.exchanges:
        by_sale.setdefault(exchange.sale, []).append(exchange)
    told = [sale for sale in bundle.sales if sale.is_told]
    if told:
        parts.append(_heading(_("Timelines")))
    is_one = len(told) == 1
    parts += [_story(sale, by_sale.get(sale.reference, []), is_one=is_one) for sale in told[:_MOST_SHOWN]]
    return parts


def _amount(sale: BundleSale) -> str:
    asked, part = f"{sale.amount} {sale.currency}", sale.approved_amount
    return _("{approved} of {money}").format(approved=part, money=asked) if part else asked


def _story(sale: BundleSale, exchanges: Sequence[BundleExchange], *, is_one: bool) -> str:
    head = f"{sale.reference} · {_amount(sale)} · {sale.device} · {sale_state(sale)}"
    began = sale.noted_at
    events = [
        (_moment(one.at), _since(began, one.at), str(one.mark).replace("_", " "), one.detail)
        for one in sale.events
    ]
    parts = [_table((_("Time"), _("After"), _("What"), _("Detail")), events)]
    parts += [_exchange(one, began, in_full=is_one) for one in exchanges]
    opened = " open" if is_one else ""
    body = "\n".join(parts)
    return f'<details class="sale"{opened}>\n<summary>{_text(head)}</summary>\n{body}\n</details>'


def _exchange(told: BundleExchange, began: datetime, *, in_full: bool) -> str:
    one = told.exchange
    parts = urlsplit(one.url)
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    answer = str(one.status) if one.status else _("no answer ({reason})").format(reason=one.failure)
    line = f"{_since(began, one.at)} {one.method} {path} → {answer}, {one.timings.total_s:.3f} s"
    if not in_full:
        return f"<div>{_text(line)}</div>"
    asked = "\n".join(f"{name}: {value}" for name, value in one.request_headers)
    said = "\n".join(f"{name}: {value}" for name, value in one.response_headers)
    return (
        f"<details><summary>{_text(line)}</summary>\n"
        f"<pre>{_lines(asked, one.request_body)}</pre>\n<pre>{_lines(said, one.response_body)}</pre>\n</details>"
    )


def _settings(bundle: Bundle) -> list[str]:
    settings, versions = bundle.settings, bundle.versions
    environments = [
        (one.name, one.kind.value, one.base_url, one.contract, one.proxy) for one in settings.environments
    ]
    keys = [
        (one.name, one.environment, one.username, one.permission, one.kind, one.fingerprint, one.state)
        for one in settings.keys
    ]
    facts = [
        (_("Keybench"), versions.keybench),
        (_("Python"), versions.python),
        (_("System"), versions.system),
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
        _table((), [*facts, *versions.libraries]),
    ]


def _taken_out(bundle: Bundle) -> list[str]:
    lines = taken_out_words(bundle)
    return [_heading(_("Left out")), _table((_("What"), _("Where or why")), lines)]


def _files() -> list[str]:
    return [_heading(_("Files of the bundle")), _table((), list(FILES.items()))]


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


def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(sep=" ", timespec="milliseconds").removesuffix("+00:00")


def _since(began: datetime, at: datetime) -> str:
    return f"+{max((at - began).total_seconds(), 0.0):.3f} s"


def _lines(*texts: str) -> str:
    return "\n\n".join(html.escape("\n".join(map(visible, text.splitlines()))) for text in texts if text)


def _text(text: str) -> str:
    return html.escape(visible(" ".join(text.splitlines())))
