"""What an answer tells of devices, by the contract."""

from __future__ import annotations

import re
from datetime import datetime
from http import HTTPStatus
from typing import Any, Final

from keybench.core.devices.state import DeviceState
from keybench.core.errors import AnswerUnreadable, Refused
from keybench.core.personal_data import plain_name
from keybench.core.reasons import Reason
from keybench.gateway.contract import Contract, DeviceFields
from keybench.gateway.json_paths import (
    find,
    find_id,
    find_items,
    find_moment,
    find_text,
    find_words,
    stands_alone,
    whole,
)
from keybench.gateway.messages import Answer
from keybench.gateway.redaction import Redactor

_PER_CENT: Final = re.compile(r"([0-9]{1,3})(?:\.0{1,9})?\s?%?")
_ALL: Final = 100


class DeviceReader:
    """Reads answers about devices."""

    def __init__(self, contract: Contract, redactor: Redactor, now: datetime) -> None:
        self._calls = contract.calls
        self._fields = contract.devices
        self._redactor = redactor
        self._now = now

    def devices(self, answer: Answer) -> list[DeviceState]:
        """Read a list of devices; an item without an identifier that may be kept is left out."""
        items = self._items(whole(answer), answer)
        return [self._state(item, device_id) for item in items if (device_id := self._id(item))]

    def registered(self, answer: Answer) -> DeviceState:
        """Read the answer to a registration."""
        item = self._one(whole(answer))
        device_id = self._id(item)
        if not device_id:
            raise AnswerUnreadable(Reason.NO_IDENTIFIER, status=answer.status)
        return self._state(item, device_id)

    def state(self, answer: Answer, device_id: str) -> DeviceState:
        """Read the state of a device, from the answer to its own call or from the list of devices."""
        document = whole(answer)
        if self._calls.device:
            return self._state(self._said_of(document, device_id, answer), device_id)
        items = self._items(document, answer)
        found = [item for item in items if find_id(item, self._fields.id) == device_id]
        states = {self._state(item, device_id) for item in found}
        if len(states) == 1:
            return states.pop()
        if states:
            raise AnswerUnreadable(Reason.DEVICE_TWICE, status=answer.status)
        if not stands_alone(document, items):
            raise AnswerUnreadable(Reason.MORE_DEVICES, status=answer.status)
        raise Refused(Reason.NOT_FOUND, status=HTTPStatus.NOT_FOUND)

    def _items(self, document: Any, answer: Answer) -> list[Any]:
        items = find_items(document, self._fields.items)
        if items is None:
            raise AnswerUnreadable(Reason.NO_LIST, status=answer.status)
        return items

    def _one(self, document: Any) -> Any:
        found = find(document, self._fields.one)
        return found if isinstance(found, dict) else document

    def _said_of(self, document: Any, device_id: str, answer: Answer) -> Any:
        item = self._one(document)
        named = find_id(item, self._fields.id)
        if not named:
            raise AnswerUnreadable(Reason.NO_IDENTIFIER, status=answer.status)
        if named != device_id:
            raise AnswerUnreadable(Reason.ANOTHER_DEVICE, status=answer.status)
        return item

    def _id(self, item: Any) -> str:
        return self._redactor.clean(find_id(item, self._fields.id))

    def _state(self, item: Any, device_id: str) -> DeviceState:
        fields = self._fields
        is_busy, busy_with = self._busy(item)
        return DeviceState(
            device_id,
            self._now,
            nickname=find_words(item, fields.nickname, self._redactor),
            is_connected=_connected(item, fields),
            connection=find_words(item, fields.connection, self._redactor),
            battery_percent=_per_cent(find_text(item, fields.battery)),
            network=find_words(item, fields.network, self._redactor),
            last_connected_at=find_moment(item, fields.last_connected),
            last_sale_at=find_moment(item, fields.last_sale),
            is_busy=is_busy,
            busy_with=busy_with,
        )

    def _busy(self, item: Any) -> tuple[bool | None, str]:
        """Return whether it is busy, and with which request; a request that a false denies isn't believed."""
        said = _flag(find(item, self._fields.busy))
        request_id = find_id(item, self._fields.busy_request)
        if not request_id:
            return said, ""
        if said is False:
            return None, ""
        return True, self._redactor.clean(request_id)


def _connected(item: Any, fields: DeviceFields) -> bool | None:
    found = find(item, fields.connection)
    if isinstance(found, bool):
        return found
    word = plain_name(found) if isinstance(found, str) else ""
    if word in map(plain_name, fields.connected):
        return True
    return False if word in map(plain_name, fields.not_connected) else None


def _flag(found: Any) -> bool | None:
    words = {"true": True, "false": False}
    return found if isinstance(found, bool) else words.get(str(found).casefold())


def _per_cent(text: str) -> int | None:
    """Return a battery's charge; part of one, such as 0.87, may be either and is unknown."""
    match = _PER_CENT.fullmatch(text.strip())
    return int(match[1]) if match and int(match[1]) <= _ALL else None
