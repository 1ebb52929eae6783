"""`keybench key export|import|test --all` and `keybench application`: what they tell and end with."""

from __future__ import annotations

import csv
import json
from datetime import datetime
from pathlib import Path

import pytest

from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import KeyRefused, KeystoreLocked
from keybench.core.ports import Caller

from .conftest import CommandLine, shows_value

LIST = """\
name,username,permission,kind,environment
Kiosk,ana,Sale,public,
Web,ana,Sale,private,shop
Till,ana,Sale,private,
Odd,ana,Sale,secret,
"""


@pytest.fixture
def shop(with_key: CommandLine) -> CommandLine:
    """Practice and a live shop, a key in each."""

    async def add() -> None:
        where = await with_key.bench.add("Shop", EnvironmentKind.LIVE)
        await with_key.bench.add_key(where, "Counter")

    with_key.do(add())
    return with_key


def names(keybench: CommandLine) -> list[tuple[str, str]]:
    return [(one["environment"], one["name"]) for one in keybench("key", "list", "--json").records]


# --- key export -----------------------------------------------------------------------------------


def test_an_export_of_one_environment_or_all(shop: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "keys.csv"
    ended = shop("key", "export", "--out", str(path), "--json")
    assert (ended.status, ended.records) == (0, [{"file": str(path), "keys": 2}])
    assert [row["name"] for row in csv.DictReader(path.read_text("utf-8").splitlines())] == [
        "Till",
        "Counter",
    ]
    as_json = tmp_path / "keys.json"
    ended = shop("key", "export", "--out", str(as_json), "--environment", "shop")
    assert ended.out == f"Wrote 1 key to {as_json}, without values.\n"
    assert [one["environment"] for one in json.loads(as_json.read_text("utf-8"))] == ["Shop"]
    is_leaked = shows_value(path.read_text("utf-8"), as_json.read_text("utf-8"), ended.out)
    assert not is_leaked

    assert shop("key", "export", "--out", str(tmp_path / "keys.txt")).status == 1
    assert shop("key", "export", "--out", str(tmp_path / "keys.csv"), "--environment", "none").status == 2


# --- key import -----------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "list.csv"
    path.write_text(LIST, encoding="utf-8")
    return path


def test_a_dry_run_tells_and_takes_nothing_over(shop: CommandLine, file: Path) -> None:
    ended = shop("key", "import", str(file), "--dry-run", "--json")
    assert ended.status == 0
    assert [one.get("error") for one in ended.records] == ["NameTaken", "KeyListInvalid", None, None, None]
    assert [one["name"] for one in ended.records if "name" in one] == ["Kiosk", "Web"]
    assert ended.records[-1] == {"summary": True, "keys": 2, "wrong": 2, "dry_run": True}
    assert "Line 5" in ended.err
    assert len(names(shop)) == 2


def test_wrong_rows_end_it_unless_they_are_to_be_skipped(shop: CommandLine, file: Path) -> None:
    assert shop("key", "import", str(file)).status == 2
    assert len(names(shop)) == 2
    ended = shop("key", "import", str(file), "--skip-wrong", "--by", "Ana")
    assert ended.status == 0
    assert "2 imported, without values; 2 can't be." in ended.out
    assert sorted(names(shop)) == [
        ("Shop", "Counter"),
        ("Shop", "Web"),
        ("practice", "Kiosk"),
        ("practice", "Till"),
    ]
    lines = [one for one in shop("activity", "--json").records if one["action"] == "key imported"]
    assert {(one["result"], one["who"]) for one in lines} == {("from list.csv", "Ana")}


def test_the_form_of_its_dates_is_said_where_it_cant_be_told(shop: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("name;username;permission;kind;created\nKiosk;ana;Sale;public;05.02.2025\n")
    unclear = shop("key", "import", str(path))
    assert (unclear.status, unclear.out) == (2, "")
    assert "“05.02.2025” can be read in two ways" in unclear.err
    assert shop("key", "import", str(path), "--dates", "year").status == 2
    told = ("--dates", "month-first", "--environment", "Shop")  # where rows go that name none
    (row, _summary) = shop("key", "import", str(path), *told, "--json").records
    assert ("Shop", "Kiosk") in names(shop)
    assert f"{datetime.fromisoformat(row['created']).astimezone():%Y-%m-%d}" == "2025-05-02"


def test_a_list_with_values_is_refused_and_not_repeated(shop: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("name,note\nKiosk,MadeUpForTests0123456789abcdefgh\n", encoding="utf-8")
    ended = shop("key", "import", str(path), "--json")
    is_leaked = shows_value(ended.out, ended.err)
    assert (ended.status, is_leaked, len(names(shop))) == (2, False, 2)


# --- key test --all -------------------------------------------------------------------------------


def test_all_keys_are_tested(shop: CommandLine) -> None:
    ended = shop("key", "test", "--all", "--json")
    assert ended.status == 0
    assert sorted((one["name"], one["result"]) for one in ended.records[:-1]) == [
        ("Counter", "working"),
        ("Till", "working"),
    ]
    assert (ended.records[-1]["keys"], ended.records[-1]["working"]) == (2, 2)
    shop.bench.keystore.failure = KeystoreLocked()
    assert shop("key", "test", "--all").status == 40
    shop.bench.keystore.failure = None
    only = shop("key", "test", "--all", "--environment", "shop")
    assert only.status == 0
    assert "Counter" in only.out
    assert "Till" not in only.out


def test_a_refused_key_decides_the_exit_status(shop: CommandLine) -> None:
    answered = shop.bench.gateway.probe_key

    async def probe(caller: Caller) -> int:
        if caller.environment.name == "Shop":
            raise KeyRefused("unauthorised", status=401)
        return await answered(caller)

    shop.bench.gateway.probe_key = probe  # type: ignore[method-assign]  # a gateway that knows one of them
    ended = shop("key", "test", "--all", "--json")
    assert ended.status == 20
    refused = next(one for one in ended.records if one.get("result") == "refused")
    assert (refused["name"], refused["status"], refused["error"]) == ("Counter", 401, "KeyRefused")
    assert ended.records[-1]["refused"] == 1


def test_a_key_whose_value_was_never_here_is_no_failure_and_a_lost_one_is(
    shop: CommandLine, tmp_path: Path
) -> None:
    path = tmp_path / "list.csv"
    path.write_text("name,username,permission,kind\nKiosk,ana,Sale,public\n", encoding="utf-8")
    shop("key", "import", str(path))
    assert shop("key", "test", "--all").status == 0
    for entry in shop.bench.keystore.entries:
        shop.do(shop.bench.keystore.erase(entry))
    ended = shop("key", "test", "--all", "--json")
    assert (ended.status, ended.records[-1]["no_value"]) == (1, 3)


def test_a_key_by_name_still_needs_its_environment(shop: CommandLine) -> None:
    assert shop("key", "test", "--name", "Till").status == 2
    assert shop("key", "test", "--name", "Till", "--environment", "practice").status == 0
    assert shop("key", "test").status == 2
    assert shop("key", "test", "--all", "--name", "Till").status == 2


# --- application ----------------------------------------------------------------------------------


def test_applications_are_added_listed_and_removed(shop: CommandLine) -> None:
    where = ("--environment", "Shop", "--key", "Counter")
    ended = shop("application", "add", *where, "--name", "Web shop", "--owner", "Jo", "--json")
    assert (ended.status, ended.records[0]["owner"]) == (0, "Jo")
    shop("application", "add", "--environment", "practice", "--key", "till", "--name", "Training")
    assert [one["name"] for one in shop("application", "list", "--json").records] == ["Training", "Web shop"]
    assert "no owner" in shop("application", "list", "--environment", "practice").out
    assert shop("application", "add", *where, "--name", "web SHOP").status == 2
    assert shop("application", "remove", *where, "--name", "web shop").status == 0
    assert shop("application", "remove", *where, "--name", "web shop").status == 2
    assert [one["name"] for one in shop("application", "list", "--json").records] == ["Training"]


def test_an_application_whose_key_was_forgotten_is_still_listed(shop: CommandLine) -> None:
    shop("application", "add", "--environment", "practice", "--key", "till", "--name", "Training")
    assert shop("key", "forget", "--environment", "practice", "--name", "Till").status == 0
    assert shop("application", "list", "--json").records[0]["key"] is None
    assert "(forgotten)" in shop("application", "list").out


def test_an_application_needs_a_key_that_is_there(shop: CommandLine) -> None:
    assert shop("application", "add", "--environment", "Shop", "--key", "none", "--name", "x").status == 2
