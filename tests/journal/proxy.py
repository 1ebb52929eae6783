"""A TCP proxy on loopback that can be told to swallow what it is given, or to lose one answer."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Proxy:
    """Passes on to a port of 127.0.0.1 what comes to its own.

    Attributes:
        is_cut: It takes what is sent and passes nothing on, either way, as a network that was cut does.
        loses: When these bytes are sent, the client's connection is cut without an answer; once.
        arrives: Whether the server gets them.
    """

    def __init__(self, port: int) -> None:
        self.is_cut = False
        self.loses = b""
        self.arrives = True
        self._to = port
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def close(self) -> None:
        self._shut(self._socket)
        for thread in self._threads:
            for one in list(self._open):
                self._shut(one)
            thread.join(10)
        for one in self._open:
            one.close()
        self._socket.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._socket.accept()
                server = socket.create_connection(("127.0.0.1", self._to))
                self._open += [client, server]
                for pair in ((client, server), (server, client)):
                    self._threads.append(threading.Thread(target=self._pass, args=pair, daemon=True))
                    self._threads[-1].start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if self.is_cut:
                    continue
                if self.loses and self.loses in data:
                    self.loses = b""
                    self._shut(source)  # the answer finds nobody
                    if not self.arrives:
                        break
                target.sendall(data)
        if not self.is_cut:
            self._shut(target)

    @staticmethod
    def _shut(one: socket.socket) -> None:
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
