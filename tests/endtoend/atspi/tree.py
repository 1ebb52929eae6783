"""What assistive technology is told of a program: its controls by name and role, its tables, its words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402 - the version is chosen first

Node = Atspi.Accessible
#: What a combo box offers, one by one.
LIST_ITEM = "list item"
#: What is told of a node's states.
STATES = ("showing", "enabled", "focusable", "focused", "checked", "editable", "selected", "active")


def application(pid: int) -> Node | None:
    """Return the program with a process id, or None while it isn't there."""
    desktop = Atspi.get_desktop(0)
    # What is remembered may be old, and these answers are looked at because something changes.
    desktop.set_cache_mask(Atspi.Cache.NONE)
    for child in children(desktop):
        try:
            if child.get_process_id() == pid:
                child.set_cache_mask(Atspi.Cache.NONE)
                return child
        except GLib.Error:
            continue  # it has just ended
    return None


def children(node: Node) -> Iterator[Node]:
    """Yield a node's children."""
    for place in range(node.get_child_count()):
        child = node.get_child_at_index(place)
        if child is not None:
            yield child


def walk(node: Node, *, hidden: bool = False) -> Iterator[Node]:
    """Yield a node and what is below it in order; below it, what isn't on screen only if `hidden`."""
    yield node
    for child in children(node):
        if hidden or child.get_state_set().contains(Atspi.StateType.SHOWING):
            yield from walk(child, hidden=hidden)


def has_active_window(program: Node) -> bool:
    """Tell whether a window of the program has the keyboard."""
    try:
        windows = list(children(program))
        return any(one.get_state_set().contains(Atspi.StateType.ACTIVE) for one in windows)
    except GLib.Error:
        return False  # it has ended, or a window went meanwhile


def is_still(node: Node, name: str) -> bool:
    """Tell whether a node found before is on screen and goes by the same name."""
    try:
        return bool(node.get_state_set().contains(Atspi.StateType.SHOWING) and node.get_name() == name)
    except GLib.Error:
        return False  # it is gone


def described(node: Node) -> dict[str, Any]:
    """Return what is told of a node."""
    states = node.get_state_set().get_states()
    told = {one.value_nick for one in states}
    return {
        "role": node.get_role_name(),
        "name": node.get_name(),
        "description": node.get_description(),
        "text": text_of(node),
        "states": [one for one in STATES if one in told],
    }


def text_of(node: Node) -> str:
    """Return the text inside a node; empty where it has none."""
    if "Text" not in node.get_interfaces():
        return ""
    return str(Atspi.Text.get_text(node, 0, -1))


def place(node: Node) -> tuple[int, int, int, int]:
    """Return where a node is on the screen: left, top, width, height."""
    box = Atspi.Component.get_extents(node, Atspi.CoordType.SCREEN)
    return box.x, box.y, box.width, box.height
