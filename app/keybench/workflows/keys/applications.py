"""The register of applications: which of them use a key, who looks after each, and how its key is changed."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace

from keybench.core.environments.environment import Environment
from keybench.core.events import ApplicationsChanged
from keybench.core.input_errors import NotFound
from keybench.core.keys.application import Application
from keybench.core.keys.key import SecurityKey
from keybench.core.team.edits import Edit, Edited
from keybench.core.text import NAME_LIMIT, PURPOSE_LIMIT, clean_note, clean_text
from keybench.workflows.console import Console
from keybench.workflows.guard import guarded
from keybench.workflows.rotations.steps import clean_person


@dataclass(frozen=True, slots=True)
class ApplicationDraft:
    """What a person enters about an application, not yet checked; see `Application`."""

    name: str
    owner: str = ""
    contact: str = ""
    place: str = ""
    instructions: str = ""


@guarded
class Applications:
    """The use cases; every method may raise a JournalError."""

    def __init__(self, console: Console) -> None:
        self._world = console.world
        self._calling = console.calling

    async def listed(self, environment_id: str | None = None) -> Sequence[Application]:
        """Return all applications, or an environment's, by name."""
        return await self._world.journal.applications(environment_id)

    async def of_key(self, key: SecurityKey) -> Sequence[Application]:
        """Return the applications that use a key or another with its value, by name."""
        ids = await self._world.alike(key.environment_id, key.id)
        return [one for one in await self.listed(key.environment_id) if one.key_id in ids]

    async def named(self, key: SecurityKey, name: str) -> Application:
        """Return the application of that name, in any case of letters, that uses `key` or its value."""
        wanted = clean_text("application", name)
        for one in sorted(await self.of_key(key), key=lambda one: one.key_id != key.id):
            if one.name.casefold() == wanted.casefold():
                return one
        raise NotFound("application", wanted)

    async def add(self, environment: Environment, key_id: str, draft: ApplicationDraft) -> Application:
        """Note that an application uses a key."""
        tidy = checked(draft)
        key = await self._calling.key(environment.id, key_id)
        application = Application(uuid.uuid4().hex, environment.id, key_id, **asdict(tidy))
        await self._edit("application added", application, {}, _texts(application), f"uses {key.name}")
        return application

    async def update(
        self, application: Application, draft: ApplicationDraft, *, key_id: str = ""
    ) -> Application:
        """Change what is known of an application; with another key nobody has seen it working yet."""
        tidy = checked(draft)
        known = await self._known(application)
        key = await self._calling.key(known.environment_id, key_id) if key_id else None
        seen, wanted = _fields(application), asdict(tidy) | {"key_id": key.id if key else application.key_id}
        if wanted in (seen, _fields(known)):
            return known
        used = f"uses {key.name}" if key and key.id != application.key_id else ""
        await self._edit("application edited", replace(known, name=tidy.name), seen, wanted, used)
        return await self._known(application)

    async def note_changed(self, application: Application, by: str) -> Application:
        """Note that the key was set in the application now; whether it works there has to be seen again."""
        who, now = clean_person(by), self._world.clock.now()
        changed = await self._world.journal.update_application(
            application.id,
            lambda stored: replace(stored, changed_at=now, changed_by=who, seen_at=None, seen_by=""),
        )
        await self._noted("application changed", changed, by=who)
        return changed

    async def note_seen(self, application: Application, by: str) -> Application:
        """Note that somebody sees the application working now."""
        who, now = clean_person(by), self._world.clock.now()
        seen = await self._world.journal.update_application(
            application.id, lambda stored: replace(stored, seen_at=now, seen_by=who)
        )
        await self._noted("application seen working", seen, by=who)
        return seen

    async def remove(self, application: Application) -> None:
        """Take an application out of the register; `put_back` undoes it."""
        await self._edit("application removed", application, _fields(application), {})

    async def put_back(self, application: Application) -> None:
        """Undo a removal."""
        await self._edit("application put back", application, {}, _texts(application))

    async def _known(self, application: Application) -> Application:
        for one in await self.listed(application.environment_id):
            if one.id == application.id:
                return one
        raise NotFound("application", application.name)

    async def _edit(
        self, action: str, one: Application, seen: dict[str, str], wanted: dict[str, str], result: str = ""
    ) -> None:
        line = self._world.line(action, one.environment_id, one.name, result)
        await self._world.edit(Edit(Edited.APPLICATION, one.environment_id, one.id, seen, wanted, line))

    async def _noted(self, action: str, application: Application, result: str = "", by: str = "") -> None:
        await self._world.note_activity(action, application.environment_id, application.name, result, by=by)
        self._world.events.publish(ApplicationsChanged(application.environment_id))


def checked(draft: ApplicationDraft) -> ApplicationDraft:
    """Return the draft with its texts tidied, for checks as one types, too."""
    return ApplicationDraft(
        clean_text("application name", draft.name, limit=NAME_LIMIT),
        clean_text("owner", draft.owner, required=False),
        clean_text("contact", draft.contact, limit=PURPOSE_LIMIT, required=False),
        clean_text("place", draft.place, limit=PURPOSE_LIMIT, required=False),
        clean_note("instructions", draft.instructions, required=False),
    )


def draft_of(application: Application) -> ApplicationDraft:
    """Return what is known of an application as a draft to change."""
    return ApplicationDraft(
        **{field.name: getattr(application, field.name) for field in fields(ApplicationDraft)}
    )


def _fields(application: Application) -> dict[str, str]:
    """Return what people edit of an application."""
    return asdict(draft_of(application)) | {"key_id": application.key_id}


def _texts(application: Application) -> dict[str, str]:
    """Return all there is to know of an application besides its identity, a time in ISO's form."""
    known = asdict(application).items()
    return {name: str(value) for name, value in known if name not in {"id", "environment_id"} and value}
