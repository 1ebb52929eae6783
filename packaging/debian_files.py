"""The texts of the .deb: its control file, its changelog and its copyright."""

import json
import re
import textwrap
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Final

import product
from elf import Needs
from messages import SetupError
from system_parts import WINDOW_PARTS, parse_parts

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
_RENAMED: Final = {name: f"{name}t64 | {name}" for name in ("libglib2.0-0", "libgtk-3-0")}
#: Kinds of Qt's plugins that are left alone where the system hasn't what they link, and what brings that.
_OPTIONAL: Final = {"platformthemes": "libgtk-3-0"}
#: What no library asks for and the program does: whom the system trusts, and no gateway is called without it.
_DEPENDS: Final = ("ca-certificates",)
#: A keystore for the values of keys, a session bus to reach it, and what opens a portal's page.
_RECOMMENDS: Final = (
    "gnome-keyring | keepassxc | kwallet6 | libkf5wallet-bin",
    "default-dbus-session-bus | dbus-session-bus",
    "xdg-utils",
)
_WIDTH: Final = 79
#: Where the bundle is put, below the package's top.
PLACE: Final = Path("usr", "lib", product.COMMAND)
#: Where a bundle has the licences of its parts.
LICENCES: Final = Path("_internal", "keybench", "resources", "licences")


def control(needs: Needs, version: str, kilobytes: int) -> str:
    """Return the control file."""
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
    """Return the packages that must be there, sorted; the C library with the version that is asked of it."""
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
    days = [one.day for one in releases]
    # Of two versions of a day the newer is a minute later, as Debian's tools want it.
    return "\n".join(_entry(one, days[at:].count(one.day)) for at, one in enumerate(releases))


def _entry(release: product.Release, minute: int) -> str:
    lines = [
        line
        for change in release.changes
        for line in textwrap.wrap(
            product.plain(change), _WIDTH, initial_indent="  * ", subsequent_indent="    "
        )
    ]
    day = datetime.combine(release.day, time(12, minute), UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")
    head = f"{product.COMMAND} ({release.version}) stable; urgency=medium"
    return "\n".join([head, "", *lines, "", f" -- {maintainer()}  {day}", ""])


def copyright_file(bundle: Path) -> str:
    """Return whose work is in the package and under which licences, in Debian's machine-readable form.

    Whose each part is, and its licence's text, is in the bundle, as its authors wrote it.
    """
    try:
        listed = json.loads((bundle / LICENCES / "licences.json").read_text("utf-8"))
        told = [
            f" {one['name']} {one['version']}".rstrip() + f": {one['licence']}, {one['text']}\n"
            for one in listed
        ]
        names = dict.fromkeys(_in_words(one["licence"]) for one in listed)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SetupError(f"{bundle} doesn't say under which licences its parts are: {error!r}") from None
    if not listed:
        raise SetupError(f"{bundle} doesn't say under which licences its parts are: the list is empty.")
    return (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        f"Upstream-Name: {product.NAME}\n"
        f"Upstream-Contact: {maintainer()}\n"
        f"Comment: The texts of the licences are in /{PLACE / LICENCES},\n"
        " and what the LGPL asks to be said in qt-notice.txt there. Those of Apache, GNU and Mozilla\n"
        " are in /usr/share/common-licenses, too (LGPL-3, LGPL-2.1, GPL-3, Apache-2.0, MPL-2.0).\n"
        "\n"
        f"Files: *\nCopyright: {product.COPYRIGHT}\nLicense: {product.LICENCE}\n all rights reserved\n"
        "\n"
        f"Files: {PLACE}/_internal/*\n"
        "Copyright: told in the text of each licence\n"
        f"License: {' and '.join(names)}\n{''.join(told)}"
    )


def _in_words(licence: str) -> str:
    """Return an SPDX expression as Debian writes it, in brackets where it would be misread beside others."""
    words = re.sub(r" (AND|OR|WITH) ", lambda word: word[0].lower(), licence)
    return f"({words})" if " or " in words or " and " in words else words
