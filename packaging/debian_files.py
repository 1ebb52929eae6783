"""The texts of the .deb: its control file, its changelog and its copyright."""

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any, Final

import product
from elf import Needs
from messages import SetupError
from part_lists import WINDOW_PARTS
from system_parts import parse_parts

#: Libraries besides those that the window needs from a checkout, and the packages that bring them.
_MORE_LIBRARIES: Final = """
ld-linux-x86-64.so.2    libc6
ld-linux-aarch64.so.1   libc6
libc.so.6               libc6
libdl.so.2              libc6
libm.so.6               libc6
libpthread.so.0         libc6
libresolv.so.2          libc6
librt.so.1              libc6
libutil.so.1            libc6
libfontconfig.so.1      libfontconfig1
libgcc_s.so.1           libgcc-s1
libstdc++.so.6          libstdc++6
libwayland-client.so.0  libwayland-client0
libwayland-cursor.so.0  libwayland-cursor0
libxcb.so.1             libxcb1
"""
#: What Debian 13 and Ubuntu 24.04 call packages whose 32-bit libraries have a longer time there.
_RENAMED: Final = {name: f"{name}t64 | {name}" for name in ("libcups2", "libglib2.0-0", "libgtk-3-0")}
#: Kinds of Qt's plugins that are left alone where the system hasn't what they link, and what brings that.
_OPTIONAL: Final = {"platformthemes": "libgtk-3-0", "printsupport": "libcups2"}
#: What no library asks for and the program does: whom the system trusts, and no gateway is called without it.
_DEPENDS: Final = ("ca-certificates",)
#: A keystore for the values of keys, a session bus to reach it, and what opens a portal's page.
_RECOMMENDS: Final = (
    "gnome-keyring | keepassxc | kwallet6 | libkf5wallet-bin",
    "default-dbus-session-bus | dbus-session-bus",
    "xdg-utils",
    _RENAMED[_OPTIONAL["printsupport"]],
)
_WIDTH: Final = 79
#: Where the bundle is put, below the package's top.
PLACE: Final = Path("usr", "lib", product.COMMAND)
#: A bundle's list of what it has.
BILL: Final = Path("_internal", "keybench", "resources", "sbom.cdx.json")


def control(needs: Needs, version: str, kilobytes: int) -> str:
    """Return the control file.

    Args:
        needs: What the packed files need.
        version: The package's version.
        kilobytes: How much room it takes, installed.

    Raises:
        SetupError: a library is needed of which no package is known.
    """
    fields = {
        "Package": product.COMMAND,
        "Version": version,
        "Architecture": needs.architecture,
        "Maintainer": maintainer(),
        "Installed-Size": str(kilobytes),
        "Depends": ", ".join(dependencies(needs)),
        "Recommends": ", ".join(_RECOMMENDS),
        "Suggests": _RENAMED[_OPTIONAL["platformthemes"]],
        "Section": "utils",
        "Priority": "optional",
        "Homepage": product.HOMEPAGE or "",
        "Description": "\n".join([product.SUMMARY, *_description()]),
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items() if value)


def maintainer() -> str:
    """Return who answers for the package, as Debian writes people."""
    return f"{product.MAINTAINER} <{product.MAINTAINER_ADDRESS}>"


def dependencies(needs: Needs) -> list[str]:
    """Return the packages that must be there, sorted; the C library with the version that is asked of it.

    Raises:
        SetupError: a library is needed of which no package is known.
    """
    known = {part.probe: part.packages["apt-get"] for part in parse_parts(WINDOW_PARTS)}
    known |= dict(line.split() for line in _MORE_LIBRARIES.strip().splitlines())
    linked = {
        name: [path for path in paths if path.parent.name not in _OPTIONAL]
        for name, paths in needs.libraries.items()
    }
    unknown = {name: paths[0] for name, paths in linked.items() if paths and name not in known}
    if unknown:
        told = "\n".join(f"    {name} (for {path})" for name, path in unknown.items())
        raise SetupError(
            f"The bundle needs libraries of which debian_files.py knows no package:\n{told}\n"
            "Add them there, or keep what needs them out of the bundle."
        )
    major, minor = needs.glibc
    packed = {"libc6": f"libc6 (>= {major}.{minor})", **_RENAMED}
    packages = {known[name] for name, paths in linked.items() if paths}
    return sorted({packed.get(package, package) for package in packages} | set(_DEPENDS))


def _description() -> Iterable[str]:
    """Yield the long description's lines, each indented by a space; a lone point parts paragraphs."""
    for paragraph in product.DESCRIPTION:
        yield from textwrap.wrap(paragraph, _WIDTH, initial_indent=" ", subsequent_indent=" ")
        yield " ."
    for feature in product.FEATURES:
        yield from textwrap.wrap(feature, _WIDTH, initial_indent="  - ", subsequent_indent="    ")


def changelog(releases: Sequence[product.Release]) -> str:
    """Return what changed by version, the newest first, in the form that Debian's tools read."""
    return "\n".join(_entry(one) for one in releases)


def _entry(release: product.Release) -> str:
    lines = [
        line
        for change in release.changes
        for line in textwrap.wrap(
            product.plain(change), _WIDTH, initial_indent="  * ", subsequent_indent="    "
        )
    ]
    day = datetime.combine(release.day, time(12), UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")
    head = f"{product.COMMAND} ({release.version}) stable; urgency=medium"
    return "\n".join([head, "", *lines, "", f" -- {maintainer()}  {day}", ""])


@dataclass(frozen=True)
class _Work:
    """A component of the bundle: its name and version, whose it is, its licence and the file of its text."""

    name: str
    holders: tuple[str, ...]
    licence: str
    text: str


def copyright_file(bundle: Path) -> str:
    """Return whose work is in the package and under which licences, in Debian's machine-readable form.

    The bill of materials tells whose each file is. The texts are in the bundle, as their authors wrote them.

    Args:
        bundle: The bundle, which has its bill of materials and the licences in it.

    Raises:
        SetupError: they aren't in it, or don't fit.
    """
    try:
        bill = json.loads((bundle / BILL).read_text("utf-8"))["components"]
        licences = json.loads((bundle / BILL.parent / "licences" / "licences.json").read_text("utf-8"))
        known = {one["name"]: (one["licence"], one["text"]) for one in licences}
        parts = {one["bom-ref"]: list(_works(one, known)) for one in bill}
        files = {one["bom-ref"]: [inner["name"] for inner in _files(one)] for one in bill}
        # Of what is built into another only libraries have something, and none of them is in the program.
        packed = [parts[one["bom-ref"]][0] for one in bill if "evidence" in one]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SetupError(f"{bundle} doesn't say under which licences its parts are: {error!r}") from None
    head = {
        "Format": ["https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"],
        "Upstream-Name": [product.NAME],
        "Upstream-Contact": [maintainer()],
        "Comment": [
            f"The texts of the licences are in /{PLACE / BILL.parent}/licences,",
            "and what the LGPL asks to be said in qt-notice.txt there. Those of Apache, GNU and Mozilla",
            "are in /usr/share/common-licenses, too (LGPL-3, LGPL-2.1, GPL-3, Apache-2.0, MPL-2.0).",
        ],
    }
    own = _Work(product.NAME, (product.COPYRIGHT,), product.LICENCE, "")
    found = [
        head,
        _described(["*"], [own]),
        _described([product.COMMAND], [own, *packed]),
        *(_described(files[ref], works) for ref, works in parts.items() if files[ref]),
    ]
    return "\n".join(
        "".join(f"{name}: " + "\n ".join(lines) + "\n" for name, lines in one.items()) for one in found
    )


def _works(component: Mapping[str, Any], known: Mapping[str, tuple[str, str]]) -> Iterator[_Work]:
    """Yield a component and what is built into it."""
    within = f" (in {component['name']})"
    inside = [one for one in component.get("components", []) if one["type"] != "file"]
    for one, suffix in [(component, ""), *((one, within) for one in inside)]:
        name = f"{one['name']}{suffix}"
        holders = tuple(one.get("copyright", "").splitlines())
        yield _Work(f"{name} {one.get('version', '')}".strip(), holders, *known[name])


def _files(component: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [one for one in component.get("components", []) if one["type"] == "file"]


def _described(files: Sequence[str], works: Sequence[_Work]) -> Mapping[str, Sequence[str]]:
    """Return the fields of a paragraph on files and all that is in them."""
    names = (re.sub(r" (AND|OR|WITH) ", lambda word: word[0].lower(), one.licence) for one in works)
    licences = list(dict.fromkeys(names))
    several = len(licences) > 1
    together = [f"({one})" if several and (" or " in one or " and " in one) else one for one in licences]
    holders = list(dict.fromkeys(holder for one in works for holder in one.holders))
    return {
        "Files": ["*" if file == "*" else (PLACE / file).as_posix().replace(" ", "?") for file in files],
        "Copyright": holders or ["told in the text of the licence"],
        "License": [" and ".join(together), *map(_where, works)],
    }


def _where(work: _Work) -> str:
    """Return a line that says where the text of a licence is."""
    told = f"licences/{work.text}" if work.text else "all rights reserved"
    return f"{work.name}: {work.licence}, {told}"
