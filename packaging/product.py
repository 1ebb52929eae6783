"""What every package says of the product, once: its names, its words, who answers for it, what changed.

Whoever publishes packages puts a real address into `MAINTAINER_ADDRESS` and, if there is one, a page into
`HOMEPAGE`; everything else follows.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from messages import SetupError

NAME: Final = "Keybench"
#: The command and the name of packages, which are in lower case.
COMMAND: Final = "keybench"
#: The application's id: of the desktop file, the icons, AppStream, the Flatpak and the macOS bundle.
ID: Final = "io.keybench.Keybench"
#: How X11 knows the window (the second part of WM_CLASS). Wayland knows it by the id.
WINDOW_CLASS: Final = "Keybench"

GENERIC_NAME: Final = "Payment API Key Console"
#: One line, without a full stop, for lists of programs.
SUMMARY: Final = "Manage payment API keys and test card sales on cloud devices"
#: Whole paragraphs, plain text.
DESCRIPTION: Final[Sequence[str]] = (
    (
        "Keybench is a desktop console for a payment service whose callers authenticate with API keys and can"
        " start card sales on cloud payment devices. One window holds the portal's flow for security keys and"
        " a bench that sends asynchronous sales to a device and polls until the outcome is there."
    ),
    (
        "The values of keys are in the operating system's keyring, one entry a key, apart for each"
        " environment, and nowhere else. No account and no network are needed to try it: a practice gateway"
        " comes with it."
    ),
)
#: What it does, one plain line each, to follow the description.
FEATURES: Final[Sequence[str]] = (
    "Add, test, reveal, rotate and revoke security keys, and review which of them need care",
    "Send sales to one device or many, and see each outcome, request and answer with its timing",
    "Diagnose why a key, a device or a sale fails, and save a support bundle without secrets",
    "Do the same from scripts: every command works without the window",
)

MAINTAINER: Final = "Keybench maintainers"
#: There is no registered domain yet; `.invalid` never delivers, so nobody else gets the letters.
MAINTAINER_ADDRESS: Final = "maintainers@keybench.invalid"
#: None until there is one: then AppStream, the .deb and the installers name it.
HOMEPAGE: Final[str | None] = None
#: The source grants no licence: all rights are its authors'. What it is shipped with has licences of its own.
LICENCE: Final = "LicenseRef-proprietary"
COPYRIGHT: Final = "2026 Keybench maintainers"

#: The menu's name of the guided demonstration.
TOUR: Final = "Guided Tour"
#: The menu's categories as freedesktop.org registers them, the main one first.
CATEGORIES: Final[Sequence[str]] = ("Office", "Finance")
KEYWORDS: Final[Sequence[str]] = (
    "payment", "API key", "security key", "card", "sale", "terminal", "gateway", "rotation", "diagnose",
)  # fmt: skip

_RELEASE: Final = re.compile(
    r"^## (?P<version>\S+) \u2013 (?P<day>\d{4}-\d\d-\d\d)$(?P<changes>.*?)(?=^## |\Z)",
    re.MULTILINE | re.DOTALL,
)
_ITEM: Final = re.compile(r"^- (.*?)(?=^- |\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Release:
    """A version and what people notice of it.

    Attributes:
        version: Such as `0.2.0`.
        day: When it was released.
        changes: A line each, plain text but for Markdown's `*emphasis*` and `` `code` ``.
    """

    version: str
    day: date
    changes: tuple[str, ...]


def version(root: Path) -> str:
    """Return the program's version from the checkout at `root`."""
    text = (root / "app" / "keybench" / "__init__.py").read_text("utf-8")
    found = re.search(r'^__version__ = "([^"]+)"$', text, re.MULTILINE)
    if found is None:
        raise SetupError("app/keybench/__init__.py has no __version__.")
    return found[1]


def releases(root: Path) -> list[Release]:
    """Return the versions that `resources/changes.md` tells of, the newest first."""
    return read_releases((root / "resources" / "changes.md").read_text("utf-8"), version(root))


def read_releases(text: str, newest: str) -> list[Release]:
    """Return the versions told of in `text`, of which the first must be `newest`."""
    found = [
        Release(told["version"], date.fromisoformat(told["day"]), tuple(_items(told["changes"])))
        for told in _RELEASE.finditer(text)
    ]
    if not found or found[0].version != newest:
        raise SetupError(f"resources/changes.md doesn't begin with what changed in {newest}.")
    return found


def _items(text: str) -> list[str]:
    return [
        " ".join(item.split()) for item in re.findall(r"^- (.*?)(?=^- |\Z)", text, re.MULTILINE | re.DOTALL)
    ]


def plain(change: str) -> str:
    """Return a line of changes without Markdown's marks."""
    return re.sub(r"[*`]", "", change)
