"""``bundle``: save a support bundle."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from keybench.cli import exits
from keybench.cli.arguments import reference_of
from keybench.cli.output import Output
from keybench.cli.running import with_console
from keybench.core.errors import BundleUnsafe, KeystoreError
from keybench.core.input_errors import DiagnosisInvalid
from keybench.core.support.bundle import HAR, MANIFEST, TIMELINE, diagnosis_record
from keybench.runtime.file_system import read_file
from keybench.words.language import _
from keybench.words.support.bundle import taken_out_words, thing
from keybench.words.support.page import bundle_page
from keybench.workflows.console import Console
from keybench.workflows.support.bundles import Bundles

#: More is no diagnosis.
_MOST_OF_DIAGNOSIS = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", required=True, metavar="FILE", help=_("write it to FILE.zip"))
    parser.add_argument("--sale", metavar="REFERENCE", help=_("about one sale (default: the newest sales)"))
    parser.add_argument(
        "--diagnosis",
        metavar="FILE",
        help=_("put the lines of `keybench diagnose --json` in FILE into it"),
    )


@with_console
async def run(console: Console, options: argparse.Namespace, output: Output) -> int:
    bundles = Bundles(console, bundle_page)
    try:
        reference = reference_of(options.sale) if options.sale else ""
        prepared = await bundles.prepare(reference, diagnosis=_diagnosis(options.diagnosis))
    except BundleUnsafe as error:
        found = [{"what": thing(what), "file": file, "where": where} for what, file, where in error.places]
        return output.failure(error, {"written": False, "found": found})
    except KeystoreError as error:
        return output.failure(error, {"written": False}, status=exits.NO_KEYSTORE)
    documents = prepared.documents
    for what, where in taken_out_words(documents):
        output.message(_("Left out: {what}: {where}").format(what=what, where=where))
    path = Path(options.out)
    await bundles.save(prepared, path)
    record = {
        "file": str(path),
        "written": True,
        "bytes": len(prepared.data),
        "files": [file.name for file in prepared.files],
        "sales": len(documents[TIMELINE]["sales"]),
        "exchanges": len(documents[HAR]["log"]["entries"]),
        "taken_out": documents[MANIFEST]["taken_out"],
    }
    output.result(record, _("Wrote {path}. Checked: no key value appears here.").format(path=path))
    return exits.DONE


def _diagnosis(path: str | None) -> dict[str, Any] | None:
    if not path:
        return None
    try:
        text = read_file(Path(path), _MOST_OF_DIAGNOSIS).decode("utf-8")
        lines = [json.loads(line) for line in text.splitlines()]
    except (OSError, ValueError, RecursionError):
        raise DiagnosisInvalid("unreadable") from None
    return diagnosis_record([line for line in lines if isinstance(line, dict)])
