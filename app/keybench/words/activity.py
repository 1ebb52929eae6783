"""What was done on this computer, in words: the journal's stable phrases as they are read."""

from __future__ import annotations

from keybench.core.ports import Activity


def action_words(line: Activity) -> str:
    """Return what was done, such as ``Key added``."""
    return line.action[:1].upper() + line.action[1:]


def spoken_line(line: Activity, environment: str) -> str:
    """Return a line as it is read aloud: what, to which, where, with which result."""
    return ", ".join(part for part in (action_words(line), line.subject, environment, line.result) if part)
