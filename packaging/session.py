"""Give the tests a desktop of their own: folders, a screen, a session bus and an unlocked keyring.

Nothing of the person's own session is reachable from inside, so no test can touch their keys or settings.
Tests that run beside one another get a desktop each: they press keys for the window that has the keyboard,
and count the keyring's entries.
"""

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import display
from messages import SetupError, last_lines

# What would lead from the tests back to the person's session, or change what they see.
_LEFT_OUT = (
    "AT_SPI_BUS_ADDRESS",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "GNOME_KEYRING_CONTROL",
    "KEYBENCH_DATA_DIR",
    "LANGUAGE",
    "NO_AT_BRIDGE",
    "PYTHONDONTWRITEBYTECODE",  # hundreds of programs are started, and compiling takes a third of a start
    "PYTHON_KEYRING_BACKEND",
    "PYTHONPATH",
    "QT_QPA_PLATFORM",
    "QT_QPA_PLATFORMTHEME",
    "QT_SCALE_FACTOR",
    "QT_STYLE_OVERRIDE",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_CURRENT_DESKTOP",
)
_FOLDERS = {
    "HOME": "home",
    "XDG_CONFIG_HOME": "home/.config",
    "XDG_DATA_HOME": "home/.local/share",
    "XDG_STATE_HOME": "home/.local/state",
    "XDG_CACHE_HOME": "home/.cache",
    "XDG_RUNTIME_DIR": "run",
}
_OWN = (*_FOLDERS, "DISPLAY", "DBUS_SESSION_BUS_ADDRESS")
# The password opens a keyring that lives as long as this run and holds made-up keys only.
_PASSWORD = b"practice"
_BUS_LIMIT_S = 60.0
_PATIENCE_AFTER_INTERRUPT_S = 20.0


@dataclass(frozen=True)
class Session:
    """Where the tests run."""

    environment: Mapping[str, str]

    @property
    def own(self) -> Mapping[str, str]:
        """The variables that tell this desktop from another of the same run."""
        return {name: self.environment[name] for name in _OWN if name in self.environment}

    def run(self, command: Sequence[str], folder: Path, **variables: str) -> int:
        """Run a command inside, from `folder`, and return its status; leave no process behind."""
        # A group of its own, so that all that was started in it can be ended together.
        child = subprocess.Popen(
            command, env={**self.environment, **variables}, cwd=folder, start_new_session=os.name != "nt"
        )
        try:
            return child.wait()
        except KeyboardInterrupt:
            _interrupt(child)
            raise
        finally:
            _end_group(child)


@contextmanager
def private_sessions(count: int) -> Iterator[list[Session]]:
    """Make several desktops that know nothing of one another and take them down again."""
    with ExitStack() as held:
        yield [held.enter_context(private_session()) for _ in range(count)]


@contextmanager
def private_session() -> Iterator[Session]:
    """Make the tests' desktop and take it down again.

    Elsewhere than on Linux there is no second desktop to be had: windows are drawn offscreen there.
    """
    with tempfile.TemporaryDirectory(prefix="kb-", ignore_cleanup_errors=True) as base:
        if sys.platform != "linux":
            yield Session({**os.environ, "QT_QPA_PLATFORM": "offscreen"})
            return
        with display.virtual_screen() as number, display.window_manager(number):
            environment = private_environment(Path(base), number, os.environ)
            with session_bus(environment) as address:
                environment["DBUS_SESSION_BUS_ADDRESS"] = address
                _open_keyring(runnable_keyring(Path(base)), environment)
                yield Session(environment)


@contextmanager
def session_bus(environment: Mapping[str, str]) -> Iterator[str]:
    """Run a session bus and yield its address; end it afterwards with all it started."""
    program = shutil.which("dbus-daemon")
    if program is None:
        raise SetupError("There is no session bus (dbus-daemon) here.")
    reads, writes = os.pipe()
    bus = subprocess.Popen(
        [program, "--session", "--nofork", "--nopidfile", f"--print-address={writes}"],
        pass_fds=(writes,),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # it and what it starts chatter
        start_new_session=True,
    )
    try:
        os.close(writes)
        ready, _, _ = select.select([reads], [], [], _BUS_LIMIT_S)
        address = os.read(reads, 4096).decode().strip() if ready else ""
        if not address:
            raise SetupError("The session bus (dbus-daemon) did not start.")
        yield address
    finally:
        os.close(reads)
        _end_group(bus)


def _open_keyring(program: str, environment: Mapping[str, str]) -> None:
    """Start a keyring on the session's bus and unlock it; it ends with the bus."""
    # It goes on in the background once it serves; what it says goes to a file, for a pipe would stay open.
    with tempfile.TemporaryFile() as told:
        status = subprocess.run(
            [program, "--unlock", "--components=secrets"],
            input=_PASSWORD,
            env=environment,
            stdout=told,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            check=False,
        ).returncode
        told.seek(0)
        if status:
            words = last_lines(told.read().decode(errors="replace"))
            raise SetupError(f"gnome-keyring-daemon would not open a keyring, so no test was run.\n{words}")


def private_environment(base: Path, screen: str, outer: Mapping[str, str]) -> dict[str, str]:
    """Return the variables for a desktop whose folders lie below `base`, and make those folders.

    `base` has to be short: a socket's path may have no more than 107 characters.
    """
    environment = {name: value for name, value in outer.items() if name not in _LEFT_OUT}
    for name, folder in _FOLDERS.items():
        path = base / folder
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        environment[name] = os.fspath(path)
    return environment | {
        "DISPLAY": screen,
        "XDG_SESSION_TYPE": "x11",
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",  # Qt else waits for a screen reader before it answers AT-SPI
        "LC_ALL": "C.UTF-8",  # Qt warns of any locale that isn't UTF-8
    }


def runnable_keyring(base: Path) -> str:
    """Return a gnome-keyring-daemon that may be started here.

    Distributions let the program lock its memory by a file capability, and where a container doesn't grant
    that, the system refuses to start it at all. A copy carries no capability and starts.
    """
    program = shutil.which("gnome-keyring-daemon")
    if program is None:
        raise SetupError("gnome-keyring-daemon isn't here, and the keystore's tests need it.")
    try:
        subprocess.run([program, "--version"], capture_output=True, check=False)
    except PermissionError:
        copy = shutil.copyfile(program, base / "keyring-daemon")
        copy.chmod(0o700)
        return os.fspath(copy)
    return program


def _interrupt(child: subprocess.Popen[bytes]) -> None:
    """Pass Ctrl-C on, and give pytest the time for its closing words."""
    _signal_group(child, signal.SIGINT)
    try:
        child.wait(_PATIENCE_AFTER_INTERRUPT_S)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        return


def _end_group(child: subprocess.Popen[bytes]) -> None:
    _signal_group(child, signal.SIGTERM)
    if child.poll() is None:
        display.stop(child)


def _signal_group(child: subprocess.Popen[bytes], number: int) -> None:
    if sys.platform == "win32":
        return  # Ctrl-C reaches the whole console there
    try:
        os.killpg(child.pid, number)
    except ProcessLookupError:
        return
