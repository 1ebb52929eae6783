"""A key whose answer is lost or late on the way: what is said, and what is left where."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from endtoend.conftest import Keybench, OtherGateway
from endtoend.rotation_hand import TEXT, Administrator
from endtoend.slow_gateway import SlowGateway, slow_gateway
from endtoend.window_fixtures import Window, open_window

CREATE = ("POST", "/portal/keys")


@pytest.fixture
def slow(keybench: Keybench, other_gateway: OtherGateway) -> Iterator[SlowGateway]:
    with slow_gateway(other_gateway.base_url) as between:
        kind = ("--kind", "test", "--base-url", between.base_url, "--contract", "practice")
        added = keybench.run("environment", "add", "SANDBOX", *kind)
        assert added.status == 0, added.err
        yield between


def create(window: Window, name: str) -> None:
    """Fill Add a New Key in by keyboard and create the key."""
    window.wait_until_ready()
    Administrator(window).choose_environment("SANDBOX")
    window.press("ctrl+n")
    window.until(lambda: window.focus == (TEXT, "Key Name"), "the keyboard at Key Name")
    window.type(name)
    window.choose("Username", "counter1")
    window.press_button("Create")


def test_a_window_that_closes_keeps_the_answer_that_is_just_coming(
    keybench: Keybench, slow: SlowGateway, other_gateway: OtherGateway
) -> None:
    with open_window(keybench.folder) as window:
        slow.hold(*CREATE)
        create(window, "counter")
        window.until(slow.held.is_set, "the key to be made")
        window.press("ctrl+q")
        slow.let_go()
        assert window.ended() == 0
    (made,) = other_gateway.kept_keys()
    listed = keybench.run("key", "list", "--environment", "SANDBOX")
    assert [line["name"] for line in listed.lines] == ["counter"]
    assert keybench.run("resume").lines == []
    assert [one["id"] for one in other_gateway.kept_keys()] == [made["id"]]


def test_the_command_tells_it_and_resume_finds_out(
    keybench: Keybench, slow: SlowGateway, other_gateway: OtherGateway
) -> None:
    of_whom = ("--username", "counter1", "--permission", "API", "--kind", "private")
    slow.lose(*CREATE)
    added = keybench.run("key", "add", "--environment", "SANDBOX", "--name", "till", *of_whom)
    assert added.status == 30
    assert "Nobody can tell whether “till” was created." in added.err
    assert len(other_gateway.kept_keys()) == 1
    assert keybench.run("resume").status == 30
    slow.lose_none()
    resumed = keybench.run("resume")
    assert (resumed.status, resumed.lines[-1]["state"]) == (0, "deleted")
    assert other_gateway.kept_keys() == []
