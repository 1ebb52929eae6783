"""The file of settings: readable, read strictly, and never with a secret or card data in it."""

import json
from typing import Any

import pytest

from fakes.clock import START
from keybench.core.input_errors import CardDataRefused, SettingsFileInvalid
from keybench.core.settings_file import (
    MOST_BYTES,
    DeviceEntry,
    EnvironmentEntry,
    SettingsFile,
    read_settings,
    write_settings,
)
from keybench.words.fields import field_sentence

SHOP = EnvironmentEntry(
    "Shop", "live", "https://shop.example.com", "v5", "50.00", "none", "https://portal.example.com"
)
KIOSK = DeviceEntry("Shop", "8e1f0c5d2b7a49c3a6f1b2c3d4e5f607", "Kiosk")
WHOLE = SettingsFile((SHOP,), (KIOSK,), {"idle_days": "30"}, {"appearance/scheme": "dark"})


def the_file(**changes: Any) -> bytes:
    return json.dumps({"keybench_settings": 1} | changes).encode()


def test_what_is_written_can_be_read_by_people_and_by_us() -> None:
    text = write_settings(WHOLE, START)
    assert read_settings(text.encode()) == WHOLE
    assert '\n  "environments": [\n' in text
    assert json.loads(text)["keybench_settings"] == 1


def test_what_this_version_does_not_know_is_told() -> None:
    entry = {
        "name": "Shop",
        "kind": "test",
        "base_url": "https://x.example",
        "contract": "v5",
        "colour": "red",
    }
    data = the_file(
        environments=[entry, {"name": "half"}, "nothing", entry | {"limit": 5}],
        review={"idle_days": 30, "moon": "full", "age_live_days": "90"},
        window=["dark"],
        plugins={},
    )
    found = read_settings(data)
    assert [one.name for one in found.environments] == ["Shop", "Shop"]
    assert found.review == {"age_live_days": "90"}
    assert set(found.unknown) == {
        "plugins",
        "environments[1].colour",
        "environments[2]",
        "environments[3]",
        "environments[4].colour",
        "environments[4].limit",
        "review.idle_days",
        "review.moon",
        "window",
    }


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", SettingsFileInvalid.NOT_SETTINGS),
        (b"\xff\xfe", SettingsFileInvalid.NOT_SETTINGS),
        (b"[1]", SettingsFileInvalid.NOT_SETTINGS),
        (b"[" * 100_000, SettingsFileInvalid.NOT_SETTINGS),
        (b'{"keybench_settings": true}', SettingsFileInvalid.NOT_SETTINGS),
        (b'{"keybench_settings": 2}', SettingsFileInvalid.NEWER),
        (b" " * (MOST_BYTES + 1), SettingsFileInvalid.TOO_LARGE),
    ],
)
def test_another_file_is_none(data: bytes, reason: str) -> None:
    with pytest.raises(SettingsFileInvalid) as caught:
        read_settings(data)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    "changes",
    [
        {"window": {"note": "MadeUp-0Tests-234567-89abcd"}},
        {"devices": [{"environment": "a", "identifier": "b", "nickname": "v4_secret_MadeUpForTests"}]},
        {"anything": [{"deep": {"api-key": "short"}}]},
        {"environments": [{"password": "hunter2"}]},
        {"review": {"value": "x"}},
        {"secret": {}},
    ],
)
def test_what_looks_like_a_secret_refuses_the_whole_file(changes: dict[str, Any]) -> None:
    with pytest.raises(SettingsFileInvalid) as caught:
        read_settings(the_file(**changes))
    assert caught.value.reason == SettingsFileInvalid.SECRET
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "changes", [{"note": "4111 1111 1111 1111"}, {"x": [4111111111111111]}, {"cvv": "123"}]
)
def test_card_data_refuses_the_whole_file(changes: dict[str, Any]) -> None:
    with pytest.raises(CardDataRefused):
        read_settings(the_file(**changes))


def test_a_setting_that_looks_like_a_secret_is_not_written() -> None:
    wrong = SettingsFile((), (DeviceEntry("Shop", "d1", "v4_secret_MadeUpForTests"),), {}, {})
    with pytest.raises(SettingsFileInvalid) as refused:
        write_settings(wrong, START)
    told = field_sentence(refused.value)
    assert "devices[1].nickname" in told
    assert "import" not in told
