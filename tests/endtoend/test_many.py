"""`keybench sales` on real parts: every row has one outcome."""

from __future__ import annotations

from pathlib import Path

from endtoend.conftest import Keybench


def listed(folder: Path, *rows: str) -> tuple[str, ...]:
    path = folder / "devices.csv"
    path.write_text("\ufeffdevice;amount\r\n" + "\r\n".join(rows) + "\r\n", encoding="utf-8")
    return ("sales", "--environment", "practice", "--key", "till", "--devices", str(path))


def test_a_list_of_devices_is_sold_row_by_row(keybench: Keybench, tmp_path: Path) -> None:
    keybench.add_key()
    words = listed(tmp_path, "till-1;10,00", "till-2;20,00", "kiosk-1;10,00", "till-1;12,50")
    sold = keybench.run(*words)
    assert sold.status == 10, sold.err
    ends = {record["row"]: (record["device"], record["state"]) for record in sold.lines[:-1]}
    assert ends == {
        2: ("till-1", "approved"),
        3: ("till-2", "declined"),
        4: ("kiosk-1", "approved"),
        5: ("till-1", "approved"),
    }
    assert (sold.last["approved"], sold.last["declined"], sold.last["rows"]) == (3, 1, 4)
    history = keybench.run("history", "--environment", "practice").lines
    assert {record["reference"] for record in history} == {r["reference"] for r in sold.lines[:-1]}
