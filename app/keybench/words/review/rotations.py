"""The finding about rotations that need somebody: overdue, half done, or given up with two keys left."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Self

from keybench.core.review import Finding, FindingWords, Remedy, Severity, Snapshot
from keybench.core.rotation import Rotation, Stage
from keybench.core.rotation_stages import stage_of
from keybench.words.formats import day_count
from keybench.words.language import _, ngettext

_ACTIONS: Final = (Remedy.OPEN_ROTATION, Remedy.OPEN_KEY)
#: A compromised key waits for nobody longer than this, in days.
_COMPROMISED_DAYS: Final = 1
#: Each stage within a sentence.
STAGE_WORDS: Final = {
    Stage.CREATE: _("creating the replacement"),
    Stage.REPLACE: _("replacing the key in the applications"),
    Stage.TEST: _("testing the new key"),
    Stage.DELETE: _("deleting the old key"),
    Stage.DOCUMENT: _("updating the security documentation"),
}


class Trouble(enum.StrEnum):
    """Why a rotation is found."""

    OVERDUE = "overdue"
    HALF_DELETED = "half deleted"
    STALLED = "stalled"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfinishedRotation(Finding):
    """A rotation is past its planned end, without a step for long, or abandoned with both keys valid."""

    id = "rotation"

    rotation: Rotation
    trouble: Trouble
    days: int

    @classmethod
    def find(cls, snapshot: Snapshot) -> Iterator[Self]:
        for rotation in snapshot.rotations:
            environment = snapshot.environment_of.get(rotation.environment_id)
            if environment and (found := _trouble(snapshot, rotation)):
                trouble, since = found
                yield cls(
                    environment,
                    snapshot.key_of.get(rotation.old.key_id),
                    _severity(rotation, trouble),
                    rotation.id,
                    rotation=rotation,
                    trouble=trouble,
                    days=snapshot.days_since(since),
                )

    def words(self) -> FindingWords:
        old, new = self.rotation.old.name, self.rotation.replacement
        days, stage = day_count(self.days), STAGE_WORDS[stage_of(self.rotation)]
        leaked = _(" The key may be in the wrong hands.") if self.rotation.compromised else ""
        match self.trouble:
            case Trouble.OVERDUE:
                return FindingWords(
                    _("Rotation is overdue"),
                    _(
                        "The overlap of “{old}” should have ended {days} ago. The next step is {stage}. "
                        "Two keys are valid.{leaked}"
                    ).format(old=old, days=days, stage=stage, leaked=leaked),
                    _("Open the rotation and finish it, or set another end."),
                    _ACTIONS,
                )
            case Trouble.HALF_DELETED:
                return FindingWords(
                    _("Old key not seen to be gone"),
                    _(
                        "The deletion of “{old}” was requested, and nothing has been done for {days}. "
                        "Nobody has seen that the gateway refuses it.{leaked}"
                    ).format(old=old, days=days, leaked=leaked),
                    _("Open the rotation and continue the deletion."),
                    _ACTIONS,
                )
            case Trouble.STALLED:
                return FindingWords(
                    _("Rotation is half done"),
                    _(
                        "Nothing has been done about the rotation of “{old}” for {days}. The next step is {stage}.{leaked}"
                    ).format(old=old, days=days, stage=stage, leaked=leaked),
                    _("Open the rotation and continue it, or abandon it."),
                    _ACTIONS,
                )
            case Trouble.ABANDONED:
                return FindingWords(
                    _("Abandoned rotation left two keys"),
                    _(
                        "The rotation of “{old}” was abandoned {days} ago. It and “{name}” are both still here."
                    ).format(old=old, days=days, name=new.name if new else ""),
                    _("Find out which of the two is in use, and delete the other."),
                    _ACTIONS,
                )

    @property
    def likeness(self) -> str:
        """What it is listed together by: what is wrong with it."""
        return f"{self.id}/{self.trouble}"

    @property
    def name(self) -> str:
        """The old key's name, also where that key is gone."""
        return self.rotation.old.name

    def words_together(self, count: int) -> FindingWords:
        match self.trouble:
            case Trouble.OVERDUE:
                return FindingWords(
                    ngettext("1 rotation is overdue", "{count:,} rotations are overdue", count).format(
                        count=count
                    ),
                    _("Their overlaps should have ended. Two keys are valid in each."),
                    _("Open each and finish it, or set another end."),
                    _ACTIONS,
                )
            case Trouble.HALF_DELETED:
                return FindingWords(
                    ngettext(
                        "1 old key not seen to be gone", "{count:,} old keys not seen to be gone", count
                    ).format(count=count),
                    _("Their deletion was requested. Nobody has seen that the gateway refuses them."),
                    _("Open each rotation and continue the deletion."),
                    _ACTIONS,
                )
            case Trouble.STALLED:
                return FindingWords(
                    ngettext("1 rotation is half done", "{count:,} rotations are half done", count).format(
                        count=count
                    ),
                    _("Nothing has been done about them for days."),
                    _("Open each and continue it, or abandon it."),
                    _ACTIONS,
                )
            case Trouble.ABANDONED:
                return FindingWords(
                    ngettext(
                        "1 abandoned rotation left two keys",
                        "{count:,} abandoned rotations left two keys each",
                        count,
                    ).format(count=count),
                    _("The old key and its replacement are both still here."),
                    _("Find out which of the two is in use, and delete the other."),
                    _ACTIONS,
                )


def _trouble(snapshot: Snapshot, rotation: Rotation) -> tuple[Trouble, datetime] | None:
    """Return what is wrong with a rotation and since when."""
    if rotation.abandoned_at:
        return (Trouble.ABANDONED, rotation.abandoned_at) if _leaves_two(snapshot, rotation) else None
    if not rotation.is_open:
        return None
    last_step = max((one.at for one in rotation.evidence), default=rotation.started_at)
    patience = snapshot.settings.stalled_days
    if rotation.compromised:
        patience = min(patience, _COMPROMISED_DAYS)
    if snapshot.days_since(last_step) >= patience:
        asked = rotation.deletion is not None and rotation.deletion.erased_at is None
        return (Trouble.HALF_DELETED if asked else Trouble.STALLED), last_step
    if rotation.is_overdue(snapshot.now):
        return Trouble.OVERDUE, rotation.overlap_ends_at
    return None


def _leaves_two(snapshot: Snapshot, rotation: Rotation) -> bool:
    """Return whether both keys of an abandoned rotation are still here and no other rotation goes on."""
    new = rotation.replacement
    both = new is not None and {rotation.old.key_id, new.key_id} <= snapshot.key_of.keys()
    return both and rotation.old.key_id not in snapshot.open_rotations


def _severity(rotation: Rotation, trouble: Trouble) -> Severity:
    if trouble is Trouble.ABANDONED:
        return Severity.NOTE
    is_bad = rotation.compromised or trouble is Trouble.HALF_DELETED
    return Severity.BAD if is_bad else Severity.WARNING
