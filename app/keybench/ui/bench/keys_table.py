"""The table of the environment's keys, of which one is chosen for the card below it, and the filter above it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from keybench.core.keys.key import KeyKind, KeyState, SecurityKey
from keybench.ui.kit.boxes import in_row_or_column
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.segments import Segments
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import scaled
from keybench.ui.shared.list_page import search_field
from keybench.words.formats import ago_short
from keybench.words.keys.states import KeyMarks, kind_word, kind_words, last_used, looked_state, marked_state
from keybench.words.language import _

MarksOf = Callable[[SecurityKey], KeyMarks | None]

# Sorted by state, what needs a look comes first.
_STATE_ORDER: Final = (
    KeyState.VALUE_LOST,
    KeyState.NO_VALUE,
    KeyState.REFUSED,
    KeyState.FORBIDDEN,
)
_CALM_ORDER: Final = ("accent", "warning", "dim", "good")
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One key as the table shows it."""

    key: SecurityKey
    used: str
    used_at: datetime
    story: str
    state: str
    tone: str
    rank: int
    described: str
    words: str

    @property
    def hint(self) -> str:
        return f"{self.key.name}\n{self.key.purpose}".strip()


def row_of(key: SecurityKey, now: datetime, marks: KeyMarks | None = None) -> KeyRow:
    """Return the row of `key` as it reads at `now` (UTC), with its marks if they are known."""
    state, looked = marked_state(key, marks), looked_state(key)
    known = marks or KeyMarks(last_use=key.used_at)
    times = [one for one in (known.last_use, key.used_at) if one]
    story = last_used(key, known, now)
    searched = (
        *(key.name, key.username, key.purpose, key.permission, key.fingerprint, key.owner),
        *(kind_word(key.kind), state.text, *known.applications),
    )
    return KeyRow(
        key=key,
        used=ago_short(max(times), now) if times else "–",  # noqa: RUF001 - a dash for nothing
        used_at=max(times, default=_LONG_AGO),
        story=story,
        state=state.text,
        tone=state.tone,
        rank=_rank(key, state.tone),
        described=story if state == looked else f"{looked.text}, {story}",
        words="\n".join(searched).casefold(),
    )


def _rank(key: SecurityKey, tone: str) -> int:
    if key.compromised:
        return 0
    if key.state in _STATE_ORDER:
        return 1 + _STATE_ORDER.index(key.state)
    return 1 + len(_STATE_ORDER) + _CALM_ORDER.index(tone)


COLUMNS: Final[tuple[Column[KeyRow], ...]] = (
    Column(
        "name", _("Key name"), lambda row: row.key.name, bold=True, stretch=True, hint=lambda row: row.hint
    ),
    Column(
        "kind",
        _("Kind"),
        lambda row: kind_word(row.key.kind),
        width=kind_word(KeyKind.PRIVATE),
        ink=lambda _row: "dim",
        hint=lambda row: kind_words(row.key.kind),
    ),
    Column("username", _("Username"), lambda row: row.key.username, width="counter01"),
    # A little longer than the longest usual state, so that no column goes or comes when a key's state changes.
    Column(
        "state",
        _("State"),
        lambda row: row.state,
        width=_("Rotating 3 of 55."),
        tone=lambda row: row.tone,
        described=lambda row: row.described,
        sort=lambda row: (row.rank, row.state),
    ),
    Column(
        "used",
        _("Last used"),
        lambda row: row.used,
        width=_("yesterday"),
        ink=lambda _row: "dim",
        hint=lambda row: row.story,
        spoken=lambda row: row.story,
        sort=lambda row: row.used_at,
    ),
)

#: From which width of the table on, in pixels at 13 px text, a column is shown unless a person decides otherwise.
#: None comes or goes with what the rows say; the card below the table has it all.
_SHOWN_FROM: Final = {"username": 490, "kind": 430, "used": 310}


class KeyTable(Table[KeyRow]):
    """All keys, or those of one kind, as far as they are searched for; at most one is chosen.

    Signals:
        chosen: Another key is chosen, or what is known of it changed (a `SecurityKey` or None).
    """

    chosen = Signal(object)

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        model = TableModel(COLUMNS, lambda row: row.key.id, words=lambda row: row.words)
        self._keys: tuple[SecurityKey, ...] = ()
        self._marks_of: MarksOf = _unmarked
        self._kind: KeyKind | None = None
        self._searched = ""
        self._key: SecurityKey | None = None
        self._quiet = False
        super().__init__(_("Security keys"), model, parent=parent)
        self.columns.show_from(_SHOWN_FROM)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.selection_changed.connect(self._on_selection)
        self.horizontalHeader().setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        self.columns.keep(preferences, "bench/security keys columns")
        self._sight = QTimer(self, singleShot=True, interval=0)
        self._sight.timeout.connect(self._bring_into_sight)

    @property
    def key(self) -> SecurityKey | None:
        return self._key

    @property
    def keys(self) -> tuple[SecurityKey, ...]:
        return self._keys

    def show_keys(self, keys: Sequence[SecurityKey], now: datetime) -> None:
        """Show `keys`; the chosen one stays chosen if it is still among them."""
        self._keys = tuple(keys)
        self.refresh_times(now)
        before, known = self._key, {key.id for key in keys}
        self.choose(before.id if before and before.id in known else "")
        if before and self._key and before.name != self._key.name:
            self.keep_in_sight()  # sorted by name, it is elsewhere now

    def show_marks(self, marks_of: MarksOf, now: datetime) -> None:
        self._marks_of = marks_of
        self.refresh_times(now)

    def show_kind(self, kind: KeyKind | None, now: datetime) -> None:
        """Show only keys of a kind, or all; a chosen key of the other kind stays chosen."""
        self._kind = kind
        self._describe_none()
        self.refresh_times(now)

    def search(self, text: str) -> None:
        """Show only keys that hold every word of `text`; a chosen key that is filtered away stays chosen."""
        self._searched = text.strip()
        self._describe_none()
        self._quiet = True
        self.model().search(text)
        self._quiet = False
        if self._key:
            self._select_quietly(self._key.id)

    def choose(self, key_id: str) -> None:
        """Choose a key by id; an id that isn't there chooses none."""
        before = self._key
        self._key = next((key for key in self._keys if key.id == key_id), None)
        self._select_quietly(key_id)
        if self._key != before:
            self.chosen.emit(self._key)

    def choose_first(self) -> None:
        if self.model().rows:
            self.choose(self.model().row(0).key.id)

    def neighbour(self, key_id: str) -> str:
        """Return the id of the key below a key, else above it, or an empty text."""
        rows, number = self.model().rows, self.model().number(key_id)
        others = [*rows[number + 1 :], *rows[: max(number, 0)][::-1]]
        return others[0].key.id if others else ""

    def keep_in_sight(self) -> None:
        if self._key:
            self._sight.start()

    def refresh_times(self, now: datetime) -> None:
        shown = (key for key in self._keys if self._kind in {None, key.kind})
        self._quiet = True
        self.model().show(row_of(key, now, self._marks_of(key)) for key in shown)
        self._quiet = False
        if self._key:
            self._select_quietly(self._key.id)

    def _describe_none(self) -> None:
        if self._searched:
            self.empty_text = _("No key matches the filter.")
        elif self._kind is KeyKind.PRIVATE:
            self.empty_text = _("No private keys. They are for servers and tills, and only they can sell.")
        else:
            self.empty_text = _("No public keys. They are for web pages and apps, and can't sell.")

    def _on_selection(self) -> None:
        if not self._quiet and (row := self.selected) and row.key.id != (self._key.id if self._key else ""):
            self.choose(row.key.id)

    def _select_quietly(self, key_id: str) -> None:
        self._quiet = True
        number = self.model().number(key_id)
        if number < 0 or number != self.selected_number:
            self.select_row(number)
        self._quiet = False

    def _bring_into_sight(self) -> None:
        number = self.model().number(self._key.id) if self._key else -1
        if number >= 0:
            self.scrollTo(self.model().index(number, 0))

    def sizeHint(self) -> QSize:
        """Ask for no more than it needs; it takes what there is."""
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())


def _unmarked(_key: SecurityKey) -> None:
    """Know nothing of the register."""


_ALL: Final = "all"
#: What the filter needs beside the kinds, in pixels at 13 px text; with less, each has a line of its own.
_FILTER_PX: Final = 130


class KeyFinder(QWidget):
    """A field whose words are looked for as one types, and the kinds to choose from.

    Signals:
        kind_changed: Keys of another kind are wanted (a `KeyKind`), or all (None).
    """

    kind_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.filter = search_field(_("Filter keys"), _("Filter by name, user, purpose, fingerprint…"))
        choices = (_ALL, _("All")), (KeyKind.PRIVATE.value, _("Private")), (KeyKind.PUBLIC.value, _("Public"))
        self.kinds = Segments(choices, _("Kind of the keys shown"))
        self.kinds.changed.connect(self._on_kind)
        in_row_or_column((self.filter, 1), self.kinds, from_px=self._one_line_px, within=self)

    def clear(self) -> None:
        self.filter.clear()
        self.kinds.choose(_ALL)

    def _one_line_px(self) -> int:
        return self.kinds.sizeHint().width() + 8 + scaled(_FILTER_PX)

    def _on_kind(self, value: str) -> None:
        self.kind_changed.emit(None if value == _ALL else KeyKind(value))
