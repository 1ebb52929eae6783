"""The command line's list of commands, and its parser; there is no option for a key's value."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn, Protocol, cast

from keybench import __version__
from keybench.cli.output import harmless
from keybench.runtime.data_folder import DataFolder
from keybench.words.language import _

if TYPE_CHECKING:
    from keybench.cli.entry import Composition

Run = Callable[["Composition", DataFolder, argparse.Namespace], int]


class CommandModule(Protocol):
    """What a command's module has; most make `run` with `keybench.cli.running.with_console`."""

    #: Carries the command out and returns its exit status; each action has its own, see `add_actions`.
    run: Run

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add what the command takes, besides the options that all commands take."""


class CliCommand(NamedTuple):
    """A command, in the module of `keybench.cli.commands` that is called like it; its actions are such as ``list``."""

    name: str
    summary: str
    has_actions: bool = False

    def module(self) -> CommandModule:
        # It takes longer than a window can wait for all of them.
        return cast("CommandModule", import_module(f"keybench.cli.commands.{self.name.replace('-', '_')}"))


COMMANDS: Final = (
    CliCommand("practice", _("serve the practice gateway; prints its base URL first")),
    CliCommand("tour", _("the guided demonstration, in the real window")),
    CliCommand("lesson", _("list, check and play lessons, or make one of a bundle"), has_actions=True),
    CliCommand("environment", _("add, list, edit, try or remove environments"), has_actions=True),
    CliCommand("key", _("add, list, test, export, import or forget keys"), has_actions=True),
    CliCommand("contract", _("list or check the files that say what a gateway speaks"), has_actions=True),
    CliCommand("sale", _("send a sale to a device and wait for its outcome")),
    CliCommand("sales", _("sell on every device of a CSV file")),
    CliCommand("resume", _("resume every unfinished sale and key; ask again for unknown ones")),
    CliCommand("look-up", _("ask the gateway what became of a sale; nothing is sent again")),
    CliCommand("diagnose", _("tell why a key, a device or a sale fails; nothing is sold")),
    CliCommand("history", _("list sales, newest first, or write them to a file")),
    CliCommand("activity", _("list what was done on this computer, or write it to a file")),
    CliCommand("prune", _("delete what is older than a day")),
    CliCommand("review", _("list what to fix about keys, worst first, and what is due soon")),
    CliCommand("journal", _("tell where the journal is, or move it to a team's database"), has_actions=True),
    CliCommand("bundle", _("save a support bundle without values")),
    CliCommand("rotation", _("list rotations, or save the record of one"), has_actions=True),
    CliCommand("application", _("add, list or remove applications that use a key"), has_actions=True),
)

_STATUSES: Final = _("""\
exit status: 0 approved (or the command did its work); 2 wrong use; 10 declined;
11 cancelled or expired on the device; 12 partly approved; 20 refused; 21 not sent;
30 unknown; 40 no keystore or it is locked; 128 and more stopped by a signal, its
number added; 1 anything else
""")

#: What argparse asks gettext for. What it says of unrecognized arguments isn't here: `_Parser` looks for it.
_OF_ARGPARSE: Final = (
    _("usage: "),
    _("options"),
    _("positional arguments"),
    _("show this help message and exit"),
    _("show program's version number and exit"),
    _("%(prog)s: error: %(message)s\n"),
    _("argument %(argument_name)s: %(message)s"),
    _("ambiguous option: %(option)s could match %(matches)s"),
    _("expected one argument"),
    _("expected at least one argument"),
    _("ignored explicit argument %r"),
    _("invalid %(type)s value: %(value)r"),
    _("invalid choice: %(value)r (choose from %(choices)s)"),
    _("not allowed with argument %s"),
    _("the following arguments are required: %s"),
)


class _Parser(argparse.ArgumentParser):
    """A parser that doesn't repeat what it wasn't asked for: it may be a key's value."""

    def error(self, message: str) -> NoReturn:
        head, separator, words = message.partition("unrecognized arguments: ")
        if separator:
            options = [word.partition("=")[0] for word in words.split() if word.startswith("-")]
            told = _("unrecognized options: {names}") if options else _("unrecognized arguments")
            message = head + told.format(names=" ".join(options))
        super().error(harmless(message))


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    defaults = argparse.Namespace(data_dir=None, json=False, new_journal=False)
    parser = build_parser(arguments)
    options = parser.parse_args(arguments, defaults)
    if options.self_test and options.command:
        parser.error(_("--self-test stands alone, without a command"))
    return options


def build_parser(arguments: Collection[str]) -> argparse.ArgumentParser:
    """Return the parser, in which the commands that `arguments` name have theirs."""
    common = common_options()
    parser = _Parser(
        prog="keybench",
        description=_("A desktop console for payment API keys and cloud-device sale tests."),
        epilog=_STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[common],
    )
    parser.add_argument("--version", action="version", version=f"keybench {__version__}")
    parser.add_argument(
        "--self-test",
        action="store_true",
        help=_("tell whether Keybench works on this computer; your keys and settings aren't touched"),
    )
    # What the self-test starts, so that it goes on where a check crashes or hangs.
    parser.add_argument("--self-test-checks", action="store_true", help=argparse.SUPPRESS)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for command in COMMANDS:
        own = [] if command.has_actions else [common]
        one = commands.add_parser(command.name, parents=own, help=command.summary)
        if command.name in arguments:
            module = command.module()
            module.add_arguments(one)
            if not command.has_actions:
                one.set_defaults(run=module.run)
    return parser


def add_actions(parser: argparse.ArgumentParser) -> Callable[[str, str, Run], argparse.ArgumentParser]:
    """Return what adds one thing that a command does: its name, its summary, and what carries it out."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def add(name: str, summary: str, run: Run) -> argparse.ArgumentParser:
        one = actions.add_parser(name, parents=[common_options()], help=summary)
        one.set_defaults(run=run)
        return one

    return add


def common_options() -> _Parser:
    common = _Parser(add_help=False)
    common.add_argument(
        "--data-dir",
        metavar="DIR",
        default=argparse.SUPPRESS,
        help=_(
            "keep everything of this run apart in DIR, the keyring entries included (or KEYBENCH_DATA_DIR)"
        ),
    )
    common.add_argument(
        "--new-journal",
        action="store_true",
        default=argparse.SUPPRESS,
        help=_("start with an empty journal where the data folder's earlier one is gone"),
    )
    common.add_argument(
        "--json",
        action="store_true",
        default=argparse.SUPPRESS,
        help=_("print one JSON object a line instead of text"),
    )
    return common
