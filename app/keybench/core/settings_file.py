"""The file that takes settings, environments and devices to another computer, and how it is read.

It is JSON, so that a person can read it and keep it under version control. It never holds a key's value, a
proxy's password or card data: a file that seems to is refused as a whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from keybench.core.admin_settings import NAMES
from keybench.core.card_data import refuse_card_data
from keybench.core.csv_lists import looks_like_a_value
from keybench.core.input_errors import SettingsFileInvalid

VERSION: Final = 1
MOST_BYTES: Final = 1_000_000
_MARK: Final = "keybench_settings"
_SAVED: Final = "saved_at"
#: What a field that holds a secret is usually called, without case or separators.
_SECRET_NAME: Final = re.compile(
    r"(secret|password|passphrase|passwd|token|credential|authorization|apikey|privatekey|publickey|^key$|^value$|keyvalue)"
)
_SEPARATORS: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class EnvironmentEntry:
    """An environment as the file describes it; every field is a text as a person would enter it."""

    name: str
    kind: str
    base_url: str
    contract: str
    amount_limit: str = ""
    proxy: str = ""
    portal_url: str = ""


@dataclass(frozen=True, slots=True)
class DeviceEntry:
    """A device of the environment of that name."""

    environment: str
    identifier: str
    nickname: str = ""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """What a file holds.

    Attributes:
        review: The settings of the key review, by the names in `admin_settings.NAMES`.
        window: The window's settings by their ids.
        unknown: What this version doesn't know, as paths such as ``environments[2].colour``.
    """

    environments: tuple[EnvironmentEntry, ...]
    devices: tuple[DeviceEntry, ...]
    review: Mapping[str, str]
    window: Mapping[str, str]
    unknown: tuple[str, ...] = ()


_SECTIONS: Final = ("environments", "devices", "review", "window")
_Entry = TypeVar("_Entry", EnvironmentEntry, DeviceEntry)


def write_settings(settings: SettingsFile, saved_at: datetime) -> str:
    """Return the file's text.

    Raises:
        SettingsFileInvalid, CardDataRefused: Something in the settings must not be in a file.
    """
    plain: dict[str, Any] = {_MARK: VERSION, _SAVED: saved_at.astimezone(UTC).isoformat(timespec="seconds")}
    for section in _SECTIONS:
        held = getattr(settings, section)
        plain[section] = dict(held) if isinstance(held, Mapping) else [asdict(entry) for entry in held]
    _refuse_secrets(plain, SettingsFileInvalid.SECRET_HERE)
    return json.dumps(plain, indent=2, ensure_ascii=False) + "\n"


def read_settings(data: bytes) -> SettingsFile:
    """Return what a file holds.

    Raises:
        SettingsFileInvalid: It isn't such a file, is a newer version's, or seems to hold a secret.
        CardDataRefused: It holds card data.
    """
    if len(data) > MOST_BYTES:
        raise SettingsFileInvalid(SettingsFileInvalid.TOO_LARGE)
    try:
        plain = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise SettingsFileInvalid(SettingsFileInvalid.NOT_SETTINGS) from None
    version = plain.get(_MARK) if isinstance(plain, dict) else None
    if type(version) is not int or version < 1:
        raise SettingsFileInvalid(SettingsFileInvalid.NOT_SETTINGS)
    if version > VERSION:
        raise SettingsFileInvalid(SettingsFileInvalid.NEWER)
    _refuse_secrets(plain, SettingsFileInvalid.SECRET)
    unknown = [name for name in plain if name not in {_MARK, _SAVED, *_SECTIONS}]
    return SettingsFile(
        _entries(plain, "environments", EnvironmentEntry, unknown),
        _entries(plain, "devices", DeviceEntry, unknown),
        _texts(plain, "review", unknown, NAMES),
        _texts(plain, "window", unknown),
        tuple(unknown),
    )


def _entries(
    plain: dict[str, Any], section: str, kind: type[_Entry], unknown: list[str]
) -> tuple[_Entry, ...]:
    """Return a section's entries; what isn't one is told by its place, counted from 1."""
    listed = plain.get(section, [])
    if not isinstance(listed, list):
        unknown.append(section)
        return ()
    names = [one.name for one in fields(kind)]
    found: list[_Entry] = []
    for number, entry in enumerate(listed, 1):
        place = f"{section}[{number}]"
        if not isinstance(entry, dict):
            unknown.append(place)
            continue
        unknown += [f"{place}.{name}" for name in entry if name not in names]
        known = {name: entry[name] for name in names if name in entry}
        try:
            made = kind(**known)
        except TypeError:  # a field that it can't do without is missing
            unknown.append(place)
            continue
        wrong = [f"{place}.{name}" for name, text in known.items() if not isinstance(text, str)]
        unknown += wrong
        if not wrong:
            found.append(made)
    return tuple(found)


def _texts(
    plain: dict[str, Any], section: str, unknown: list[str], names: tuple[str, ...] | None = None
) -> dict[str, str]:
    held = plain.get(section, {})
    if not isinstance(held, dict):
        unknown.append(section)
        return {}
    good = {
        name: text
        for name, text in held.items()
        if isinstance(text, str) and (names is None or name in names)
    }
    unknown += [f"{section}.{name}" for name in held if name not in good]
    return good


def _refuse_secrets(plain: Any, reason: str) -> None:
    """Do nothing if nothing in a document looks like a secret or card data, be it known to us or not."""
    for place, name, text in _walked(plain, "", ""):
        refuse_card_data(place or name, f"{name}: {text}")
        # A device's identifier may be any long word; whether it is a value is asked where those are known.
        is_identifier = place.startswith("devices[") and name == "identifier"
        if (looks_like_a_value(text) and not is_identifier) or _SECRET_NAME.search(
            _SEPARATORS.sub("", name.casefold())
        ):
            raise SettingsFileInvalid(reason, place)


def _walked(plain: Any, place: str, name: str) -> Iterator[tuple[str, str, str]]:
    """Return the place, the field's name and the text of everything in a document, names included."""
    if isinstance(plain, dict):
        for key, value in plain.items():
            inside = f"{place}.{key}" if place else key
            if isinstance(value, dict | list):
                yield inside, key, key
            yield from _walked(value, inside, key)
    elif isinstance(plain, list):
        for number, value in enumerate(plain, 1):
            yield from _walked(value, f"{place}[{number}]", name)
    else:
        yield place, name, str(plain)
