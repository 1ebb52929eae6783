"""Drives a window as a person with a keyboard and a screen reader would, at the command of a test.

Run by the system's Python, which has the accessibility bindings. It reads one JSON object a line from
standard input, each with `do` and that command's arguments, and answers each with one line.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from asking import ROOT, Program, Sign
from gi.repository import Atspi, Gio, GLib
from screen import Screen

_HEARD = (
    "object:announcement",
    "object:property-change:accessible-name",
    "object:property-change:accessible-description",
    "object:text-changed",
    "object:state-changed:focused",
)
#: How long the window manager may take to give a window of the program the keyboard.
_ACTIVE_LIMIT_MS = 60_000
_PUMP_MS = 20
_BUS_LIMIT_MS = 60_000
_FOCUS = "object:state-changed:focused"
_TURNS = 3


class Agent:
    """Knows one program, and what it told since the last question."""

    def __init__(self) -> None:
        self._screen = Screen()
        self._asked: Program
        self._paths: dict[tuple[str, str], str] = {}
        self._kept: dict[str, Sign] = {}
        self._events: list[dict[str, str]] = []
        self._focus: dict[str, str] = {}
        self._focused: Atspi.Accessible | None = None
        self._moves = 0
        self._listener = Atspi.EventListener.new(self._on_event)
        for kind in _HEARD:
            self._listener.register(kind)

    def answer(self, request: dict[str, Any]) -> Any:
        """Carry out a command and return what came of it."""
        command: Callable[..., Any] = getattr(self, f"do_{request.pop('do')}")
        return command(**request)

    def do_bus(self) -> str:
        """Return the address of the bus on which programs tell about themselves."""
        session = Gio.bus_get_sync(Gio.BusType.SESSION)
        asked = ("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress")
        answer = session.call_sync(*asked, None, None, Gio.DBusCallFlags.NONE, _BUS_LIMIT_MS)
        return str(answer.unpack()[0])

    def do_watch(self, pid: int) -> None:
        """Look at the program with this process id from now on."""
        self._asked = Program(self.do_bus(), pid)

    def do_find(self, name: str, role: str, *, hidden: bool) -> list[dict[str, Any]]:
        """Return what is told of the controls of a name; any role if `role` is empty."""
        return self._asked.described(self._found(name, role, hidden=hidden))

    def do_names(self) -> list[list[str]]:
        """Return the name and role of everything on screen."""
        nodes = self._asked.all(hidden=False)
        return [[one.name, role] for one, role in zip(nodes, self._asked.roles(nodes), strict=True)]

    def do_words(self, *, hidden: bool) -> list[str]:
        """Return all names, descriptions and texts."""
        return self._asked.words(hidden=hidden)

    def do_saying(self, part: str) -> str:
        """Return a name, description or text on screen with this in it; empty if there is none."""
        return self._asked.saying(part)

    def do_rows(self, table: str) -> list[list[str]]:
        """Return a table's cells; nothing if it isn't on screen."""
        # One that was found before may still hold the cells of before.
        found = self._asked.find(table, "table", hidden=False)
        return self._asked.rows(found[0]) if found else []

    def do_choices(self, box: str) -> list[str]:
        """Return what a combo box offers, by the names of its list's items."""
        found = self._found(box, "combo box")
        return self._asked.offers(found[0]) if found else []

    def do_keep(self, mark: str, name: str, role: str) -> bool:
        """Remember a control that will go by another name."""
        found = self._found(name, role)
        if found:
            self._kept[mark] = found[0]
        return bool(found)

    def do_kept(self, mark: str) -> dict[str, Any]:
        """Return what is told of a control that was kept."""
        return self._asked.described(self._asked.now([self._kept[mark].path]))[0]

    def do_look(self, mark: str) -> str:
        """Return a hash of what the screen shows where a kept control is."""
        return self._screen.fingerprint(*self._asked.place(self._kept[mark]))

    def do_press(self, keys: str) -> None:
        """Press a key."""
        self._wait_until_active()
        self._screen.press(keys)

    def do_type(self, text: str) -> None:
        """Type a text."""
        self._wait_until_active()
        self._screen.type(text)

    def do_active(self) -> None:
        """Wait until a window of the program has the keyboard."""
        self._wait_until_active()

    def do_frame(self, name: str, role: str) -> list[int]:
        """Return where a control is on the screen: left, top, width, height."""
        found = self._found(name, role)
        return list(self._asked.place(found[0])) if found else []

    def do_activate(self, name: str, role: str) -> bool:
        """Do what a control does when it is pressed, as assistive technology asks for it."""
        found = self._found(name, role)
        return bool(found) and self._asked.press(found[0])

    def do_fill(self, name: str, text: str) -> bool:
        """Replace what a text field holds."""
        found = self._found(name, "text")
        return bool(found) and self._asked.fill(found[0], text)

    def do_select_all(self, table: str) -> bool:
        """Select all rows of a table."""
        found = self._found(table, "table")
        return bool(found) and self._asked.select_all(found[0])

    def do_mouse(self, name: str, role: str, button: int, times: int) -> bool:
        """Press a mouse button in the middle of the first control of a name; tell whether there is one."""
        found = self._found(name, role)
        if found:
            self._wait_until_active()
            left, top, width, height = self._asked.place(found[0])
            self._screen.click(left + width // 2, top + height // 2, button, times)
        return bool(found)

    def do_pump(self, limit_ms: int) -> None:
        """Take in what the program tells, until something was told or the time is over."""
        context = GLib.MainContext.default()
        over: list[bool] = []
        timer = GLib.timeout_add(limit_ms, lambda: bool(over.append(True)))
        before = len(self._events), self._moves
        while not over and (len(self._events), self._moves) == before:
            context.iteration(may_block=True)
        if not over:
            GLib.source_remove(timer)

    def do_settle(self) -> None:
        """Let the program take in the keys that were pressed, and take in what it told of that."""
        context = GLib.MainContext.default()
        for _ in range(_TURNS):  # an answer comes after a turn of the program's loop
            self._asked.roles([Sign(ROOT)])
            while context.iteration(may_block=False):
                pass

    def do_focus(self) -> dict[str, Any]:
        """Return the role and name of what has the keyboard, and how often it has moved."""
        return {**self._focus, "moves": self._moves}

    def do_events(self) -> list[dict[str, str]]:
        """Return what was told since the last time this was asked."""
        told, self._events = self._events, []
        return told

    def _wait_until_active(self) -> None:
        """Wait until the window manager has given one of the program's windows the keyboard.

        A window that was just opened gets it a moment later; a key pressed meanwhile would go elsewhere.
        """
        for _ in range(_ACTIVE_LIMIT_MS // _PUMP_MS):
            if self._asked.has_active_window():
                return
            self.do_pump(_PUMP_MS)

    def _found(self, name: str, role: str, *, hidden: bool = False) -> list[Sign]:
        """Return the controls of a name; of a role that was found before that one, while it is still so."""
        path = self._paths.get((name, role))
        before = self._asked.now([path] if path and not hidden else [])
        if before and before[0].name == name and before[0].has("showing"):
            return before
        found = self._asked.find(name, role, hidden=hidden)
        if found and role and not hidden:
            self._paths[name, role] = found[0].path
        return found

    def _on_event(self, event: Atspi.Event) -> None:
        try:
            source = {"role": event.source.get_role_name(), "name": event.source.get_name()}
        except GLib.Error:
            return  # it went before it could be asked
        if event.type == _FOCUS:
            # A window that gets the keyboard tells again where it was.
            if event.detail1 and event.source != self._focused:
                self._focused = event.source
                self._focus, self._moves = source, self._moves + 1
            return
        value = event.any_data
        self._events.append({**source, "type": event.type, "value": value if isinstance(value, str) else ""})


def main() -> None:
    """Answer until standard input closes."""
    Atspi.init()
    Atspi.set_timeout(_BUS_LIMIT_MS, _BUS_LIMIT_MS)  # 0.8 s is its own, too little on a busy machine
    agent = Agent()
    print(json.dumps({"done": None}), flush=True)
    for line in sys.stdin:
        print(json.dumps({"done": agent.answer(json.loads(line))}), flush=True)


if __name__ == "__main__":
    main()
