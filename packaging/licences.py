"""The licences of all that a bundle has, for the bundle itself and for About.

`_internal/keybench/resources/licences/` gets `licences.json`, a list of components with their licence and the
file that has its text, these texts, and the notice that the LGPL asks for.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

import product
from messages import SetupError

#: Where the licences are in a bundle.
FOLDER: Final = "_internal/keybench/resources/licences"
#: Texts that no package brings: SPDX's, by their ids, and a few that differ from these.
TEXTS: Final = Path(__file__).with_name("licences")
NOTICE: Final = "qt-notice.txt"
_NAMES: Final = re.compile(r"(?i)(licen[cs]e|copying|notice|copyright|authors)")


@dataclass(frozen=True)
class Component:
    """Something of one version and licence.

    Attributes:
        licence: An SPDX expression.
        text: Its licence as it brings it; empty where SPDX's text of it serves.
        cpe: Vendor and product, as in the National Vulnerability Database.
    """

    name: str
    version: str
    licence: str
    copyright: Sequence[str] = ()
    text: str = ""
    notice: str = ""
    cpe: str = ""
    purl: str = ""


def is_licence(path: PurePath) -> bool:
    """Tell whether a file that a Python package brings has its licence."""
    inside = path.parts[0].endswith(".dist-info")
    return inside and ("licenses" in path.parts or bool(_NAMES.match(path.name)))


def write(folder: Path, components: Sequence[Component]) -> None:
    """Write the licences into a bundle."""
    problems, listed = [], []
    files: dict[str, str] = {}
    for one in sorted(components, key=lambda one: one.name.lower()):
        text = text_of(one)
        if not text:
            problems.append(f"    {one.name}: {one.licence or 'it tells none'}")
            continue
        slug = re.sub(r"[^a-z0-9.+-]+", "-", one.name.lower()).strip("-")
        file = next((name for name, known in files.items() if known == text), f"{slug}.txt")
        files[file] = text
        listed.append(
            {
                "name": one.name,
                "version": one.version,
                "licence": one.licence,
                "text": file,
                "notice": one.notice,
            }
        )
    if problems:
        raise SetupError("The licence of some of what the bundle has isn't known:\n" + "\n".join(problems))
    files[NOTICE] = notice({one.name: one.version for one in components})
    for name in ("GPL-3.0.txt", "LGPL-3.0.txt", "LGPL-2.1.txt"):
        files[name] = (TEXTS / name).read_text("utf-8")
    files["licences.json"] = json.dumps(listed, indent=1, ensure_ascii=False) + "\n"
    place = folder / FOLDER
    place.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (place / name).write_text(text, "utf-8", newline="\n")


def text_of(one: Component) -> str:
    """Return a component's licence as it is to be read; empty where it or a text of it isn't known.

    Of a choice of licences the texts that are here are given.
    """
    if one.text or not one.licence:
        return f"{one.text.strip()}\n" if one.licence else ""
    ids = [each for each in re.findall(r"[\w.+-]+", one.licence) if each not in {"AND", "OR", "WITH"}]
    places = [TEXTS / f"{re.sub('-(only|or-later)$', '', each)}.txt" for each in ids]
    known = [place.read_text("utf-8").strip("\n") for place in dict.fromkeys(places) if place.is_file()]
    if not known or (" OR " not in one.licence and len(known) < len(set(places))):
        return ""
    return "\n\n".join(["\n".join([one.licence, *one.copyright]), *known]) + "\n"


def notice(versions: dict[str, str]) -> str:
    """Return what is to be said of Qt and other libraries under the LGPL, in their shipped versions."""
    return (
        (TEXTS / NOTICE)
        .read_text("utf-8")
        .format(
            qt=versions["Qt"],
            pyside=versions["PySide6_Essentials"],
            psycopg=versions["psycopg"],
            minor=".".join(versions["Qt"].split(".")[:2]),
            maintainer=product.MAINTAINER,
            address=product.MAINTAINER_ADDRESS,
        )
    )
