"""Contracts: a gateway's paths, field names and status words, read from TOML files on first use.

The program brings presets; a person's own file in the data folder wins over the preset of its name. A file
that can't be used never keeps the program from opening: it is told when its contract is used or checked.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any, Final

from cattrs import BaseValidationError, Converter, ForbiddenExtraKeysError
from cattrs.gen import make_dict_structure_fn, override

from keybench.core.errors import ContractInvalid
from keybench.core.input_errors import NotFound
from keybench.core.ports import ContractFile
from keybench.core.sales.sale import SaleMode
from keybench.gateway.contract import AnswerFields, Contract
from keybench.gateway.contract_rules import Shape, Wrong, flag, text
from keybench.runtime.data_folder import resource_path
from keybench.runtime.file_system import read_file

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,40}")
_SUFFIX: Final = ".toml"
#: A contract is some kilobytes; whatever is larger is another file.
_LARGEST: Final = 256 * 1024


class Contracts:
    """The presets and a person's own contracts, each read once; implements `core.ports.ContractFiles`."""

    def __init__(self, own: Path | None = None, *, presets: Path | None = None) -> None:
        self._own = own
        self._presets = presets or resource_path("contracts")
        self._read: dict[str, Contract] = {}

    def get(self, name: str) -> Contract:
        """Return the contract of that name."""
        if name not in self._read:
            path = self._find(name)
            if path is None:
                raise NotFound("contract", name)
            self._read[name] = self._built(path)
        return self._read[name]

    def selectable(self) -> Sequence[str]:
        """Return the names of the contracts a person can choose, in order; a faulty file isn't offered."""
        return [file.name for file in self.listed() if file.facts and file.selectable]

    def listed(self) -> Sequence[ContractFile]:
        """Return every contract by name, the ones that can't be used with the reason."""
        return [self._summary(path) for path in (self._find(name) for name in self._names()) if path]

    def checked(self, path: Path) -> ContractFile:
        """Read a file from anywhere as if it were one of the person's own, and return what it says."""
        return self._described(path, self._built(path))

    def _names(self) -> Sequence[str]:
        folders = [self._presets, self._own] if self._own else [self._presets]
        found = {path.stem for folder in folders for path in folder.glob(f"*{_SUFFIX}")}
        return sorted(name for name in found if _NAME.fullmatch(name))

    def _find(self, name: str, extended_by: Sequence[Path] = ()) -> Path | None:
        """Return the file that counts for a name.

        A preset extends presets only, so that a person's own file can't spoil the others; and no file
        extends itself, which lets one's own ``v5.toml`` extend the preset of that name.
        """
        if not _NAME.fullmatch(name):
            return None
        own = self._own if not extended_by or self._is_own(extended_by[-1]) else None
        paths = [folder / f"{name}{_SUFFIX}" for folder in (own, self._presets) if folder]
        return next((path for path in paths if path not in extended_by and path.is_file()), None)

    def _summary(self, path: Path) -> ContractFile:
        try:
            return self._described(path, self.get(path.stem))
        except ContractInvalid as error:
            return ContractFile(path.stem, own=self._is_own(path), trouble=error)

    def _described(self, path: Path, contract: Contract) -> ContractFile:
        return ContractFile(
            contract.name,
            own=self._is_own(path),
            selectable=contract.selectable,
            facts=contract.facts,
            calls=calls_of(contract),
        )

    def _is_own(self, path: Path) -> bool:
        return path.parent != self._presets

    def _built(self, path: Path) -> Contract:
        try:
            return built(path.name, self._content(path, ()))
        except RecursionError:
            raise ContractInvalid(path.name, "", "is nested too deep") from None

    def _content(self, path: Path, extended_by: tuple[Path, ...]) -> dict[str, Any]:
        content = _parsed(path)
        base = content.pop("extends", None)
        if base is None:
            return content
        chain = (*extended_by, path)
        under = self._find(base, chain) if isinstance(base, str) else None
        if under is None:
            shown = base[:40] if isinstance(base, str) else "of that kind"
            raise ContractInvalid(path.name, "extends", f"there is no other contract {shown}")
        return _merged(self._content(under, chain), content)


def _parsed(path: Path) -> dict[str, Any]:
    try:
        raw = read_file(path, _LARGEST)
        if len(raw) > _LARGEST:
            raise ContractInvalid(path.name, "", "is too large for a contract")
        return tomllib.loads(raw.decode("utf-8"))
    except OSError as error:
        raise ContractInvalid(
            path.name, "", f"can't be read ({error.strerror or 'no reason given'})"
        ) from None
    except UnicodeDecodeError:
        raise ContractInvalid(path.name, "", "isn't UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ContractInvalid(path.name, "", f"isn't TOML: {error}") from None


def _merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    both = dict(base)
    for name, value in over.items():
        under = both.get(name)
        both[name] = _merged(under, value) if isinstance(under, dict) and isinstance(value, dict) else value
    return both


def built(file: str, content: dict[str, Any]) -> Contract:
    """Return the contract in a file's tables."""
    try:
        contract = _CONVERTER.structure(content, Contract)
    except (BaseValidationError, Wrong) as error:
        where, reason = _first_fault(error)
    else:
        return replace(contract, name=file.removesuffix(_SUFFIX))
    raise ContractInvalid(file, where, reason)


def _converter() -> Converter:
    """Return a converter of tables to dataclasses, by `Annotated`'s rules; it refuses unknown fields."""
    converter = Converter()

    def table_of(kind: Any) -> Callable[[Any, Any], Any]:
        fill = make_dict_structure_fn(
            kind, converter, _cattrs_forbid_extra_keys=True, name=override(omit=kind is Contract)
        )

        def table(raw: Any, _: Any) -> Any:
            if not isinstance(raw, dict):
                raise Wrong("not a table")
            return fill(raw, kind)

        return table

    def by_rule(kind: Any) -> Callable[[Any, Any], Any]:
        (rule,) = kind.__metadata__
        return lambda raw, _: rule(raw)

    converter.register_structure_hook_factory(is_dataclass, table_of)
    converter.register_structure_hook_factory(lambda kind: hasattr(kind, "__metadata__"), by_rule)
    converter.register_structure_hook(str, lambda raw, kind: kind(text(raw)))  # enumerations, too
    converter.register_structure_hook(bool, lambda raw, _: flag(raw))
    return converter


_CONVERTER: Final = _converter()


def _first_fault(error: BaseException) -> tuple[str, str]:
    """Return where in a file the first of an error's faults is, as a dotted path, and what is wrong there."""
    steps: list[str] = []
    while isinstance(error, BaseValidationError):
        error = error.exceptions[0]
        notes = getattr(error, "__notes__", ())  # cattrs' own: a field's name, or the name of a table's item
        steps += [getattr(note, "name", "") or getattr(note, "index", "") for note in notes]
    match error:
        case Wrong():
            return ".".join([*steps, *filter(None, [error.where])]), error.reason
        case ForbiddenExtraKeysError():
            return ".".join([*steps, min(error.extra_fields)]), "unknown field"
        case KeyError():
            return ".".join(steps), "missing"
        case AttributeError():  # a table was expected
            return ".".join(steps), "not a table"
        case _:  # a name that is no member of an enumeration
            return ".".join(steps), "unknown field"


def calls_of(contract: Contract) -> dict[str, str]:
    """Return what a contract makes the program send, to be compared with a gateway's documents.

    Each call stands by its purpose, such as ``status``: ``GET /api/…, Authorization: Bearer {key}``.
    """
    key, calls = contract.key, contract.calls
    keyed = f"{key.header}: {key.form}"
    of_status = f"{key.header}: {key.status_form or key.form}"
    told = {f"sale {mode}": _sale(contract, mode, keyed) for mode in contract.modes}
    told["status"] = f"{calls.status}, {of_status}"
    if contract.long_poll:
        held = f"held up to {contract.long_poll.held_s:g} s"
        told["long poll"] = f"{contract.long_poll.call}, {of_status}, {held}"
    for name, call in (
        ("look up", calls.look_up),
        ("look up, next page", calls.look_up_page),
        ("cancel", calls.cancel),
        ("devices", calls.devices),
        ("device", calls.device),
        ("register a device", calls.register_device),
        ("rename a device", calls.rename_device),
        ("deregister a device", calls.deregister_device),
        ("test of a key", contract.probe.call),
        ("proof that should be refused", contract.proof and contract.proof.refused),
    ):
        if call:
            told[name] = f"{call}, {keyed}"
    if calls.look_up_next and not calls.look_up_page:
        told["look up, next page"] = f"GET the address at {' or '.join(calls.look_up_next)}, {keyed}"
    if calls.look_up:
        told["look up, whole list"] = calls.look_up_whole or "not told, so no sale is said never to have come"
    told["answer about a sale"] = _compared(contract.started)
    for mode in contract.modes:
        if contract.reads(mode) != contract.started:
            told[f"answer to sale {mode}"] = _compared(contract.reads(mode))
    return told


def _compared(fields: AnswerFields) -> str:
    """Return what of an answer is compared with what was asked for, and where that stands."""
    named = {
        "amount": fields.amount,
        "approved amount": fields.approved,
        "currency": fields.currency,
        "device": fields.device,
        "reference": fields.reference,
    }
    compared = [f"{name} ({' or '.join(paths)})" for name, paths in named.items() if paths]
    return f"compared with the order: {', '.join(compared) or 'nothing'}"


def _sale(contract: Contract, mode: SaleMode, keyed: str) -> str:
    form = contract.sales[mode]
    body = "a form" if form.body is Shape.FORM else "JSON"
    key = f"{body} with the key as {form.key}" if form.key else f"{body}, {keyed}"
    return f"{form.call}, {key}{', held until the outcome' if contract.waits(mode) else ''}"
