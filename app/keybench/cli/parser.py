"""The words of the command line; there is no option for a key's value."""

from __future__ import annotations

import argparse
from typing import Final, NoReturn

from keybench import __version__
from keybench.cli.administration_parser import add_administration
from keybench.cli.argument_types import count, day, lanes, port, seconds
from keybench.cli.inventory_parser import add_applications, add_many_keys
from keybench.cli.output import harmless

# The core's kinds and modes, spelled out: importing them would hold up the window's first frame by a tenth.
# A test keeps them the same.
ENVIRONMENT_KINDS: Final = ("test", "live")
KEY_KINDS: Final = ("private", "public")
SALE_MODES: Final = ("async", "sync", "classic")
SALE_STATES: Final = (
    "approved",
    "declined",
    "cancelled",
    "expired",
    "refused",
    "not_sent",
    "unknown",
    "under_way",
)

_PROXY: Final = "system|none|URL"
_PROXY_HELP: Final = (
    "this computer's, none, or an address such as http://user@proxy.example.com:3128; "
    "a user's password is read from standard input or asked for"
)

_STATUSES: Final = """\
exit status: 0 approved (or the command did its work); 2 wrong use; 10 declined;
11 cancelled or expired on the device; 20 refused; 21 not sent; 30 unknown;
40 no keystore or it is locked; 1 anything else
"""


class _Parser(argparse.ArgumentParser):
    """A parser that doesn't repeat what it wasn't asked for: it may be a key's value."""

    def error(self, message: str) -> NoReturn:
        head, separator, words = message.partition("unrecognized arguments: ")
        if separator:
            options = [word.partition("=")[0] for word in words.split() if word.startswith("-")]
            message = f"{head}unrecognized {'options: ' + ' '.join(options) if options else 'arguments'}"
        super().error(harmless(message))


def build_parser() -> argparse.ArgumentParser:
    """Return the parser; without a command the window opens."""
    common = _Parser(add_help=False)
    common.add_argument(
        "--data-dir",
        metavar="DIR",
        default=argparse.SUPPRESS,
        help="keep everything of this run apart in DIR, the keyring entries included (or KEYBENCH_DATA_DIR)",
    )
    common.add_argument(
        "--json",
        action="store_true",
        default=argparse.SUPPRESS,
        help="print one JSON object a line instead of text",
    )
    parser = _Parser(
        prog="keybench",
        description="A desktop console for payment API keys and cloud-device sale tests.",
        epilog=_STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[common],
    )
    parser.add_argument("--version", action="version", version=f"keybench {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    _add_practice(commands, common)
    _add_tour(commands, common)
    _add_environment(commands, common)
    _add_key(commands, common)
    _add_contract(commands, common)
    _add_sale(commands, common)
    _add_sales(commands, common)
    _add_finding_out(commands, common)
    _add_history(commands, common)
    add_administration(commands, common)
    add_applications(commands, common)
    return parser


_Commands = argparse._SubParsersAction  # noqa: SLF001 - argparse names no public type for it


def _add_practice(commands: _Commands[_Parser], common: _Parser) -> None:
    practice = commands.add_parser(
        "practice", parents=[common], help="serve the practice gateway; prints its base URL first"
    )
    practice.add_argument(
        "--port", type=port, default=0, metavar="N", help="listen on port N of this computer"
    )
    practice.add_argument(
        "--speed", type=float, default=1.0, metavar="X", help="devices act X times as fast (default 1)"
    )
    practice.add_argument(
        "--until-stdin-closes", action="store_true", help="stop when standard input ends (used by the window)"
    )


def _add_tour(commands: _Commands[_Parser], common: _Parser) -> None:
    tour = commands.add_parser("tour", parents=[common], help="the guided demonstration, in the real window")
    tour.add_argument(
        "--look", choices=["light", "dark"], default="", help="the colours (default: the remembered)"
    )
    tour.add_argument("--screenshots", metavar="DIR", default="", help="save a picture of every scene in DIR")
    tour.add_argument(
        "--pace", type=seconds, default=2.5, metavar="SECONDS", help="how long a scene stays (default 2.5)"
    )


def _add_environment(commands: _Commands[_Parser], common: _Parser) -> None:
    environment = commands.add_parser("environment", help="add, list, change or remove environments")
    actions = environment.add_subparsers(dest="action", metavar="ACTION", required=True)
    add = actions.add_parser("add", parents=[common], help="add a test or live environment")
    add.add_argument("name", metavar="NAME")
    add.add_argument("--kind", required=True, choices=ENVIRONMENT_KINDS)
    add.add_argument("--base-url", required=True, metavar="URL")
    add.add_argument(
        "--limit", default="", metavar="50.00", help="the most a sale may be (default: no limit)"
    )
    add.add_argument("--contract", default="v5", metavar="NAME", help="what its gateway speaks (default v5)")
    add.add_argument("--proxy", default="", metavar=_PROXY, help=f"{_PROXY_HELP} (default system)")
    actions.add_parser("list", parents=[common], help="list the environments")
    proxy = actions.add_parser("proxy", parents=[common], help="set the proxy its gateway is called through")
    proxy.add_argument("name", metavar="NAME")
    proxy.add_argument("proxy", metavar=_PROXY, help=_PROXY_HELP)
    limit = actions.add_parser("limit", parents=[common], help="set the most a sale may be, or none")
    limit.add_argument("name", metavar="NAME")
    limit.add_argument("amount", metavar="50.00|none")
    remove = actions.add_parser("remove", parents=[common], help="remove one, with its keys' values")
    remove.add_argument("name", metavar="NAME")
    remove.add_argument(
        "--anyway", action="store_true", help="even if its gateway may have a key that nobody knows of"
    )


def _add_key(commands: _Commands[_Parser], common: _Parser) -> None:
    key = commands.add_parser("key", help="add, list, test, export, import or forget keys")
    actions = key.add_subparsers(dest="action", metavar="ACTION", required=True)
    add = actions.add_parser(
        "add",
        parents=[common],
        help="add a key; where the gateway can't make it, its value is read from standard input or asked for",
    )
    add.add_argument("--environment", required=True, metavar="E")
    add.add_argument("--name", required=True, metavar="N")
    add.add_argument("--username", required=True, metavar="U")
    add.add_argument("--permission", required=True, metavar="P")
    add.add_argument("--kind", required=True, choices=KEY_KINDS)
    add.add_argument("--purpose", default="", metavar="TEXT")
    listing = actions.add_parser("list", parents=[common], help="list keys, without values")
    listing.add_argument("--environment", metavar="E")
    forget = actions.add_parser("forget", parents=[common], help="take a key and its value away")
    forget.add_argument("--environment", required=True, metavar="E")
    forget.add_argument("--name", required=True, metavar="N")
    add_many_keys(actions, common)


def _add_contract(commands: _Commands[_Parser], common: _Parser) -> None:
    contract = commands.add_parser("contract", help="list or check the files that say what a gateway speaks")
    actions = contract.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser(
        "list", parents=[common], help="list presets and your own, also those that can't be used"
    )
    check = actions.add_parser("check", parents=[common], help="check a file and tell what it says")
    check.add_argument("file", metavar="FILE")


def _add_sale(commands: _Commands[_Parser], common: _Parser) -> None:
    sale = commands.add_parser(
        "sale", parents=[common], help="send a sale to a device and wait for its outcome"
    )
    sale.add_argument("--environment", required=True, metavar="E")
    sale.add_argument("--key", required=True, metavar="N")
    sale.add_argument("--device", required=True, metavar="D")
    sale.add_argument("--amount", required=True, metavar="10.00")
    sale.add_argument("--currency", default="USD", metavar="USD")
    sale.add_argument("--mode", choices=SALE_MODES, default=SALE_MODES[0])
    sale.add_argument("--yes", action="store_true", help="confirm that money may move (live)")


def _add_sales(commands: _Commands[_Parser], common: _Parser) -> None:
    sales = commands.add_parser("sales", parents=[common], help="sell on every device of a CSV file")
    sales.add_argument("--environment", required=True, metavar="E")
    sales.add_argument("--key", required=True, metavar="N")
    sales.add_argument(
        "--devices",
        required=True,
        metavar="FILE.csv",
        help="columns device, amount, currency; one sale a row",
    )
    sales.add_argument("--amount", default="", metavar="10.00", help="for rows without one")
    sales.add_argument("--currency", default="USD", metavar="USD", help="for rows without one (default USD)")
    sales.add_argument("--mode", choices=SALE_MODES, default=SALE_MODES[0])
    sales.add_argument(
        "--at-once", type=lanes, default=5, metavar="N", help="sales under way at a time (default 5)"
    )
    sales.add_argument("--skip-wrong", action="store_true", help="sell although some rows are wrong")
    sales.add_argument("--yes", action="store_true", help="confirm that money may move (live)")


def _add_finding_out(commands: _Commands[_Parser], common: _Parser) -> None:
    resume = commands.add_parser(
        "resume", parents=[common], help="take up every unfinished sale and key; ask again for unknown ones"
    )
    resume.add_argument(
        "--since",
        type=day,
        metavar="DATE",
        help="ask again for unknown sales noted on this day or later (default: of the last 30 days)",
    )
    look_up = commands.add_parser(
        "look-up", parents=[common], help="ask the gateway what became of a sale; nothing is sent again"
    )
    look_up.add_argument("references", nargs="+", metavar="REFERENCE", help="such as KB-7Q2M-X4T9-KD3F")
    look_up.add_argument(
        "--wait",
        action="store_true",
        help="where the gateway knows nothing of it yet, ask once more in six minutes, to be sure",
    )


def _add_history(commands: _Commands[_Parser], common: _Parser) -> None:
    history = commands.add_parser(
        "history", parents=[common], help="list sales, newest first, or write them to a file"
    )
    history.add_argument("--environment", metavar="E", help="only this environment's")
    history.add_argument(
        "--limit", type=count, default=None, metavar="N", help="at most N (default 50; all with --out)"
    )
    history.add_argument(
        "--find", default="", metavar="TEXT", help="words of device or key, or how the reference begins"
    )
    history.add_argument("--outcome", choices=SALE_STATES, default=None, help="only those that ended so")
    history.add_argument("--since", type=day, metavar="DATE", help="noted on this day or later (2026-03-31)")
    history.add_argument("--until", type=day, metavar="DATE", help="noted on this day or before")
    history.add_argument("--out", default="", metavar="FILE", help="write them to FILE.csv or FILE.json")
