"""Making a contract from a file's tables, strictly: what is missing, misspelt or contradictory is named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from keybench.core.reasons import Reason
from keybench.core.sale import SaleMode
from keybench.core.security_key import KeyKind
from keybench.gateway.contract_model import (
    AnswerFields,
    Call,
    Contract,
    DeviceFields,
    ErrorFields,
    LongPoll,
    Meaning,
    Politeness,
    PortalForm,
    Probe,
    SaleForm,
    Shape,
    Word,
)
from keybench.gateway.contract_reader import Table

_SALE: Final = frozenset({"device_id", "request_id"})
_REQUEST: Final = frozenset({"request_id"})
_REFERENCE: Final = frozenset({"device_id", "reference"})
# A device may take five minutes, and the gateway's own time-out should still be seen.
_DEADLINE_S: Final = 330.0
#: What a refusal's code may stand for.
_REFUSALS: Final = (Reason.RATE_LIMIT, Reason.DEVICE_OFFLINE, Reason.DEVICE_BUSY, Reason.REQUEST_UNKNOWN)
_LONGEST_S: Final = 86_400.0
_PER_S: Final = 10.0
_AT_ONCE: Final = 8
_USUAL_POLITENESS: Final = Politeness(_PER_S, _PER_S, _AT_ONCE)


def build(file: str, content: dict[str, Any]) -> Contract:
    """Return the contract in a file's tables.

    Args:
        file: The file's name, which names the contract and stands in errors.
        content: Its tables, those of the contract it extends laid under them.

    Raises:
        ContractInvalid: A field is missing, unknown, or breaks its rule.
    """
    top = Table(content, file)
    key, calls = top.table("key"), top.table("calls")
    answers = _answers(top.table("answers"))
    contract = Contract(
        name=file.removesuffix(".toml"),
        title=top.text("title"),
        selectable=top.flag("selectable", default=True),
        portal_path=_portal_path(top),
        key_header=key.header("header"),
        key_form=key.key_form("form"),
        status_key_form=key.key_form("status_form", default=key.text("form")),
        deadline_s=top.number("deadline_s", _DEADLINE_S, least=10, most=_LONGEST_S),
        politeness=_politeness(top.table("limits"))
        if top.has("limits")
        else Politeness(_PER_S, _PER_S, _AT_ONCE),
        permissions=_permissions(top.table("permissions")),
        probe=_probe(top.table("probe")),
        proof_refused=_proof_refused(top.table("proof")) if top.has("proof") else None,
        status=calls.call("status", needs=_REQUEST, may=_SALE),
        long_poll=_long_poll(top.table("long_poll")) if top.has("long_poll") else None,
        look_up=calls.call("look_up", needs=_REFERENCE) if calls.has("look_up") else None,
        look_up_items=calls.paths("look_up_items", required=calls.has("look_up")),
        look_up_next=calls.paths("look_up_next", required=calls.has("look_up_page")),
        look_up_page=calls.call("look_up_page", needs={"next"}, may=_REFERENCE)
        if calls.has("look_up_page")
        else None,
        cancel=calls.call("cancel", needs=(), may=_SALE) if calls.has("cancel") else None,
        devices=calls.call("devices") if calls.has("devices") else None,
        device_fields=_device_fields(top.table("devices")),
        sales=_sales(top.table("sales"), answers),
        started=answers["started"],
        statuses=top.table("statuses").words(without={Meaning.BY_CODE}),
        responses=top.table("responses").words(without={Meaning.BY_SUCCESS, Meaning.GOES_ON}),
        codes=top.table("codes").code_ranges(),
        texts=_texts(top.table("texts")) if top.has("texts") else {},
        errors=_error_fields(top.table("errors")),
        portal=_portal(top.table("portal")) if top.has("portal") else None,
    )
    for table in (key, calls, top):
        table.finish()
    if contract.look_up and not contract.started.reference:
        raise top.wrong("answers.started.reference", "missing, and look_up can't do without")
    return contract


def _politeness(table: Table) -> Politeness:
    most = table.number("requests_per_s", _PER_S, least=0.1, most=1000)
    found = Politeness(
        most,
        min(table.number("start_per_s", most, least=0.1, most=1000), most),
        int(table.number("at_once", _AT_ONCE, least=1, most=1000)),
    )
    table.finish()
    return found


def _texts(table: Table) -> dict[str, Word]:
    words = table.words(without={Meaning.BY_CODE, Meaning.BY_SUCCESS, Meaning.GOES_ON})
    return {text.casefold(): word for text, word in words.items()}


def _long_poll(table: Table) -> LongPoll:
    found = LongPoll(
        table.call("call", needs=_REQUEST, may=_SALE), table.number("held_s", 0.0, least=1, most=_LONGEST_S)
    )
    table.finish()
    return found


def _answers(table: Table) -> dict[str, AnswerFields]:
    """Return each way to read an answer; polls are read by ``started``, which is always needed."""
    names = dict.fromkeys(("started", *table.names()))
    return {name: _answer_fields(table.table(name), polled=name == "started") for name in names}


def _portal_path(top: Table) -> str:
    path = top.text("portal_path", default="")
    if path and not re.fullmatch(r"/[!-~]*", path):
        raise top.wrong("portal_path", "not a path")
    return path


def _permissions(table: Table) -> dict[KeyKind, tuple[str, ...]]:
    found = {kind: table.texts(kind.value) for kind in KeyKind}
    table.finish()
    return found


def _probe(table: Table) -> Probe:
    probe = Probe(table.call("call", may=_SALE), table.statuses("accepted"))
    table.finish()
    return probe


def _proof_refused(table: Table) -> Call:
    call = table.call("refused")
    if call.method != "GET":  # it must change nothing where a key turns out to be allowed
        raise table.wrong("refused", "not a GET")
    table.finish()
    return call


def _sales(table: Table, answers: Mapping[str, AnswerFields]) -> dict[SaleMode, SaleForm]:
    modes = [mode for mode in SaleMode if table.has(mode.value)]
    forms = {mode: _sale_form(mode, table.table(mode.value), answers) for mode in modes}
    table.finish()
    if not forms:
        raise table.wrong("", "no way to sell")
    return forms


def _sale_form(mode: SaleMode, table: Table, answers: Mapping[str, AnswerFields]) -> SaleForm:
    in_path = not table.has("device")
    answer = table.text("answer", default="started" if mode is SaleMode.ASYNCHRONOUS else "held")
    if answer not in answers:
        raise table.wrong("answer", f"there is no table answers.{answer}")
    form = SaleForm(
        call=table.call("call", needs={"device_id"} if in_path else ()),
        waits=table.flag("waits", default=mode is not SaleMode.ASYNCHRONOUS),
        reads=answers[answer],
        amount=table.path("amount"),
        currency=table.path("currency"),
        reference=table.path("reference"),
        device="" if in_path else table.path("device"),
        key=table.path("key") if table.has("key") else "",
        fixed=table.table("fixed").fixed() if table.has("fixed") else {},
        shape=table.shape("body"),
    )
    named = [form.amount, form.currency, form.reference, form.device, form.key, *form.fixed]
    _refuse_clashes(table, named)
    if form.shape is Shape.FORM and any("." in path for path in named):
        raise table.wrong("", "a form's fields have no dots")
    table.finish()
    return form


def _refuse_clashes(table: Table, paths: list[str]) -> None:
    """Refuse body fields of which one would be written over, or into, another."""
    steps = [path.split(".") for path in paths if path]
    for index, path in enumerate(steps):
        for other in steps[index + 1 :]:
            shorter = min(len(path), len(other))
            if path[:shorter] == other[:shorter]:
                raise table.wrong("", f"two fields stand at {'.'.join(path[:shorter])}")


def _answer_fields(table: Table, *, polled: bool) -> AnswerFields:
    fields = AnswerFields(
        request_id=table.paths("request_id"),
        status=table.paths("status", required=polled),
        success=table.paths("success", required=False),
        response=table.paths("response", required=False),
        response_code=table.paths("response_code", required=False),
        transaction_id=table.paths("transaction_id"),
        authorisation=table.paths("authorisation", required=False),
        message=table.paths("message", required=False),
        reference=table.paths("reference", required=False),
        amount=table.paths("amount", required=False),
        currency=table.paths("currency", required=False),
        device=table.paths("device", required=False),
        next_s=table.paths("next_s", required=False),
        shape=table.shape("body"),
    )
    table.finish()
    return fields


def _error_fields(table: Table) -> ErrorFields:
    fields = ErrorFields(
        kind=table.paths("type"),
        code=table.paths("code"),
        message=table.paths("message"),
        reference=table.paths("reference"),
        meanings=table.table("meanings").reasons(_REFUSALS) if table.has("meanings") else {},
    )
    table.finish()
    return fields


def _device_fields(table: Table) -> DeviceFields:
    fields = DeviceFields(
        items=table.paths("items"),
        id=table.paths("id"),
        nickname=table.paths("nickname"),
        connection=table.paths("connection"),
    )
    table.finish()
    return fields


def _portal(table: Table) -> PortalForm:
    header = (table.header("header"), table.text("header_value")) if table.has("header") else ("", "")
    form = PortalForm(
        header=header,
        users=table.call("users"),
        create=table.call("create"),
        delete=table.call("delete", needs={"key_id"}),
        user_items=table.paths("user_items"),
        name_taken=table.texts("name_taken") if table.has("name_taken") else (),
        repeated=table.texts("repeated"),
    )
    table.finish()
    return form
