"""Add a New Key whose answer is lost on the way, in the real window: what is said, and what is left where."""

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


def names(window: Window) -> list[str]:
    return [row[0] for row in window.rows("Security keys")]


@pytest.mark.sweep
def test_a_lost_answer_is_found_out_about_in_the_form(
    keybench: Keybench, slow: SlowGateway, other_gateway: OtherGateway
) -> None:
    with open_window(keybench.folder) as window:
        slow.lose(*CREATE)
        create(window, "counter")
        window.wait_for_words("Nobody can tell whether “counter” was created.")
        assert [one["name"] for one in other_gateway.kept_keys()] == ["counter"]

        slow.lose_none()
        window.activate("Find out now")
        window.wait_for_words("“counter” was deleted at the gateway again.")
        assert other_gateway.kept_keys() == []

        window.press_button("Create")
        window.until(lambda: names(window) == ["counter"], "the key")
        assert len(other_gateway.kept_keys()) == 1
        assert window.quit() == 0


@pytest.mark.sweep
def test_a_lost_answer_is_found_out_about_at_the_next_start(
    keybench: Keybench, slow: SlowGateway, other_gateway: OtherGateway
) -> None:
    with open_window(keybench.folder) as window:
        slow.lose(*CREATE)
        create(window, "counter")
        window.wait_for_words("Nobody can tell whether “counter” was created.")
        window.process.kill()
        window.process.wait()
    assert len(other_gateway.kept_keys()) == 1
    slow.lose_none()
    with open_window(keybench.folder) as window:
        window.wait_until_ready()
        window.wait_for_words("“counter” was deleted at the gateway again.")
        assert other_gateway.kept_keys() == []
        assert names(window) == []
        assert window.quit() == 0


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
