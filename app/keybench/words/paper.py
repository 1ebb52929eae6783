"""A document to be read by others, such as an auditor: its texts in sections, and as a web page.

The page needs nothing else, and browsers print it on any paper. `rotations.record` makes Markdown of a document,
and the window a PDF.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from keybench.core.environments.environment import Environment, EnvironmentKind, marking
from keybench.words.language import _, is_right_to_left, language


@dataclass(frozen=True, slots=True)
class PaperSection:
    """A table under a title; without column names in its head its rows are a name and what it is."""

    title: str
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Paper:
    """A document; every page of a draft says that what it tells isn't finished."""

    title: str
    environment: Environment
    written_at: datetime
    lead: str
    sections: tuple[PaperSection, ...]
    closing: str
    is_draft: bool = False

    @property
    def full_title(self) -> str:
        return _("Draft: {title}").format(title=self.title) if self.is_draft else self.title


DRAFT_WORD: Final = _("Draft")
DRAFT_NOTE: Final = _("Draft: the rotation isn't finished, so this record isn't complete.")
LIVE_NOTE: Final = _("Live: real money moves with these keys.")


def visible(line: str) -> str:
    """Return a line with a mark for each character that can't be shown."""
    return "".join(c if c.isprintable() else "\ufffd" for c in line)


#: The environments' colours on white paper.
COLOURS: Final = {
    EnvironmentKind.PRACTICE: "#0f766e",
    EnvironmentKind.TEST: "#1d4ed8",
    EnvironmentKind.LIVE: "#b42318",
}

# Qt's rich text knows little of style sheets, so the look is in what both it and browsers understand; what it
# doesn't know is for browsers and their printing. No paper size: a browser takes the one of its printer.
_STYLE: Final = """
@page { margin: 16mm 14mm; }
body { background-color: #ffffff; color: #1b2430; font-family: sans-serif; font-size: 10pt; }
h1 { font-size: 20pt; margin-top: 8px; margin-bottom: 4px; overflow-wrap: anywhere; }
h2 { font-size: 13pt; margin-top: 18px; margin-bottom: 4px; break-after: avoid; }
p { margin-top: 4px; margin-bottom: 4px; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th { background-color: #f5f6f8; text-align: start; }
th, td { border: 1px solid #c4cad2; font-size: 9pt; overflow-wrap: anywhere; vertical-align: top; }
tr { break-inside: avoid; }
.dim { color: #5b6675; font-size: 9pt; }
.draft { color: #9a3412; font-weight: bold; }
* { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
"""
# In the margin of every page that is printed.
_DRAFT_STYLE: Final = """\
@page { @top-right { content: "%s"; color: #9a3412; font: bold 9pt sans-serif; } }
"""


def paper_html(paper: Paper) -> str:
    """Return a document as a page; whatever people wrote stays text."""
    # What stands in the title is what a browser prints on every page.
    full = f"{marking(paper.environment)} · {paper.full_title}"
    parts = [
        _heading(paper),
        paragraph(DRAFT_NOTE, role="draft") if paper.is_draft else "",
        paragraph(paper.lead),
        *map(section_html, paper.sections),
        paragraph(paper.closing, role="dim"),
    ]
    return web_page(full, parts, _DRAFT_STYLE % DRAFT_WORD if paper.is_draft else "")


def web_page(title: str, parts: Iterable[str], style: str = "") -> str:
    """Return a page of parts, which are HTML, with a style of its own besides the usual one."""
    told = escaped(title).replace("<br>", " ")
    return (
        f'<!DOCTYPE html>\n<html lang="{language().replace("_", "-")}" dir="{_direction()}">\n'
        '<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{told}</title>\n<style>{_STYLE}{style}</style>\n</head>\n<body>\n"
        + "\n".join(filter(None, parts))
        + "\n</body>\n</html>\n"
    )


def _direction() -> str:
    return "rtl" if is_right_to_left() else "ltr"


def _side() -> str:
    return "right" if is_right_to_left() else "left"


def _heading(paper: Paper) -> str:
    colour = COLOURS[paper.environment.kind]
    note = f"<br>{escaped(LIVE_NOTE)}" if paper.environment.is_live else ""
    band = (
        f'<table width="100%" cellspacing="0" cellpadding="8"><tr><td bgcolor="{colour}" '
        f'style="background-color: {colour}; border-color: {colour}; color: #ffffff;">'
        f'<b style="font-size: 12pt;">{escaped(marking(paper.environment))}</b>{note}</td></tr></table>'
    )
    return f"{band}\n<h1>{escaped(paper.full_title)}</h1>"


def paragraph(text: str, *, role: str = "") -> str:
    """Return a paragraph."""
    return f'<p class="{role}">{escaped(text)}</p>' if role else f"<p>{escaped(text)}</p>"


def section_html(section: PaperSection) -> str:
    """Return a section with its title, if it has one."""
    title = f"<h2>{escaped(section.title)}</h2>\n" if section.title else ""
    note = paragraph(section.note) if section.note else ""
    return f"{title}{note}{_table(section) if section.rows else ''}"


def _table(section: PaperSection) -> str:
    head = ""
    if section.head:
        cells = "".join(
            f'<th align="{_side()}" bgcolor="#f5f6f8">{escaped(name)}</th>' for name in section.head
        )
        head = f"<thead><tr>{cells}</tr></thead>\n"
    # Rows of a name and what it is have the name for their head.
    rows = "\n".join(f"<tr>{_cells(row, named=not section.head)}</tr>" for row in section.rows)
    return f'<table cellspacing="0" cellpadding="4" width="100%">\n{head}<tbody>\n{rows}\n</tbody></table>'


def _cells(row: tuple[str, ...], *, named: bool) -> str:
    first, *others = (escaped(text) for text in row)
    lead = (
        f'<th align="{_side()}" bgcolor="#f5f6f8" width="30%">{first}</th>' if named else f"<td>{first}</td>"
    )
    return lead + "".join(f"<td>{text}</td>" for text in others)


def escaped(text: str) -> str:
    """Return any text so that a page shows it as it is; its line ends become breaks."""
    return "<br>".join(html.escape(visible(line)) for line in text.splitlines())
