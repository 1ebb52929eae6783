"""``bundle``: save a support bundle, or show what one says."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from keybench.cli import exits
from keybench.cli.output import Output
from keybench.cli.running import with_console
from keybench.core.bundle import BundleDiagnosis, diagnosis_of
from keybench.core.errors import BundleInvalid, BundleUnsafe, KeystoreError
from keybench.core.history import REFERENCE_START
from keybench.runtime.documents import to_plain
from keybench.runtime.file_system import read_file
from keybench.words.bundle import STEPS, headline, sale_state, summary, taken_out_words
from keybench.words.bundle_errors import thing, unsafe_words
from keybench.words.bundle_page import bundle_page
from keybench.words.language import _
from keybench.workflows.bundle import Bundles
from keybench.workflows.console import Console

#: More is no diagnosis.
_MOST_OF_DIAGNOSIS = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add where to, and what about."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", metavar="FILE", help=_("write it to FILE.zip"))
    what.add_argument("--open", metavar="FILE", help=_("show what the bundle FILE says; nothing is sent"))
    parser.add_argument(
        "--sale", default="", metavar="REFERENCE", help=_("about one sale (default: the newest sales)")
    )
    parser.add_argument(
        "--diagnosis",
        metavar="FILE",
        help=_("put the lines of `keybench diagnose --json` in FILE into it"),
    )


@with_console
async def run(console: Console, options: argparse.Namespace, output: Output) -> int:
    """Save a bundle, or show one."""
    bundles = Bundles(console, bundle_page)
    if options.open:
        return await _show(bundles, Path(options.open), output)
    told: set[str] = set()

    def progress(step: str, _done: int, _total: int) -> None:
        if step not in told:
            told.add(step)
            output.message(STEPS[step])

    try:
        prepared = await bundles.prepare(
            _reference(options.sale), diagnosis=_diagnosis(options.diagnosis), progress=progress
        )
    except BundleUnsafe as error:
        return _unsafe(error, output)
    except KeystoreError as error:
        return output.failure(error, {"written": False}, status=exits.NO_KEYSTORE)
    for what, where in taken_out_words(prepared.bundle):
        output.message(_("Left out: {what}: {where}").format(what=what, where=where))
    path = Path(options.out)
    await bundles.save(prepared, path)
    record = {
        "file": str(path),
        "written": True,
        "bytes": len(prepared.data),
        "files": [file.name for file in prepared.files],
        "sales": len(prepared.bundle.sales),
        "exchanges": len(prepared.bundle.exchanges),
        "taken_out": [to_plain(one) for one in prepared.bundle.taken_out],
    }
    output.result(record, _("Wrote {path}. Checked: no key value appears here.").format(path=path))
    return exits.DONE


def _unsafe(error: BundleUnsafe, output: Output) -> int:
    title, places = unsafe_words(error)
    output.message(_("keybench: {title}").format(title=title))
    output.message(places)
    if output.as_json:
        found = [{"what": thing(what), "file": file, "where": where} for what, file, where in error.places]
        record = {"error": "BundleUnsafe", "written": False, "exit_status": exits.OTHER, "found": found}
        output.result(record, "")
    return exits.OTHER


async def _show(bundles: Bundles, path: Path, output: Output) -> int:
    bundle = await bundles.open(path)
    facts = "\n".join(f"{name}: {text}" for name, text in summary(bundle))
    record = {
        "about": bundle.about,
        "saved_at": bundle.saved_at.isoformat(),
        "versions": to_plain(bundle.versions),
        "settings": to_plain(bundle.settings),
        "diagnosis": to_plain(bundle.diagnosis),
        "exchanges": len(bundle.exchanges),
        "taken_out": [to_plain(one) for one in bundle.taken_out],
    }
    output.result(record, f"{headline(bundle)}\n{facts}")
    for sale in bundle.sales:
        at = sale.noted_at.isoformat(sep=" ", timespec="seconds")
        words = (at, sale.reference, sale.environment, sale.device, f"{sale.amount} {sale.currency}")
        output.result(
            {"sale": to_plain(sale)}, "  ".join((*words, sale_state(sale), sale.message or sale.reason))
        )
    return exits.DONE


def _reference(text: str) -> str:
    return f"{REFERENCE_START}{text.strip().upper().removeprefix(REFERENCE_START)}" if text.strip() else ""


def _diagnosis(path: str | None) -> BundleDiagnosis | None:
    if not path:
        return None
    lines: list[Mapping[str, Any]] = []
    try:
        for line in read_file(Path(path), _MOST_OF_DIAGNOSIS).decode("utf-8").splitlines():
            plain = json.loads(line)
            lines += [plain] if isinstance(plain, dict) else []
    except (OSError, ValueError, RecursionError):
        raise BundleInvalid(BundleInvalid.UNREADABLE) from None
    return diagnosis_of(lines)
