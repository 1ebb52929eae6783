"""A team's database: its address, and the code by which desks join."""

from __future__ import annotations

import base64
import re
import secrets
from typing import Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from keybench.core.input_errors import JournalMoveBarred
from keybench.core.secret import Secret

#: The keystore's entries of a desk that belongs to a team.
PASSWORD_ENTRY: Final = "team/password"  # noqa: S105 - the name of an entry
SECRET_ENTRY: Final = "team/secret"  # noqa: S105 - same

_CODE: Final = re.compile(r"[A-Z2-7]{26}")
#: What people write for letters and figures that no code has.
_MISREAD: Final = str.maketrans("018", "OIB")


def team_address(text: str) -> tuple[str, str]:
    """Return a database's URL without the password in it, and that; JournalMoveBarred if it is none."""
    try:
        parts = urlsplit(text.strip())
        is_one = parts.scheme in {"postgresql", "postgres"} and parts.path.strip("/") and parts.port != 0
    except ValueError:
        raise JournalMoveBarred(JournalMoveBarred.ADDRESS) from None
    if not is_one:
        raise JournalMoveBarred(JournalMoveBarred.ADDRESS)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    password = query.pop("password", unquote(parts.password or ""))
    user, at, host = parts.netloc.rpartition("@")
    more = f"?{urlencode(query, safe='/')}" if query else ""
    return f"postgresql://{user.partition(':')[0]}{at}{host}{parts.path}{more}", password


def team_secret(code: str) -> Secret:
    """Return a team's secret from its code, however that was typed; JournalMoveBarred if it is none."""
    plain = "".join(filter(str.isalnum, code.upper())).translate(_MISREAD)
    if not _CODE.fullmatch(plain):
        raise JournalMoveBarred(JournalMoveBarred.CODE)
    return Secret("-".join(re.findall(".{1,4}", plain)))


def new_team_secret() -> Secret:
    """Return a secret of 128 bits, as the code that people type."""
    return team_secret(base64.b32encode(secrets.token_bytes(16)).decode())
