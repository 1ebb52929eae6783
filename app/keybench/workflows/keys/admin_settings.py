"""Reads and keeps what an organisation sets for its keys."""

from __future__ import annotations

from collections.abc import Mapping

from keybench.core.card_data import refuse_card_data
from keybench.core.keys.admin_settings import FIGURES, AdminSettings, parse_days, stored_settings, texts_of
from keybench.workflows.guard import guarded
from keybench.workflows.world import World


@guarded
class SettingsOfKeys:
    """The use cases about these settings; every method may raise a JournalError."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def read(self) -> AdminSettings:
        """Return the settings in force."""
        journal = self._world.journal
        return stored_settings({name: await journal.setting(f"keys.{name}") for name in FIGURES})

    async def save(self, entered: Mapping[str, str]) -> AdminSettings:
        """Keep the settings a person entered, usual where left out; nothing is kept if one can't be used."""
        for text in entered.values():
            refuse_card_data("setting", text)
        wanted = AdminSettings(**{name: parse_days(name, entered.get(name, "")) for name in FIGURES})
        before = texts_of(await self.read())
        for name, text in texts_of(wanted).items():
            if text != before[name]:
                await self._keep(name, text)
        return wanted

    async def _keep(self, name: str, text: str) -> None:
        await self._world.journal.update_setting(f"keys.{name}", lambda _stored: text)
        await self._world.note_activity("key limit set", "", name.replace("_", " "), text)
