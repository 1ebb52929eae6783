"""The commands about environments, keys and history."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.world import MADE_UP
from keybench.core.errors import (
    AnswerLost,
    GatewayError,
    JournalNewer,
    JournalUnwritable,
    KeyRefused,
    KeystoreError,
    KeystoreLocked,
    KeystoreMissing,
    KeyUnsettled,
    NotSent,
    PracticeUnavailable,
)
from keybench.core.events import KeystoreChanged
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.ports import JournalPlace
from keybench.core.secret import Secret

from .conftest import CommandLine, shows_value

ADD = ["key", "add", "--name", "Till", "--username", "mira", "--permission", "Sale", "--kind", "private"]
SHOP = ["environment", "add", "Shop", "--kind", "test", "--base-url", "https://gateway.example"]


def test_environments_are_added_listed_and_removed(keybench: CommandLine) -> None:
    assert keybench(*SHOP).status == 0
    listed = keybench("environment", "list", "--json")
    assert [(one["name"], one["kind"], one["base_url"]) for one in listed.records] == [
        ("practice", "practice", ""),
        ("Shop", "test", "https://gateway.example"),
    ]
    assert keybench("environment", "remove", "shop").status == 0
    assert "Shop" not in keybench("environment", "list").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["environment", "add", "Shop", "--kind", "live", "--base-url", "gateway.example"],
            "begin with https",
        ),
        ([*ADD, "--environment", "practice"], "already a key named “Till”"),
        (["environment", "remove", "practice"], "built in"),
        (["environment", "remove", "Shop"], "no environment named “Shop”"),
        (["key", "list", "--environment", "Shop"], "no environment named “Shop”"),
        (["key", "test", "--environment", "practice", "--name", "Web"], "no key named “Web”"),
        (["history", "--environment", "Shop"], "no environment named “Shop”"),
    ],
)
def test_what_cannot_be_used_ends_with_2_and_a_sentence(
    with_key: CommandLine, arguments: list[str], words: str
) -> None:
    ended = with_key(*arguments)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("keybench: ")
    assert words in ended.err
    assert not with_key.composed.still_open


def test_a_key_the_gateway_makes_is_added_without_a_value_being_asked_for(keybench: CommandLine) -> None:
    ended = keybench(*ADD, "--environment", "practice", "--json")
    assert ended.status == 0
    record = ended.records[-1]
    assert (record["name"], record["state"], record["keystore"]) == ("Till", "kept", "Fake Keyring")
    assert len(record["fingerprint"].split("-")) == 4
    assert not shows_value(ended.out, ended.err)


@pytest.mark.parametrize("pasted", [MADE_UP, f"{MADE_UP}\n", f"  {MADE_UP} \n"])
def test_a_pasted_value_is_read_from_standard_input(keybench: CommandLine, pasted: str) -> None:
    keybench(*SHOP)
    ended = keybench(*ADD, "--environment", "Shop", "--json", stdin=pasted)
    assert (ended.status, ended.err) == (0, "")
    assert len(keybench.bench.keystore.entries) == 1
    assert not shows_value(ended.out, ended.err)


@pytest.mark.parametrize("pasted", ["", "k" * 5000, f"{MADE_UP}\n{MADE_UP}"])
def test_a_value_that_is_no_key_is_refused_without_being_shown(keybench: CommandLine, pasted: str) -> None:
    keybench(*SHOP)
    ended = keybench(*ADD, "--environment", "Shop", stdin=pasted)
    assert ended.status == 2
    assert not keybench.bench.keystore.entries
    assert not shows_value(ended.out, ended.err)


def test_keys_are_listed_without_values(with_key: CommandLine) -> None:
    for ended in (with_key("key", "list"), with_key("key", "list", "--environment", "practice", "--json")):
        assert ended.status == 0
        assert "Till" in ended.out
        assert not shows_value(ended.out)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (KeyRefused("unauthorised", status=401, message="key not found", reference="E-7"), 20),
        (NotSent("connection refused"), 21),
        (PracticeUnavailable("ended"), 21),
        (AnswerLost("timeout"), 1),
    ],
)
def test_a_test_that_fails_tells_why_in_words_and_json(
    with_key: CommandLine, error: GatewayError, status: int
) -> None:
    with_key.bench.gateway.to_probe = [error]
    ended = with_key("key", "test", "--environment", "practice", "--name", "till", "--json")
    assert ended.status == status
    assert ended.err
    assert ended.records[-1]["causes"][0]["remedy"] in ended.err
    assert {**ended.records[-1], "meaning": "", "causes": []} == {
        "causes": [],
        "error": type(error).__name__,
        "exit_status": status,
        "status": error.status,
        "message": error.message,
        "meaning": "",
    }


def test_a_key_is_renamed(with_key: CommandLine) -> None:
    ended = with_key(
        "key", "rename", "--environment", "practice", "--name", "till", "--to", "Counter", "--json"
    )
    assert ended.status == 0
    assert (ended.records[-1]["name"], ended.records[-1]["before"]) == ("Counter", "Till")
    told = with_key("key", "rename", "--environment", "practice", "--name", "Counter", "--to", "Till")
    assert told.out == "“Counter” is now called “Till”.\n"
    assert with_key("key", "rename", "--environment", "practice", "--name", "no", "--to", "Till").status == 2
    assert with_key("key", "test", "--environment", "practice", "--name", "Till").status == 0


def test_a_key_that_works_is_told_so_and_can_be_forgotten(with_key: CommandLine) -> None:
    tested = with_key("key", "test", "--environment", "practice", "--name", "Till", "--json")
    assert (tested.status, tested.records[-1]["state"], tested.records[-1]["status"]) == (0, "working", 200)
    assert with_key("key", "forget", "--environment", "practice", "--name", "Till").status == 0
    assert not with_key("key", "list").out
    assert not with_key.bench.keystore.entries


@pytest.mark.parametrize("error", [KeystoreLocked(), KeystoreMissing()])
@pytest.mark.parametrize(
    "arguments",
    [
        ["key", "test", "--environment", "practice", "--name", "Till"],
        ["key", "forget", "--environment", "practice", "--name", "Till"],
        ["key", "add", *ADD[2:3], "New", *ADD[4:], "--environment", "practice"],
        ["sale", "--environment", "practice", "--key", "Till", "--device", "D-1", "--amount", "10.00"],
    ],
)
def test_without_a_keystore_it_ends_with_40_and_does_nothing(
    with_key: CommandLine, arguments: list[str], error: KeystoreError
) -> None:
    with_key.bench.keystore.failure = error
    ended = with_key(*arguments)
    assert ended.status == 40
    assert "keystore" in ended.err
    assert not with_key.bench.gateway.posts
    assert not with_key.bench.portal.request_ids


@pytest.mark.parametrize(
    "error", [JournalUnwritable("/data", "read-only file system"), JournalNewer("/data", 9, 1)]
)
def test_a_data_folder_that_cannot_be_used_ends_with_1_and_its_reason(
    keybench: CommandLine, error: Exception
) -> None:
    keybench.composed.failure = error
    ended = keybench("history")
    assert (ended.status, ended.out) == (1, "")
    assert "/data" in ended.err or "newer" in ended.err


def test_a_journal_on_the_network_is_told_beside_the_results(keybench: CommandLine) -> None:
    keybench.bench.journal.place = JournalPlace("/home/anna/keys", "nfs4")
    ended = keybench("environment", "list", "--json")
    assert ended.status == 0
    assert len(ended.records) == 1
    assert "One program at a time can have this data folder open (nfs4)." in ended.err


def test_while_the_keystore_asks_the_command_says_so(
    with_key: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    keystore, read = with_key.bench.keystore, with_key.bench.keystore.read

    async def asking(entry: str) -> Secret:
        with_key.bench.events.publish(KeystoreChanged(replace(keystore.status, asking=True)))
        with_key.bench.events.publish(KeystoreChanged(keystore.status))
        return await read(entry)

    monkeypatch.setattr(keystore, "read", asking)
    ended = with_key("key", "test", "--environment", "practice", "--name", "Till")
    assert ended.status == 0
    assert ended.err.count("Fake Keyring asks for your permission") == 1
    assert "Ctrl+C stops" in ended.err


PROXY = "http://anna@proxy.example:3128"
WORD = "made-up word"


def test_an_environments_proxy_is_set_and_listed_without_its_password(keybench: CommandLine) -> None:
    keybench.bench.keystore.failure = KeystoreMissing()
    assert keybench(*SHOP, "--proxy", PROXY, stdin=WORD).status == 40
    keybench.bench.keystore.failure = None
    added = keybench(*SHOP, "--proxy", PROXY, "--json", stdin=f"{WORD}\n")
    assert (added.status, added.records[-1]["proxy"]) == (0, PROXY)
    assert len(keybench.bench.keystore.entries) == 1
    listed = [keybench("environment", "list", "--json"), keybench("environment", "list")]
    assert [one["proxy"] for one in listed[0].records] == ["system", PROXY]
    assert PROXY in listed[1].out
    changed = keybench("environment", "proxy", "shop", "none")
    assert (changed.status, changed.out) == (0, "“Shop” goes through no proxy.\n")
    assert not keybench.bench.keystore.entries
    assert not any(WORD in f"{ended.out}{ended.err}" for ended in (added, *listed, changed))


@pytest.mark.parametrize(
    ("proxy", "stdin", "words"),
    [
        ("http://anna:word@proxy.example:3128", "", "Leave the password out"),
        ("socks5://proxy.example:1080", "", "HTTP proxies only"),
        ("proxy.example", "", "with its port"),
        (PROXY, "", "Enter the password"),
    ],
)
def test_a_proxy_that_cannot_be_used_ends_with_2(
    keybench: CommandLine, proxy: str, stdin: str, words: str
) -> None:
    keybench(*SHOP)
    for ended in (
        keybench("environment", "proxy", "Shop", proxy, stdin=stdin),
        keybench(*SHOP[:2], "Other", *SHOP[3:], "--proxy", proxy, stdin=stdin),
    ):
        assert (ended.status, ended.out) == (2, "")
        assert words in ended.err
        assert "anna:word" not in ended.err
    assert [one["proxy"] for one in keybench("environment", "list", "--json").records] == ["system", "system"]


def test_a_key_of_which_nobody_can_tell_ends_with_30_and_says_how_to_go_on(keybench: CommandLine) -> None:
    keybench.bench.portal.lose_answers = 1
    ended = keybench(*ADD, "--environment", "practice", "--json")
    assert ended.status == 30
    assert ended.records[-1]["error"] == "KeyUnsettled"
    assert "Nobody can tell whether “Till” was created." in ended.err
    assert "`keybench resume` goes on with it" in ended.err
    assert keybench.bench.portal.active == ["K-1"]

    resumed = keybench("resume", "--json")
    assert resumed.status == 0
    assert resumed.records == [{"key": "Till", "environment": "practice", "state": "deleted"}]
    assert keybench.bench.portal.active == []
    assert keybench("resume").out == ""
    keybench.bench.portal.lose_answers = 1
    assert keybench(*ADD, "--environment", "practice").status == 30
    assert keybench(*ADD, "--environment", "practice").status == 0, "the same command again"
    assert keybench.bench.portal.active == ["K-3"], "leaves one key"


def test_a_key_that_still_cannot_be_told_keeps_resume_at_30(keybench: CommandLine) -> None:
    keybench.bench.portal.failure = AnswerLost("timeout")
    assert keybench(*ADD, "--environment", "practice").status == 30
    resumed = keybench("resume", "--json")
    assert resumed.status == 30
    assert (resumed.records[-1]["key"], resumed.records[-1]["error"]) == ("Till", "KeyUnsettled")
    keybench.bench.portal.failure = None
    added = keybench("resume", "--json")
    assert (added.status, added.records[-1]["state"]) == (0, "added")
    assert keybench.bench.portal.active == ["K-1"]


def test_an_environment_with_such_a_key_goes_only_anyway(keybench: CommandLine) -> None:
    keybench(*SHOP, "--contract", "v5")
    where = keybench.do(keybench.bench.console.environments.named("Shop"))
    keybench.bench.portal.lose_answers = 1
    draft = KeyDraft("Till", "mira", "Sale", KeyKind.PRIVATE)
    with pytest.raises(KeyUnsettled):
        keybench.do(keybench.bench.console.add_key.create(where, draft))
    refused = keybench("environment", "remove", "Shop")
    assert refused.status == 2
    assert "“Till”" in refused.err
    assert "--anyway" in refused.err
    assert keybench("environment", "remove", "Shop", "--anyway").status == 0
    assert "may be left" in keybench("activity").out
