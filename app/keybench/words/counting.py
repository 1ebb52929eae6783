"""Numbers and lists within a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its word: ``1 key``, ``3 keys``."""
    return f"1 {one}" if number == 1 else f"{number:,} {many or one + 's'}"


def listed(parts: Sequence[str]) -> str:
    """Return parts as a sentence lists them: ``a``, ``a and b``, ``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
