"""Which keystore is used: the system's, late, and whatever keyring's configuration says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import keyring.backends.null
import pytest

from contracts.keystore_contract import ENTRY, MADE_UP, OTHER, holds
from keybench.core.errors import KeystoreMissing, ValueLost
from keybench.core.secret import Secret
from keybench.keystore.native import system_store
from keybench.keystore.os_keystore import OsKeystore
from keystore.native_fakes import macos_like, through_macos, through_windows, windows_like

APP = Path(__file__).parents[2] / "app"
IMPORTS = """
import sys
from keybench.keystore.os_keystore import OsKeystore
keystore = OsKeystore("tests")
keystore.status, keystore.use_memory(), keystore.close()
slow = {"keyring", "secretstorage", "jeepney", "cryptography", "dbus"} & set(sys.modules)
sys.exit(", ".join(sorted(slow)) or None)
"""


def test_no_native_library_is_imported_before_the_first_call() -> None:
    environment = {**os.environ, "PYTHONPATH": os.fspath(APP)}
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("platform", "name"),
    [
        ("linux", "Secret Service"),
        ("freebsd14", "Secret Service"),
        ("darwin", "macOS Keychain"),
        ("win32", "Windows Credential Locker"),
    ],
)
def test_each_system_has_one(platform: str, name: str) -> None:
    assert system_store(platform).name == name


@pytest.mark.parametrize("platform", sorted({"darwin", "win32"} - {sys.platform}))
async def test_another_systems_keystore_is_missing_here(platform: str) -> None:
    status = await OsKeystore("tests", system_store(platform)).probe()
    assert isinstance(status.trouble, KeystoreMissing)


@pytest.mark.usefixtures("on_open_keyring")
async def test_keyrings_configuration_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setenv("XDG_CONFIG_HOME", os.fspath(tmp_path))
    folder = tmp_path / "python_keyring"
    folder.mkdir()
    folder.joinpath("keyringrc.cfg").write_text("[backend]\ndefault-keyring=keyring.backends.null.Keyring\n")
    monkeypatch.setattr(keyring.core, "_keyring_backend", keyring.backends.null.Keyring())
    keystore = OsKeystore("configured")
    await keystore.write(ENTRY, Secret(MADE_UP))
    assert await holds(keystore, ENTRY, MADE_UP)
    assert keystore.status.name == "GNOME Keyring"


async def test_keyrings_properties_in_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYRING_PROPERTY_GET_PASSWORD", "not even callable")
    keystore = OsKeystore("tests", through_macos(macos_like()))
    await keystore.write(ENTRY, Secret(MADE_UP))
    assert await holds(keystore, ENTRY, MADE_UP)


async def test_a_backend_that_cannot_work_is_a_missing_keystore() -> None:
    unfit = windows_like()
    unfit.priority = 0
    status = await OsKeystore("tests", through_windows(unfit)).probe()
    assert isinstance(status.trouble, KeystoreMissing)


async def test_installations_are_apart_in_one_backend() -> None:
    backend = windows_like()
    ours, theirs = (OsKeystore(name, through_windows(backend)) for name in ("a", "b"))
    await ours.write(ENTRY, Secret(MADE_UP))
    with pytest.raises(ValueLost):
        await theirs.read(ENTRY)
    await theirs.write(ENTRY, Secret(OTHER))
    await theirs.erase(ENTRY)
    assert await holds(ours, ENTRY, MADE_UP)


@pytest.mark.parametrize("namespace", ["", "  ", "\t"])
def test_a_blank_namespace_is_a_mistake(namespace: str) -> None:
    with pytest.raises(ValueError, match="blank"):
        OsKeystore(namespace)
