"""The bill of materials of a one-folder bundle, from the files that are in it: CycloneDX 1.6 in JSON.

A component holds its files, each with its SHA-256, and what was built into it; the modules that are packed
into the program are its evidence. The same bundle gives the same bytes: the serial number comes from what is
in it, and the time from the bundle. Run in the environment that packed the bundle; sbom.py sees to that.
"""

import os
import sys
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component as Listed
from cyclonedx.model.component import ComponentType
from cyclonedx.model.component_evidence import ComponentEvidence, Occurrence
from cyclonedx.model.dependency import Dependency
from cyclonedx.model.lifecycle import LifecyclePhase, PredefinedLifecycle
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

import licences
from command_line import telling_trouble
from messages import SetupError, say
from origins import CPYTHON, Component
from product import MAINTAINER_ADDRESS
from sbom import BILL, NAMESPACE
from shipped import Inventory, digest, program_of, take

_KINDS: Final = {"Qt": ComponentType.FRAMEWORK, CPYTHON: ComponentType.PLATFORM}


@telling_trouble()
def main(arguments: list[str]) -> int:
    """Put bill and licences into the bundle named first, or write its bill to the file named second."""
    folder = Path(arguments[0])
    if arguments[1:]:
        written = Path(arguments[1])
        written.write_bytes(written_bill(take(folder)))
    else:
        written = put_into(folder)
    say(f"The bill of materials has {written.stat().st_size / 1e3:.0f} KB.")
    return 0


def put_into(folder: Path) -> Path:
    """Write a bundle's licences and its bill of materials into it, and return the bill.

    Raises:
        SetupError: It can't be said what something is, or under which licence; the text names it.
        OSError: The bundle can't be written.
    """
    inventory = take(folder)
    for path in licences.write(inventory):
        inventory.files[path] = inventory.ours
    if MAINTAINER_ADDRESS.endswith(".invalid"):
        say(f"Before this is published: nobody reads {MAINTAINER_ADDRESS}, which offers Qt's source.")
    written = folder / BILL
    written.write_bytes(written_bill(inventory))
    return written


def written_bill(inventory: Inventory) -> bytes:
    """Return the bill of materials of what is in a bundle.

    Raises:
        SetupError: It isn't what the standard asks for.
    """
    listed = {ref: _listed(inventory, one) for ref, one in inventory.components.items()}
    for ref, component in inventory.components.items():
        if component.inside:
            listed[component.inside].components.add(listed[ref])
    bill = Bom(
        components=[
            one for ref, one in listed.items() if ref != inventory.ours and not _inside(inventory, ref)
        ],
        serial_number=_serial(inventory),
        metadata=BomMetaData(
            component=listed[inventory.ours],
            timestamp=_made_at(inventory.folder),
            lifecycles=[PredefinedLifecycle(LifecyclePhase.POST_BUILD)],
        ),
        dependencies=[
            Dependency(one.bom_ref, [Dependency(listed[needed].bom_ref) for needed in inventory.needs[ref]])
            for ref, one in listed.items()
        ],
    )
    written = JsonV1Dot6(bill).output_as_string(indent=1) + "\n"
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(written)
    if error is not None:
        raise SetupError(f"The bill of materials isn't what CycloneDX 1.6 asks for: {error}")
    return written.encode()


def _listed(inventory: Inventory, component: Component) -> Listed:
    """Return a component as the bill lists it, with its files and its modules."""
    ours = component.ref == inventory.ours
    modules = [name for name, owner in inventory.modules.items() if owner == component.ref]
    return Listed(
        bom_ref=component.ref,
        type=ComponentType.APPLICATION if ours else _KINDS.get(component.name, ComponentType.LIBRARY),
        name=component.name,
        version=component.version or None,
        purl=PackageURL.from_string(component.purl),
        cpe=component.cpe or None,
        copyright="\n".join(component.copyright) or None,
        licenses=[LicenseFactory().make_from_string(component.licence)] if component.licence else None,
        evidence=_packed(inventory, modules) if modules else None,
        components=[
            Listed(
                bom_ref=f"file:{path}",
                type=ComponentType.FILE,
                name=path,
                hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest(inventory.folder / path))],
            )
            for path in inventory.files_of(component.ref)
        ],
    )


def _packed(inventory: Inventory, modules: Iterable[str]) -> ComponentEvidence:
    """Return where modules are: in the archive that is a part of the program."""
    program = program_of(inventory.folder).name
    # What has no name of its own is put in an order by chance.
    places = [Occurrence(bom_ref=f"module:{name}", location=f"{program}!{name}") for name in modules]
    return ComponentEvidence(occurrences=places)


def _inside(inventory: Inventory, ref: str) -> bool:
    return bool(inventory.components[ref].inside)


def _serial(inventory: Inventory) -> uuid.UUID:
    content = [f"{path} {digest(inventory.folder / path)}" for path in sorted(inventory.files)]
    return uuid.uuid5(NAMESPACE, "\n".join([*content, *sorted(inventory.components)]))


def _made_at(folder: Path) -> datetime:
    """Return when a bundle was made; all of its files have that time."""
    told = os.environ.get("SOURCE_DATE_EPOCH") or program_of(folder).stat().st_mtime
    return datetime.fromtimestamp(int(told), UTC)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
