"""What changed, by version: the newest is the one that runs, and the order is one of time."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from keybench import __version__
from keybench.runtime.data_folder import resource_path

TEXT: Final = resource_path("changes.md").read_text("utf-8")
#: Each version with its date; a dash stands between them.
HEADINGS: Final = re.findall(r"^## (\S+) \S (\S+)$", TEXT, re.MULTILINE)
#: As https://semver.org has it, without what stands for builds before a release.
VERSION: Final = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")


def numbers(version: str) -> tuple[int, ...]:
    assert VERSION.fullmatch(version), version
    return tuple(map(int, version.split(".")))


def test_the_newest_version_is_the_one_that_runs() -> None:
    assert HEADINGS[0][0] == __version__
    assert len(HEADINGS) == TEXT.count("\n## ")


def test_versions_and_dates_fall() -> None:
    versions = [numbers(version) for version, _date in HEADINGS]
    dates = [date.fromisoformat(day) for _version, day in HEADINGS]
    assert versions == sorted(set(versions), reverse=True)
    assert dates == sorted(dates, reverse=True)


def test_every_version_says_something_and_nothing_leads_elsewhere() -> None:
    for part in re.split(r"^## .*$", TEXT, flags=re.MULTILINE)[1:]:
        assert re.search(r"^- \S", part, re.MULTILINE)
    assert not re.search(r"https?:|\]\(|<", TEXT)
