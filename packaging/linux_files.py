"""Make what Linux desktops, software centres, `man` and shells look for. One checkout gives the same bytes.

The desktop entry and the AppStream data come from the product's description and what changed in it, and
completion from the command line's parser by shtab.
"""

import argparse
import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import shtab

import icons
import manual
import product

#: What may be done with the AppStream file itself, which software centres copy; one of the few they accept.
METADATA_LICENCE: Final = "FSFAP"
#: The shells, and where each looks for what completes a command, below /usr/share.
PLACES: Final = {
    "bash": f"bash-completion/completions/{product.COMMAND}",
    "zsh": f"zsh/vendor-completions/_{product.COMMAND}",
    "fish": f"fish/vendor_completions.d/{product.COMMAND}.fish",
}


def write(root: Path, out: Path) -> None:
    """Write the share folder of the checkout at `root` into `out`."""
    share = out / "share"
    _put(share / "applications" / f"{product.ID}.desktop", desktop_entry())
    _put(share / "metainfo" / f"{product.ID}.metainfo.xml", appstream(root))
    icons.write_theme(root, share / "icons")
    for shell, place in PLACES.items():
        _put(share / place, completion(shell))
    page = share / "man" / "man1" / f"{product.COMMAND}.1.gz"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_bytes(packed(manual.page(root)))


def packed(text: str) -> bytes:
    """Return a text packed by gzip as Debian wants it: as small as can be, without a time or a name."""
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def desktop_entry() -> str:
    """Return the entry for menus, with the tour as an action of its own."""
    groups = {
        "Desktop Entry": {
            "Type": "Application",
            "Version": "1.4",
            "Name": product.NAME,
            "GenericName": product.GENERIC_NAME,
            "Comment": product.SUMMARY,
            "Exec": product.COMMAND,
            "TryExec": product.COMMAND,
            "Icon": product.ID,
            "Terminal": "false",
            "StartupNotify": "true",
            "StartupWMClass": product.WINDOW_CLASS,
            # What 1.5 calls SingleMainWindow, which Debian 12's validator refuses; desktops know both.
            "X-GNOME-SingleWindow": "true",
            "Categories": _list(product.CATEGORIES),
            "Keywords": _list(product.KEYWORDS),
            "Actions": _list(["tour"]),
        },
        "Desktop Action tour": {
            "Name": product.TOUR,
            "Exec": f"{product.COMMAND} tour",
        },
    }
    return "\n".join(
        f"[{group}]\n" + "".join(f"{key}={value}\n" for key, value in entries.items())
        for group, entries in groups.items()
    )


def _list(values: Iterable[str]) -> str:
    return "".join(f"{value};" for value in values)


def appstream(root: Path) -> str:
    """Return what software centres show of the program of the checkout at `root`.

    There are no pictures in it: AppStream wants their addresses, and they are published nowhere.
    """
    component = ET.Element("component", type="desktop-application")
    _texts(
        component,
        id=product.ID,
        metadata_license=METADATA_LICENCE,
        project_license=product.LICENCE,
        name=product.NAME,
        summary=product.SUMMARY,
        developer_name=product.MAINTAINER,
    )
    _description(component, product.DESCRIPTION, product.FEATURES)
    _texts(component, launchable=f"{product.ID}.desktop").set("type", "desktop-id")
    if product.HOMEPAGE:
        _texts(component, url=product.HOMEPAGE).set("type", "homepage")
    _texts(ET.SubElement(component, "provides"), binary=product.COMMAND)
    supports = ET.SubElement(component, "supports")
    for control in ("pointing", "keyboard"):
        _texts(supports, control=control)
    ET.SubElement(component, "content_rating", type="oars-1.1")
    releases = ET.SubElement(component, "releases")
    for one in product.releases(root):
        release = ET.SubElement(releases, "release", version=one.version, date=one.day.isoformat())
        _description(release, ["What is new:"], [product.plain(change) for change in one.changes])
    ET.indent(component)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(component, encoding="unicode")}\n'


def _texts(parent: ET.Element, **texts: str) -> ET.Element:
    """Put an element for each text into `parent` and return the last, or `parent` without any."""
    last = parent
    for name, text in texts.items():
        last = ET.SubElement(parent, name)
        last.text = text
    return last


def _description(parent: ET.Element, paragraphs: Iterable[str], points: Iterable[str]) -> None:
    description = ET.SubElement(parent, "description")
    for paragraph in paragraphs:
        _texts(description, p=paragraph)
    listed = ET.SubElement(description, "ul")
    for point in points:
        _texts(listed, li=point)


def completion(shell: str) -> str:
    """Return the script for one of the shells."""
    parser = manual.whole_parser()
    _complete_files(parser)
    return shtab.complete(parser, shell).rstrip() + "\n"


def _complete_files(parser: argparse.ArgumentParser) -> None:
    """Have names of files and folders completed, which the help calls FILE and DIR."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                _complete_files(below)
        metavar = str(action.metavar or "")
        if metavar.startswith("FILE"):
            action.complete = shtab.FILE  # type: ignore[attr-defined] # shtab reads it from there
        elif metavar == "DIR":
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined] # as above
