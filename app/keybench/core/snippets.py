"""An exchange's request as a command or a program to try again elsewhere, with the key as a variable.

Exchanges are redacted when they are made, so the key's place is where the mask stands. The variable is the
reader's to fill; nothing here knows a value.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import Final

from keybench.core.exchange import Exchange
from keybench.core.secret import MASK

#: The environment variable that each snippet takes the key's value from.
VARIABLE: Final = "KEYBENCH_KEY"
#: How long a snippet waits, in seconds: a held sale may take the five minutes a device has.
_PATIENCE_S: Final = 310

_NEXT_LINE: Final = " \\\n  "
# curl reads these in an address as lists and ranges of addresses.
_GLOBS: Final = frozenset("[]{}")
# PowerShell takes the typographic marks for its single quote, too (about_Quoting_Rules; its tokenizer).
_POWERSHELL_QUOTES: Final = re.compile("(['\u2018\u2019\u201a\u201b])")


def as_curl(exchange: Exchange) -> str:
    """Return the request as a command for curl in a POSIX shell."""
    lines = [f"curl --request {_shell(exchange.method)} {_shell(exchange.url)}"]
    if _GLOBS & set(exchange.url):
        lines[0] = lines[0].replace("curl", "curl --globoff", 1)
    for name, value in exchange.request_headers:
        # "Name:" would take a header away; curl's way to send an empty one is "Name;".
        lines.append(f"--header {_shell(f'{name}: {value}' if value else f'{name};')}")
    if exchange.request_body:
        lines.append(f"--data-raw {_shell(exchange.request_body)}")
    return _NEXT_LINE.join(lines)


def as_python(exchange: Exchange) -> str:
    """Return the request as a Python program for httpx."""
    lines = ["import os", "", "import httpx", "", "answer = httpx.request("]
    lines += [f"    {_python(exchange.method)},", f"    {_python(exchange.url)},"]
    if exchange.request_headers:
        headers = [
            f"        ({_python(name)}, {_python(value)})," for name, value in exchange.request_headers
        ]
        lines += ["    headers=[", *headers, "    ],"]
    if exchange.request_body:
        lines.append(f"    content={_python(exchange.request_body)},")
    lines += [f"    timeout={_PATIENCE_S},", ")", "print(answer.status_code, answer.text)", ""]
    return "\n".join(lines)


def as_powershell(exchange: Exchange) -> str:
    """Return the request as a command for PowerShell, 5.1 or later."""
    # Windows PowerShell refuses these two among the headers and has parameters for them.
    apart = {"content-type": "-ContentType", "user-agent": "-UserAgent"}
    options = [f"-Method {_powershell(exchange.method)}", f"-Uri {_powershell(exchange.url)}"]
    headers = []
    for name, value in exchange.request_headers:
        if option := apart.get(name.lower()):
            options.append(f"{option} {_powershell(value)}")
        else:
            headers.append(f"  {_powershell(name)} = {_powershell(value)}")
    lines = []
    if headers:
        lines += ["$headers = @{", *headers, "}"]
        options.append("-Headers $headers")
    if exchange.request_body:
        options.append(f"-Body {_powershell(exchange.request_body)}")
    options += ["-MaximumRedirection 0", f"-TimeoutSec {_PATIENCE_S}"]
    return "\n".join([*lines, f"Invoke-WebRequest -UseBasicParsing {' '.join(options)}"])


def _shell(text: str) -> str:
    """Return `text` as one word for a POSIX shell; the variable stands in double quotes of its own."""
    return "".join(_pieces(text, shlex.quote, f'"${VARIABLE}"')) or "''"


def _python(text: str) -> str:
    return " + ".join(_pieces(text, ascii, f'os.environ["{VARIABLE}"]')) or '""'


def _powershell(text: str) -> str:
    pieces = _pieces(text, _powershell_quoted, f"$env:{VARIABLE}") or ["''"]
    return pieces[0] if len(pieces) == 1 else f"({' + '.join(pieces)})"


def _powershell_quoted(text: str) -> str:
    return "'" + _POWERSHELL_QUOTES.sub(r"\1\1", text) + "'"


def _pieces(text: str, quoted: Callable[[str], str], variable: str) -> list[str]:
    """Return what a text is put together from: its plain parts quoted, and the variable for each mask."""
    pieces: list[str] = []
    for position, part in enumerate(text.split(MASK)):
        if position:
            pieces.append(variable)
        if part:
            pieces.append(quoted(part))
    return pieces
