"""The gateway's own page for people who open its address in a browser, and its OpenAPI."""

from collections.abc import Iterable
from html import escape
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from keybench.practice import amounts
from keybench.practice.gateway import gateway_of
from keybench.practice.openapi import CHOICES, OPERATIONS, document

_PAGE: Final = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Keybench practice gateway</title>
<style>
:root {{ color-scheme: light dark; --line: #dfe3e8; --dim: #5b6675; --practice: #0f766e }}
@media (prefers-color-scheme: dark) {{ :root {{ --line: #313a46; --dim: #a3afbd; --practice: #5cc8bb }} }}
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }}
h1 {{ color: var(--practice) }}
h2 {{ margin-top: 2rem }}
table {{ border-collapse: collapse; width: 100% }}
th, td {{ text-align: left; vertical-align: top; padding: 4px 12px 4px 0; border-top: 1px solid var(--line) }}
th, p small {{ color: var(--dim); font-weight: normal }}
td:first-child {{ font-variant-numeric: tabular-nums; min-width: 8rem }}
</style>
<h1>Keybench practice gateway</h1>
<p>Nothing here costs money or reaches a network. Base URL:
<code>{base_url}</code>; its live side: <code>{base_url}/live</code></p>
<p>A program sends its key in the header <code>Authorization</code>, with no scheme word in front. Keybench
makes keys: press <b>Add a New Key</b>. All calls as OpenAPI: <a href="/openapi.json">/openapi.json</a></p>
{tables}
</html>
"""


def amounts_listed() -> list[tuple[str, str]]:
    """Return the amounts that play out a certain way, and how."""
    listed = [(amounts.money(cents), script.meaning) for cents, script in amounts.BY_CENTS.items()]
    return [("under 1.00", amounts.SMALL.meaning), *listed]


def _table(title: str, columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>\n" for row in rows)
    return f"<h2>{escape(title)}</h2>\n<table>\n<tr>{head}</tr>\n{body}</table>\n"


async def _page(request: Request) -> Response:
    state = gateway_of(request).state
    users = [
        (one.username, one.full_name, one.may, "" if one.enabled else "disabled")
        for one in state.users.every()
    ]
    devices = [(one.id, one.nickname, one.connection_status) for one in state.fleet.every()]
    calls = [(f"{one.method} {one.path}", one.summary, one.may) for one in OPERATIONS]
    tables = [
        _table("Amounts", ("Amount", "What a device does"), amounts_listed()),
        _table("Devices", ("Identifier", "Nickname", "State"), devices),
        _table("Users", ("Name", "Who", "May", ""), users),
        _table("Calls", ("Call", "What it does", "The key's user has to be allowed to"), calls),
        _table("Where the service description says nothing", ("About", "This gateway"), CHOICES),
    ]
    page = _PAGE.format(base_url=escape(str(request.base_url).rstrip("/")), tables="".join(tables))
    return HTMLResponse(
        page, headers={"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
    )


async def _openapi(_request: Request) -> Response:
    return JSONResponse(document())


ROUTES: Final = (Route("/", _page), Route("/openapi.json", _openapi))
