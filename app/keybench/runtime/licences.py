"""The licences of all that is shipped with the program, as its packages list them; else what is installed."""

from __future__ import annotations

import importlib.metadata
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
#: How the metadata of Python's packages begin a licence's name among what classifies them.
_CLASSIFIER: Final = "License :: "


@dataclass(frozen=True, slots=True)
class Component:
    """Something that is shipped or installed."""

    name: str
    version: str
    licence: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Licences:
    """What is known of licences.

    Attributes:
        qt_notice: The notice and the offer that Qt's licence asks for; empty where it isn't there.
        is_shipped: Whether this is what a package ships; else it is what a checkout finds installed.
    """

    components: Sequence[Component]
    qt_notice: str = ""
    is_shipped: bool = True


def licences(folder: Path | None = None) -> Licences:
    """Return the licences of what is shipped, or installed. It reads many files: call it on a thread."""
    place = folder or resource_path(FOLDER)
    try:
        listed = json.loads((place / LIST).read_text("utf-8"))
        components = [_component(place, one) for one in listed]
    except (OSError, ValueError, KeyError, TypeError):
        return Licences(_installed(), _text(place, QT_NOTICE), is_shipped=False)
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


def _installed() -> Sequence[Component]:
    found: dict[str, Component] = {}
    for one in importlib.metadata.distributions():
        name = str(one.metadata["Name"] or "")
        if name and name not in found:
            found[name] = Component(name, str(one.metadata["Version"] or ""), _licence_of(one))
    return sorted(found.values(), key=lambda one: one.name.casefold())


def _licence_of(one: importlib.metadata.Distribution) -> str:
    """Return a package's licence by its short name, as far as it is told."""
    (told,) = [*_told(one, "License-Expression"), *_told(one, "License"), ""][:1]
    if told and "\n" not in told.strip():
        return told.strip()
    classifiers = [text for text in _told(one, "Classifier") if text.startswith(_CLASSIFIER)]
    return ", ".join(text.rpartition(" :: ")[2] for text in classifiers)


def _told(one: importlib.metadata.Distribution, name: str) -> Sequence[str]:
    return [str(text) for text in one.metadata.get_all(name) or ()]
