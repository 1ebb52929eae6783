"""The command about rotations: listed, and their records saved."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from fakes.world import MADE_UP, Bench
from keybench.workflows.administration import Administration

from .conftest import CommandLine

NEW = "NewMadeUpForTests0123456789abcde"


async def begun(bench: Bench) -> None:
    """Begin to rotate the one key there is, and keep its replacement."""
    await bench.journal.open()
    environment = await bench.practice_environment()
    (key,) = await bench.journal.keys(environment.id)
    rotations = Administration(bench.console).rotations
    ends = bench.clock.now() + timedelta(days=7)
    rotation = await rotations.start(
        environment, key, rotations.proposed(key), reason="Older than a year", by="Mira", overlap_ends_at=ends
    )
    await rotations.keep(rotation.id, NEW)


@pytest.fixture
def rotating(with_key: CommandLine) -> CommandLine:
    asyncio.run(begun(with_key.bench))
    return with_key


def test_rotations_are_listed(rotating: CommandLine) -> None:
    (listed,) = rotating("rotation", "list", "--json").records

    assert (listed["old"], listed["environment"], listed["state"]) == ("Till", "practice", "open")
    assert listed["new"].startswith("Till ")
    assert listed["stage"] == 1
    assert "stage 1 of 5" in rotating("rotation", "list").out
    assert rotating("rotation", "list", "--environment", "nowhere").status == 2


@pytest.mark.parametrize("ending", ["md", "html"])
def test_a_record_is_saved_without_a_value(rotating: CommandLine, tmp_path: Path, ending: str) -> None:
    (listed,) = rotating("rotation", "list", "--json").records
    path = tmp_path / f"record.{ending}"

    ended = rotating("rotation", "record", listed["id"], "--out", str(path), "--json")

    assert ended.records == [{"file": str(path), "id": listed["id"]}]
    text = path.read_text("utf-8")
    assert "Older than a year" in text
    assert MADE_UP[:12] not in text
    assert NEW[:12] not in text


def test_a_record_of_no_known_form_or_rotation_is_refused(rotating: CommandLine, tmp_path: Path) -> None:
    refused = rotating("rotation", "record", "x", "--out", str(tmp_path / "record.pdf"))
    assert (refused.status, ".md or .html" in refused.err) == (2, True)
    assert rotating("rotation", "record", "nothing", "--out", str(tmp_path / "record.md")).status != 0
