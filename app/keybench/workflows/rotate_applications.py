"""Stage 2, and the applications' part of stage 3: the register goes along with every tick, at one stroke."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keybench.core import rotation_moves as moves
from keybench.core.application import Application
from keybench.core.rotation import ApplicationStep, Rotation
from keybench.core.text import PURPOSE_LIMIT, clean_text
from keybench.workflows.rotate_steps import Steps, clean_person, replacement_of


class RotateApplications(Steps):
    """From the old key to the new one, application by application."""

    async def refresh_applications(self, rotation_id: str) -> Rotation:
        """Take over the register's applications of the old key as they are now.

        Raises:
            RotationBarred: The rotation is over, or the old key is deleted.
        """
        async with self._turn(rotation_id) as rotation:
            register = await self._world.journal.applications(rotation.environment_id)
            listed = steps_of(register, rotation.old.key_id)
            return await self._step(rotation, lambda stored: moves.applications_listed(stored, listed))

    async def application_changed(self, rotation_id: str, application_id: str, by: str) -> Rotation:
        """Tick an application: a person set the new key there. The register says so, too.

        Raises:
            RotationBarred: There is no replacement, or the application isn't part of this.
            NameTaken: The new key has another application of that name.
        """
        who = clean_person(by)
        async with self._turn(rotation_id) as rotation:
            key_id, now = replacement_of(rotation).key_id, self._now()

            def moved(entry: Application) -> Application:
                if entry.key_id == key_id:
                    return entry
                return replace(entry, key_id=key_id, changed_at=now, changed_by=who, seen_at=None, seen_by="")

            return await self._step(
                rotation,
                lambda stored: moves.application_changed(stored, application_id, now, who),
                "application changed",
                subject=name_in(rotation, application_id),
                result=f"by {who}",
                applications={application_id: moved},
            )

    async def application_not_changed(self, rotation_id: str, application_id: str, by: str) -> Rotation:
        """Take an application's tick back; the register has it under the old key again.

        Raises:
            RotationBarred: The old key is deleted, or the application isn't part of this.
            NameTaken: The old key has another application of that name.
        """
        who = clean_person(by)
        async with self._turn(rotation_id) as rotation:
            now, key_id = self._now(), rotation.old.key_id

            def back(entry: Application) -> Application:
                if entry.key_id == key_id:
                    return entry
                return replace(entry, key_id=key_id, changed_at=None, changed_by="", seen_at=None, seen_by="")

            return await self._step(
                rotation,
                lambda stored: moves.application_not_changed(stored, application_id, now, who),
                "application changed back",
                subject=name_in(rotation, application_id),
                result=f"by {who}",
                applications={application_id: back},
            )

    async def application_seen(self, rotation_id: str, application_id: str, by: str, how: str) -> Rotation:
        """Note that a person saw an application working with the new key.

        Args:
            rotation_id: Which rotation.
            application_id: Which application.
            by: Who saw it.
            how: What they saw, in a few words; may be empty.

        Raises:
            RotationBarred: The application wasn't changed yet, or isn't part of this.
        """
        who = clean_person(by)
        what = clean_text("what was seen", how, limit=PURPOSE_LIMIT, required=False)
        async with self._turn(rotation_id) as rotation:
            now, seen = self._now(), what or "seen working"
            return await self._step(
                rotation,
                lambda stored: moves.application_seen(stored, application_id, now, who, seen),
                "application seen working",
                subject=name_in(rotation, application_id),
                result=f"by {who}",
                applications={application_id: lambda entry: replace(entry, seen_at=now, seen_by=who)},
            )

    async def application_not_seen(self, rotation_id: str, application_id: str, by: str) -> Rotation:
        """Take it back that an application was seen working.

        Raises:
            RotationBarred: The old key is deleted, or the application isn't part of this.
        """
        who = clean_person(by)
        async with self._turn(rotation_id) as rotation:
            now = self._now()
            return await self._step(
                rotation,
                lambda stored: moves.application_not_seen(stored, application_id, now, who),
                "application not seen working",
                subject=name_in(rotation, application_id),
                result=f"by {who}",
                applications={application_id: lambda entry: replace(entry, seen_at=None, seen_by="")},
            )


def steps_of(register: Sequence[Application], key_id: str) -> tuple[ApplicationStep, ...]:
    """Return the register's applications of a key as steps that are still to be made."""
    return tuple(
        ApplicationStep(one.id, one.name, one.owner, one.contact, one.place, one.instructions)
        for one in register
        if one.key_id == key_id
    )


def name_in(rotation: Rotation, application_id: str) -> str:
    """Return what an application of a rotation is called; empty if it isn't part of it."""
    names = (one.name for one in rotation.applications if one.application_id == application_id)
    return next(names, "")
