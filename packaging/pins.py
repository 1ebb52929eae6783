"""Write the pins anew: every package that is put in, its version, and the hash of each file it may come as.

    .venv/bin/python packaging/pins.py

For other versions, or a package more, put them into the environment first with pip and run this: what is
installed is what is pinned, and the newest pip. What only other systems need keeps its version. It asks the
index that pip is set up to use. Run the whole suite afterwards.
"""

import importlib.metadata
import json
import sys
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

import environment
from messages import SetupError, complain, say

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEMS = ("linux", "darwin", "win32")
_HEAD = """\
# The exact versions Keybench is set up and tested with, and the hash of every file each may come as, on
# Linux, macOS and Windows with Python 3.11 to 3.14; pip takes nothing else. Written by packaging/pins.py.
"""
_LIMIT_S = 60
#: What a package is asked for on systems that this isn't; their own names stand in the markers.
_NAMES = {"linux": ("posix", "Linux"), "darwin": ("posix", "Darwin"), "win32": ("nt", "Windows")}
_PLATFORMS = ("any", "manylinux", "macosx", "win_amd64", "win_arm64")
_MACHINES = ("x86_64", "aarch64", "arm64", "universal2", "amd64", "any")

Places = set[tuple[str, str]]
Simple = Mapping[str, Any]


def main() -> int:
    """Write the pins and return the exit status."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    path = environment.constraints(ROOT)
    old = path.read_text("utf-8")
    try:
        sections = list(_sections(project, _versions(project, environment.pinned_versions(old))))
    except SetupError as error:
        complain(str(error))
        return 1
    path.write_text("\n".join([_HEAD, *sections]), "utf-8")
    say(f"Wrote {path.relative_to(ROOT)}.")
    return 0


def _sections(project: Mapping[str, Any], versions: Mapping[str, str]) -> Iterator[str]:
    yield f"{environment.SECTION}pip\n{_pin('pip', versions['pip'], set())}"
    before: Mapping[str, Places] = {}
    for scope in environment.SCOPES:
        every = closure(environment.requirements(project, scope))
        wanted = {one: every[one] - before.get(one, set()) for one in every}
        before = every
        lines = [_pin(one, versions[one], wanted[one]) for one in sorted(wanted) if wanted[one]]
        yield f"{environment.SECTION}{scope}\n{''.join(lines)}"


def closure(wanted: Iterable[str]) -> dict[str, Places]:
    """Return every package that comes with the wanted ones, and on which systems and Pythons.

    What isn't installed here, because only other systems need it, is taken to need nothing itself.
    """
    found: dict[str, Places] = {}
    every = {(system, python) for system in SYSTEMS for python in PYTHONS}
    waiting = [(Requirement(one), every, "") for one in wanted]
    while waiting:
        requirement, places, extra = waiting.pop()
        name, marker = canonicalize_name(requirement.name), requirement.marker
        there = {one for one in places if marker is None or marker.evaluate(_surroundings(*one, extra))}
        if there <= found.get(name, set()):
            continue
        found[name] = found.get(name, set()) | there
        try:
            needed = importlib.metadata.distribution(name).requires or ()
        except importlib.metadata.PackageNotFoundError:
            needed = ()
        extras = requirement.extras or {""}
        waiting += [(Requirement(one), there, extra) for one in needed for extra in extras]
    return found


def _surroundings(system: str, python: str, extra: str) -> dict[str, str]:
    os_name, platform_system = _NAMES[system]
    return {
        "sys_platform": system,
        "os_name": os_name,
        "platform_system": platform_system,
        "python_version": python,
        "python_full_version": f"{python}.9",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "extra": extra,
    }


def marker_of(places: Places) -> str:
    """Return the marker of a package that isn't wanted everywhere; empty for one that is."""
    systems, pythons = {system for system, _ in places}, {python for _, python in places}
    parts = []
    for name, some, every in (
        ("sys_platform", systems, SYSTEMS),
        ("python_version", pythons, PYTHONS),
    ):
        if some and some != set(every):
            told = [f'{name} == "{one}"' for one in every if one in some]
            parts.append(told[0] if len(told) == 1 else f"({' or '.join(told)})")
    return f" ; {' and '.join(parts)}" if parts else ""


def _pin(name: str, version: str, places: Places) -> str:
    hashes = [f"    --hash=sha256:{one}" for one in sorted(_hashes(name, version))]
    if not hashes:
        raise SetupError(f"The index has no file of {name} {version} that can be put in.")
    return " \\\n".join([f"{name}=={version}{marker_of(places)}", *hashes]) + "\n"


def _hashes(name: str, version: str) -> Iterator[str]:
    for file in _listed(name)["files"]:
        if is_for_us(file["filename"], version):
            yield file["hashes"]["sha256"]


def is_for_us(filename: str, version: str) -> bool:
    """Tell whether a file is a wheel of a version for one of our systems and Pythons."""
    try:
        _name, its_version, _build, tags = parse_wheel_filename(filename)
    except InvalidWheelFilename:
        return False
    return str(its_version) == version and any(
        _fits_python(tag.interpreter, tag.abi)
        and tag.platform.startswith(_PLATFORMS)
        and tag.platform.endswith(_MACHINES)
        for tag in tags
    )


def _fits_python(interpreter: str, abi: str) -> bool:
    ours = [f"cp{python.replace('.', '')}" for python in PYTHONS]
    if abi == "none":
        return interpreter.startswith("py3") or interpreter in ours
    if abi == "abi3":
        return interpreter.startswith("cp3") and int(interpreter.removeprefix("cp3")) <= int(PYTHONS[-1][2:])
    return interpreter in ours and abi == interpreter


def _versions(project: Mapping[str, Any], pinned: Mapping[str, str]) -> dict[str, str]:
    """Return the version of every package: as it is installed, else as it is pinned, else the newest."""
    versions: dict[str, str] = {}
    for name in closure(environment.requirements(project, "tests")):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = pinned.get(name) or _newest(name)
    return {**versions, "pip": _newest("pip")}


def _newest(name: str) -> str:
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415 - rarely needed

    found = []
    for one in _listed(name).get("versions", ()):
        with suppress(InvalidVersion):  # some packages' oldest versions are from before the rules
            found.append(Version(one))
    final = [one for one in found if not one.is_prerelease]
    if not final:
        raise SetupError(f"The index has no version of {name}.")
    return str(max(final))


def _listed(name: str, known: dict[str, Simple] = {}) -> Simple:  # noqa: B006 - what was asked for is kept
    if name not in known:
        request = urllib.request.Request(  # noqa: S310 - the index that pip uses
            f"{_index().rstrip('/')}/{name}/", headers={"Accept": "application/vnd.pypi.simple.v1+json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=_LIMIT_S) as answer:  # noqa: S310 - as above
                known[name] = json.load(answer)
        except (urllib.error.URLError, ValueError) as error:
            raise SetupError(f"The index can't be asked for {name}: {error}") from None
    return known[name]


def _index() -> str:
    """Return the address of the index that pip is set up to use; it is written down nowhere."""
    from pip._internal.commands import create_command  # noqa: PLC0415 - pip alone knows where it is set

    options, _more = create_command("download").parse_args([])
    return str(options.index_url)


if __name__ == "__main__":
    sys.exit(main())
