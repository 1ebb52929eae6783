from datetime import date
from pathlib import Path

import pytest

import product
from keybench import __version__
from messages import SetupError

TEXT = """\
# What changed

What people notice.

## 0.2.0 \u2013 2026-11-23

- It installs without
  Python.
- *About* is in the `Help` menu.

## 0.1.0 \u2013 2026-11-20

- First.
"""


def test_the_version_is_the_programs(root: Path) -> None:
    assert product.version(root) == __version__


def test_each_version_has_its_day_and_its_changes_on_a_line_each() -> None:
    assert product.read_releases(TEXT, "0.2.0") == [
        product.Release(
            "0.2.0", date(2026, 11, 23), ("It installs without Python.", "*About* is in the `Help` menu.")
        ),
        product.Release("0.1.0", date(2026, 11, 20), ("First.",)),
    ]


def test_changes_that_do_not_tell_of_this_version_stop_a_package() -> None:
    with pytest.raises(SetupError, match=r"0\.3\.0"):
        product.read_releases(TEXT, "0.3.0")


def test_the_changes_of_this_checkout_begin_with_its_version_and_go_back_in_time(root: Path) -> None:
    releases = product.releases(root)
    assert releases[0].version == __version__
    assert all(one.changes for one in releases)
    assert [one.day for one in releases] == sorted((one.day for one in releases), reverse=True)


def test_marks_of_markdown_are_not_shown() -> None:
    assert product.plain("*About* and `keybench --self-test`") == "About and keybench --self-test"


def test_a_summary_fits_into_lists_of_programs() -> None:
    assert len(product.SUMMARY) <= 60
    assert not product.SUMMARY.endswith(".")
