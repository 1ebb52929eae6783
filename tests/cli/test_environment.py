"""The commands that edit environments and try their addresses."""

from __future__ import annotations

import pytest

from fakes.world import MADE_UP
from keybench.core.environments.connection import BaseUrlFound, ConnectionResult, Correction, Slip
from keybench.core.reasons import Reason

from .conftest import CommandLine

ADD = ["key", "add", "--name", "Till", "--username", "mira", "--permission", "Sale", "--kind", "private"]
SHOP = ["environment", "add", "Shop", "--kind", "test", "--base-url", "https://gateway.example"]


def test_adding_an_environment_says_what_answered_and_adds_it_all_the_same(keybench: CommandLine) -> None:
    added = keybench(*SHOP)
    assert added.status == 0
    assert added.out == "Added Shop (test) at https://gateway.example.\n"
    assert "A gateway answered in 120 ms. It asks for a key (401), as it should." in added.err
    assert keybench.bench.gateway.tries == [("https://gateway.example", "system")]

    keybench.bench.gateway.to_try = [
        ConnectionResult("", BaseUrlFound.NOT_REACHED, 0.5, reason=Reason.NAME_NOT_FOUND),
    ]
    url = "https://gateway.example/api/v5"
    second = keybench("environment", "add", "Two", "--kind", "live", "--base-url", url, "--json")
    (record,) = second.records
    assert second.status == 0
    connection = record["connection"]
    assert (connection["found"], connection["reason"]) == ("not reached", "name not found")
    assert connection["use"] == "https://gateway.example"
    assert not connection["is_gateway"]
    assert not second.err


def test_an_address_can_be_added_without_trying_it(keybench: CommandLine) -> None:
    added = keybench(*SHOP, "--no-try")
    assert (added.status, added.err) == (0, "The address wasn't tried.\n")
    assert keybench("environment", "remove", "Shop").status == 0
    assert keybench(*SHOP, "--no-try", "--json").records[0]["connection"] is None
    assert keybench.bench.gateway.tries == []


def test_an_environment_is_edited(keybench: CommandLine) -> None:
    assert keybench(*SHOP, "--limit", "50").status == 0
    portal = "https://portal.example/keys"
    edited = keybench(
        *("environment", "edit", "shop", "--name", "Kiosk", "--portal", portal, "--json"),
        *("--base-url", "https://new.example/"),
    )
    assert edited.status == 0
    (record,) = edited.records
    assert (record["name"], record["base_url"], record["portal"]) == ("Kiosk", "https://new.example", portal)
    assert (record["amount_limit"], record["kind"]) == ("50.00", "test")
    assert record["connection"]["is_gateway"]
    assert keybench.bench.gateway.tries[-1] == ("https://new.example", "system")
    line = keybench("activity", "--json").records[0]
    assert (line["action"], line["subject"]) == ("environment edited", "Kiosk")
    assert "name: Shop → Kiosk" in line["result"]
    assert "connection" not in keybench("environment", "edit", "kiosk", "--portal", "", "--json").records[0]
    assert len(keybench.bench.gateway.tries) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["edit", "Shop"], "Name what to change"),
        (["edit", "Shop", "--name", "practice"], "already an environment named “practice”"),
        (["edit", "Shop", "--contract", "v6"], "no contract named “v6”"),
        (["edit", "Shop", "--base-url", "https://me:word@gateway.example"], "is a secret"),
        (["edit", "Shop", "--portal", "portal.example"], "https://"),
        (["edit", "practice", "--name", "Mine"], "built in"),
        (["edit", "practice", "--base-url", "https://gateway.example"], "built in"),
        (["edit", "Kiosk", "--name", "Mine"], "no environment named “Kiosk”"),
        (["try", "Kiosk"], "no environment named “Kiosk”"),
    ],
)
def test_an_edit_that_cannot_be_made_is_told_and_changes_nothing(
    keybench: CommandLine, arguments: list[str], said: str
) -> None:
    keybench(*SHOP)
    before = keybench("environment", "list").out
    ended = keybench("environment", *arguments)
    assert ended.status == 2
    assert said in ended.err
    assert "word" not in ended.err.replace("password", "")
    assert keybench("environment", "list").out == before


def test_a_live_environment_is_moved_with_a_yes_only(keybench: CommandLine) -> None:
    assert keybench("environment", "add", "Shop", "--kind", "live", *SHOP[5:]).status == 0
    move = ("environment", "edit", "Shop", "--base-url", "https://new.example")
    refused = keybench(*move)
    assert refused.status == 2
    assert "real money" in refused.err
    assert "--yes" in refused.err
    assert keybench("environment", "list", "--json").records[1]["base_url"] == "https://gateway.example"
    assert keybench(*move, "--yes").status == 0
    assert keybench("environment", "edit", "Shop", "--name", "Kiosk").status == 0, "a name moves no money"


def test_an_environment_is_tried(keybench: CommandLine) -> None:
    keybench(*SHOP, "--no-try")
    tried = keybench("environment", "try", "shop")
    assert tried.status == 0
    assert tried.out == "Shop: A gateway answered in 120 ms. It asks for a key (401), as it should.\n"
    keybench.bench.gateway.to_try = [
        ConnectionResult(
            *("", BaseUrlFound.REDIRECT, 0.2, 302),
            leads_to="https://gateway.example/v2/api/v5/devices",
            correction=Correction("https://gateway.example/v2", Slip.DOUBLED_PATH),
        )
    ]
    tried = keybench("environment", "try", "shop", "--json")
    assert tried.status == 1
    (record,) = tried.records
    assert (record["name"], record["base_url"]) == ("Shop", "https://gateway.example")
    assert (record["found"], record["status"], record["use"]) == (
        "redirect",
        302,
        "https://gateway.example/v2",
    )
    assert record["redirect"] == "https://gateway.example/v2/api/v5/devices"
    assert keybench("environment", "try", "practice").status == 1, "it is started for that"
    assert keybench.bench.gateway.tries[-1][0] == keybench.bench.practice.base_url


def test_removing_an_environment_names_the_keys_that_went(keybench: CommandLine) -> None:
    keybench(*SHOP)
    keybench(*ADD, "--environment", "Shop", stdin=MADE_UP)
    gone = keybench("environment", "remove", "Shop")
    assert "Its key went with it: Till." in gone.out
