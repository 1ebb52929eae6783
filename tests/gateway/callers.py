"""The made-up key and the shape of the caller fixture."""

from __future__ import annotations

from collections.abc import Callable

from keybench.core.ports import Caller

MADE_UP_KEY = "Zq7TestOnlyKeyNotReal0123456789x"

MakeCaller = Callable[..., Caller]
