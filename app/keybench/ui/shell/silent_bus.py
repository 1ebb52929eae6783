"""Keeps Qt from a session bus (D-Bus) that takes connections and gives no answer: it would wait without end."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import unquote_to_bytes

_VARIABLE: Final = "DBUS_SESSION_BUS_ADDRESS"
#: How long a bus may take to greet, in seconds; a living one does within a millisecond.
_PATIENCE_S: Final = 2.0
#: An address that nothing can be connected to.
_NOWHERE: Final = "disabled:"


@contextmanager
def without_silent_bus(patience_s: float = _PATIENCE_S) -> Iterator[bool]:
    """Hide the session bus meanwhile if it is silent; yields whether it is.

    What Qt doesn't find when it first looks for it, it never looks for again.
    """
    if not is_silent(os.environ, patience_s):
        yield False
        return
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = _NOWHERE
    try:
        yield True
    finally:
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before


def is_silent(environment: Mapping[str, str], patience_s: float = _PATIENCE_S) -> bool:
    """Tell whether there is a session bus that gives no answer; one that isn't there fails at once."""
    place = _socket(environment)
    if not place or not hasattr(socket, "AF_UNIX"):
        return False
    with socket.socket(socket.AF_UNIX) as bus:
        bus.settimeout(patience_s)
        try:
            bus.connect(place)
            bus.sendall(b"\0AUTH\r\n")  # asks how one may sign in
            bus.recv(1)
        except TimeoutError:
            return True
        except OSError:
            return False
    return False


def _socket(environment: Mapping[str, str]) -> bytes:
    """Return where the bus's socket is; empty where it has none on this computer."""
    address = environment.get(_VARIABLE, "")
    if not address:
        usual = Path(environment.get("XDG_RUNTIME_DIR", ""), "bus")
        return os.fsencode(usual) if usual.is_absolute() and usual.exists() else b""
    way, _, words = address.partition(";")[0].partition(":")
    facts = dict(word.partition("=")[::2] for word in words.split(","))
    if way != "unix":
        return b""
    if "abstract" in facts:
        return b"\0" + unquote_to_bytes(facts["abstract"])
    return unquote_to_bytes(facts.get("path", ""))
