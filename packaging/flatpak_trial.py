"""Make the Flatpak and try it: `packaging/flatpak_trial.py [--runtime REMOTE] [--out DIR] [--flatpak FILE]`.

It is built, installed and run in a desktop of its own: folders, a screen, buses and an unlocked keyring, gone
afterwards. What is tried is what a sandbox changes. The runtime is a stand-in made of Debian's packages, with
what Keybench uses of the real one and without what that lacks. `--runtime flathub` fetches the real one. It
takes some minutes, and with a stand-in a system that has apt.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

if sys.version_info < (3, 11):  # noqa: UP036 - so that an older Python gets a sentence and not a SyntaxError
    sys.exit("Keybench needs Python 3.11 or later, and this is %d.%d." % sys.version_info[:2])  # noqa: UP031

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import environment
import flatpak
import product
import session
import system_parts
import tools
from command_line import telling_trouble
from messages import SetupError, complain, say

ROOT: Final = Path(__file__).resolve().parents[1]
_KEY: Final = (
    *("key", "add", "--environment", "practice", "--name", "till", "--username", "counter1"),
    *("--permission", "API", "--kind", "private", "--json"),
)
_SALE: Final = ("sale", "--environment", "practice", "--key", "till", "--device", "till-1", "--json")
_APPROVED, _EXPIRED, _NO_KEYSTORE, _OTHER = 0, 11, 40, 1
#: How long anything may take, in seconds.
_LIMIT_S: Final = 120


@dataclass(frozen=True)
class Ended:
    """A command that ended.

    Attributes:
        status: Its exit status.
        results: The JSON lines it wrote on standard output.
        text: All it wrote.
    """

    status: int
    results: Sequence[Mapping[str, object]]
    text: str

    def expect(self, status: int) -> "Ended":
        """Return itself, if it ended with this status.

        Raises:
            SetupError: It ended otherwise.
        """
        if self.status != status:
            raise SetupError(f"It ended with {self.status} and not {status}:\n{self.text}")
        return self


class Trial:
    """The Flatpak, installed in a desktop of its own.

    Args:
        variables: Those of the desktop.
        file: The Flatpak.
    """

    def __init__(self, variables: Mapping[str, str], file: Path) -> None:
        self.variables = variables
        self.file = file
        self.home = Path(variables["HOME"])

    def start(self, *words: str, options: Sequence[str] = ()) -> subprocess.Popen[str]:
        """Start the program in a sandbox, with options for it."""
        return subprocess.Popen(
            ["flatpak", "run", *options, product.ID, *words],
            env=self.variables,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, options: Sequence[str] = ()) -> Ended:
        """Run the program in a sandbox to its end."""
        return ended(self.start(*words, options=options))

    def tool(self, *command: str) -> str:
        """Run a tool in the desktop and return what it wrote.

        Raises:
            SetupError: It failed.
        """
        return tools.run(*command, variables=self.variables)


def ended(process: subprocess.Popen[str]) -> Ended:
    """Wait for a command's end.

    Raises:
        SetupError: It takes too long.
    """
    try:
        out, told = process.communicate(timeout=_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise SetupError(f"It did not end within {_LIMIT_S} seconds.") from None
    lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    return Ended(process.returncode, lines, out + told)


def install(trial: Trial) -> None:
    """Install the Flatpak on the runtime that is there already."""
    trial.tool("flatpak", "install", "--user", "--noninteractive", "--no-deps", os.fspath(trial.file))


def works(trial: Trial) -> None:
    """The self-test finds nothing wrong."""
    trial.run("--self-test").expect(_APPROVED)


def sells(trial: Trial) -> None:
    """A key is made, its value is in the desktop's own keyring, and a sale with it is approved."""
    before = _entries(trial)
    (made,) = trial.run(*_KEY).expect(_APPROVED).results
    (entry,) = _entries(trial) - before
    if made["keystore"] != "GNOME Keyring" or not entry.startswith("Keybench/"):
        raise SetupError(f"{made['keystore']}: {entry}")
    trial.run(*_SALE, "--amount", "10.00").expect(_APPROVED)


def says_that_it_may_not_talk(trial: Trial) -> None:
    """Without the permission the keystore is out of reach, and it is said how to give it."""
    barred = ["--no-talk-name=org.freedesktop.secrets"]
    told = trial.run(*_SALE, "--amount", "10.00", options=barred).expect(_NO_KEYSTORE)
    if f"flatpak override --user --talk-name=org.freedesktop.secrets {product.ID}" not in told.text:
        raise SetupError(told.text)


def writes_nothing_that_goes(trial: Trial) -> None:
    """No file and no journal is written where it would be gone; a folder that is handed over is reached."""
    for place in ("history.csv", "/tmp/history.csv"):  # noqa: S108 - the sandbox's own, which is the point
        trial.run("history", "--out", place).expect(_OTHER)
    elsewhere = trial.home / "elsewhere"
    trial.run("--data-dir", os.fspath(elsewhere), "key", "list").expect(_OTHER)
    given = trial.home / "given"
    given.mkdir()
    options = [f"--filesystem={given}"]
    trial.run("history", "--out", os.fspath(given / "history.csv"), options=options).expect(_APPROVED)
    if elsewhere.exists() or not (given / "history.csv").stat().st_size:
        raise SetupError("The wrong files were written.")


def leaves_a_sale_to_its_owner(trial: Trial) -> None:
    """A sale that is followed in one sandbox isn't taken up in another, which can't see its process."""
    selling = trial.start(*_SALE, "--amount", "40.00")
    _until(lambda: len(trial.run("history", "--json").results) > 1)
    resumed = trial.run("resume", "--json").expect(_APPROVED)
    if selling.poll() is not None or resumed.results:
        raise SetupError(f"It was taken up, or over too soon:\n{resumed.text}")
    ended(selling).expect(_EXPIRED)


def opens_one_window(trial: Trial) -> None:
    """A second start brings the first one's window to the front and ends."""
    first = trial.start()
    try:
        _until(lambda: _window_is_shown(trial))
        trial.run().expect(0)
        if first.poll() is not None:
            raise SetupError(f"The first window is gone:\n{ended(first).text}")
    finally:
        trial.tool("flatpak", "kill", product.ID)
        first.wait()


def outlives_a_reinstallation(trial: Trial) -> None:
    """Keys and journal are there after the Flatpak was installed anew."""
    trial.tool("flatpak", "uninstall", "--user", "--noninteractive", product.ID)
    install(trial)
    listed = trial.run("key", "list", "--json").expect(0).results
    if [one["name"] for one in listed] != ["till"]:
        raise SetupError(f"The keys are {listed}.")


def _entries(trial: Trial) -> set[str]:
    """Return the names of the keyring's entries, seen from outside the sandbox."""
    from jeepney.io.blocking import open_dbus_connection  # noqa: PLC0415 - it needs the environment
    from secretstorage import get_default_collection  # noqa: PLC0415 - as above

    with open_dbus_connection(trial.variables["DBUS_SESSION_BUS_ADDRESS"]) as bus:
        items = get_default_collection(bus).get_all_items()
        return {item.get_attributes().get("service", "") for item in items}


def _window_is_shown(trial: Trial) -> bool:
    search = ["xdotool", "search", "--onlyvisible", "--name", f"^{product.NAME}"]
    return subprocess.run(search, env=trial.variables, capture_output=True, check=False).returncode == 0


def _until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + _LIMIT_S
    while not is_so():
        if time.monotonic() > end:
            raise SetupError(f"It did not come about within {_LIMIT_S} seconds.")


_CHECKS: Final = (
    works,
    sells,
    says_that_it_may_not_talk,
    writes_nothing_that_goes,
    leaves_a_sale_to_its_owner,
    opens_one_window,
    outlives_a_reinstallation,
)


@telling_trouble()
def main(arguments: list[str]) -> int:
    """Make the Flatpak, try it, and return the exit status."""
    parser = argparse.ArgumentParser(prog="flatpak_trial.py", description="Make the Flatpak and try it.")
    parser.add_argument("--runtime", metavar="REMOTE", help="no stand-in: `flathub`, or a repository")
    parser.add_argument("--out", metavar="DIR", type=Path, help="keep the Flatpak in this folder")
    parser.add_argument("--flatpak", metavar="FILE", type=Path, help="try this one, and make none")
    options = parser.parse_args(arguments)
    system_parts.ensure_for_tests()
    system_parts.ensure(system_parts.parse_parts(flatpak.TOOLS))
    environment.enter(ROOT, "tests", __file__, arguments)
    return _try(options)


def _try(options: argparse.Namespace) -> int:
    with (
        tempfile.TemporaryDirectory(prefix="kb-flatpak-") as folder,
        session.private_session() as desktop,
        # Flatpak asks the system's bus for parental controls, and this one has none.
        session.session_bus(desktop.environment) as system_bus,
    ):
        variables = {**desktop.environment, "DBUS_SYSTEM_BUS_ADDRESS": system_bus}
        _put_in_runtime(variables, Path(folder), options.runtime)
        file = options.flatpak or flatpak.make(ROOT, options.out or Path(folder), variables)
        trial = Trial(variables, file.resolve())
        install(trial)
        fine = [_is_fine(check, trial) for check in _CHECKS]
        return 0 if all(fine) else 1


def _put_in_runtime(variables: Mapping[str, str], work: Path, remote: str | None) -> None:
    if remote is None:
        import stand_in  # noqa: PLC0415 - it needs the environment

        remote = os.fspath(stand_in.make(work))
    source = ["runtimes", flatpak.FLATHUB] if remote == "flathub" else ["--no-gpg-verify", "runtimes", remote]
    wanted = [f"{name}//{flatpak.runtime_version()}" for name in (flatpak.RUNTIME, flatpak.SDK)]
    tools.run("flatpak", "remote-add", "--user", *source, variables=variables)
    tools.run("flatpak", "install", "--user", "--noninteractive", "runtimes", *wanted, variables=variables)


def _is_fine(check: Callable[[Trial], None], trial: Trial) -> bool:
    """Make a check and say how it went."""
    began = time.monotonic()
    try:
        check(trial)
    except SetupError as error:
        complain(f"FAILED  {check.__doc__}\n{error}")
        return False
    say(f"ok {time.monotonic() - began:5.1f} s  {check.__doc__}")
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
