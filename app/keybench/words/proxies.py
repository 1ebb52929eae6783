"""Through which proxy an environment's gateway is called, in words."""

from __future__ import annotations

from typing import Final

from keybench.core.environment import NO_PROXY, SYSTEM_PROXY, Environment, EnvironmentKind

SYSTEM: Final = "System"
NONE: Final = "None"


def proxy_words(environment: Environment) -> str:
    """Return an environment's proxy: whose it is, or its address with its user; there is no password in it."""
    if environment.kind is EnvironmentKind.PRACTICE or environment.proxy == NO_PROXY:
        return NONE
    return SYSTEM if environment.proxy == SYSTEM_PROXY else environment.proxy


def proxy_sentence(environment: Environment) -> str:
    """Return the same as a sentence, for a notice."""
    if environment.proxy == SYSTEM_PROXY:
        return f"“{environment.name}” goes through the proxy this computer is set to, if any."
    if environment.proxy == NO_PROXY:
        return f"“{environment.name}” goes through no proxy."
    return f"“{environment.name}” goes through {environment.proxy}."
