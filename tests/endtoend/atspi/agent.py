"""Drives a window as a person with a keyboard and a screen reader would, at the command of a test.

Run by the system's Python, which has the accessibility bindings. It reads one JSON object a line from
standard input, each with `do` and that command's arguments, and answers each with one line.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import tree
from asking import ROOT, Program, Seen
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
        self._program: tree.Node | None = None
        self._pid = 0
        self._asked: Program
        self._found: dict[tuple[str, str], tree.Node] = {}
        self._paths: dict[tuple[str, str], str] = {}
        self._kept: dict[str, tree.Node] = {}
        self._events: list[dict[str, str]] = []
        self._focus: dict[str, str] = {}
        self._focused: tree.Node | None = None
        self._moves = 0
        self._listener = Atspi.EventListener.new(self._on_event)
        for kind in _HEARD:
            self._listener.register(kind)

    def answer(self, request: dict[str, Any]) -> Any:
        """Carry out a command and return what came of it."""
        command: Callable[..., Any] = getattr(self, f"do_{request.pop('do')}")
        return command(**request)

    def forget(self) -> None:
        """Forget what was found: something of it is gone."""
        self._found.clear()
        self._paths.clear()
        self._program = None

    def do_bus(self) -> str:
        """Return the address of the bus on which programs tell about themselves."""
        session = Gio.bus_get_sync(Gio.BusType.SESSION)
        asked = ("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress")
        answer = session.call_sync(*asked, None, None, Gio.DBusCallFlags.NONE, _BUS_LIMIT_MS)
        return str(answer.unpack()[0])

    def do_watch(self, pid: int) -> None:
        """Look at the program with this process id from now on."""
        self._pid, self._program = pid, None
        self._asked = Program(self.do_bus(), pid)

    def do_find(self, name: str, role: str, *, hidden: bool) -> list[dict[str, Any]]:
        """Return the nodes of a name; any role if `role` is empty."""
        path = self._paths.get((name, role))
        seen = self._asked.again(path) if path and not hidden else None
        still = seen is not None and seen.name == name
        found = [seen] if still else self._asked.find(name, role, hidden=hidden)
        if found and role and not hidden:
            self._paths[name, role] = found[0].path
        return self._asked.described(found)

    def do_names(self) -> list[list[str]]:
        """Return the name and role of everything on screen."""
        nodes = self._asked.all(hidden=False)
        return [[one.name, role] for one, role in zip(nodes, self._asked.roles(nodes), strict=True)]

    def do_words(self, *, hidden: bool) -> list[str]:
        """Return all names, descriptions and texts."""
        told = self._asked.described(self._asked.all(hidden=hidden))
        return [words for one in told for words in (one["name"], one["description"], one["text"]) if words]

    def do_rows(self, table: str) -> list[list[str]]:
        """Return a table's cells; nothing if it isn't on screen."""
        # One that was found before may still hold the cells of before.
        found = self._asked.find(table, "table", hidden=False)
        return self._asked.rows(found[0]) if found else []

    def do_choices(self, box: str) -> list[str]:
        """Return what a combo box offers, by the names of its list's items."""
        found = self._matching(box, "combo box", hidden=False)
        inside = tree.walk(found[0], hidden=True) if found else ()
        return [node.get_name() for node in inside if node.get_role_name() == tree.LIST_ITEM]

    def do_keep(self, mark: str, name: str, role: str) -> bool:
        """Remember a node that will go by another name."""
        found = self._matching(name, role, hidden=False)
        if found:
            self._kept[mark] = found[0]
        return bool(found)

    def do_kept(self, mark: str) -> dict[str, Any]:
        """Return what is told of a node that was kept."""
        return tree.described(self._kept[mark])

    def do_look(self, mark: str) -> str:
        """Return a hash of what the screen shows where a kept node is."""
        return self._screen.fingerprint(*tree.place(self._kept[mark]))

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
        found = self._matching(name, role, hidden=False)
        return list(tree.place(found[0])) if found else []

    def do_activate(self, name: str, role: str) -> bool:
        """Do what a control does when it is pressed, as assistive technology asks for it."""
        found = self._matching(name, role, hidden=False)
        return bool(found) and bool(Atspi.Action.do_action(found[0], 0))

    def do_fill(self, name: str, text: str) -> bool:
        """Replace what a text field holds."""
        found = self._matching(name, "text", hidden=False)
        return bool(found) and bool(Atspi.EditableText.set_text_contents(found[0], text))

    def do_select_all(self, table: str) -> bool:
        """Select all rows of a table."""
        found = self._matching(table, "table", hidden=False)
        rows = Atspi.Table.get_n_rows(found[0]) if found else 0
        return rows > 0 and all(Atspi.Table.add_row_selection(found[0], row) for row in range(rows))

    def do_mouse(self, name: str, role: str, button: int, times: int) -> bool:
        """Press a mouse button in the middle of the first node of a name; tell whether there is one."""
        found = self._matching(name, role, hidden=False)
        if found:
            self._wait_until_active()
            left, top, width, height = tree.place(found[0])
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
            self._asked.roles([Seen(ROOT)])
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
        self._program = self._program or tree.application(self._pid)
        for _ in range(_ACTIVE_LIMIT_MS // _PUMP_MS):
            if self._program and tree.has_active_window(self._program):
                return
            self.do_pump(_PUMP_MS)

    def _matching(self, name: str, role: str, *, hidden: bool) -> list[tree.Node]:
        """Return the nodes of a name; of a role that was found before that one, while it is still so."""
        before = self._found.pop((name, role), None)
        if before is not None and not hidden and tree.is_still(before, name):
            found = [before]
        else:
            found = [
                node
                for node in self._walk(hidden=hidden)
                if node.get_name() == name and role in {"", node.get_role_name()}
            ]
        if found and role and not hidden:
            self._found[name, role] = found[0]
        return found

    def _walk(self, *, hidden: bool) -> list[tree.Node]:
        try:
            self._program = self._program or tree.application(self._pid)
            return list(tree.walk(self._program, hidden=hidden)) if self._program else []
        except GLib.Error:
            self._program = None  # it changed under our eyes, or has ended
            return []

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
        try:
            answer = {"done": agent.answer(json.loads(line))}
        except GLib.Error as error:
            agent.forget()
            answer = {"gone": error.message}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
