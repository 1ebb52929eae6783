"""A lesson on made-up events, and the room it is played in, for the panel and the page."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Final

from keybench.core.errors import KeybenchError
from keybench.core.input_errors import SalesUnderWay
from keybench.core.lessons.lesson import LessonEvent, LessonProgress, progress_of
from keybench.workflows.console import Console
from keybench.workflows.lessons.files import read_lesson

LESSON: Final = """
title = "Rotate without an outage"
minutes = 10
story = "The key of the front desk is a year old. Two applications use it, and both must go on selling."
learnt = "An application keeps its key until it is restarted."

[[must_not]]
event = "call"
why = "key gone"
text = "A sale is refused because its key is gone."

[[steps]]
stage = "create"
about = "The new key may do what the old one may."
hints = ["Look at the page Rotations."]
solution = [{ do = "create the replacement" }]

[[steps]]
title = "See both applications work with it"
text = "Who sold last, and with which key? Look before you confirm."
about = "Setting a key is not using it."
hints = ["The gateway's log has each call.", "Restart what sells with the old key.", "Then wait for a sale."]
show = "Part of it > Confirm it works…"
page = "rotations"
must = [{ event = "application seen", count = 2, distinct = "subject", text = "Applications seen working" }]
solution = [{ do = "confirm it works", application = "web shop" }]
"""


class EventRoom:
    """What the window needs of a `Room`, on events that a test makes."""

    def __init__(self, console: Console, folder: Path, content: str = LESSON) -> None:
        path = folder / "07-rotate.toml"
        path.write_text(content, "utf-8")
        self.console = console
        self.lesson = read_lesson(path)
        self.began_at = console.clock.now()
        self.events: list[LessonEvent] = []
        self.failure: KeybenchError | None = None
        self.unfinished = 0

    def happen(self, event: str, **fields: str) -> None:
        """Let something happen a second after what happened before."""
        at = self.began_at + timedelta(seconds=len(self.events) + 1)
        self.events.append(LessonEvent(at, event, fields))

    async def progress(self) -> LessonProgress:
        if self.failure:
            raise self.failure
        return progress_of(self.lesson, self.began_at, self.events)

    async def move_time(self, seconds: float) -> None:
        if self.unfinished:
            raise SalesUnderWay("", self.unfinished)
        self.console.clock.moved_s += seconds
