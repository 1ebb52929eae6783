"""Each of these tests runs under every window manager and the Wayland compositor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from desk.desktops import NAMES, Desktop, desktop


@pytest.fixture(scope="module", params=NAMES)
def desk(request: pytest.FixtureRequest) -> Iterator[Desktop]:
    """A desktop that the tests of a module share."""
    with desktop(request.param) as started:
        yield started


@pytest.fixture(params=NAMES)
def own_desk(request: pytest.FixtureRequest) -> Iterator[Desktop]:
    """A desktop of a test's own, which it may end."""
    with desktop(request.param) as started:
        yield started
