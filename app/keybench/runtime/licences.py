"""The licences of all that is shipped with the program, as its packages list them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from keybench.runtime.data_folder import resource_path

#: The folder among the resources, which a checkout may lack; its list, and what Qt's licence asks for.
FOLDER: Final = "licences"
LIST: Final = "licences.json"
QT_NOTICE: Final = "qt-notice.txt"


@dataclass(frozen=True, slots=True)
class Component:
    """Something that is shipped."""

    name: str
    version: str
    licence: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Licences:
    """What is known of licences.

    Attributes:
        components: All that is shipped; none where there is no list, as in a checkout.
        qt_notice: The notice and the offer that Qt's licence asks for; empty where it isn't there.
    """

    components: Sequence[Component]
    qt_notice: str = ""


def licences(folder: Path | None = None) -> Licences:
    """Return the licences of what is shipped. It reads many files: call it on a thread."""
    place = folder or resource_path(FOLDER)
    try:
        listed = json.loads((place / LIST).read_text("utf-8"))
        components = [_component(place, one) for one in listed]
    except (OSError, ValueError, KeyError, TypeError):
        components = []
    return Licences(components, _text(place, QT_NOTICE))


def _component(place: Path, listed: dict[str, str]) -> Component:
    notice = str(listed["notice"])
    # It is a file's name, too, or the words themselves.
    texts = (_text(place, notice) or notice, _text(place, str(listed["text"])))
    parts = [text.strip("\n") for text in texts if text.strip()]
    return Component(str(listed["name"]), str(listed["version"]), str(listed["licence"]), "\n\n".join(parts))


def _text(place: Path, name: str) -> str:
    """Return the text of a file of the folder; empty if it isn't there or isn't the folder's own."""
    if not name or Path(name).name != name:
        return ""
    with suppress(OSError):
        return (place / name).read_text("utf-8", errors="replace")
    return ""
