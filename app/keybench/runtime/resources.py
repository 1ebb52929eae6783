"""Where the files that come with the program are: contracts, icons."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).resolve().parent.parent


def resource_path(name: str) -> Path:
    """Return the path of a file or folder under ``resources``, such as ``contracts/v5.toml``.

    An installed package carries them inside itself; a checkout has them at its top.
    """
    installed = _PACKAGE / "resources"
    root = installed if installed.is_dir() else _PACKAGE.parent.parent / "resources"
    return root / name
