"""Contract files: the presets say what is known, and each way of being wrong is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from keybench.core.errors import ContractInvalid, NotSent
from keybench.core.input_errors import NotFound
from keybench.core.keys.key import KeyKind
from keybench.core.rotations.rotation import Expectation
from keybench.core.sales.sale import SaleMode
from keybench.gateway.client import HttpGateway, contract_of
from keybench.gateway.contract_rules import Meaning, Word
from keybench.gateway.contracts import Contracts
from keybench.gateway.evidence import word_for_code
from keybench.runtime.data_folder import resource_path

V5 = resource_path("contracts/v5.toml").read_text(encoding="utf-8")


def test_the_v5_preset_offers_what_is_documented_and_no_more() -> None:
    facts = Contracts().get("v5").facts
    assert facts.modes == (SaleMode.ASYNCHRONOUS, SaleMode.SYNCHRONOUS)
    assert not any([facts.can_create_keys, facts.can_list_users, facts.can_cancel, facts.can_look_up])
    assert facts.permissions[KeyKind.PRIVATE] == ("API", "API and Cart", "Cart")
    assert facts.permissions[KeyKind.PUBLIC] == ("Tokenization", "Collect Checkout")
    assert facts.portal_path
    assert facts.proof_calls == (("GET /api/v5/devices", Expectation.ALLOWED),)


def test_the_practice_preset_adds_the_portal_and_is_not_for_choosing() -> None:
    contracts = Contracts()
    facts = contracts.get("practice").facts
    assert facts.modes == (SaleMode.ASYNCHRONOUS, SaleMode.SYNCHRONOUS, SaleMode.CLASSIC)
    assert facts.can_create_keys
    assert facts.can_list_users
    assert facts.can_cancel
    assert facts.can_look_up
    assert facts.proof_calls == (
        ("GET /api/v5/devices", Expectation.ALLOWED),
        ("GET /api/v5/security_keys", Expectation.REFUSED),
    )
    assert contracts.selectable() == ["classic-form", "v5", "v5-asyncstatus"]
    assert HttpGateway().contracts() == contracts.selectable()


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("100", Word(Meaning.APPROVED)),
        ("202", Word(Meaning.DECLINED)),
        ("300", Word(Meaning.REFUSED, "gateway")),
        ("301", Word(Meaning.REFUSED, "rate limit")),
        ("420", Word(Meaning.UNKNOWN, "processor silent")),
        ("430", Word(Meaning.REFUSED, "duplicate")),
        ("999", None),
        ("", None),
        ("\u0661\u0660\u0660", None),
        ("1" * 5000, None),
    ],
)
def test_the_narrowest_range_of_codes_counts(code: str, word: Word | None) -> None:
    assert word_for_code(Contracts().get("v5"), code) == word


@pytest.mark.parametrize("name", ["none", "", "../v5", "V5", "a/b", "x" * 100])
def test_an_unknown_name_is_not_found(name: str) -> None:
    with pytest.raises(NotFound):
        Contracts().get(name)
    with pytest.raises(NotSent):
        contract_of(Contracts(), name)


WRONG = [
    ('title = "Payment service, v5"', "", "title", "missing"),
    ('title = "Payment service, v5"', 'title = ""', "title", "empty"),
    ('title = "Payment service, v5"', "title = 5", "title", "not a text"),
    ('portal_path = "/"', 'portal_path = "page"', "portal_path", "not a path"),
    ('portal_path = "/"', 'selectable = "yes"', "selectable", "not true or false"),
    ('portal_path = "/"', 'portal_pth = "/"', "portal_pth", "unknown field"),
    ('header = "Authorization"', 'header = "Bad Header"', "key.header", "not a header name"),
    ('form = "{key}"', 'form = "Bearer"', "key.form", "has not exactly one {key}"),
    ('private = ["API", "API and Cart", "Cart"]', "", "permissions.private", "missing"),
    ('public = ["Tokenization"', 'public = [7, "Tokenization"', "permissions.public", "not a list of texts"),
    ('public = ["Tokenization", "Collect Checkout"]', "public = []", "permissions.public", "empty"),
    ("accepted = [200]", "accepted = [500]", "probe.accepted", "not a list of HTTP statuses"),
    ('devices = "GET /', 'devices = "FETCH /', "calls.devices", "not a method and a path"),
    (
        "payment-requests/{request_id}",
        "payment-requests",
        "calls.status",
        "placeholder request_id is missing",
    ),
    ("payment-requests/{request_id}", "{request_id}/{me}", "calls.status", "unknown placeholder me"),
    ("payment-requests/{request_id}", "{{request_id}", "calls.status", "a brace without its other half"),
    ("[sales.async]", "[sales.later]", "sales.later", "unknown field"),
    ("deadline_s = 330", "deadline_s = 5", "deadline_s", "not a number from 10 to 86400"),
    ("shortest_s = 0.2", "shortest_s = 0", "polls.shortest_s", "not a number from 0.05 to 60"),
    ("longest_s = 10", "longest_s = 601", "polls.longest_s", "not a number from 0.5 to 600"),
    ("shortest_s = 0.2", "shortest_s = 20", "polls.longest_s", "shorter than shortest_s"),
    ("at_once = ", "at_once = 0 #", "limits.at_once", "not a number from 1 to 1000"),
    ("\nrequests_per_s", "\nrequests", "limits.requests", "unknown field"),
    (
        'form = "{key}"',
        'form = "{key}"\nstatus_form = "Bearer"',
        "key.status_form",
        "has not exactly one {key}",
    ),
    ("[sales.sync]", '[sales.sync]\nbody = "xml"', "sales.sync.body", "neither json nor form"),
    ("[sales.sync]", '[sales.sync]\nbody = "form"', "sales.sync", "a form's fields have no dots"),
    ("[sales.sync]", '[sales.sync]\nanswer = "x"', "sales.sync.answer", "there is no table answers.x"),
    ("[sales.sync]", "[sales.sync]\nfixed = {amount = '1'}", "sales.sync", "two fields stand at amount"),
    ("[sales.sync]", "[sales.sync]\nfixed = {type = 1}", "sales.sync.fixed.type", "not a text"),
    ("[errors]", "[long_poll]\nheld_s = 9\n[errors]", "long_poll.call", "missing"),
    ("[errors]", "[long_poll]\ncall = 'GET /{request_id}'\n[errors]", "long_poll.held_s", "missing"),
    (
        "[errors]",
        "[long_poll]\ncall = 'GET /{request_id}'\nheld_s = 0\n[errors]",
        "long_poll.held_s",
        "not a number from 1 to 86400",
    ),
    (
        'reference = "order_details.id"',
        'reference = "order..id"',
        "sales.async.reference",
        "not a dotted path",
    ),
    (
        'reference = "order_details.id"',
        'reference = "amount.id"',
        "sales.async",
        "two fields stand at amount",
    ),
    ('device = "device_id"', "", "sales.sync.call", "placeholder device_id is missing"),
    ('success = "transaction.success"', 'success = "a b"', "answers.started.success", "not a dotted path"),
    ('request_id = "request_id"', "", "answers.held.request_id", "missing"),
    ('pending = "goes on"', 'pending = "waits"', "statuses.pending", "unknown meaning waits"),
    ('pending = "goes on"', 'pending = "by code"', "statuses.pending", "by code has no place here"),
    ('1 = "approved"', '1 = "by success"', "responses.1", "by success has no place here"),
    ('200-264 = "declined"', '264-200 = "declined"', "codes.264-200", "not a code or a range of codes"),
    ("[errors]", "[proof]\n[errors]", "proof.refused", "missing"),
    (
        "[errors]",
        "[proof]\nrefused = 'GET /{device_id}'\n[errors]",
        "proof.refused",
        "unknown placeholder device_id",
    ),
    (
        "[errors]",
        "[proof]\nrefused = 'DELETE /keys'\n[errors]",
        "proof.refused",
        "not a GET, so it may change something",
    ),
    (
        'call = "GET /api/v5/devices"',
        'call = "POST /check"',
        "probe.call",
        "not a GET, so it may change something",
    ),
    ("[errors]", "[errs]", "errors", "missing"),
    ("[errors]", "[[errors]]", "errors", "not a table"),
]


@pytest.mark.parametrize(("good", "bad", "where", "reason"), WRONG)
def test_each_way_of_being_wrong_is_named(
    tmp_path: Path, good: str, bad: str, where: str, reason: str
) -> None:
    assert good in V5
    (tmp_path / "mine.toml").write_text(V5.replace(good, bad, 1), encoding="utf-8")
    contracts = Contracts(presets=tmp_path)
    with pytest.raises(ContractInvalid) as raised:
        contracts.get("mine")
    assert (raised.value.file, raised.value.where, raised.value.reason) == ("mine.toml", where, reason)
    assert contracts.selectable() == []
    with pytest.raises(NotSent):
        contract_of(contracts, "mine")


#: Other ways to write the path of a sale, POST /api/v5/devices/{device_id}/payment-requests/sale.
SPELLED = [
    "/api/v5/devices/{device_id}/payment-requests/sale",
    "/api/v5/devices/till-1/payment-requests/sale",
    "/API/v5/Devices/{device_id}/payment-requests/SALE",
    "/api/v5/devices/{device_id}/payment-requests/sale/",
    "/api/v5/devices/{device_id}/payment-requests/sale?harmless=yes",
]


@pytest.mark.parametrize("path", SPELLED)
@pytest.mark.parametrize(
    ("table", "where"),
    [
        ("[probe]\ncall = 'GET {path}'", "probe.call"),
        ("[proof]\nrefused = 'GET {path}'", "proof.refused"),
        ("[calls]\ndevices = 'GET {path}'", "calls.devices"),
        ("[calls]\ndevice = 'GET {path}'", "calls.device"),
        ("[calls]\ncancel = 'POST {path}'", "calls.cancel"),
        ("[calls]\nregister_device = 'POST {path}'", "calls.register_device"),
    ],
)
def test_no_call_but_a_sale_is_at_a_path_that_sells(
    tmp_path: Path, path: str, table: str, where: str
) -> None:
    takes_device = where in {"probe.call", "calls.device", "calls.cancel"}
    path = path.replace("till-1", "{device_id}") if where == "calls.device" else path
    shown = path if takes_device else path.replace("{device_id}", "till-1")
    text = f'extends = "v5"\n{table.replace("{path}", shown)}'
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ContractInvalid) as raised:
        Contracts(tmp_path).get("mine")
    sale = "POST /api/v5/devices/{device_id}/payment-requests/sale"
    assert (raised.value.where, raised.value.reason) == (where, f"at a path that sells, {sale}")


def test_a_list_of_sales_may_be_where_they_are_begun(tmp_path: Path) -> None:
    look_up = "look_up = 'GET /pay?of={device_id}&order={reference}'\nlook_up_items = 'items'"
    calls = f"{look_up}\nstatus = 'GET /pay/{{request_id}}?of={{device_id}}'\n"
    text = f'extends = "practice"\n[calls]\n{calls}[sales.sync]\ncall = "POST /pay"'
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    assert Contracts(tmp_path).get("mine").sales


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"title = ", "isn't TOML"), (b"\xff\xfe", "isn't UTF-8"), (b"a = " + b"[" * 50_000, "isn't TOML")],
)
def test_a_file_that_is_no_toml_is_named(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "mine.toml").write_bytes(content)
    with pytest.raises(ContractInvalid) as raised:
        Contracts(tmp_path).get("mine")
    assert raised.value.reason.startswith(reason)


@pytest.mark.parametrize("base", ['"none"', '"../v5"', '"mine"', '"loop"', "5"])
def test_a_contract_extends_another_one(tmp_path: Path, base: str) -> None:
    (tmp_path / "loop.toml").write_text('extends = "mine"', encoding="utf-8")
    (tmp_path / "mine.toml").write_text(f"extends = {base}", encoding="utf-8")
    with pytest.raises(ContractInvalid) as raised:
        Contracts(tmp_path).get("mine")
    assert raised.value.where == "extends"
    assert raised.value.reason.startswith("there is no other contract")


def test_a_look_up_needs_to_know_where_our_reference_stands(tmp_path: Path) -> None:
    content = V5.replace(
        "[calls]",
        '[calls]\nlook_up = "GET /d/{device_id}?o={reference}"\nlook_up_items = "."',
        1,
    )
    head, _, tail = content.partition("[answers.held]")
    position = head.rindex('reference = "order_details.id"')
    (tmp_path / "mine.toml").write_text(head[:position] + head[position + 30 :] + "[answers.held]" + tail)
    with pytest.raises(ContractInvalid) as raised:
        Contracts(tmp_path).get("mine")
    assert raised.value.where == "answers.started.reference"


def test_a_contract_says_which_status_shows_that_the_device_has_begun() -> None:
    contracts = Contracts()
    assert contracts.get("practice").facts.begun == {"pending": False, "inFlight": True}
    # What pending means there isn't documented.
    assert contracts.get("v5").facts.begun == {"inFlight": True}
