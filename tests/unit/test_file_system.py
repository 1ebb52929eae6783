"""What a folder is on, and what is tried of it: this computer's disks are trusted, all else isn't."""

from __future__ import annotations

import errno
import mmap
from pathlib import Path
from typing import NoReturn

import pytest

from keybench.runtime.file_system import (
    UNKNOWN,
    FileSystem,
    file_system_of,
    mounted_at,
)

MOUNTS = rb"""
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
23 22 0:21 / /proc rw,nosuid - proc proc rw
30 22 0:40 / /home rw,relatime shared:9 - autofs /etc/auto.home rw,fd=6,timeout=300
31 30 0:41 / /home/anna rw,relatime shared:10 - nfs4 files:/home/anna rw,vers=4.2,local_lock=none
32 22 0:42 / /home/old rw - nfs files:/old rw,vers=3,nolock,local_lock=all
33 22 0:43 / /mnt/B\303\274ro\040und\134Haus rw - cifs //files/share rw,vers=3.1.1
34 22 0:44 / /mnt/loose rw - cifs //files/loose rw,nobrl
35 22 0:45 / /mnt/ssh rw,nosuid - fuse.sshfs anna@files:/srv rw,user_id=1000
36 22 0:46 / /mnt/dav rw - fuse https://files.example/dav rw
37 22 0:47 / /mnt/secret rw - fuse.gocryptfs /home/secret.enc rw
38 22 0:48 / /mnt/stick rw - fuseblk /dev/sdb1 rw
39 22 0:49 / /mnt/covered rw - nfs4 files:/x rw
40 39 254:1 / /mnt/covered rw - ext4 /dev/vdb rw
41 22 0:50 / /mnt/vm rw - 9p host rw,trans=virtio
""".strip()


@pytest.mark.parametrize(
    ("folder", "found"),
    [
        ("/srv/data", FileSystem("ext4")),
        ("/home", FileSystem("autofs")),
        ("/home/anna/.local/share/Keybench", FileSystem("nfs4", is_remote=True)),
        ("/home/annabel", FileSystem("autofs")),
        ("/home/old/x", FileSystem("nfs", is_remote=True)),
        ("/mnt/Büro und\\Haus/data", FileSystem("cifs", is_remote=True)),
        ("/mnt/loose", FileSystem("cifs", is_remote=True)),
        ("/mnt/ssh/data", FileSystem("fuse.sshfs", is_remote=True)),
        ("/mnt/dav/data", FileSystem("fuse", is_remote=True)),
        ("/mnt/secret/data", FileSystem("fuse.gocryptfs")),
        ("/mnt/stick/data", FileSystem("fuseblk")),
        ("/mnt/covered/data", FileSystem("ext4")),
        ("/mnt/vm", FileSystem("9p", is_remote=True)),
    ],
)
def test_the_mount_with_the_longest_path_tells(folder: str, found: FileSystem) -> None:
    assert mounted_at(Path(folder), MOUNTS) == found


def test_a_system_that_tells_nothing_leaves_it_unknown() -> None:
    assert mounted_at(Path("/data"), b"") == UNKNOWN


GOCRYPTFS = FileSystem("fuse.gocryptfs")


def test_memory_is_shared_on_this_computer_and_never_on_another(tmp_path: Path) -> None:
    assert file_system_of(tmp_path).shares_memory(tmp_path)
    assert not FileSystem("nfs4", is_remote=True).shares_memory(tmp_path)
    assert GOCRYPTFS.shares_memory(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_no_answer(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        GOCRYPTFS.shares_memory(tmp_path / "nowhere")


def test_memory_that_cannot_be_mapped_is_not_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_descriptor: int, _length: int) -> NoReturn:
        raise OSError(errno.ENODEV, "No such device")

    monkeypatch.setattr(mmap, "mmap", refuse)
    assert not GOCRYPTFS.shares_memory(tmp_path)
