"""Which build of the program runs: what it came in, and the commit that it was made from."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import Final

from keybench.runtime.data_folder import resource_path

#: Written beside the resources when the program is packed; a checkout has none.
BUILD_FILE: Final = "build.json"
_GIT_LIMIT_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Build:
    """A build of the program.

    Attributes:
        commit: The commit it was made from, abbreviated, with ``-dirty`` where files differed from it; empty
            where that can't be told.
        package: What it came in, such as ``deb``, ``flatpak`` or ``folder``; empty for a checkout.
    """

    commit: str
    package: str


def this_build() -> Build:
    """Return the build that runs. A checkout asks git, which takes a moment: call it on a worker thread."""
    path = resource_path(BUILD_FILE)
    try:
        told = json.loads(path.read_text("utf-8"))
        return Build(str(told["commit"]), str(told["package"]))
    except FileNotFoundError:
        return Build(_checked_out(), "")
    except (OSError, ValueError, KeyError, TypeError):
        return Build("", "")


def _checked_out() -> str:
    """Return the commit of the checkout that this file is in; empty where there is no git or no checkout."""
    try:
        # Whichever git the developer uses; nothing a person typed is among the arguments.
        told = subprocess.run(  # noqa: S603 - see above
            ["git", "-C", str(resource_path("")), "describe", "--always", "--dirty", "--abbrev=12"],  # noqa: S607 - see above
            capture_output=True,
            text=True,
            timeout=_GIT_LIMIT_S,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return told.stdout.strip()
