"""The ports a use case speaks to, gathered so that the composition root and the tests build them alike."""

from __future__ import annotations

from dataclasses import dataclass

from keybench.core.ports import Clock, Gateway, Journal, Keystore, Owners, Portal, Practice
from keybench.runtime.events import Events


@dataclass(frozen=True, slots=True)
class World:
    """Everything outside: each field is a port, but for the announcements."""

    clock: Clock
    journal: Journal
    keystore: Keystore
    gateway: Gateway
    portal: Portal
    practice: Practice
    owners: Owners
    events: Events
