"""Take the README's pictures again: `python3 packaging/pictures.py`, on a private screen and keyring."""

import os
import sys
import tempfile
from pathlib import Path
from typing import Final

import environment
import system_parts
from messages import SetupError, complain, say
from session import private_session

_ROOT: Final = Path(__file__).resolve().parent.parent
_PICTURES: Final = _ROOT / "resources" / "pictures"
#: What the README shows: the look, the tour's picture, and the name it is kept under.
_SHOWN: Final = (
    ("light", "approved-sale", "bench-light.png"),
    ("dark", "approved-sale", "bench-dark.png"),
    ("light", "add-a-new-key-form", "add-a-new-key-light.png"),
    ("dark", "refused-key", "refused-dark.png"),
    ("light", "refused-key", "refused-light.png"),
    ("light", "rotation-test", "rotation-light.png"),
    ("dark", "rotation-test", "rotation-dark.png"),
    ("light", "inventory", "keys-light.png"),
)


def main() -> int:
    """Play the tour in both looks and keep its pictures; return the exit status."""
    try:
        system_parts.ensure_for_tests()
        python = environment.ensure(_ROOT, "window")
        with private_session() as session, tempfile.TemporaryDirectory() as place:
            for look in ("light", "dark"):
                command = [os.fspath(python), "-m", "keybench", "tour", "--pace", "0", "--look", look]
                status = session.run([*command, "--screenshots", os.fspath(Path(place) / look)], _ROOT)
                if status:
                    complain(f"The tour in {look} ended with status {status}.")
                    return status
            _keep(Path(place))
    except SetupError as error:
        complain(str(error))
        return 1
    return 0


def _keep(place: Path) -> None:
    _PICTURES.mkdir(parents=True, exist_ok=True)
    for look, scene, name in _SHOWN:
        (taken,) = (place / look).glob(f"[0-9][0-9]-{scene}.png")
        (_PICTURES / name).write_bytes(taken.read_bytes())
        say(f"resources/pictures/{name}")


if __name__ == "__main__":
    sys.exit(main())
