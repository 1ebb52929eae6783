"""Let the set-up scripts be imported as they import one another: by the name of their file."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# At the end, so that none of their short names hides another module.
sys.path.append(str(ROOT / "packaging"))


@pytest.fixture
def root() -> Path:
    return ROOT


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH, with nothing in it but what a test puts there."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder
