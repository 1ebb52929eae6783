"""Give the tests a desktop of their own: folders, a screen, a session bus and an unlocked keyring.

Nothing of the person's own session is reachable from inside, so no test can touch their keys or settings.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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
_KEYRING_FAILED = 97
# The bus and what it starts chatter; that goes to a log, and the command inside keeps the outer streams.
_LOG_THE_CHATTER = 'exec 3>&1 4>&2 >"$1" 2>&1; shift; exec "$@"'
# The password opens a keyring that lives as long as this run and holds made-up keys only.
_UNLOCK_AND_RUN = f"""
printf practice | "$1" --unlock --components=secrets || exit {_KEYRING_FAILED}
shift
exec "$@" >&3 2>&4 3>&- 4>&-
"""
_PATIENCE_AFTER_INTERRUPT_S = 20.0


@dataclass(frozen=True)
class Session:
    """Where the tests run.

    Attributes:
        prefix: what to put before a command so that it runs inside.
        environment: the variables it runs with.
        log: where the session's own programs write.
    """

    prefix: Sequence[str]
    environment: Mapping[str, str]
    log: Path | None = None

    def run(self, command: Sequence[str], folder: Path) -> int:
        """Run a command inside, from `folder`, and return its status; leave no process behind.

        Raises:
            SetupError: the keyring would not open.
            KeyboardInterrupt: the person stopped it; the command was told and given time to end.
        """
        # A group of its own, so that all that was started on the private bus can be ended together.
        child = subprocess.Popen(
            [*self.prefix, *command], env=self.environment, cwd=folder, start_new_session=os.name != "nt"
        )
        try:
            status = child.wait()
        except KeyboardInterrupt:
            _interrupt(child)
            raise
        finally:
            _end_group(child)
        if status == _KEYRING_FAILED:
            told = last_lines(self.log.read_text(errors="replace")) if self.log else ""
            raise SetupError(f"gnome-keyring-daemon would not open a keyring, so no test was run.\n{told}")
        return status


@contextmanager
def private_session() -> Iterator[Session]:
    """Make the tests' desktop and take it down again.

    Elsewhere than on Linux there is no second desktop to be had: windows are drawn offscreen there.

    Raises:
        SetupError: the screen or the keyring didn't start.
    """
    with tempfile.TemporaryDirectory(prefix="kb-", ignore_cleanup_errors=True) as base:
        if sys.platform != "linux":
            yield Session((), {**os.environ, "QT_QPA_PLATFORM": "offscreen"})
            return
        keyring = runnable_keyring(Path(base))
        with display.virtual_screen() as number, display.window_manager(number):
            log = Path(base) / "session.log"
            quietly = ("sh", "-c", _LOG_THE_CHATTER, "sh", os.fspath(log))
            on_its_bus = ("dbus-run-session", "--", "sh", "-c", _UNLOCK_AND_RUN, "sh", keyring)
            environment = private_environment(Path(base), number, os.environ)
            yield Session((*quietly, *on_its_bus), environment, log)


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

    Raises:
        SetupError: there is none.
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
