"""Listens for what others change in a team's journal, on a connection and a thread of its own."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Final

import psycopg

from keybench.core.secret import Secret
from keybench.journal.postgres.engine import connector

#: How often the server is asked whether it is still there, in seconds: a cut network says nothing.
_ASK_EACH_S: Final = 3.0
#: How long an answer is waited for, in seconds.
_SILENT_S: Final = 5.0
#: The shortest and the longest pause between two tries, in seconds; each is twice the one before.
_PAUSES_S: Final = (0.5, 10.0)


class Listener:
    """Tells what others changed, and whether the server can be heard; connects again by itself.

    On its own thread it gives `on_notice` each notice: a table, an environment's id and a row's, with tabs
    between; not those of the server's process `own_pid`. It tells `on_link` whenever the server can be heard
    again, and whenever it can't any more, or not yet: until then anything may have changed.
    """

    def __init__(
        self,
        url: str,
        password: Secret | None,
        on_notice: Callable[[str], None],
        on_link: Callable[[bool], None],
        own_pid: Callable[[], int] = lambda: 0,
    ) -> None:
        self._connect = connector(url, password, _SILENT_S, _SILENT_S)
        self._on_notice, self._on_link, self._own_pid = on_notice, on_link, own_pid
        self._closed = threading.Event()
        self._heard: bool | None = None
        self._awake, self._wake = socket.socketpair()
        self._thread = threading.Thread(target=self._serve, name="keybench listener", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Tell nothing more, and let the thread end."""
        self._closed.set()
        self._wake.close()

    def _serve(self) -> None:
        with self._awake:
            pause = _PAUSES_S[0]
            while not self._closed.is_set():
                try:
                    self._listen()
                except psycopg.Error:
                    pause = _PAUSES_S[0] if self._heard else min(2 * pause, _PAUSES_S[1])
                    self._note_link(heard=False)
                    self._closed.wait(pause)

    def _listen(self) -> None:
        """Listen until it is closed; raise when the server can't be heard."""
        with closing(self._connect()) as connection:
            connection.autocommit = True
            connection.execute("LISTEN keybench")  # as ``resources/team/journal.sql`` has it
            self._note_link(heard=True)
            while not self._closed.is_set():
                for notice in connection.notifies(timeout=0):
                    if notice.pid != self._own_pid() and not self._closed.is_set():
                        self._on_notice(notice.payload)
                if not select.select([connection.fileno(), self._awake.fileno()], [], [], _ASK_EACH_S)[0]:
                    connection.execute("SELECT 1")

    def _note_link(self, *, heard: bool) -> None:
        if self._heard is not heard and not self._closed.is_set():
            self._heard = heard
            self._on_link(heard)
