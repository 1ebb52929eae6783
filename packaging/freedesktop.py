"""The desktop entry and the AppStream data, from the product's description and what changed in it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import product

#: What may be done with the AppStream file itself, which software centres copy; one of the few they accept.
METADATA_LICENCE: Final = "FSFAP"


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

    Raises:
        SetupError: what changed can't be told.
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
