"""Who works at this computer, as the system names them: proposed wherever a person has to be named."""

from __future__ import annotations

import getpass


def person_name() -> str:
    """Return the system's name of the user; empty where it has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no user entry; before 3.13 each platform had its own error
        return ""
