"""Keep the catalogues in resources/languages.

    .venv/bin/python packaging/languages.py [--compile] [LANGUAGE…]

It brings every catalogue up to date with the sentences of the program, the manual and the lessons, compiles
it, and tells what it lacks and what is wrong with it. A language that is named, such as `nl`, gets a
catalogue first. With --compile it only compiles, as run.py does whenever a catalogue is newer.
"""

import argparse
import io
import os
import re
import string
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from messages import complain, say

ROOT: Final = Path(__file__).resolve().parents[1]
#: Each has to have every sentence; of others what is missing is English.
COMPLETE: Final = ("de", "es", "fr")
#: A sentence, or the two forms of one that counts.
Message = str | tuple[str, str]
#: What a translation has as often as its sentence: tags, code, links, stress, options, and what Alt picks.
_KEPT: Final = re.compile(
    r"</?\w+[^>]*>|`[^`]*`|\]\([^)]*\)|\*\*|&(?=\w)(?!\w+;)|--[a-z][\w-]*|%(?:\(\w+\))?[rs]"
)
_ENDS: Final = (".", "…", "?", ":")
#: What is no word of a sentence: places, names of controls and devices, code, options and files.
_NO_WORDS: Final = re.compile(
    r"\{\w*\}|\*\*[^*]+\*\*|[Tt]ill[ -]\d|`[^`]*`|--[\w-]+|\([\w-]+\.md\)|[\w-]+\.(?:csv|json|md)"
)


def folder(root: Path = ROOT) -> Path:
    """Return where a checkout has its catalogues."""
    return root / "resources" / "languages"


def is_compiled(root: Path) -> bool:
    """Tell whether every catalogue of a checkout is compiled as it is now; needs no package."""
    for source in folder(root).glob("*.po"):
        made = _compiled(source, "keybench")
        if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
            return False
    return True


def ensure_compiled(root: Path, python: Path) -> None:
    """Compile the catalogues of a checkout by its environment's Python, where one is newer."""
    if not is_compiled(root):
        script = root / "packaging" / "languages.py"
        subprocess.run(
            [os.fspath(python), os.fspath(script), "--compile"], check=True, stdout=subprocess.DEVNULL
        )


def _compiled(source: Path, domain: str) -> Path:
    return source.parent / source.stem / "LC_MESSAGES" / f"{domain}.mo"


def sentences(root: Path = ROOT) -> dict[Message, list[str]]:
    """Return every sentence that people read, with the files it stands in."""
    found: dict[Message, list[str]] = {}
    for message, file in _read(root):
        files = found.setdefault(message, [])
        if file not in files:
            files.append(file)
    return found


def _read(root: Path) -> Iterator[tuple[Message, str]]:
    from babel.messages.extract import extract_from_dir  # noqa: PLC0415 - set-up imports this file without packages

    from keybench.words.texts import has_words, parts, texts_of  # noqa: PLC0415 - same
    from keybench.workflows.lessons.files import desk_files, lesson_files, read_lesson  # noqa: PLC0415 - same

    app = root / "app" / "keybench"
    for file, _line, message, _comments, _context in sorted(
        extract_from_dir(app), key=lambda one: (one[0], one[1])
    ):
        yield message if isinstance(message, str) else (message[0], message[1]), file
    pages = [*sorted((root / "resources" / "manual").glob("*.md")), root / "resources" / "changes.md"]
    for page in pages:
        for part in chain(*parts(page.read_text("utf-8"))):
            if has_words(part):
                yield part, f"texts/{page.name}"
    for path in sorted((root / "resources" / "contracts").glob("*.toml")):
        contract = tomllib.loads(path.read_text("utf-8"))
        for told in (contract["title"], *contract.get("amounts", {}).values()):
            yield told, f"texts/{path.name}"
    for path in (*lesson_files(), *desk_files()):
        for told in filter(None, texts_of(read_lesson(path))):
            yield told, f"texts/{path.name}"


def bring_up(source: Path, told: Mapping[Message, list[str]]) -> None:
    """Write a catalogue anew with the sentences there are; what it says of those stays."""
    from babel.messages.catalog import Catalog  # noqa: PLC0415 - see `_read`
    from babel.messages.pofile import read_po, write_po  # noqa: PLC0415 - same

    before = (
        read_po(io.BytesIO(source.read_bytes()), source.stem) if source.exists() else Catalog(source.stem)
    )
    after = Catalog(source.stem, header_comment=f"# Keybench, {before.locale.english_name}", fuzzy=False)
    for message, files in told.items():
        known = before.get(message if isinstance(message, str) else message[0])
        # What was one sentence and counts now has to be said anew.
        said = known.string if known and not known.fuzzy and known.id == message else ""
        after.add(message, said, locations=[(file, 0) for file in files])
    written = io.BytesIO()
    write_po(written, after, width=0, omit_header=False, include_lineno=False)
    # Its dates and versions would change with every run.
    lines = re.sub(
        rb'^"(?:Project-Id|Report|POT|PO-Rev|Last-T|Generated|Language-T).*\n',
        b"",
        written.getvalue(),
        flags=re.MULTILINE,
    )
    source.write_bytes(lines)


def compile_all(root: Path = ROOT) -> None:
    """Compile every catalogue: the program's sentences, and apart those of the manual and the lessons."""
    from babel.messages.catalog import Catalog  # noqa: PLC0415 - see `_read`
    from babel.messages.mofile import write_mo  # noqa: PLC0415 - same
    from babel.messages.pofile import read_po  # noqa: PLC0415 - same

    for source in folder(root).glob("*.po"):
        whole = read_po(io.BytesIO(source.read_bytes()), source.stem)
        parts = {name: Catalog(source.stem, fuzzy=False) for name in ("texts", "keybench")}
        for message in whole:
            of_texts = [file.startswith("texts/") for file, _line in message.locations]
            for name, is_there in (("texts", any(of_texts)), ("keybench", not all(of_texts))):
                if message.id and is_there:
                    parts[name].add(message.id, message.string)
        for name, part in parts.items():  # the one that `is_compiled` looks at comes last
            made = _compiled(source, name)
            made.parent.mkdir(parents=True, exist_ok=True)
            draft = made.with_suffix(".new")
            with draft.open("wb") as file:
                write_mo(file, part)
            draft.replace(made)


def pairs(message: Message, said: Message) -> list[tuple[str, str]]:
    """Return each form of a sentence with its translation."""
    originals = (message,) if isinstance(message, str) else message
    return list(zip(originals, (said,) if isinstance(said, str) else said, strict=False))


def missing(source: Path, told: Mapping[Message, list[str]]) -> list[str]:
    """Return the sentences that a catalogue doesn't have, or not in every form."""
    said = spoken(source)
    return [
        str(message)
        for message in told
        if message not in said or not all(form.strip() for _, form in pairs(message, said[message]))
    ]


def unused(source: Path, told: Mapping[Message, list[str]]) -> list[str]:
    """Return what a catalogue has that nobody says any more."""
    return [str(message) for message in spoken(source) if message not in told]


def ill_filled(source: Path) -> Iterator[str]:
    """Tell of each translation whose places, tags or end aren't its sentence's, or that lacks a term."""
    terms = tomllib.loads((folder() / "glossary.toml").read_text("utf-8"))
    for message, said in spoken(source).items():
        for original, form in pairs(message, said):
            if form and (why := _fault(original, form) or _other_term(original, form, source.stem, terms)):
                yield f"{why}: {original!r} is {form!r}"


def spoken(source: Path) -> dict[Message, Message]:
    """Return what a catalogue says for each sentence."""
    from babel.messages.pofile import read_po  # noqa: PLC0415 - see `_read`

    catalogue = read_po(io.BytesIO(source.read_bytes()), source.stem)
    return {_message(one.id): _message(one.string or "") for one in catalogue if one.id}


def _message(told: str | Sequence[str]) -> Message:
    return told if isinstance(told, str) else (told[0], told[1])


def _places(text: str) -> set[str]:
    return {field for _text, field, spec, _how in string.Formatter().parse(text) if field is not None} - {
        "count"
    }


def _fault(original: str, form: str) -> str:
    try:
        is_filled_alike = _places(original) == _places(form)
    except ValueError:
        return "a brace without its fellow"
    is_sentence = original.endswith(_ENDS) and " " in original
    alike = {
        "other places": is_filled_alike,
        "other tags, code, links or stress": sorted(_KEPT.findall(original)) == sorted(_KEPT.findall(form)),
        "another beginning": original.startswith(" ") is form.startswith(" "),
        "another end": original[-1] == form[-1]
        if is_sentence
        else _space_after(original) == _space_after(form),
    }
    return next((fault for fault, is_alike in alike.items() if not is_alike), "")


def _space_after(text: str) -> str:
    return text[len(text.rstrip()) :]


def _other_term(original: str, form: str, language: str, terms: Mapping[str, Mapping[str, list[str]]]) -> str:
    plain = _NO_WORDS.sub(" ", original)
    for name, words in terms.items():
        if language not in words or original in words.get("but", ()):
            continue
        if re.search(rf"(?<![\w-])({'|'.join(words['en'])})(?!\w)", plain, re.IGNORECASE) and not any(
            word.casefold() in form.casefold() for word in words[language]
        ):
            return f"another word for {name}"
    return ""


def main(arguments: list[str]) -> int:
    """Do what the command line asks for, and return 1 where a catalogue isn't as it should be."""
    parser = argparse.ArgumentParser(
        prog="languages.py", description="Keep the catalogues of resources/languages."
    )
    parser.add_argument("--compile", action="store_true", help="compile them and do nothing else")
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help="add a catalogue, such as nl")
    options = parser.parse_args(arguments)
    faults = 0
    if not options.compile:
        told = sentences()
        for source in sorted(
            {*folder().glob("*.po"), *(folder() / f"{one}.po" for one in options.languages)}
        ):
            bring_up(source, told)
            lacking, wrong = missing(source, told), list(ill_filled(source))
            say(f"{source.name}: {len(told) - len(lacking)} of {len(told)} sentences")
            for line in [*(f"missing: {one!r}" for one in lacking), *wrong]:
                complain(f"  {line}")
            faults += len(wrong) + (len(lacking) if source.stem in COMPLETE else 0)
    compile_all()
    return min(faults, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
