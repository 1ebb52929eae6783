"""The real window on a data folder: started, driven, killed or closed, and nothing left of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import psutil
import pytest

from endtoend.atspi.screen import Screen
from endtoend.window_hand import PATIENCE_S, Control, Hand

#: How long a test waits for the gateway of a window that was killed to end, in seconds.
GONE_S = 60.0

#: The rail's pages, whose places are their shortcuts' numbers.
RAIL = ("Bench", "Keys", "Rotations", "Devices", "History", "Diagnose", "Lessons", "Settings")


class Keyboard(Protocol):
    """Another keyboard than that of this test's own screen."""

    def press(self, keys: str) -> None:
        """Press a key: `Tab`, `ctrl+q`."""

    def type(self, text: str) -> None:
        """Type a text."""


class Window(Hand):
    """One window on a data folder, and the keyboard before it.

    Args:
        folder: The data folder.
        variables: What is different in the window's environment from this test's.
        keyboard: The keyboard before it; None for this test's own screen's.
        command: What to start instead of the window on the folder, such as the tour.
    """

    def __init__(
        self,
        folder: Path,
        variables: Mapping[str, str],
        keyboard: Keyboard | None = None,
        command: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self._keyboard = keyboard
        self._told = tempfile.TemporaryFile()  # noqa: SIM115 - `put_away` closes it
        # Other tests of the same run draw offscreen; a keyboard needs a real screen.
        screen = {"QT_QPA_PLATFORM": "xcb", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
        told_on = {"AT_SPI_BUS_ADDRESS": self.ask("bus")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "keybench", *(command or ("--data-dir", str(folder)))],
            env={**os.environ, **screen, **told_on, **variables},
            stdout=subprocess.DEVNULL,
            stderr=self._told,
        )
        self.ask("watch", pid=self.process.pid)

    @property
    def told(self) -> str:
        """What it has written on standard error."""
        self._told.seek(0)
        return self._told.read().decode()

    def press(self, *keys: str) -> None:
        """Press keys one after the other, once the window has the keyboard."""
        if self._keyboard is None:
            super().press(*keys)
            return
        for key in keys:
            self.ask("active")
            self._keyboard.press(key)

    def press_at_once(self, *keys: str) -> None:
        """Press keys while the program is stopped: one that was busy has all of them to take in at once."""
        screen = Screen()
        self.ask("active")
        self.process.send_signal(signal.SIGSTOP)
        for key in keys:
            screen.press(key)
        self.process.send_signal(signal.SIGCONT)

    def type(self, text: str) -> None:
        """Type a text, once the window has the keyboard."""
        if self._keyboard is None:
            super().type(text)
            return
        self.ask("active")
        self._keyboard.type(text)

    def ended(self) -> int:
        """Wait until it has ended by itself and return the exit status; it said nothing on standard error."""
        try:
            status = self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            pytest.fail(f"the window didn't end; {self._situation()}")
        assert self.told == "", self.told
        return status

    def wait_until_ready(self) -> None:
        """Wait until the Bench can be used."""
        self.wait_for("Add a New Key", "push button")

    def gateways(self) -> list[psutil.Process]:
        """Return the practice gateways this window started."""
        return [one for one in psutil.Process(self.process.pid).children() if _is_gateway(one)]

    def gateway(self) -> psutil.Process:
        """Wait until there is a practice gateway and return it."""
        return self.until(self.gateways, "a practice gateway")[0]

    def quit(self) -> int:
        """Close the window by keyboard and return the exit status."""
        self.press("ctrl+q")
        return self.ended()

    def put_away(self) -> None:
        """End what is left of it."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE_S)
        self._told.close()
        self.close()

    # --- what a person does -----------------------------------------------------------------------

    def go_to(self, page: str) -> None:
        """Go to a page by its shortcut."""
        self.press(f"ctrl+{RAIL.index(page) + 1}")
        self.until(lambda: (seen := self.find(page, "radio button")) and seen.is_checked, f"the page {page}")

    def add_key(self, name: str) -> None:
        """Add a private key of counter1 in the practice environment."""
        self.press("ctrl+n")
        self.wait_for("Key Name", "text")
        self.until(lambda: self.focus == ("text", "Key Name"), "the keyboard at Key Name")
        self.type(name)
        self.choose("Username", "counter1")
        self.press_button("Create")
        self.wait_for("Test key", "push button")
        self.until(lambda: [row for row in self.rows("Security keys") if row[0] == name], "the key's row")

    def choose(self, box: str, choice: str) -> None:
        """Choose in a combo box by typing how the choice begins; the box says what is chosen.

        The chooser of the environment takes no letters: see `choose_environment`.
        """
        self.tab_to(box)
        self.until(lambda: self.offers(box, choice), f"{box} to offer {choice}")
        self.type(choice)
        self.until(lambda: choice in self.value_of(box), f"{choice} chosen in {box}")

    def choose_environment(self, name: str) -> None:
        """Go to another environment: open the chooser's list, choose in it, confirm with Enter."""
        self.press("ctrl+e")
        self.until(lambda: self.focus == ("combo box", "Environment"), "the keyboard at the chooser")
        self.until(lambda: self.offers("Environment", name), f"{name} among the environments")
        choices = self.ask("choices", box="Environment")
        before = next(one for one in choices if self.value_of("Environment").startswith(one))
        steps = choices.index(name) - choices.index(before)
        self.press("Down")
        self.until(lambda: self.focus[0].startswith("list"), "the keyboard in the open list")
        self.press(*["Down" if steps > 0 else "Up"] * abs(steps), "Return")
        self.until(lambda: self.value_of("Environment").startswith(name), f"{name} chosen")

    def choose_in_menu(self, start: str) -> None:
        """Choose what begins so in the menu that is open: down to it, and Enter."""
        passed: list[str] = []
        while not self.focus[1].startswith(start):
            moves = self.ask("focus")["moves"]
            self.press("Down")
            self.until(lambda before=moves: self.ask("focus")["moves"] != before, "the menu's next item")
            assert self.focus[1] not in passed, f"there is no {start!r} in the menu, but {passed}"
            passed.append(self.focus[1])
        self.press("Return")

    def wait_for_focus(self, role: str, name: str) -> None:
        """Wait until the keyboard is where the window brings it."""
        self.until(lambda: self.focus == (role, name), f"the keyboard at {name!r}")

    def text_of(self, field: str) -> str:
        """Return what a text field holds."""
        seen = self.find(field, "text")
        return seen.text if seen else ""

    def height_of(self, name: str, role: str) -> int:
        """Return how high a control is; 0 while it isn't there."""
        return int((self.ask("frame", name=name, role=role) or [0])[-1])

    def value_of(self, box: str) -> str:
        """Return what a combo box shows."""
        seen = self.find(box, "combo box")
        return seen.description if seen else ""

    def offers(self, box: str, choice: str) -> bool:
        """Tell whether a combo box's list has what begins so."""
        return any(one.startswith(choice) for one in self.ask("choices", box=box) or [])

    def rows(self, table: str) -> list[list[str]]:
        """Return the texts of a table's cells."""
        return self.ask("rows", table=table) or []

    def send(self, amount: str) -> None:
        """Send a sale of an amount."""
        self.until(lambda: self.value_of("Device"), "a device")
        self.write("Amount", amount)
        self.press_button("Send sale")

    def outcome(self) -> Control | None:
        """Return the outcome as it is told now."""
        return self.find("Outcome", "label")

    def wait_for_outcome(self, word: str) -> Control:
        """Wait until the outcome begins with a word."""

        def look() -> Control | None:
            seen = self.outcome()
            return seen if seen and seen.description.startswith(word) else None

        return self.until(look, f"the outcome {word!r}")


def _is_gateway(process: psutil.Process) -> bool:
    try:
        return "practice" in process.cmdline()
    except psutil.NoSuchProcess:
        return False  # it has just ended, and may not be buried yet


@contextmanager
def open_window(
    folder: Path, keyboard: Keyboard | None = None, command: Sequence[str] = (), **variables: str
) -> Iterator[Window]:
    """Open the window on a data folder and put it away afterwards; arguments as `Window` has them."""
    window = Window(folder, variables, keyboard, command)
    try:
        yield window
    finally:
        window.put_away()


def wait_until_gone(process: psutil.Process, limit_s: float = GONE_S) -> None:
    """Wait until a process has ended; fail if it doesn't."""
    _gone, alive = psutil.wait_procs([process], timeout=limit_s)
    assert not alive, f"the practice gateway still runs after {limit_s:g} s"
