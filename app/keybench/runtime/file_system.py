"""On what file system a folder is: of this computer or of another one, and what files there can do.

SQLite's write-ahead log has programs share memory, which no network file system carries from one computer to
another.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

#: File systems whose files are on another computer. A virtual machine's shared folders are its host's.
_REMOTE: Final = frozenset(
    {
        *("nfs", "nfs4", "fuse.nfs", "fuse.fuse-nfs", "afs", "coda", "afpfs", "webdav", "ftp"),
        *("cifs", "smb2", "smb3", "smbfs", "ncpfs", "fuse.smbnetfs", "fuse.gvfsd-fuse", "fuse.kio-fuse"),
        *("ceph", "fuse.ceph", "lustre", "gpfs", "beegfs", "orangefs", "ocfs2", "gfs2", "fuse.glusterfs"),
        *("fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.curlftpfs", "fuse.juicefs", "fuse.davfs", "davfs"),
        *("9p", "virtiofs", "vboxsf", "vmhgfs", "fuse.vmhgfs-fuse", "prl_fs", "drvfs"),
    }
)

#: Where Linux tells of the mounts that a program sees: proc(5).
MOUNTS: Final = Path("/proc/self/mountinfo")
_ESCAPED: Final = re.compile(rb"\\([0-7]{3})")
_DRIVE_REMOTE: Final = 4  # https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-getdrivetypew
_PAGE: Final = 4096


@dataclass(frozen=True, slots=True)
class FileSystem:
    """The file system that a folder is on.

    Attributes:
        kind: The system's name of it, such as ``ext4`` or ``fuse.sshfs``; empty where it can't be told.
        is_remote: Whether its files are on another computer.
    """

    kind: str
    is_remote: bool = False

    def shares_memory(self, folder: Path) -> bool:
        """Tell whether programs can share memory by a file in a folder of it; tried where that isn't known.

        Raises:
            OSError: No file can be made there.
        """
        if self.is_remote or not self.kind.startswith("fuse"):
            return not self.is_remote
        import mmap  # noqa: PLC0415 - needed where nobody knows it

        with tempfile.TemporaryFile(dir=folder) as file:
            file.truncate(_PAGE)
            try:
                mmap.mmap(file.fileno(), _PAGE).close()
            except OSError:
                return False
            return True


UNKNOWN: Final = FileSystem("")


@dataclass(frozen=True, slots=True)
class Mount:
    """Where Linux shows a file system, or a part of one."""

    point: Path
    root: Path
    kind: str
    source: str


def file_system_of(folder: Path) -> FileSystem:
    """Return what a folder is on; `UNKNOWN` where the system doesn't tell."""
    try:
        there = folder.resolve()
        if sys.platform == "linux":
            return mounted_at(there, MOUNTS.read_bytes())
        elif sys.platform == "win32":  # noqa: RET505 - as mypy knows platforms
            return _of_drive(there.drive)
        else:
            return _of_partition(there)
    except OSError:
        return UNKNOWN


def mounted_at(folder: Path, mounts: bytes) -> FileSystem:
    """Return what a folder is on."""
    found = mount_of(folder, mounts)
    return _file_system(found.kind, found.source) if found else UNKNOWN


def mount_of(folder: Path, mounts: bytes) -> Mount | None:
    """Return the mount that a folder is on; the arguments are those of `mounted_at`."""
    found: Mount | None = None
    for line in mounts.splitlines():
        before, _, after = line.partition(b" - ")
        left, right = before.split(), after.split()
        point = _path(left[4])
        # Of two at one place the later one covers the other.
        if folder.is_relative_to(point) and (found is None or point.is_relative_to(found.point)):
            found = Mount(point, _path(left[3]), os.fsdecode(right[0]), os.fsdecode(right[1]))
    return found


def _path(escaped: bytes) -> Path:
    return Path(os.fsdecode(_ESCAPED.sub(lambda code: bytes([int(code[1], 8)]), escaped)))


def _file_system(kind: str, source: str) -> FileSystem:
    return FileSystem(kind, kind in _REMOTE or (kind.startswith("fuse") and "://" in source))


def _of_partition(folder: Path) -> FileSystem:
    import psutil  # noqa: PLC0415 - slow to import, and needed on macOS alone

    parts = [one for one in psutil.disk_partitions(all=True) if folder.is_relative_to(one.mountpoint)]
    if not parts:
        return UNKNOWN
    found = max(parts, key=lambda one: len(one.mountpoint))
    return _file_system(found.fstype, found.device)


def _of_drive(drive: str) -> FileSystem:
    is_remote = drive.startswith("\\\\")
    if sys.platform == "win32" and not is_remote:
        import ctypes  # noqa: PLC0415 - needed on Windows alone

        is_remote = ctypes.windll.kernel32.GetDriveTypeW(f"{drive}\\") == _DRIVE_REMOTE
    return FileSystem("SMB", is_remote=True) if is_remote else UNKNOWN


def read_file(path: Path, most: int, refusal: Exception | None = None) -> bytes:
    """Return what is in a file that a person named; of a larger one `most` bytes and one more.

    A pipe that nobody writes to would be waited for, and a device may have no end: only files are read.

    Raises:
        OSError: It can't be read, or isn't an ordinary file; `refusal` is raised instead if there is one.
    """
    try:
        expect_file(path)  # some devices do something when they are opened
        with open(path, "rb", opener=_without_waiting) as file:
            expect_file(file.fileno())
            return file.read(most + 1) or b""
    except OSError as error:
        raise refusal or error from None


def expect_file(file: Path | int) -> None:
    """Raise an OSError unless it is an ordinary file: no folder, pipe, device or socket."""
    if not stat.S_ISREG(os.stat(file).st_mode):  # noqa: PTH116 - of a descriptor, too
        raise OSError(errno.EINVAL, "not an ordinary file")


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
