"""The record of a rotation as texts: whole in every state, safe whatever people write, and without values."""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from html.parser import HTMLParser
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.records import AT, CREATED, FINISHED, STARTED, STATES, after, environment
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.rotations.rotation import ApplicationStep, Evidence, Rotation
from keybench.core.secret import Secret
from keybench.words.formats import both_times
from keybench.words.paper import paper_html
from keybench.words.rotations.record import paper_markdown, record_paper

NASTY = "</td><script>alert(1)</script> | **x** `y` [z](http://e.example) \\ & \u202e\x07 _a_ # $\nline two"
TAGS = set("html head meta title style body table thead tbody tr th td h1 h2 p b br".split())  # noqa: SIM905 - one line


class Page(HTMLParser):
    """A page as a browser reads it: its tags, attributes and texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.cells: list[str] = [""]
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [name for name, _ in attrs if name in {"src", "href", "srcset", "action"}]
        if tag == "br":
            self.cells[-1] += "\n"
        else:
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        self.cells.append("")

    def handle_data(self, data: str) -> None:
        self.cells[-1] += data


def shown(text: str) -> str:
    """Return a text as the page shows it: line by line, with a mark for what can't be shown."""
    return "\n".join("".join(c if c.isprintable() else "\ufffd" for c in line) for line in text.splitlines())


def record_html(rotation: Rotation, where: Environment, now: datetime) -> str:
    return paper_html(record_paper(rotation, where, now))


def record_markdown(rotation: Rotation, where: Environment, now: datetime) -> str:
    return paper_markdown(record_paper(rotation, where, now))


@pytest.mark.parametrize("rotation", STATES.values(), ids=STATES.keys())
@pytest.mark.parametrize("kind", EnvironmentKind)
def test_every_state_is_told_in_both_forms(rotation: Rotation, kind: EnvironmentKind) -> None:
    where = environment(kind)
    page = Page(record_html(rotation, where, after(11)))
    text = record_markdown(rotation, where, after(11)).replace("\\", "")
    sections = record_paper(rotation, where, after(11)).sections
    assert [section.title for section in sections][:2] == ["Overview", "Keys"]
    assert sections[-1].title == "Evidence by time"
    for section in sections:
        assert f"## {section.title}\n" in text
        for row in section.rows:
            assert len(row) == len(section.head or row)
            assert f"| {' | '.join(row)} |".replace("\n", "<br>") in text
            assert all(cell in page.cells for cell in row)
    assert page.tags <= TAGS
    assert not page.links


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("started", ["Not finished: it is at stage 1", "There is no replacement yet"]),
        ("not proven", ["Reason to go on: the old user has left"]),
        ("proven different", ["The keys differ", "| 200 | 403 | differs |"]),
        ("tested", ["sold a coffee", "Test sale | KB-7", "The old key was not deleted"]),
        ("deleted", ["the till is gone", "in the portal, by a person", "Seen to be refused | not yet"]),
        ("taken as refused", ["seen in the portal"]),
        ("gone", ["HTTP 401", "at the gateway, by this console", "Old key refused"]),
        ("finished", ["Finished 2026-03-04 00:02:11 UTC", "the wiki, page Keys", "Mira Lind"]),
        ("abandoned", ["Abandoned 2026-03-03 17:02:11 UTC", "Both keys stay as they are", "the shop closes"]),
        ("compromised", ["may be in the wrong hands", "Review the access logs", "looked<br>nothing found"]),
        ("with a leftover", ["web shop spare | G-9"]),
        ("without applications", ["No application is listed", "Nothing was recorded yet"]),
        ("described only", ["its value was never kept here"]),
    ],
)
def test_what_matters_in_a_state_is_said(state: str, words: list[str]) -> None:
    text = record_markdown(STATES[state], environment(), after(11))
    assert [one for one in words if one not in text] == []


def test_a_compromised_key_has_no_planned_overlap() -> None:
    assert "Planned end" in record_markdown(STARTED, environment(), AT)
    assert "Planned end" not in record_markdown(STATES["compromised"], environment(), AT)


@pytest.mark.parametrize(
    ("kind", "mark", "colour"),
    [
        (EnvironmentKind.PRACTICE, "● PRACTICE · Shop", "#0f766e"),
        (EnvironmentKind.TEST, "◆ TEST · Shop", "#1d4ed8"),
        (EnvironmentKind.LIVE, "▲ LIVE · Shop", "#b42318"),
    ],
)
def test_the_environment_is_told_by_word_shape_and_colour(
    kind: EnvironmentKind, mark: str, colour: str
) -> None:
    where = environment(kind, "Shop")
    page = record_html(FINISHED, where, AT)
    assert f"<title>{mark} · " in page
    assert f'<td bgcolor="{colour}"' in page
    assert page.count(mark) >= 2
    assert ("Live: real money moves" in page) == (kind is EnvironmentKind.LIVE)
    assert f"\n\n**{mark}**\n\n" in record_markdown(FINISHED, where, AT)


@given(st.text(max_size=60) | st.just(NASTY))
def test_whatever_people_write_stays_text(text: str) -> None:
    rotation, where = _filled(text), replace(environment(), name=text)
    page = Page(record_html(rotation, where, AT))
    assert page.tags <= TAGS
    assert not page.links
    lines = record_markdown(rotation, where, AT).splitlines()
    rows = [line for line in lines if line.startswith("|")]
    columns = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) - 1 for row in rows}
    assert columns == {2, 3, 5}
    assert not re.search(r"<(?!br>)", "".join(lines))


def test_markup_in_names_is_shown_as_it_was_written() -> None:
    page = Page(record_html(_filled(NASTY), environment(), AT))
    assert page.cells.count(shown(NASTY)) >= 6
    assert "<script" not in record_markdown(_filled(NASTY), environment(), AT)
    assert r"\| \*\*x\*\* \`y\` \[z\](http://e.example) \\ &amp;" in record_markdown(
        _filled(NASTY), environment(), AT
    )


def _filled(text: str) -> Rotation:
    """Return a rotation with `text` wherever a person or a gateway may have written."""
    step = ApplicationStep("a", text, text, text, text, text, AT, text, AT, text, text)
    key = replace(CREATED.old, name=text, username=text, permission=text, purpose=text, gateway_id=text)
    return replace(
        FINISHED,
        old=key,
        replacement=replace(key, key_id="k2"),
        reason=text,
        started_by=text,
        proof_waived=text,
        applications=(step,),
        evidence=(Evidence(AT, "replacement created", text, 200, text),),
    )


def test_nothing_a_record_is_made_of_can_hold_a_value() -> None:
    kinds = set(_types_within(Rotation)) | set(_types_within(Environment))
    assert {Rotation, ApplicationStep, Evidence, Environment} <= kinds
    assert Secret not in kinds


def test_a_value_that_got_into_a_text_is_a_mask() -> None:
    value = Secret("MadeUpForTests0123456789abcdefgh")
    rotation = replace(STARTED, reason=f"{value}", evidence=(Evidence(AT, "x", str(value), by=f"{value!s}"),))
    for text in (record_markdown(rotation, environment(), AT), record_html(rotation, environment(), AT)):
        leaked = "MadeUpForTests" in text
        assert not leaked
        assert "••••••" in text


def _types_within(kind: typing.Any) -> Iterator[typing.Any]:
    """Yield a type and every type its fields may hold."""
    inner = typing.get_args(kind)
    for one in inner:
        yield from _types_within(one)
    if not inner:
        yield kind
    if dataclasses.is_dataclass(kind) and kind is not Environment:
        for hint in typing.get_type_hints(kind).values():
            yield from _types_within(hint)


@pytest.mark.parametrize(
    ("zone", "local"),
    [
        ("Europe/Berlin", "(15:02:11 +01:00)"),
        ("Asia/Kolkata", "(19:32:11 +05:30)"),
        ("America/St_Johns", "(10:32:11 -03:30)"),
        ("Pacific/Auckland", "(2026-03-04 03:02:11 +13:00)"),
    ],
)
def test_a_moment_is_told_in_utc_and_with_its_offset(zone: str, local: str) -> None:
    assert both_times(AT, ZoneInfo(zone)) == f"2026-03-03 14:02:11 UTC {local}"


@given(st.datetimes(min_value=datetime.fromisoformat("2020-01-01"), timezones=st.timezones()))
def test_a_moment_can_be_read_back(at: datetime) -> None:
    utc = datetime.fromisoformat(both_times(at, at.tzinfo).split(" UTC")[0] + "+00:00")
    assert abs((utc - at).total_seconds()) < 1


def test_the_page_needs_nothing_else_and_prints_on_any_paper() -> None:
    page = record_html(FINISHED, environment(), AT)
    assert "default-src 'none'" in page
    assert "size:" not in page.replace("font-size:", "")
    assert "@import" not in page
    assert "url(" not in page


@pytest.mark.parametrize("state", STATES)
def test_the_record_of_a_rotation_that_is_not_over_is_a_draft(state: str) -> None:
    rotation = STATES[state]
    text, page = record_markdown(rotation, environment(), AT), record_html(rotation, environment(), AT)
    is_draft = rotation.is_open
    assert is_draft == (state not in {"finished", "abandoned"})
    assert text.startswith("# Draft: Key rotation: ") == is_draft
    assert ("**Draft: the rotation isn't finished" in text) == is_draft
    assert ("· Draft: Key rotation: " in page.split("</title>")[0]) == is_draft
    assert ('content: "Draft"' in page) == is_draft  # in the margin of each page that a browser prints
