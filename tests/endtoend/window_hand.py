"""A hand at a window's keyboard that finds everything by its accessible name, as its test commands."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

AGENT = Path(__file__).parent / "atspi" / "agent.py"
#: The accessibility bindings come with the system's packages, for the system's Python.
SYSTEM_PYTHON = "/usr/bin/python3"
#: A machine may be busy with other things; this is only how soon a failure is told.
PATIENCE_S = 60.0
#: How soon it looks again, later and later: a look takes the program's time, and much is told by itself.
_PUMP_MS, _MOST_PUMP_MS = 25, 200
_MOST_CONTROLS = 60
_CONTROLS = ("push button", "text", "combo box", "dialog", "file chooser")
_Seen = TypeVar("_Seen")


@dataclass(frozen=True, slots=True)
class Control:
    """What is told of a control."""

    role: str
    name: str
    description: str
    text: str
    states: tuple[str, ...]

    @property
    def is_enabled(self) -> bool:
        return "enabled" in self.states

    @property
    def is_checked(self) -> bool:
        return "checked" in self.states


class Hand:
    """A person's hand and ear: presses keys, hears what is told, finds controls by name and role."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [SYSTEM_PYTHON, os.fspath(AGENT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._answer()

    def ask(self, do: str, **arguments: Any) -> Any:
        """Have a command of `atspi/agent.py` carried out and return what came of it."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """Let go of the keyboard."""
        self._process.communicate(timeout=PATIENCE_S)

    def _answer(self) -> Any:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            _out, told = self._process.communicate(timeout=PATIENCE_S)
            pytest.fail(f"the window can't be driven from outside here:\n{told[-2000:]}")
        return json.loads(line)["done"]

    # --- waiting ----------------------------------------------------------------------------------

    def until(self, look: Callable[[], _Seen], what: str, limit_s: float = PATIENCE_S) -> _Seen:
        """Look until there is something to see and return it; fail with what was waited for."""
        end, pump_ms = time.monotonic() + limit_s, _PUMP_MS
        while not (seen := look()):
            if time.monotonic() > end:
                pytest.fail(f"waited {limit_s:g} s for {what}; {self._situation()}")
            self.ask("pump", limit_ms=pump_ms)
            pump_ms = min(2 * pump_ms, _MOST_PUMP_MS)
        return seen

    def _situation(self) -> str:
        """Return where the keyboard is and which controls there are: by name, for a text may be a value."""
        there = [name for name, role in self.ask("names") or [] if role in _CONTROLS]
        return f"the keyboard was at {self.focus}, and there were {there}"

    def find(self, name: str, role: str = "", *, hidden: bool = False) -> Control | None:
        """Return the first control on screen of a name, or None; its label only if there is no other."""
        found = [
            Control(**{**told, "states": tuple(told["states"])})
            for told in self.ask("find", name=name, role=role, hidden=hidden) or []
        ]
        return min(found, key=lambda one: one.role == "label", default=None)

    def wait_for(self, name: str, role: str = "", *, enabled: bool = True) -> Control:
        """Wait until a control is on screen and, unless told otherwise, can be used."""

        def look() -> Control | None:
            seen = self.find(name, role)
            return seen if seen and (seen.is_enabled or not enabled) else None

        return self.until(look, f"the {role or 'control'} {name!r}")

    def wait_for_dialog(self, title: str) -> None:
        """Wait until a dialog is on screen and the window manager has given it the keyboard."""

        def look() -> bool:
            found = (self.find(title, role) for role in ("dialog", "file chooser"))
            return any(seen is not None and "active" in seen.states for seen in found)

        self.until(look, f"the dialog {title!r} with the keyboard")

    def words(self, *, hidden: bool = False) -> list[str]:
        """Return all that is said on screen, or by the whole window."""
        return self.ask("words", hidden=hidden) or []

    def wait_for_words(self, part: str) -> str:
        """Wait until something on screen says `part` and return all of it."""
        return self.until(lambda: str(self.ask("saying", part=part)), f"the words {part!r}")

    def wait_to_hear(self, start: str) -> list[dict[str, str]]:
        """Wait until an announcement begins so, and return what was told since `events` was last asked."""
        heard: list[dict[str, str]] = []

        def is_announced() -> bool:
            heard.extend(self.ask("events"))
            announced = [one["value"] for one in heard if one["type"].startswith("object:announcement")]
            return any(words.startswith(start) for words in announced)

        self.until(is_announced, f"the announcement of {start!r}")
        return heard

    def activate(self, name: str, role: str = "push button") -> None:
        """Press a control as assistive technology does, once it can be pressed."""
        self.wait_for(name, role)
        self.until(lambda: self.ask("activate", name=name, role=role), f"{name} to be pressed")

    def fill(self, name: str, text: str) -> None:
        """Replace what a field holds as assistive technology does, once it can be written to."""
        self.wait_for(name, "text")
        self.until(lambda: self.ask("fill", name=name, text=text), f"{name} to be written to")

    # --- the keyboard -----------------------------------------------------------------------------

    def press(self, *keys: str) -> None:
        """Press keys: `Tab`, `ctrl+q`; each once the one before is taken in, as shortcuts overtake in Qt."""
        for number, key in enumerate(keys):
            if number:
                self.ask("settle")
            self.ask("press", keys=key)

    def type(self, text: str) -> None:
        """Type a text where the keyboard is."""
        self.ask("type", text=text)

    # --- the mouse --------------------------------------------------------------------------------

    def click(self, name: str, role: str = "", *, times: int = 1) -> None:
        """Click in the middle of a control, or of a table's cell."""
        self.until(lambda: self.ask("mouse", name=name, role=role, button=1, times=times), f"{name!r}")

    def turn_wheel(self, name: str, role: str = "") -> None:
        """Turn the mouse's wheel down by one notch over a control."""
        self.until(lambda: self.ask("mouse", name=name, role=role, button=5, times=1), f"{name!r}")

    # --- where the keyboard is --------------------------------------------------------------------

    @property
    def focus(self) -> tuple[str, str]:
        """Role and name of what has the keyboard."""
        told = self.ask("focus")
        return told.get("role", ""), told.get("name", "")

    def tab_to(self, name: str, key: str = "Tab") -> None:
        """Press Tab until the control of a name has the keyboard."""
        passed: list[str] = []
        while not self._is_at(name):
            if len(passed) > _MOST_CONTROLS:
                pytest.fail(f"Tab never came to {name!r}, but to {passed}")
            moves = self.ask("focus")["moves"]
            self.press(key)
            self.until(lambda before=moves: self.ask("focus")["moves"] != before, "the keyboard to move on")
            passed.append(self.focus[1])

    def _is_at(self, name: str) -> bool:
        """Tell whether the control of a name has the keyboard, and keeps it after all that was pressed."""
        self.ask("settle")
        return self.focus[1] == name

    def press_button(self, name: str, key: str = "space") -> None:
        """Go to a button by keyboard and press it."""
        self.wait_for(name, "push button")
        self.tab_to(name)
        self.press(key)

    def write(self, name: str, text: str) -> None:
        """Go to a field by keyboard, replace what it holds, and wait: shortcuts overtake letters in Qt."""
        self.wait_for(name)
        self.tab_to(name)
        self.press("ctrl+a")
        self.type(text)
        if self.find(name, "text"):  # one that hides what it holds has as many signs
            self.until(lambda: self._length(name) == len(text), f"the text in {name!r}")

    def _length(self, name: str) -> int:
        seen = self.find(name, "text")
        return len(seen.text) if seen else 0
