"""Contracts: a gateway's paths, field names and status words, read from a TOML file on first use."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from keybench.core.errors import ContractInvalid, NotFound
from keybench.core.sale import SaleMode
from keybench.core.security_key import KeyKind
from keybench.gateway.contract_model import (
    AnswerFields,
    Contract,
    DeviceFields,
    ErrorFields,
    Meaning,
    PortalForm,
    Probe,
    SaleForm,
)
from keybench.gateway.contract_reader import Table
from keybench.runtime.resources import resource_path

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,40}")
_SALE: Final = frozenset({"device_id", "request_id"})


class Contracts:
    """The contracts in a folder, each read once.

    Args:
        folder: Where the ``.toml`` files are; the program's own if None.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or resource_path("contracts")
        self._read: dict[str, Contract] = {}

    def get(self, name: str) -> Contract:
        """Return the contract of that name.

        Raises:
            NotFound: There is none.
            ContractInvalid: Its file can't be used.
        """
        if name not in self._read:
            self._read[name] = _build(name, self._load(name))
        return self._read[name]

    def selectable(self) -> Sequence[str]:
        """Return the names of the contracts a person can choose, in order; a faulty file isn't offered."""
        names = sorted(path.stem for path in self._folder.glob("*.toml") if _NAME.fullmatch(path.stem))
        return [name for name in names if self._is_selectable(name)]

    def _is_selectable(self, name: str) -> bool:
        try:
            return self.get(name).selectable
        except (ContractInvalid, NotFound):
            return False

    def _load(self, name: str, *, by: str = "") -> dict[str, Any]:
        path = self._folder / f"{name}.toml"
        if not _NAME.fullmatch(name) or not path.is_file():
            if by:
                raise ContractInvalid(f"{by}.toml", "extends", f"there is no contract {name[:40]}")
            raise NotFound("contract", name)
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError:
            raise ContractInvalid(path.name, "", "can't be read") from None
        except UnicodeDecodeError:
            raise ContractInvalid(path.name, "", "isn't UTF-8") from None
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise ContractInvalid(path.name, "", f"isn't TOML: {error}") from None
        base = content.pop("extends", None)
        if base is None:
            return content
        if by or not isinstance(base, str):
            raise ContractInvalid(path.name, "extends", "not the name of a contract that stands on its own")
        return _merged(self._load(base, by=name), content)


def _merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Return `base` with the tables of `over` laid into it."""
    both = dict(base)
    for name, value in over.items():
        under = both.get(name)
        both[name] = _merged(under, value) if isinstance(under, dict) and isinstance(value, dict) else value
    return both


def _build(name: str, content: dict[str, Any]) -> Contract:
    top = Table(content, f"{name}.toml")
    key, calls, answers = top.table("key"), top.table("calls"), top.table("answers")
    key_form = key.text("form")
    if key_form.count("{key}") != 1 or not key_form.isprintable():
        raise key.wrong("form", "has not exactly one {key}")
    contract = Contract(
        name=name,
        title=top.text("title"),
        selectable=top.flag("selectable", default=True),
        portal_path=_portal_path(top),
        key_header=key.header("header"),
        key_form=key_form,
        permissions=_permissions(top.table("permissions")),
        probe=_probe(top.table("probe")),
        status=calls.call("status", needs=_SALE),
        look_up=calls.call("look_up", needs={"device_id", "reference"}) if calls.has("look_up") else None,
        look_up_items=calls.paths("look_up_items", required=calls.has("look_up")),
        cancel=calls.call("cancel", needs=_SALE) if calls.has("cancel") else None,
        devices=calls.call("devices") if calls.has("devices") else None,
        device_fields=_device_fields(top.table("devices")),
        sales=_sales(top.table("sales")),
        started=_answer_fields(answers.table("started")),
        held=_answer_fields(answers.table("held")),
        statuses=top.table("statuses").words(without={Meaning.BY_CODE}),
        responses=top.table("responses").words(without={Meaning.BY_SUCCESS, Meaning.GOES_ON}),
        codes=top.table("codes").code_ranges(),
        errors=_error_fields(top.table("errors")),
        portal=_portal(top.table("portal")) if top.has("portal") else None,
    )
    for table in (key, calls, answers, top):
        table.finish()
    if contract.look_up and not contract.started.reference:
        raise top.wrong("answers.started.reference", "missing, and look_up can't do without")
    return contract


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


def _sales(table: Table) -> dict[SaleMode, SaleForm]:
    forms = {mode: _sale_form(mode, table.table(mode.value)) for mode in SaleMode if table.has(mode.value)}
    if SaleMode.ASYNCHRONOUS not in forms:
        raise table.wrong(SaleMode.ASYNCHRONOUS.value, "missing")
    table.finish()
    return forms


def _sale_form(mode: SaleMode, table: Table) -> SaleForm:
    in_path = not table.has("device")
    form = SaleForm(
        call=table.call("call", needs={"device_id"} if in_path else ()),
        waits=table.flag("waits", default=mode is not SaleMode.ASYNCHRONOUS),
        amount=table.path("amount"),
        currency=table.path("currency"),
        reference=table.path("reference"),
        device="" if in_path else table.path("device"),
        key=table.path("key") if table.has("key") else "",
    )
    _refuse_clashes(table, [form.amount, form.currency, form.reference, form.device, form.key])
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


def _answer_fields(table: Table) -> AnswerFields:
    fields = AnswerFields(
        request_id=table.paths("request_id"),
        status=table.paths("status"),
        success=table.paths("success", required=False),
        response=table.paths("response", required=False),
        response_code=table.paths("response_code", required=False),
        transaction_id=table.paths("transaction_id"),
        authorisation=table.paths("authorisation", required=False),
        message=table.paths("message", required=False),
        reference=table.paths("reference", required=False),
    )
    table.finish()
    return fields


def _error_fields(table: Table) -> ErrorFields:
    fields = ErrorFields(
        kind=table.paths("type"),
        code=table.paths("code"),
        message=table.paths("message"),
        reference=table.paths("reference"),
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
