"""`keybench sales` on real parts: every row one outcome, and Ctrl-C ends a run without losing a sale."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

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


@pytest.mark.sweep
def test_ctrl_c_finishes_the_sale_under_way(keybench: Keybench, tmp_path: Path) -> None:
    keybench.add_key()
    words = listed(tmp_path, *["till-1;10,00"] * 50)
    process = subprocess.Popen(
        keybench.arguments(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert json.loads(process.stdout.readline())["state"] == "approved"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    last = json.loads(out.splitlines()[-1])
    assert process.returncode == 21, err
    assert last["summary"]
    assert last["left"] + last["approved"] == 50
    assert last["left"] >= 40
    states = [record["state"] for record in keybench.run("history", "--limit", "100").lines]
    assert states == ["approved"] * last["approved"]
