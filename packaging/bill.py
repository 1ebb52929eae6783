"""Put the bill of materials (CycloneDX 1.6) and the licences of all that is in a bundle into it.

`cyclonedx-py` lists the environment's packages, of which those stay that the bundle has; `shipped_parts.toml`
tells what Python doesn't know. The same bundle gives the same bytes. bundle.py runs it in the environment
that packed the bundle.
"""

import fnmatch
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from packageurl import PackageURL
from packaging.utils import canonicalize_name
from PyInstaller.archive.readers import CArchiveReader

import licences
import product
from command_line import telling_trouble
from licences import Component
from messages import SetupError, say

ROOT: Final = Path(__file__).resolve().parents[1]
#: Where the bill is in a bundle.
BILL: Final = "_internal/keybench/resources/sbom.cdx.json"
#: What PyInstaller adds to every program.
_LOADER: Final = ("pyinstaller", "pyinstaller-hooks-contrib")
#: A library at the bundle's top that isn't CPython's own.
_LIBRARY: Final = re.compile(r"(?!(lib)?python)(lib[^/]*\.(so[\d.]*|dylib)|[^/]*\.dll)")
#: Where the files of what others were built into are, below `_internal`; CPython's are in several places.
_PLACES: Final = {"Qt": "PySide6/", "cryptography": "cryptography/", "psycopg": "psycopg_binary"}
Parts = Mapping[str, list[dict[str, Any]]]


@telling_trouble()
def main(arguments: list[str]) -> int:
    """Put bill and licences into the bundle that is named and return the exit status."""
    written = put_into(Path(arguments[0]))
    say(f"The bill of materials has {written.stat().st_size / 1e3:.0f} KB.")
    return 0


def put_into(folder: Path) -> Path:
    """Write a bundle's licences and its bill of materials into it, and return the bill."""
    parts: Parts = tomllib.loads(Path(__file__).with_name("shipped_parts.toml").read_text("utf-8"))
    bill = _listed_by_python()
    packages = packages_of(folder)
    listed = [one for one in bill["components"] if canonicalize_name(one["name"]) in packages]
    if missing := packages - {canonicalize_name(one["name"]) for one in listed}:
        raise SetupError(f"The bundle has packages that cyclonedx-py doesn't list: {sorted(missing)}.")
    components = [_package(one, parts) for one in listed]
    built_in = [*built_into(folder, parts), *_crates(packages)]
    licences.write(folder, [*components, *built_in])
    if product.MAINTAINER_ADDRESS.endswith(".invalid"):
        say(f"Before this is published: nobody reads {product.MAINTAINER_ADDRESS}, which offers Qt's source.")
    kept = {one["bom-ref"] for one in listed}
    bill["metadata"]["component"]["version"] = product.version(ROOT)
    bill["components"] = [*listed, *(_entry(one) for one in built_in)]
    root = bill["metadata"]["component"]["bom-ref"]
    bill["dependencies"] = [
        {**one, "dependsOn": [each for each in one.get("dependsOn", ()) if each in kept]}
        for one in bill["dependencies"]
        if one["ref"] in {root, *kept}
    ]
    written = folder / BILL
    written.write_text(json.dumps(bill, indent=1) + "\n", "utf-8", newline="\n")
    return written


def _listed_by_python() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as place:
        written = Path(place) / "bill.json"
        command = (sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible")
        told = subprocess.run(
            [*command, "--pyproject", ROOT / "pyproject.toml", "-o", written, sys.executable],
            capture_output=True,
            text=True,
            check=False,
        )
        if told.returncode:
            raise SetupError(f"cyclonedx-py could not list the packages:\n{told.stderr}")
        bill: dict[str, Any] = json.loads(written.read_text("utf-8"))
        return bill


def packages_of(folder: Path) -> set[str]:
    """Return the Python packages that a bundle has, by their names in lower case with hyphens."""
    program = next(one for one in (folder / "keybench", folder / "keybench.exe") if one.is_file())
    modules = CArchiveReader(os.fspath(program)).open_embedded_archive("PYZ.pyz").toc
    names = {name.partition(".")[0] for name in modules}
    names |= {path.name.partition(".")[0] for path in (folder / "_internal").iterdir()}
    owners = importlib.metadata.packages_distributions()
    found = {canonicalize_name(one) for name in names for one in owners.get(name, ())}
    return {*found, *_LOADER} - {"keybench"}


def _package(listed: Mapping[str, Any], parts: Parts) -> Component:
    """Return a package with its licence: as we know it, else as its metadata tell it."""
    told = importlib.metadata.distribution(listed["name"])
    own = next((one for one in parts["package"] if one["name"] == canonicalize_name(told.name)), {})
    files = sorted(one for one in told.files or () if licences.is_licence(one))
    return Component(
        told.name,
        told.version,
        own.get("licence") or _expression(listed.get("licenses", ())),
        text="\n\n".join(Path(str(one.locate())).read_text("utf-8", "replace").strip("\n") for one in files),
        notice=own.get("notice", ""),
    )


def _expression(told: Any) -> str:
    """Return the licences that a bill tells of a component as one SPDX expression; empty for none."""
    known = [one.get("expression") or one["license"].get("id", "") for one in told]
    return " AND ".join(dict.fromkeys(one for one in known if one))


def built_into(folder: Path, parts: Parts) -> Iterator[Component]:
    """Yield the libraries of a bundle that are no Python packages, and what was built into them."""
    files = {
        path.relative_to(folder / "_internal").as_posix(): path
        for path in (folder / "_internal").rglob("*")
        if path.is_file() and not path.is_symlink()
    }
    known: set[str] = set()
    yield Component("CPython", platform.python_version(), "Python-2.0.1", text=_of_cpython())
    for one in (*parts["library"], *parts["part"]):
        inside = one.get("inside", "")
        fitting = [
            path
            for path in sorted(files)
            if path.startswith(_PLACES.get(inside, ""))
            and any(fnmatch.fnmatch(path, each) for each in one["files"])
        ]
        known |= set() if inside else set(fitting)
        if not fitting or platform.machine().lower() not in one.get("machines", [platform.machine().lower()]):
            continue
        version = _version(one.get("version"), [files[path] for path in fitting])
        if version is None:
            continue
        name = f"{one['name']} (in {inside})" if inside else one["name"]
        text = (licences.TEXTS / one["text"]).read_text("utf-8") if "text" in one else ""
        yield Component(
            name,
            version,
            one["licence"],
            one.get("copyright", []),
            text or _of_debian(fitting[0] if not inside else ""),
            one.get("notice", ""),
            one.get("cpe", ""),
        )
    libraries = {path for path in files if _LIBRARY.fullmatch(path)}
    strangers = sorted(libraries - known)
    if strangers:
        raise SetupError(
            f"shipped_parts.toml doesn't know whose these are: {', '.join(strangers)}.\n"
            "Add them there, or keep them out of the bundle in left_out.py."
        )


def _version(pattern: str | None, files: list[Path]) -> str | None:
    """Return the version that the first of the files tells; empty for none to be told, None for not there."""
    if pattern is None:
        return ""
    found = (re.search(pattern.encode(), path.read_bytes()) for path in files)
    return next((one[1].decode("ascii") for one in found if one), None)


def _of_cpython() -> str:
    places = (Path(os.__file__).with_name("LICENSE.txt"), Path(sys.base_prefix, "LICENSE.txt"))
    told = next((one.read_text("utf-8") for one in places if one.is_file()), "")
    return told or _of_debian(f"libpython{sys.version_info.major}.{sys.version_info.minor}.so.1.0")


def _of_debian(library: str) -> str:
    """Return what Debian's package of a library says of its copyright; empty where it isn't of one."""
    if sys.platform != "linux" or not library or "/" in library:
        return ""
    try:
        told = subprocess.run(
            ["dpkg-query", "--search", f"*/{library}"], capture_output=True, text=True, check=False
        ).stdout
    except FileNotFoundError:
        return ""
    place = Path("/usr/share/doc", told.partition(":")[0], "copyright")
    return place.read_text("utf-8", "replace") if told and place.is_file() else ""


def _crates(packages: set[str]) -> Iterator[Component]:
    """Yield the Rust crates that wheels' own bills (PEP 770) list; those that only built it are left out."""
    for package in sorted(packages):
        for path in importlib.metadata.files(package) or ():
            if not path.match("*.dist-info/sboms/*.json"):
                continue
            for one in json.loads(Path(str(path.locate())).read_text("utf-8")).get("components", ()):
                if one.get("scope") != "excluded" and one.get("purl", "").startswith("pkg:cargo/"):
                    yield Component(
                        f"{one['name']} (in {package})",
                        one["version"],
                        _expression(one.get("licenses", ())),
                        copyright=[f"Authors: {one['author']}"] if one.get("author") else [],
                        purl=one["purl"].partition("?")[0],
                    )


def _entry(one: Component) -> dict[str, Any]:
    """Return what a bill says of a component that cyclonedx-py doesn't list."""
    slug = re.sub(r"[^a-z0-9]+", "-", one.name.partition(" (in ")[0].lower()).strip("-")
    entry: dict[str, Any] = {
        "bom-ref": f"{one.name} {one.version}".strip(),
        "type": "library",
        "name": one.name.partition(" (in ")[0],
        "purl": one.purl or PackageURL("generic", None, slug, one.version or None).to_string(),
        "licenses": [{"expression": one.licence}],
    }
    if one.version:
        entry["version"] = one.version
        if one.cpe:
            entry["cpe"] = f"cpe:2.3:a:{one.cpe}:{one.version}:*:*:*:*:*:*:*"
    if one.copyright:
        entry["copyright"] = "\n".join(one.copyright)
    return entry


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
