"""Make Keybench's own Python environment (`.venv`) and keep it in step with the pinned versions.

A stamp in the environment says what it was made from and what was put in. It is written last and taken away
first, so an interrupted set-up leaves none and the next start makes the environment anew.
"""

import contextlib
import errno
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

import languages
import tools
from messages import SetupError, explain_os_error, last_lines, say

# Raise this when the way of setting up changes, so that environments made the older way are remade.
SETUP_VERSION = 3

Scope = Literal["window", "build", "tests"]

#: The scopes, each with all that the ones before it have.
SCOPES: Final[Sequence[Scope]] = ("window", "build", "tests")

#: Begins a part of the pins.
SECTION = "# == "

_STAMP = "keybench-setup.json"
# A person's pip settings may send packages elsewhere; these would lead past the environment.
_MISLEADING = (
    "PIP_USER",
    "PIP_TARGET",
    "PIP_PREFIX",
    "PIP_ROOT",
    "PYTHONHOME",
    "PYTHONPATH",
    "__PYVENV_LAUNCHER__",
)
_NETWORK_SIGNS = (
    "NewConnectionError",
    "name resolution",
    "ConnectTimeout",
    "ProxyError",
    "Max retries",
    "ReadTimeout",
)
_TOO_LITTLE_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Stamp:
    """What an environment was made from: fingerprints, the scopes that were put in, and pip's records.

    `installed` has these (`….dist-info`), to notice a package that was taken away.
    """

    place: str
    pins: str
    scopes: list[str]
    installed: list[str]


def enter(root: Path, scope: Scope, script: str, arguments: Sequence[str]) -> None:
    """Start a script again in the environment of the checkout at `root`, unless it runs there."""
    python = ensure(root, scope)
    if Path(sys.prefix) != python.parents[1]:
        os.execv(python, [os.fspath(python), script, *arguments])  # noqa: S606 - no shell is wanted


def ensure(root: Path, scope: Scope) -> Path:
    """Bring the environment of the checkout at `root` up to `scope` and return its interpreter."""
    folder = root / ".venv"
    python = interpreter(folder)
    if is_current(root, scope) and languages.is_compiled(root):
        return python
    with _one_at_a_time(root):
        if not is_current(root, scope):  # another start may have done it meanwhile
            _bring_up(folder, root, scope)
        languages.ensure_compiled(root, python)
    return python


def is_current(root: Path, scope: Scope) -> bool:
    """Tell whether the environment of the checkout at `root` is whole and all that `scope` needs."""
    folder = root / ".venv"
    stamp = read_stamp(folder)
    return (
        stamp is not None
        and _is_usable(folder, root, stamp)
        and stamp.pins == pins_fingerprint(root)
        and scope in stamp.scopes
        and set(stamp.installed) <= set(_records(folder))
    )


def interpreter(folder: Path) -> Path:
    """Return where the environment in `folder` has its Python."""
    return folder / "Scripts" / "python.exe" if os.name == "nt" else folder / "bin" / "python"


def packages_folder(folder: Path) -> Path:
    """Return where the environment in `folder` keeps its packages."""
    if os.name == "nt":
        return folder / "Lib" / "site-packages"
    return folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


def requirements(project: Mapping[str, Any], scope: Scope) -> list[str]:
    """Return what pip has to put in, from the tables of pyproject.toml.

    The build back end is among it, with `editables` that it asks for only while building: put in first and
    pinned like all the rest, they let the project be installed without a download of pip's own choice.
    """
    wanted = [*project["build-system"]["requires"], "editables", *project["project"]["dependencies"]]
    groups = project["dependency-groups"]
    if scope == "window":
        return wanted
    return [*wanted, *groups["build"], *(groups["test"] if scope == "tests" else ())]


def section_of(pins: str, name: str) -> str:
    """Return the part of the pins of that name: `pip`, or what a scope adds to the one before it."""
    _before, _mark, rest = pins.partition(f"{SECTION}{name}\n")
    return rest.partition(SECTION)[0]


def pinned_versions(pins: str) -> dict[str, str]:
    """Return the pinned packages' versions by their names in lower case with hyphens."""
    pairs = (line.partition("==") for line in pins.splitlines() if not line.startswith((" ", "#")))
    return {re.sub("[-_.]+", "-", name).lower(): told.split()[0] for name, mark, told in pairs if mark}


def place_fingerprint(root: Path) -> str:
    """Return the fingerprint of everything an environment can't outlive: interpreter, machine, folder."""
    facts = (SETUP_VERSION, sys.implementation.cache_tag, sys.platform, platform.machine(), os.fspath(root))
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def pins_fingerprint(root: Path) -> str:
    """Return the fingerprint of the files that say which packages and versions go in."""
    digest = hashlib.sha256()
    for path in (root / "pyproject.toml", constraints(root)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def read_stamp(folder: Path) -> Stamp | None:
    """Return the environment's stamp, or None where there is none that can be read."""
    try:
        return Stamp(**json.loads((folder / _STAMP).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write_stamp(folder: Path, stamp: Stamp) -> None:
    """Write the stamp in one go: it is there whole or not at all."""
    unfinished = folder / f"{_STAMP}.new"
    unfinished.write_text(json.dumps(asdict(stamp), indent=1), "utf-8")
    unfinished.replace(folder / _STAMP)


def _is_usable(folder: Path, root: Path, stamp: Stamp | None) -> bool:
    """Tell whether the environment can be built upon; if not, it has to be made anew."""
    return stamp is not None and stamp.place == place_fingerprint(root) and interpreter(folder).exists()


def _bring_up(folder: Path, root: Path, scope: Scope) -> None:
    stamp = read_stamp(folder)
    keep = stamp if stamp is not None and _is_usable(folder, root, stamp) else None
    if keep is None:
        _make(folder)
    (folder / _STAMP).unlink(missing_ok=True)
    scopes: list[str] = [*up_to(scope)]
    if keep is not None and len(keep.scopes) > len(scopes):
        scopes = keep.scopes
    _install(interpreter(folder), root, scopes)
    write_stamp(folder, Stamp(place_fingerprint(root), pins_fingerprint(root), scopes, _records(folder)))


def _make(folder: Path) -> None:
    again = folder.exists() or folder.is_symlink()
    say(f"Setting up Keybench's own Python environment (.venv){', afresh' if again else ''} …")
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif again:
        shutil.rmtree(folder)
    folder.mkdir()  # a folder that can't be written shows here, with its own error
    # From inside an environment (perhaps the one just removed) its base interpreter makes the new one.
    python = getattr(sys, "_base_executable", None) or sys.executable
    made = _run([python, "-m", "venv", os.fspath(folder)])
    if made.returncode:
        raise _failure("Python could not make the environment .venv", made.stdout, folder)


def up_to(scope: Scope) -> Sequence[Scope]:
    """Return the scopes that are in an environment for `scope`."""
    return SCOPES[: SCOPES.index(scope) + 1]


def _install(python: Path, root: Path, scopes: Sequence[str]) -> None:
    more = {"window": "", "build": " and the tools that pack it", "tests": " and the tests' tools"}
    what = f"Keybench's packages{more[scopes[-1]]}"
    say(f"Putting in {what}, in their pinned versions (the first time takes a minute or two) …")
    # Wheels only: building from source would fetch build tools in versions nobody pinned. The pins are whole,
    # so nothing has to be worked out, and pip itself comes first.
    told = constraints(root).read_text("utf-8")
    with tempfile.TemporaryDirectory(prefix="keybench-pins-") as folder:
        for sections in (("pip",), scopes):
            chosen = Path(folder) / "pins.txt"
            chosen.write_text("".join(section_of(told, name) for name in sections), "utf-8")
            _pip(python, ["--require-hashes", "--no-deps", "--only-binary", ":all:", "-r", os.fspath(chosen)])
    _pip(python, ["--no-build-isolation", "--no-deps", "-e", os.fspath(root)])


def _pip(python: Path, arguments: Sequence[str]) -> None:
    options = ["--quiet", "--no-input", "--disable-pip-version-check", "--no-user"]
    done = _run([os.fspath(python), "-m", "pip", "install", *options, *arguments])
    if done.returncode == 0:
        return
    cause = "pip could not put the packages in"
    if any(sign in done.stdout for sign in _NETWORK_SIGNS):
        cause = "pip could not reach the place it gets packages from (is the network up? is a proxy needed?)"
    raise _failure(cause, done.stdout, python.parent)


def _failure(cause: str, output: str, folder: Path) -> SetupError:
    # `venv` swallows the reason when a step of its own fails, so the disk itself is asked too.
    if os.strerror(errno.ENOSPC) in output or shutil.disk_usage(folder).free < _TOO_LITTLE_BYTES:
        return SetupError(explain_os_error(OSError(errno.ENOSPC, "")))
    told = last_lines(output)
    return SetupError(f"{cause}. Its last lines:\n{told}\nStart again when that is put right.")


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in _MISLEADING}
    return tools.attempt(command, environment)


def _records(folder: Path) -> list[str]:
    with contextlib.suppress(OSError):
        return sorted(path.name for path in packages_folder(folder).iterdir() if path.suffix == ".dist-info")
    return []


def constraints(root: Path) -> Path:
    """Return where the pins are."""
    return root / "packaging" / "constraints.txt"


@contextlib.contextmanager
def _one_at_a_time(root: Path) -> Iterator[None]:
    """Let a second start wait while a first one sets up; where there is no flock (Windows) don't wait."""
    if sys.platform == "win32":
        yield
        return
    import fcntl  # noqa: PLC0415 - Windows has none

    with (root / "pyproject.toml").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
