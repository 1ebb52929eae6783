"""Taking out of a bundle what must not be in it, before the file is made.

This is the first of two looks. It reads each text by itself and with those beside it, and puts a placeholder
where something was; the second (`workflows.bundle_file.unsafe_places`) reads the finished file and changes
nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from keybench.core.bundle import CARD, COMPUTER, USER, TakenOut
from keybench.core.card_data import holds_card_data
from keybench.core.secret import Secret
from keybench.core.spellings import TooEntangled
from keybench.core.text_search import SearchTerms
from keybench.core.value_finder import SUSPICIOUS, Leaf, Tree, ValueFinder, unescaped

#: Fields that hold the program's own words, figures or times and nothing else: no placeholder fits in there.
FIXED: Final = frozenset(
    {
        *("kind", "mode", "stage", "mark", "outcome", "at", "noted_at", "accepted_at", "finished_at"),
        *("tested_at", "saved_at", "currency", "amount", "state", "fingerprint", "reference"),
    }
)
_CARD_RUN: Final = re.compile(r"[0-9](?:[ ,._/*-]{0,3}[0-9]){12,}")
#: Texts are looked through together, up to so many characters; most of them hold nothing.
_TOGETHER: Final = 60_000
#: Stands between them, and in no spelling of anything.
_APART: Final = "\x1f"
#: Taking something out may bring what was around it together, so it is looked again, but not for ever.
_ROUNDS: Final = 6
#: Stands for a text of which nobody can tell what it spells.
UNREADABLE: Final = "<unreadable>"
#: Shorter names are found in innocent words.
SHORTEST_NAME: Final = 3


class Names:
    """The names by which the computer and whoever works on it are known.

    Args:
        computer, user: Their names; those that are too short to be told from other words are left out.
    """

    def __init__(self, computer: Iterable[str] = (), user: Iterable[str] = ()) -> None:
        told = [(name.strip(), COMPUTER) for name in computer] + [(name.strip(), USER) for name in user]
        self.by_name = {name.lower(): mark for name, mark in told if len(name) >= SHORTEST_NAME}
        longest_first = sorted(self.by_name, key=lambda name: (-len(name), name))
        words = "|".join(map(re.escape, longest_first))
        self._pattern = re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])", re.IGNORECASE) if words else None

    def found(self, text: str) -> Iterator[re.Match[str]]:
        """Return where they stand in a text, each as a word of its own."""
        return self._pattern.finditer(text) if self._pattern else iter(())

    def mark_of(self, match: re.Match[str]) -> str:
        """Return the placeholder of what was found."""
        return self.by_name[match[0].lower()]


class Masking:
    """Puts placeholders into a document in JSON's own kinds.

    Args:
        values: What is searched for, each with its placeholder.
        names: The computer's and the user's.

    """

    def __init__(self, values: Sequence[tuple[str, Secret]], names: Names) -> None:
        # More than is searched for at last: else what stands beside a part could make it look like more.
        self._finder = ValueFinder(values, SUSPICIOUS)
        self._terms = [(label, SearchTerms([value])) for label, value in values]
        self._all = SearchTerms([value for _, value in values])
        self._names = names

    def apply(self, plain: dict[str, Any]) -> list[TakenOut]:
        """Take out of a document what must not be in it, and return what that was.

        Taking something out may bring what was around it together, so what was changed is looked at again.
        """
        taken: Counter[tuple[str, str]] = Counter()
        self._look(plain, taken)
        found = taken
        for _round in range(_ROUNDS if taken else 0):
            for number in range(_ROUNDS):
                changed = _parts_of(plain, found)
                found = Counter()
                self._look(changed, found, is_last=number == _ROUNDS - 1)
                taken += found
                if not found:
                    break
            # It may also have been brought together with what stands in another part.
            self._look_for_parts(Tree(plain), found)
            taken += found
            if not found:
                break
        return [TakenOut(what, where, count) for (what, where), count in sorted(taken.items())]

    def _look(self, plain: Any, taken: Counter[tuple[str, str]], *, is_last: bool = False) -> None:
        tree = Tree(plain)
        before = taken.total()
        self._mask_names_and_cards(tree, taken)
        self._mask_spelled(tree, taken)
        if taken.total() > before:
            tree.close()
            tree = Tree(plain)
        self._look_for_parts(tree, taken, is_last=is_last)

    def _mask_names_and_cards(self, tree: Tree, taken: Counter[tuple[str, str]]) -> None:
        for leaf in tree.leaves:
            if leaf.outer or leaf.name in FIXED:
                continue
            text = self._without_names(leaf, taken)
            if _CARD_RUN.search(text) and holds_card_data(text):
                text = _CARD_RUN.sub(lambda run: CARD if holds_card_data(run[0]) else run[0], text)
                text = CARD if holds_card_data(text) else text
                taken[CARD, leaf.path] += 1
            elif ("%B" in text or ";" in text) and holds_card_data(text):
                text = CARD
                taken[CARD, leaf.path] += 1
            if text != leaf.text:
                leaf.put(text)

    def _without_names(self, leaf: Leaf, taken: Counter[tuple[str, str]]) -> str:
        text = leaf.text
        pieces, done = [], 0
        for match in self._names.found(text):
            pieces += [text[done : match.start()], self._names.mark_of(match)]
            done = match.end()
            taken[self._names.mark_of(match), leaf.path] += 1
        text = "".join([*pieces, text[done:]])
        for match in self._names.found(unescaped(text)):  # spelled in another way
            taken[self._names.mark_of(match), leaf.path] += 1
            return self._names.mark_of(match)
        return text

    def _mask_spelled(self, tree: Tree, taken: Counter[tuple[str, str]]) -> None:
        """Take out what a text spells once escapes and encodings are undone."""
        if self._all.longest == 0:
            return
        group: list[Leaf] = []
        length = 0
        for leaf in tree.leaves:
            if leaf.outer or leaf.name in FIXED:  # it is in what holds it, too
                continue
            group.append(leaf)
            length += len(leaf.text)
            if length > _TOGETHER:
                self._mask_group(group, taken)
                group, length = [], 0
        self._mask_group(group, taken)

    def _mask_group(self, group: Sequence[Leaf], taken: Counter[tuple[str, str]]) -> None:
        if not group or not self._all.may_be_in(_APART.join(leaf.text for leaf in group)):
            return
        if len(group) > 1:
            half = len(group) // 2
            self._mask_group(group[:half], taken)
            self._mask_group(group[half:], taken)
            return
        leaf = group[0]
        masked, labels = self._without_values(leaf.text)
        for label in labels:
            taken[label, leaf.path] += 1
        leaf.put(masked)

    def _without_values(self, text: str) -> tuple[str, set[str]]:
        """Return a text without what it spells, and the placeholders of that."""
        spans: list[tuple[int, int, str]] = []
        try:
            views = list(self._all.readings(text))
        except TooEntangled:
            return UNREADABLE, {UNREADABLE}
        for label, terms in self._terms:
            spans += [(*view.span(*span), label) for view in views for span in terms.in_view(view)]
        masked, labels = _replaced(text, spans), {label for *_span, label in spans}
        if self._all.may_be_in(masked):  # what is left spells one, too
            return min(labels, default=UNREADABLE), labels or {UNREADABLE}
        return masked, labels

    def _look_for_parts(self, tree: Tree, taken: Counter[tuple[str, str]], *, is_last: bool = False) -> None:
        """Take out values that were cut in pieces, and parts of values."""
        spans: dict[int, list[tuple[int, int, str]]] = {}
        for hit in self._finder.in_tree(tree):
            # A date's figures may go on where a part of a value ends: without that part they say nothing.
            leaves = [(tree.leaves[index], index, span) for index, span in hit.spans]
            hidden = [one for one in leaves if one[0].outer or one[0].name not in FIXED]
            if hidden:
                taken[hit.label, hidden[0][0].path] += 1
            for leaf, index, span in hidden:
                start, end = span if span and not is_last else (0, len(leaf.text))
                spans.setdefault(index, []).append((start, end, hit.label))
        for index, found in spans.items():
            leaf = tree.leaves[index]
            leaf.put(_replaced(leaf.text, found))
        tree.close()


def _parts_of(plain: dict[str, Any], taken: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the parts of a document in which something was taken out, each by its path."""
    paths = {re.split(r"(?<=\])|\.", where, maxsplit=1)[0] for _what, where in taken}
    parts: dict[str, Any] = {}
    for path in sorted(paths):
        name, _bracket, number = path.rstrip("]").partition("[")
        if name in plain:
            parts[path] = plain[name][int(number)] if number else plain[name]
    return parts


def _replaced(text: str, spans: list[tuple[int, int, str]]) -> str:
    """Return a text with a placeholder for each span; those that overlap become one."""
    pieces: list[str] = []
    done = 0
    for start, end, label in sorted(spans):
        if end <= done:
            continue
        if start >= done:
            pieces += [text[done:start], label]
        done = end
    return "".join([*pieces, text[done:]])


def where_words(taken: Iterable[TakenOut], plain: Mapping[str, Any]) -> list[TakenOut]:
    """Return the same with places by names: ``sales[3].message`` becomes ``sales/KB-…/message``.

    Args:
        taken: With paths in `plain`.
        plain: The document.
    """
    sales = [one["reference"] for one in plain["sales"]]
    exchanges = [one["sale"] for one in plain["exchanges"]]
    firsts = dict(zip(exchanges[::-1], range(len(exchanges) - 1, -1, -1), strict=True))

    def named(match: re.Match[str]) -> str:
        number = int(match[2])
        if match[1] == "sales":
            return f"sales/{sales[number]}/"
        return f"exchanges/{exchanges[number]}/{number - firsts[exchanges[number]] + 1}/"

    return [
        TakenOut(
            one.what, re.sub(r"^(sales|exchanges)\[(\d+)\]\.(?:exchange\.)?", named, one.where), one.count
        )
        for one in taken
    ]
