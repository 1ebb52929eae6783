"""Contracts: a gateway's paths, field names and status words, read from TOML files on first use.

The program brings presets; a person's own file in the data folder wins over the preset of its name. A file
that can't be used never keeps the program from opening: it is told when its contract is used or checked.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from keybench.core.errors import ContractInvalid, NotFound
from keybench.core.ports import ContractFile
from keybench.gateway.contract_build import build
from keybench.gateway.contract_model import Contract
from keybench.gateway.contract_summary import calls_of
from keybench.runtime.data_folder import resource_path

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,40}")
_SUFFIX: Final = ".toml"
#: A contract is some kilobytes; whatever is larger is another file.
_LARGEST: Final = 256 * 1024


class Contracts:
    """The presets and a person's own contracts, each read once; implements `core.ports.ContractFiles`.

    Args:
        own: Where a person's own ``.toml`` files are, if anywhere; it needn't exist.
        presets: Where the presets are; the program's own if None.
    """

    def __init__(self, own: Path | None = None, *, presets: Path | None = None) -> None:
        self._own = own
        self._presets = presets or resource_path("contracts")
        self._read: dict[str, Contract] = {}

    def get(self, name: str) -> Contract:
        """Return the contract of that name.

        Raises:
            NotFound: There is none.
            ContractInvalid: Its file can't be used.
        """
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
        """Read a file from anywhere as if it were one of the person's own, and return what it says.

        Raises:
            ContractInvalid: It can't be used.
        """
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
            return build(path.name, self._content(path, ()))
        except RecursionError:
            raise ContractInvalid(path.name, "", "is nested too deep") from None

    def _content(self, path: Path, extended_by: tuple[Path, ...]) -> dict[str, Any]:
        """Return a file's tables, laid over those of the contract it extends."""
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
        with path.open("rb") as file:
            raw = file.read(_LARGEST + 1)
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
    """Return `base` with the tables of `over` laid into it."""
    both = dict(base)
    for name, value in over.items():
        under = both.get(name)
        both[name] = _merged(under, value) if isinstance(under, dict) and isinstance(value, dict) else value
    return both
