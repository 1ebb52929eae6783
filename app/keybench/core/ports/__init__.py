"""What the use cases need from the world, as protocols; a file for each part of it."""

from keybench.core.ports.calls import Accepted, Caller, ExchangeSink, SaleOrder, StatusReading
from keybench.core.ports.gateway import ContractFacts, ContractFile, ContractFiles, Gateway
from keybench.core.ports.journal import Device, Journal, PollNote
from keybench.core.ports.keystore import Keystore, KeystoreStatus, entry_of
from keybench.core.ports.portal import CreatedKey, Portal, PortalUser
from keybench.core.ports.register import NOTHING, Activity, ActivityFilter, KeyUse, Register
from keybench.core.ports.surroundings import Clock, Owners, Practice, RunningProgram

__all__ = [
    "NOTHING",
    "Accepted",
    "Activity",
    "ActivityFilter",
    "Caller",
    "Clock",
    "ContractFacts",
    "ContractFile",
    "ContractFiles",
    "CreatedKey",
    "Device",
    "ExchangeSink",
    "Gateway",
    "Journal",
    "KeyUse",
    "Keystore",
    "KeystoreStatus",
    "Owners",
    "PollNote",
    "Portal",
    "PortalUser",
    "Practice",
    "Register",
    "RunningProgram",
    "SaleOrder",
    "StatusReading",
    "entry_of",
]
