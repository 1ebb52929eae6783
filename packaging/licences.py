"""The licences of all that a bundle has, for the bundle itself and for About.

`_internal/keybench/resources/licences/` gets `licences.json`, a list of components with their licence and the
file that has its text, these texts, and the notice that the LGPL asks for.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from license_expression import LicenseWithExceptionSymbol

import product
from messages import SetupError
from origins import Component, spdx
from shipped import CONTENTS, RESOURCES, Inventory

#: Where the licences are in a bundle.
FOLDER: Final = f"{CONTENTS}/{RESOURCES}/licences"
#: Texts that no package brings: SPDX's, by their ids, and a few that differ from these.
TEXTS: Final = Path(__file__).with_name("licences")
NOTICE: Final = "qt-notice.txt"
_COMMON: Final = Path("/usr/share/common-licenses")
_REFERENCE: Final = re.compile(r"/usr/share/common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9])")


def write(inventory: Inventory) -> list[str]:
    """Write the licences into a bundle and return the paths of their files in it.

    Raises:
        SetupError: A component's licence or its text isn't known; the text names all of these.
    """
    folder = inventory.folder / FOLDER
    problems = []
    listed: list[Mapping[str, Any]] = []
    files: dict[str, str] = {}
    for component in sorted(inventory.components.values(), key=_by_name):
        if component.ref == inventory.ours:
            continue
        try:
            text = text_of(component)
        except SetupError as error:
            problems.append(f"    {_name(component, inventory)}: {error}")
            continue
        file = next((name for name, known in files.items() if known == text), None)
        if file is None:
            file = _free(_name(component, inventory), files)
            files[file] = text
        listed.append(
            {
                "name": _name(component, inventory),
                "version": component.version,
                "licence": component.licence,
                "text": file,
                "notice": component.notice,
            }
        )
    if problems:
        raise SetupError("The licence of some of what the bundle has isn't known:\n" + "\n".join(problems))
    files[NOTICE] = notice(inventory)
    for name in ("GPL-3.0.txt", "LGPL-3.0.txt", "LGPL-2.1.txt"):
        files[name] = (TEXTS / name).read_text("utf-8")
    files["licences.json"] = json.dumps(listed, indent=1, ensure_ascii=False) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8", newline="\n")
    return [f"{FOLDER}/{name}" for name in sorted(files)]


def text_of(component: Component) -> str:
    """Return a component's licence as it is to be read: as it brings it, else its holders and SPDX's text.

    Raises:
        SetupError: Its licence isn't known, or there is no text of it.
    """
    if not component.licence:
        raise SetupError("it doesn't say its licence")
    if component.texts and not component.text:
        return "\n\n".join(text.strip("\n") for text in _read(component.texts)) + "\n"
    names = [component.text] if component.text else _standard(spdx().parse(component.licence))
    if names is None:
        raise SetupError(f"packaging/licences/ has no text of {component.licence}")
    texts = ((TEXTS / name).read_text("utf-8").strip("\n") for name in names)
    return "\n\n".join(["\n".join([component.licence, *component.copyright]), *texts]) + "\n"


def notice(inventory: Inventory) -> str:
    """Return what is to be said of Qt and other libraries under the LGPL, in their shipped versions."""
    versions = {one.name: one.version for one in inventory.components.values()}
    return (
        (TEXTS / NOTICE)
        .read_text("utf-8")
        .format(
            qt=versions["Qt"],
            pyside=versions["PySide6_Essentials"],
            minor=".".join(versions["Qt"].split(".")[:2]),
            maintainer=product.MAINTAINER,
            address=product.MAINTAINER_ADDRESS,
        )
    )


def _read(paths: tuple[Path, ...]) -> Iterator[str]:
    """Yield texts of licences, and after them those that they only refer to."""
    referred: dict[str, None] = {}
    for path in paths:
        text = path.read_text("utf-8", errors="replace").replace("\r\n", "\n")
        yield text
        referred |= dict.fromkeys(_REFERENCE.findall(text))
    for name in referred:
        common = _COMMON / name
        if not common.is_file():
            raise SetupError(f"it refers to {common}, which isn't there")
        yield f"{common.name}\n{'-' * len(common.name)}\n\n{common.read_text('utf-8')}"


def _standard(expression: Any) -> list[str] | None:
    """Return the files with the texts of an SPDX expression; None where one is missing.

    Where it leaves a choice the shortest are chosen.
    """
    if isinstance(expression, LicenseWithExceptionSymbol):
        names = [_file(expression.license_symbol.key), _file(expression.exception_symbol.key)]
    elif not expression.args:
        names = [_file(expression.key)]
    else:
        every = [_standard(one) for one in expression.args]
        known = [one for one in every if one is not None]
        if isinstance(expression, spdx().OR):
            return min(known, key=_length, default=None)
        return [name for one in known for name in one] if len(known) == len(every) else None
    return names if all((TEXTS / name).is_file() for name in names) else None


def _file(licence: str) -> str:
    return f"{re.sub('-(only|or-later)$', '', licence)}.txt"


def _length(names: list[str]) -> int:
    return sum((TEXTS / name).stat().st_size for name in names)


def _name(component: Component, inventory: Inventory) -> str:
    holder = inventory.components.get(component.inside)
    return f"{component.name} (in {holder.name})" if holder else component.name


def _by_name(component: Component) -> tuple[str, str]:
    return component.name.lower(), component.ref


def _free(name: str, taken: Mapping[str, str]) -> str:
    slug = re.sub(r"[^a-z0-9.+-]+", "-", name.lower()).strip("-")
    return next(
        one for one in (f"{slug}.txt", *(f"{slug}-{n}.txt" for n in range(2, 99))) if one not in taken
    )
