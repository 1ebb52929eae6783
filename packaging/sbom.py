"""Write a bundle's bill of materials and licences: `python3 packaging/sbom.py BUNDLE [--out FILE]`.

The bill is CycloneDX 1.6 in JSON. Every file of the folder, and every module that is packed into its program,
stands at one component; what belongs to nobody is named, and then nothing is written. Without `--out` bill
and licences are put into the bundle, as bundle.py does it; with it the bill of the bundle goes to FILE.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import uuid

if sys.version_info < (3, 11):  # noqa: UP036 - so that an older Python gets a sentence and not a SyntaxError
    sys.exit("Keybench needs Python 3.11 or later, and this is %d.%d." % sys.version_info[:2])  # noqa: UP031

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import environment
import system_parts
from command_line import telling_trouble

#: The bill of materials in a bundle. It tells of every file but itself.
BILL: Final = "_internal/keybench/resources/sbom.cdx.json"
#: A name space of our own, so that one content has one serial number.
NAMESPACE: Final = uuid.UUID("6b1b8f4e-5a3c-4d0e-9a57-1c0c7a1d2b61")
_ROOT = Path(__file__).resolve().parent.parent


@telling_trouble()
def main(arguments: list[str]) -> int:
    """Write what is asked for and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="sbom.py", description="Write the bill of materials and the licences of a bundle."
    )
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="the folder that bundle.py made")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the bill alone, to this file")
    options = parser.parse_args(arguments)
    system_parts.ensure_for_bundle()
    python = environment.ensure(_ROOT, "build")
    command = [os.fspath(python), os.fspath(Path(__file__).with_name("bill.py")), options.bundle]
    return subprocess.run([*command, *filter(None, [options.out])], check=False).returncode


def renew(folder: Path) -> None:
    """Write the digests of files that were signed since into the bundle's bill, if it has one.

    Raises:
        OSError: It can't be read or written.
    """
    path = folder / BILL
    if not path.exists():
        return
    bill = json.loads(path.read_text("utf-8"))
    content = [bill["serialNumber"]]
    for file in _files([bill["metadata"]["component"], *bill["components"]]):
        digest = hashlib.sha256((folder / file["name"]).read_bytes()).hexdigest()
        file["hashes"] = [{"alg": "SHA-256", "content": digest}]
        content.append(digest)
    bill["serialNumber"] = uuid.uuid5(NAMESPACE, "\n".join(content)).urn
    path.write_text(json.dumps(bill, indent=1) + "\n", "utf-8", newline="\n")


def _files(components: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for one in components:
        if one["type"] == "file":
            yield one
        yield from _files(one.get("components", []))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
