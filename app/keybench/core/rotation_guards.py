"""What every move of a rotation begins with: is it open, has it a replacement, does the step fit."""

from __future__ import annotations

from dataclasses import replace

from keybench.core.input_errors import RotationBarred
from keybench.core.rotation import Evidence, Rotation


def with_evidence(rotation: Rotation, *evidence: Evidence) -> Rotation:
    """Return the rotation with more evidence; there is no way to take any away."""
    return replace(rotation, evidence=rotation.evidence + evidence)


def bar(condition: bool, reason: str) -> None:  # noqa: FBT001 - reads as a sentence at its callers
    """Raise RotationBarred with `reason` if `condition` holds."""
    if condition:
        raise RotationBarred(reason)


def require_open(rotation: Rotation) -> None:
    """Raise RotationBarred if the rotation is over."""
    bar(not rotation.is_open, RotationBarred.OVER)


def require_replacement(rotation: Rotation) -> None:
    """Raise RotationBarred if the rotation is over or has no replacement yet."""
    require_open(rotation)
    bar(rotation.replacement is None, RotationBarred.NO_REPLACEMENT)
