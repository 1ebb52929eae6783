"""``key revoke``: asks with what stops working, does it, and tells what the gateway confirmed."""

from __future__ import annotations

import pytest

from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import AnswerLost, KeyRefused, KeystoreLocked
from keybench.core.keys.key import KeyDraft, KeyKind

from .conftest import CommandLine, shows_value

REVOKE = ("key", "revoke", "--environment", "practice", "--name", "Till")


@pytest.fixture
def made(keybench: CommandLine) -> CommandLine:
    """A program with a key that the gateway made."""

    async def make() -> None:
        environment = await keybench.bench.practice_environment()
        draft = KeyDraft("Till", "mira", "Sale", KeyKind.PRIVATE)
        await keybench.bench.console.add_key.create(environment, draft)

    keybench.do(make())
    return keybench


def test_without_yes_it_tells_what_would_stop_and_does_nothing(made: CommandLine) -> None:
    add = ("application", "add", "--environment", "practice", "--key", "Till", "--name", "web shop")
    assert made(*add).status == 0
    assert made(*REVOKE[:-1], "nowhere", "--yes").status == 2
    ended = made(*REVOKE, "--json")
    (record,) = ended.records
    assert ended.status == 2
    assert (record["state"], record["applications"]) == ("not_revoked", ["web shop"])
    assert "Applications: web shop" in ended.err
    assert "With --yes it is revoked" in ended.err
    assert made.bench.portal.active
    assert made("rotation", "list", "--json").records == []


def test_with_yes_the_key_is_gone_and_its_record_is_kept(made: CommandLine) -> None:
    made.bench.gateway.to_probe = [200, KeyRefused("no", status=401)]  # the second is made once it is deleted
    ended = made(*REVOKE, "--reason", "found in a log", "--by", "Mira", "--yes", "--json")
    (record,) = ended.records
    assert (ended.status, record["state"]) == (0, "revoked")
    assert made.bench.portal.active == []
    assert made.bench.keystore.entries == ()
    assert made("key", "list", "--json").records == []
    (rotation,) = made("rotation", "list", "--json").records
    assert (rotation["id"], rotation["compromised"]) == (record["rotation"], True)
    told = [line["action"] for line in made("activity", "--json").records]
    assert {"revocation asked for", "old key deleted", "old key refused", "old value erased"} <= set(told)
    assert not shows_value(ended.out, ended.err)


def test_what_the_gateway_did_not_confirm_is_unknown_and_can_be_tried_again(made: CommandLine) -> None:
    made.bench.portal.to_delete = AnswerLost("connection closed")
    ended = made(*REVOKE, "--yes", "--json")
    assert (ended.status, ended.records[0]["state"]) == (30, "unknown")
    (key,) = made("key", "list", "--json").records
    assert key["state"] == "compromised"
    told = made(*REVOKE, "--yes")
    assert "It is unknown whether the key still works" in told.out
    made.bench.portal.to_delete = None
    made.bench.gateway.to_probe = [200, KeyRefused("no", status=401)]
    assert made(*REVOKE, "--yes").status == 0


def test_a_revocation_that_was_stopped_is_resumed_with_the_rest(made: CommandLine) -> None:
    made.bench.portal.to_delete = AnswerLost("connection closed")
    assert made(*REVOKE, "--yes").status == 30
    ended = made("resume", "--json")
    assert (ended.status, ended.records[0]["state"]) == (30, "unknown")
    made.bench.portal.to_delete = None
    made.bench.keystore.failure = KeystoreLocked()
    assert made("resume", "--json").records[0]["state"] == "deleted"
    made.bench.keystore.failure = None
    made.bench.gateway.to_probe = [KeyRefused("no", status=401)]
    ended = made("resume", "--json")
    assert (ended.status, ended.records[0]["state"], ended.records[0]["key"]) == (0, "revoked", "Till")
    assert "No sale and no key is waiting" in made("resume").err


def test_a_locked_keystore_holds_nothing_up_at_the_gateway(made: CommandLine) -> None:
    made.bench.keystore.failure = KeystoreLocked()
    ended = made(*REVOKE, "--yes", "--json")
    assert (ended.status, ended.records[0]["state"]) == (30, "deleted")
    assert made.bench.portal.active == []
    made.bench.keystore.failure = None
    made.bench.gateway.to_probe = [KeyRefused("no", status=401)]
    assert made(*REVOKE, "--yes", "--json").records[0]["state"] == "revoked"


def test_where_the_gateway_cannot_it_leads_to_the_portal(keybench: CommandLine) -> None:
    async def add() -> None:
        await keybench.bench.add_key(await keybench.bench.add("Shop", EnvironmentKind.LIVE))

    keybench.do(add())
    revoke = ("key", "revoke", "--environment", "Shop", "--name", "Till")
    assert "▲ LIVE · Shop" in keybench(*revoke).err
    ended = keybench(*revoke, "--yes", "--json")
    assert (ended.status, ended.records[0]["state"]) == (30, "to_be_deleted")
    assert "Delete it in the portal now" in keybench(*revoke, "--yes").out
