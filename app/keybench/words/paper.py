"""A document to be read by others, such as an auditor: its texts, in sections, before they have any form.

`paper_html` makes a web page of it, `rotations.record` Markdown, and the window a PDF.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from keybench.core.environments.environment import Environment
from keybench.words.language import _


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
