"""What a Flatpak's sandbox keeps, and what is refused because it would be gone."""

from __future__ import annotations

import ssl
import sys
from pathlib import Path

import pytest

from keybench import launch
from keybench.core.errors import FileNotSaved, JournalUnwritable
from keybench.gateway import trust
from keybench.runtime import sandbox
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.sandbox import is_kept, is_kept_by, shown_path
from keybench.runtime.saving import save_here
from keybench.runtime.system import System
from keybench.words.explain import explain

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Flatpak is of Linux")

#: As a sandbox of Flatpak 1.14 shows them, in its order, with a folder that it was given besides.
MOUNTS = rb"""
101 100 0:45 /newroot / rw,nosuid,nodev,relatime - tmpfs tmpfs rw,uid=1000,gid=1000
102 101 8:1 /var/lib/flatpak/runtime/files /usr ro,nosuid,nodev,relatime - ext4 /dev/sda1 rw
103 101 8:1 /var/lib/flatpak/app/files /app ro,nosuid,nodev,relatime - ext4 /dev/sda1 rw
104 101 0:46 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw
105 101 0:30 /.flatpak/io.keybench.Keybench/tmp /tmp rw,nosuid,nodev,relatime - tmpfs tmpfs rw
106 101 0:30 /.flatpak/io.keybench.Keybench/xdg-run /run/user/1000 rw,nosuid,nodev - tmpfs tmpfs rw
107 106 0:60 /by-app/io.keybench.Keybench /run/flatpak/doc rw,nosuid,nodev - fuse.portal portal rw
108 101 8:2 /ada/.var/app/io.keybench.Keybench /home/ada/.var/app/io.keybench.Keybench rw - ext4 /dev/sda2 rw
109 101 8:2 /ada/.var/app/io.keybench.Keybench/cache/tmp /var/tmp rw - ext4 /dev/sda2 rw
110 101 8:2 /ada/My\040till /home/ada/My\040till rw,nosuid,nodev - ext4 /dev/sda2 rw
111 105 0:31 /given /tmp/given rw,nosuid,nodev - tmpfs tmpfs rw
""".strip()


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("home/ada/history.csv", False),
        ("home/ada/.var/app/history.csv", False),
        ("home/ada/.var/app/io.keybench.Keybench/data/Keybench", True),
        ("home/ada/My till/history.csv", True),
        ("home/ada/My tills/history.csv", False),
        ("run/flatpak/doc/4f/history.csv", True),
        ("run/user/1000/history.csv", False),
        ("tmp/history.csv", False),
        ("tmp/given/history.csv", True),
        ("var/tmp/history.csv", True),
        ("history.csv", False),
    ],
)
def test_what_is_in_the_sandbox_s_memory_is_not_kept(path: str, *, kept: bool) -> None:
    assert is_kept_by(Path("/", path), MOUNTS) == kept


def test_a_tmp_that_is_the_computer_s_own_is_kept() -> None:
    given = MOUNTS + b"\n112 101 8:1 /tmp /tmp rw - ext4 /dev/sda1 rw"
    assert is_kept_by(Path("/", "tmp/history.csv"), given)


def test_outside_a_flatpak_everything_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sandbox, "MOUNTS", tmp_path / "none")
    assert is_kept(tmp_path)
    monkeypatch.setattr(sandbox, "this_system", lambda: System("linux", in_flatpak=True))
    assert is_kept(tmp_path), "what can't be told"
    (tmp_path / "none").write_bytes(MOUNTS)
    assert not is_kept(Path("/home/ada/history.csv"))
    (tmp_path / "link").symlink_to("/home/ada/My till")
    assert is_kept(tmp_path / "link" / "history.csv")


@pytest.fixture
def within(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder that the sandbox doesn't keep."""
    (tmp_path / "mounts").write_bytes(MOUNTS)
    monkeypatch.setattr(sandbox, "MOUNTS", tmp_path / "mounts")
    monkeypatch.setattr(sandbox, "this_system", lambda: System("linux", in_flatpak=True))
    return tmp_path


def test_a_file_that_would_be_gone_is_not_said_to_be_saved(within: Path) -> None:
    with pytest.raises(FileNotSaved) as raised:
        save_here(within / "history.csv", "one")
    assert not (within / "history.csv").exists()
    assert "--filesystem=" in explain(raised.value).next


async def test_a_journal_that_would_be_gone_is_not_opened(within: Path) -> None:
    folder = DataFolder(within / "data")
    with pytest.raises(JournalUnwritable) as raised:
        async with launch.open_console(folder):
            pass
    assert not folder.root.exists()
    assert "--filesystem=" in explain(raised.value).next
    async with launch.open_for_now(folder):
        assert folder.journal.exists()


def test_a_flatpak_trusts_whom_the_computer_trusts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trust.authorities() == trust.FILES
    monkeypatch.setattr(trust, "this_system", lambda: System("linux", in_flatpak=True))
    found = trust.authorities()
    assert found[0] == "/run/host/etc/ssl/certs/ca-certificates.crt"
    assert [*found[-len(trust.FILES) :]] == [*trust.FILES], "without the computer's its runtime's count"
    assert trust.system_trust(found).verify_mode == ssl.CERT_REQUIRED


def test_a_file_that_was_handed_over_is_shown_as_people_know_it(
    within: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    portal = Path("/run/flatpak/doc/4f/history.csv")
    assert shown_path(within / "history.csv") == str(within / "history.csv")
    assert shown_path(portal) == "history.csv"
    monkeypatch.setattr(sandbox, "this_system", lambda: System("linux"))
    assert shown_path(portal) == str(portal)
