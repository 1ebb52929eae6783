"""The short form of the measure of the diagnosis; `benchmarks.diagnosis` is the long one."""

from __future__ import annotations

from pathlib import Path

import pytest

from situations.dialects import KNOWN
from situations.faults import FAULTS
from situations.measuring import matrix, miss, report, run
from situations.situation import Measured, situation_of
from sweeps import ALL

#: Those whose checks wait for what never answers aren't among them; the long form has them.
_SLOW = ("swallowed", "silent", "stalls", "hangs", "byte a second")
_COUNT = 40 if ALL else 15


@pytest.fixture(scope="module")
def seeds() -> list[int]:
    """The seeds of situations that take no time but the processor's."""
    quick = (
        seed
        for seed in range(10_000)
        if not any(word in fault.name for fault in situation_of(seed, KNOWN).faults for word in _SLOW)
    )
    return [next(quick) for _ in range(_COUNT)]


@pytest.fixture
async def every(seeds: list[int], tmp_path: Path) -> list[Measured]:
    return await run(seeds, KNOWN, tmp_path)


# Sales that are lost, and checks that fail, are logged.
@pytest.mark.logs
async def test_no_true_cause_is_ruled_out_and_what_can_be_told_is_among_the_first_three(
    every: list[Measured],
) -> None:
    assert len(every) == _COUNT
    assert not [miss(one) for one in every if one.wrongly_ruled_out]
    assert not [miss(one) for one in every if one.can_be_told and not one.is_among_three]
    assert "ruled out in none" in report(every)
    assert matrix(every).count("\n") > 1


def test_every_fault_comes_up_in_some_situation() -> None:
    named = {fault.name for seed in range(3000) for fault in situation_of(seed, KNOWN).faults}
    assert named == {fault.name for fault in FAULTS}


def test_a_seed_always_gives_the_same_situation() -> None:
    assert situation_of(7, KNOWN) == situation_of(7, KNOWN)
    assert situation_of(7, KNOWN) != situation_of(8, KNOWN)
