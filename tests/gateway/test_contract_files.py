"""A person's own contract files: they win over presets, add new ones, and never stop the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from keybench.core.errors import ContractInvalid
from keybench.core.input_errors import NotFound
from keybench.core.sales.sale import SaleMode
from keybench.gateway.contract_rules import Meaning, Shape, Word
from keybench.gateway.contracts import Contracts
from keybench.gateway.evidence import word_for_code
from keybench.practice.amounts import BY_CENTS, Delivery, money, script_for

MINE = """
extends = "v5"
title = "Ours"
deadline_s = 120
[limits]
requests_per_s = 2.5
at_once = 3
[polls]
shortest_s = 1
[answers.started]
next_s = "poll_after_s"
"""


def test_ones_own_file_adds_a_contract(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text(MINE, encoding="utf-8")
    contracts = Contracts(tmp_path)
    facts = contracts.get("ours").facts
    assert (facts.title, facts.deadline_s, facts.requests_per_s, facts.at_once) == ("Ours", 120.0, 2.5, 3)
    assert (facts.shortest_pause_s, facts.longest_pause_s) == (1.0, 10.0)
    assert contracts.get("ours").started.next_s == ("poll_after_s",)
    assert contracts.selectable() == ["classic-form", "ours", "v5", "v5-asyncstatus"]


def test_ones_own_file_names_fields_whose_values_are_kept(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text(f'kept = ["Store_No"]\n{MINE}', encoding="utf-8")
    kept = Contracts(tmp_path).get("ours").facts.kept_names
    assert {"storeno", "pollafters", "currency", "nickname"} <= kept
    assert (
        not {"key", "apikey", "data", "devices", "registrationcode"} & Contracts().get("practice").kept_names
    )


@pytest.mark.parametrize(
    ("kept", "reason"),
    [
        ('"a"', "not a list of texts"),
        ("[]", "empty"),
        ('["a b"]', "not a field's name"),
        ('["api_key"]', "api_key may hold"),
        ('["ok", "CVV"]', "CVV may hold"),
        ('["cardholderName"]', "cardholderName may hold"),
        ('["e-mail"]', "e-mail may hold"),
    ],
)
def test_fields_of_secrets_cards_and_people_are_not_kept(tmp_path: Path, kept: str, reason: str) -> None:
    (tmp_path / "ours.toml").write_text(f"kept = {kept}\n{MINE}", encoding="utf-8")
    with pytest.raises(ContractInvalid, match=reason) as raised:
        Contracts(tmp_path).get("ours")
    assert raised.value.where == "kept"


def test_ones_own_file_wins_over_the_preset_of_its_name_and_may_extend_it(tmp_path: Path) -> None:
    (tmp_path / "v5.toml").write_text(MINE, encoding="utf-8")
    contracts = Contracts(tmp_path)
    assert contracts.get("v5").title == "Ours"
    assert contracts.get("v5").facts.deadline_s == 120.0
    assert contracts.get("v5-asyncstatus").facts.deadline_s == 330.0
    assert [(file.name, file.own) for file in contracts.listed()][2] == ("v5", True)


def test_a_wrong_file_is_listed_with_its_reason_and_not_offered(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text("title = 5", encoding="utf-8")
    (tmp_path / "not a name.toml").write_text("", encoding="utf-8")
    (tmp_path / "a folder.toml").mkdir()
    contracts = Contracts(tmp_path)
    listed = {file.name: file for file in contracts.listed()}
    assert set(listed) == {"classic-form", "ours", "practice", "v5", "v5-asyncstatus"}
    assert listed["ours"].facts is None
    assert "ours" not in contracts.selectable()
    trouble = listed["ours"].trouble
    assert trouble
    assert (trouble.file, trouble.where) == ("ours.toml", "title")


def test_a_file_that_was_mended_can_be_used(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text("title = 5", encoding="utf-8")
    contracts = Contracts(tmp_path)
    with pytest.raises(ContractInvalid):
        contracts.get("ours")
    path.write_text(MINE, encoding="utf-8")
    assert contracts.get("ours").title == "Ours"


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    contracts = Contracts(tmp_path / "contracts")
    assert contracts.get("v5").title == "Payment service, v5"
    with pytest.raises(NotFound):
        contracts.get("ours")


def test_a_file_is_checked_wherever_it_is(tmp_path: Path) -> None:
    path = tmp_path / "Draft of ours.toml"
    path.write_text(MINE, encoding="utf-8")
    told = Contracts(tmp_path / "contracts").checked(path)
    assert told.facts
    assert told.own
    assert told.calls["status"] == (
        "GET /api/v5/devices/{device_id}/payment-requests/{request_id}, Authorization: {key}"
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "can't be read"), (b"# " + b"x" * 300_000, "is too large"), (b"a = " + b"[" * 900, "isn't TOML")],
)
def test_what_can_not_be_a_contract_is_named(tmp_path: Path, content: bytes | None, reason: str) -> None:
    path = tmp_path / "ours.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ContractInvalid) as raised:
        Contracts().checked(path)
    assert (raised.value.file, raised.value.where) == ("ours.toml", "")
    assert raised.value.reason.startswith(reason)


def test_the_asyncstatus_preset_waits_and_wants_bearer_for_the_status_alone() -> None:
    contract = Contracts().get("v5-asyncstatus")
    assert (contract.key.form, contract.key.status_form) == ("{key}", "Bearer {key}")
    assert contract.facts.long_poll
    assert contract.facts.held_s == 300.0
    assert not Contracts().get("v5").facts.long_poll


def test_the_form_preset_sells_by_form_and_its_code_101_is_no_outcome() -> None:
    contract = Contracts().get("classic-form")
    mode = SaleMode.CLASSIC
    assert (contract.sales[mode].body, contract.reads(mode).body) == (Shape.FORM, Shape.FORM)
    assert not contract.waits(mode)
    assert word_for_code(contract, "101") == Word(Meaning.GOES_ON)


#: What the words that an amount's line begins with say of the practice device's script.
_PLAYED = {
    Delivery.LOST: "unknown",
    Delivery.UNREADABLE: "unknown",
    Delivery.FAILED: "unknown",
    Delivery.OFFLINE: "refused",
    Delivery.RATE_LIMITED: "refused",
}
_ENDED = {"cancelledAtTerminal": "cancelled", "cancelledByTimeout": "expired", "poiDeviceInUse": "refused"}


def test_every_amount_that_a_practice_device_treats_in_its_own_way_is_told_as_it_is_played() -> None:
    told = Contracts().get("practice").amounts
    assert set(told) == {money(cents) for cents in BY_CENTS} | {"0.50"}
    for amount, words in told.items():
        script = script_for(round(float(amount) * 100))
        played = _PLAYED.get(script.delivery) or _ENDED.get(script.steps[-1][1])
        result = script.result
        approved = "partly approved" if result and result.cents else "approved"
        ended = played or (approved if result and result.success else "declined")
        assert words.startswith(ended), amount
