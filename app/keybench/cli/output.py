"""What commands print: results on standard output, as text or JSON lines; messages on standard error."""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, TextIO

from keybench.cli import exits
from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid
from keybench.words.explain import explain
from keybench.words.fields import field_sentence
from keybench.words.language import _

#: What isn't to be seen and does no harm: line ends, tabs, and the joiners that some scripts need.
_ALLOWED: Final = frozenset("\n\t\u200c\u200d")


def harmless(text: str) -> str:
    """Return a text for a terminal: what would command it, or turn its reading round, is written out."""
    if text.isprintable():
        return text
    return "".join(c if _is_harmless(c) else c.encode("unicode_escape").decode("ascii") for c in text)


def _is_harmless(character: str) -> bool:
    return character.isprintable() or character in _ALLOWED or unicodedata.category(character) == "Zs"


class Output:
    """Prints for people or for programs: to standard output, and messages to standard error."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._results = sys.stdout
        self._messages = sys.stderr

    def result(self, record: Mapping[str, Any], text: str) -> None:
        # JSON is in ASCII: the reader's encoding isn't ours to know.
        line = json.dumps(record) if self.as_json else harmless(text)
        self._print(line, self._results)

    def message(self, text: str) -> None:
        self._print(harmless(text), self._messages)

    def _print(self, line: str, stream: TextIO) -> None:
        """Print a line, if anybody takes it: what a sale comes to doesn't hang on who reads of it.

        Where a stream takes nothing any more, as a pipe to `head`, what Python still holds for it and what
        comes goes nowhere.
        """
        try:
            print(line, file=stream, flush=True)
        except OSError as error:
            with suppress(OSError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)
            if stream is self._results and not isinstance(error, BrokenPipeError):
                self.message(
                    _("keybench: No more results can be written: {reason}.").format(reason=error.strerror)
                )

    def failure(
        self, error: KeybenchError, more: Mapping[str, Any] | None = None, *, status: int | None = None
    ) -> int:
        """Report what went wrong, in JSON also as a result, so that a script needs to read one stream only.

        Returns `status`, or the usual exit status of such an error.
        """
        explanation = explain(error)
        status = exits.status_of_error(error) if status is None else status
        self.message(_("keybench: {title}").format(title=explanation.title))
        if explanation.text:
            self.message(explanation.text)
        if self.as_json:
            record = {
                "error": type(error).__name__,
                "exit_status": status,
                "status": getattr(error, "status", 0),
                "message": getattr(error, "message", ""),
                "meaning": meaning_of(error),
            }
            self.result(record | dict(more or {}), "")
        return status

    def wrong_row(self, line: int, error: InputInvalid) -> None:
        meaning = field_sentence(error)
        self.message(_("Line {line}: {meaning}").format(line=line, meaning=meaning))
        if self.as_json:
            self.result({"row": line, "error": type(error).__name__, "meaning": meaning}, "")


def meaning_of(error: KeybenchError) -> str:
    explanation = explain(error)
    return " ".join(part for part in (explanation.title, explanation.text) if part)
