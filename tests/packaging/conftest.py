"""Let the set-up scripts be imported as they import one another: by the name of their file."""

import os
import sys
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).resolve().parents[2]
# At the end, so that none of their short names hides another module.
sys.path.append(str(ROOT / "packaging"))


@pytest.fixture
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of this checkout, made once a run, whichever process asks first."""
    import bundle  # noqa: PLC0415 - the folder of the set-up scripts is known by now

    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    with FileLock(shared / "bundle.lock"):
        folder = shared / "bundle" / bundle.NAME
        return folder if folder.exists() else bundle.make(bundle.ROOT, folder.parent)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH, with nothing in it but what a test puts there."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder
