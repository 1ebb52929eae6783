"""The record of a rotation, and its list of applications, as web pages that need nothing else and print on A4."""

from __future__ import annotations

import html
from datetime import datetime
from typing import Final

from keybench.core.environment import Environment, EnvironmentKind, marking
from keybench.core.rotation import ApplicationStep, Rotation
from keybench.words.formats import both_times
from keybench.words.language import _
from keybench.words.record import (
    CLOSING,
    Section,
    record_sections,
    record_title,
    standing,
)

#: The environments' colours on white paper.
_COLOURS: Final = {
    EnvironmentKind.PRACTICE: "#0f766e",
    EnvironmentKind.TEST: "#1d4ed8",
    EnvironmentKind.LIVE: "#b42318",
}
_LIVE_NOTE: Final = _("Live: real money moves with these keys.")
_TICKED: Final = "\u2611"
_UNTICKED: Final = "\u2610"

# Qt's rich text knows little of style sheets, so the look is in what both it and browsers understand; what it
# doesn't know is for browsers and their printing.
_STYLE: Final = """
@page { size: A4; margin: 16mm 14mm; }
body { background-color: #ffffff; color: #1b2430; font-family: sans-serif; font-size: 10pt; }
h1 { font-size: 16pt; margin-top: 8px; margin-bottom: 4px; }
h2 { font-size: 12pt; margin-top: 16px; margin-bottom: 4px; break-after: avoid; }
p { margin-top: 4px; margin-bottom: 4px; }
table { border-collapse: collapse; width: 100%; }
th { background-color: #f5f6f8; text-align: left; }
th, td { border: 1px solid #c4cad2; font-size: 9pt; overflow-wrap: anywhere; vertical-align: top; }
tr { break-inside: avoid; }
.dim { color: #5b6675; font-size: 9pt; }
* { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
"""


def record_html(rotation: Rotation, environment: Environment, now: datetime) -> str:
    """Return the record as a page; whatever people wrote stays text.

    Args:
        rotation: Which.
        environment: Where its keys belong.
        now: When the record is written, UTC.
    """
    title = record_title(rotation)
    parts = [
        _heading(title, environment),
        _paragraph(standing(rotation)),
        *(_section(section) for section in record_sections(rotation, environment, now)),
        _paragraph(CLOSING, role="dim"),
    ]
    return _page(title, environment, parts)


def checklist_html(rotation: Rotation, environment: Environment) -> str:
    """Return the list of applications to go through on paper, with what was done already filled in."""
    title = _("Replace a key: {name}").format(name=rotation.old.name)
    old, new = rotation.old, rotation.replacement
    keys = [
        _("Old key: {name}, fingerprint {value}").format(
            name=old.name, value=old.fingerprint or _("not known")
        )
    ]
    keys += (
        [_("New key: {name}, fingerprint {fingerprint}").format(name=new.name, fingerprint=new.fingerprint)]
        if new
        else [_("New key: not made yet")]
    )
    head = (
        _("Application"),
        _("Looked after by"),
        _("Where the key is set, how to change it"),
        _("Changed"),
        _("Seen working"),
    )
    rows = tuple(map(_to_do, rotation.applications))
    note = "" if rows else _("No application is listed for the old key.")
    parts = [
        _heading(title, environment),
        _paragraph("\n".join(keys)),
        _section(Section(_("Applications"), head, rows, note)),
        _paragraph(
            _("Tick, date and sign each one, then enter it in Keybench. No key value is on this page."),
            role="dim",
        ),
    ]
    return _page(title, environment, parts)


def _to_do(step: ApplicationStep) -> tuple[str, ...]:
    return (
        step.name,
        "\n".join(filter(None, (step.owner, step.contact))),
        "\n".join(filter(None, (step.place, step.instructions))),
        _tick(step.changed_at, step.changed_by),
        _tick(step.seen_at if step.is_seen_working else None, step.seen_by),
    )


def _tick(at: datetime | None, who: str) -> str:
    if at is None:
        return _("{UNTICKED}\n\nDate, name:").format(UNTICKED=_UNTICKED)
    return "\n".join(filter(None, (_TICKED, both_times(at), who)))


def _page(title: str, environment: Environment, parts: list[str]) -> str:
    # What stands in a title is on every page of the PDF too.
    full = _text(f"{marking(environment)} · {title}").replace("<br>", " ")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{full}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def _heading(title: str, environment: Environment) -> str:
    colour = _COLOURS[environment.kind]
    note = f"<br>{_LIVE_NOTE}" if environment.is_live else ""
    band = (
        f'<table width="100%" cellspacing="0" cellpadding="8"><tr><td bgcolor="{colour}" '
        f'style="background-color: {colour}; border-color: {colour}; color: #ffffff;">'
        f'<b style="font-size: 12pt;">{_text(marking(environment))}</b>{note}</td></tr></table>'
    )
    return f"{band}\n<h1>{_text(title)}</h1>"


def _paragraph(text: str, *, role: str = "") -> str:
    return f'<p class="{role}">{_text(text)}</p>' if role else f"<p>{_text(text)}</p>"


def _section(section: Section) -> str:
    note = _paragraph(section.note) if section.note else ""
    return f"<h2>{_text(section.title)}</h2>\n{note}{_table(section) if section.rows else ''}"


def _table(section: Section) -> str:
    head = ""
    if section.head:
        cells = "".join(f'<th align="left" bgcolor="#f5f6f8">{_text(name)}</th>' for name in section.head)
        head = f"<thead><tr>{cells}</tr></thead>\n"
    # Rows of a name and what it is have the name for their head.
    rows = "\n".join(f"<tr>{_cells(row, named=not section.head)}</tr>" for row in section.rows)
    return f'<table cellspacing="0" cellpadding="4" width="100%">\n{head}<tbody>\n{rows}\n</tbody></table>'


def _cells(row: tuple[str, ...], *, named: bool) -> str:
    first, *others = (_text(text) for text in row)
    lead = f'<th align="left" bgcolor="#f5f6f8" width="30%">{first}</th>' if named else f"<td>{first}</td>"
    return lead + "".join(f"<td>{text}</td>" for text in others)


def _text(text: str) -> str:
    """Return any text so that a page shows it as it is; its line ends become breaks."""
    return "<br>".join(
        html.escape("".join(c if c.isprintable() else "\ufffd" for c in line)) for line in text.splitlines()
    )
