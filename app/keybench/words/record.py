"""The record of a rotation as Markdown, for the security documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from keybench.core.environment import Environment, marking
from keybench.core.rotation import Rotation
from keybench.words.record_parts import CLOSING, Section, record_sections, record_title, standing

# What counts within a line; no line of the record begins with what people wrote.
_SPECIAL: Final = re.compile(r"([\\`*_\[\]#|~$])")
_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def record_markdown(rotation: Rotation, environment: Environment, now: datetime) -> str:
    """Return the record as Markdown with tables; whatever people wrote stays text.

    Args:
        rotation: As it stands.
        environment: Where its keys belong.
        now: When the record is written, UTC.
    """
    sections = record_sections(rotation, environment, now)
    blocks = [
        f"# {_plain(record_title(rotation))}",
        f"**{_plain(marking(environment))}**",
        _plain(standing(rotation)),
        *(block for section in sections for block in _blocks(section)),
        f"---\n\n{_plain(CLOSING)}",
    ]
    return "\n\n".join(blocks) + "\n"


def _blocks(section: Section) -> Iterator[str]:
    yield f"## {_plain(section.title)}"
    if section.note:
        yield _plain(section.note)
    if section.rows:
        # A Markdown table can't do without a head.
        head = section.head or ("",) * len(section.rows[0])
        lines = [_row(head), _line(["---"] * len(head)), *map(_row, section.rows)]
        yield "\n".join(lines)


def _row(cells: tuple[str, ...]) -> str:
    return _line([_plain(cell) for cell in cells])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """Return any text so that Markdown shows it as it is; its line ends become breaks."""
    return "<br>".join(_escaped(" ".join(line.split())) for line in text.splitlines())


def _escaped(line: str) -> str:
    visible = "".join(c if c.isprintable() else "\ufffd" for c in line)
    escaped = _SPECIAL.sub(r"\\\1", visible)
    return "".join(_ENTITIES.get(c, c) for c in escaped)
