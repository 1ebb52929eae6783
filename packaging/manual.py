"""Write the man page: the command line's parser tells the commands, `linux/keybench.1.in` the rest.

The ready-made makers of man pages repeat what all commands take for each of forty, and set the usage as
running text; read as a page, that buries what a command is for.
"""

import argparse
import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import product
from keybench.runtime.data_folder import ENVIRONMENT_VARIABLE, DataFolder
from keybench.words.language import use
from messages import SetupError

use([])  # the page is English wherever it is made, so this comes before the first sentence
from keybench.cli.parser import COMMANDS, build_parser, common_options  # noqa: E402 - see above

_PLACE: Final = re.compile(r"@([A-Z_]+)@")
#: What all commands take; the page tells it once.
_COMMON: Final = {"-h", "--help"}.union(*(one.option_strings for one in common_options()._actions))
_LINE: Final = 80
_ESCAPES: Final = str.maketrans({"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", '"': r"\(dq"})


def whole_parser() -> argparse.ArgumentParser:
    """Return the program's parser with all commands and what each takes."""
    return build_parser([command.name for command in COMMANDS])


def page(root: Path) -> str:
    """Return the man page of the program of the checkout at `root`, in roff."""
    parser = whole_parser()
    folder = DataFolder(Path())
    newest = product.releases(root)[0]
    places = {
        "DAY": newest.day.isoformat(),
        "NAME": product.NAME,
        "VERSION": newest.version,
        "SUMMARY": _text(product.SUMMARY[0].lower() + product.SUMMARY[1:]),
        "SYNOPSIS": "\n".join([_usage(parser), _synopsis(r"\fICOMMAND\fR", r"\&...")]),
        "DESCRIPTION": "\n.PP\n".join(_text(paragraph) for paragraph in product.DESCRIPTION),
        "OPTIONS": "\n".join(_entries(_own(parser, ()))),
        "COMMANDS": "\n".join(_commands(parser)),
        "STATUSES": "\n".join(_statuses(parser.epilog or "")),
        "DATA_DIR_VARIABLE": ENVIRONMENT_VARIABLE,
        "JOURNAL": folder.journal.name,
        "WINDOW_SETTINGS": folder.window_settings.name,
        "CONTRACTS": folder.contracts.name,
        "LOG": folder.log.name,
    }
    frame = (root / "packaging" / "linux" / "keybench.1.in").read_text("utf-8")
    if unknown := set(_PLACE.findall(frame)) ^ set(places):
        raise SetupError(f"The man page's frame and its places differ in: {', '.join(sorted(unknown))}.")
    return _PLACE.sub(lambda place: places[place[1]], frame)


def _commands(parser: argparse.ArgumentParser, summary: str = "") -> Iterator[str]:
    """Yield a part for each command below `parser`, or for `parser` where it has none."""
    below = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    if not below:
        yield f".SS {_text(parser.prog)}"
        yield _usage(parser)
        yield ".PP"
        yield _text(_sentence(summary))
        yield from _entries(_own(parser, _COMMON))
    for action in below:
        summaries = {one.dest: one.help or "" for one in action._choices_actions}
        for name, command in action.choices.items():
            yield from _commands(command, summaries[name])


def _own(parser: argparse.ArgumentParser, without: Sequence[str] | set[str]) -> list[argparse.Action]:
    return [
        one
        for one in parser._actions
        if one.help != argparse.SUPPRESS
        and not isinstance(one, argparse._SubParsersAction)
        and not set(without).intersection(one.option_strings)
    ]


def _usage(parser: argparse.ArgumentParser) -> str:
    """Return how a command is typed, without what all commands take; of the program itself, its options."""
    own = _own(parser, {"-h", "--help"} if " " not in parser.prog else _COMMON)
    words, told = [], set[argparse.Action]()
    for action in own:
        group = next((one for one in parser._mutually_exclusive_groups if action in one._group_actions), None)
        choices = [action] if group is None else [one for one in group._group_actions if one in own]
        if action in told:
            continue
        told.update(choices)
        required = action.required if group is None else group.required
        typed = " | ".join(_invocation(one, short=True) for one in choices)
        if not required:
            typed = f"[{typed}]"
        elif len(choices) > 1:
            typed = f"({typed})"
        words.append(typed)
    return _synopsis(*words, command=parser.prog)


def _synopsis(*words: str, command: str = product.COMMAND) -> str:
    return "\n".join([f'.SY "{_text(command)}"', *words, ".YS"])


def _entries(actions: Sequence[argparse.Action]) -> Iterator[str]:
    """Yield an entry for each word that a command takes."""
    for action in actions:
        yield ".TP 8n"
        yield _invocation(action)
        yield _help(action)


def _invocation(action: argparse.Action, *, short: bool = False) -> str:
    """Return how a word is typed: its name in bold, what is to be put in in italics."""
    value = _value(action)
    if not action.option_strings:
        return value
    names = action.option_strings[-1:] if short else action.option_strings
    return ", ".join(rf"\fB{_text(name)}\fR" + (rf"\~{value}" if value else "") for name in names)


def _value(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    if action.choices is not None and action.metavar is None:
        return r"|\:".join(rf"\fB{_text(str(choice))}\fR" for choice in action.choices)
    metavar = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    value = rf"\fI{_text(metavar)}\fR"
    return {"+": f"{value}...", "*": f"[{value}...]", "?": f"[{value}]"}.get(str(action.nargs), value)


def _help(action: argparse.Action) -> str:
    return _text(_sentence((action.help or "") % {**vars(action), "prog": product.COMMAND}))


def _statuses(epilog: str) -> Iterator[str]:
    """Yield an entry for each exit status that the help's last lines tell."""
    _title, _colon, told = " ".join(epilog.split()).partition("exit status: ")
    found = re.findall(r"(\d+) ([^;]+)(?:;|$)", told)
    if not found:
        raise SetupError("The help tells no exit statuses.")
    for status, meaning in sorted(found, key=lambda one: int(one[0])):
        yield from (
            ".TP 8n",
            rf"\fB{status}\fR",
            _text(_sentence(meaning)),
        )


def _sentence(words: str) -> str:
    words = words.strip().removesuffix(".")
    return f"{words[:1].upper()}{words[1:]}."


def _text(words: str) -> str:
    """Return words so that roff prints them as they are, and hyphens so that they can be copied."""
    escaped = words.translate(_ESCAPES)
    sentences = re.split(r"(?<=[.?!]) (?=[A-Z])", escaped)  # roff sets its own space between them
    wrapper = textwrap.TextWrapper(_LINE, break_long_words=False, break_on_hyphens=False)
    lines = [line for one in sentences for line in wrapper.wrap(one)]
    return "\n".join(rf"\&{line}" if line.startswith((".", "'")) else line for line in lines)
