"""Write what completes the command in bash, zsh and fish, from the command line's parser by shtab."""

import argparse
from typing import Final

import shtab

import product
from manual import whole_parser

#: The shells, and where each looks for what completes a command, below /usr/share.
PLACES: Final = {
    "bash": f"bash-completion/completions/{product.COMMAND}",
    "zsh": f"zsh/vendor-completions/_{product.COMMAND}",
    "fish": f"fish/vendor_completions.d/{product.COMMAND}.fish",
}


def script(shell: str) -> str:
    """Return the script for one of the shells."""
    parser = whole_parser()
    _complete_files(parser)
    return shtab.complete(parser, shell).rstrip() + "\n"


def _complete_files(parser: argparse.ArgumentParser) -> None:
    """Have names of files and folders completed, which the help calls FILE and DIR."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                _complete_files(below)
        metavar = str(action.metavar or "")
        if metavar.startswith("FILE"):
            action.complete = shtab.FILE  # type: ignore[attr-defined] # shtab reads it from there
        elif metavar == "DIR":
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined] # as above
