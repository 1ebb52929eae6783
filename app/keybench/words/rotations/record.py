"""The record of a rotation: its texts in sections, and as Markdown for the security documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from keybench.core.environments.environment import Environment, marking
from keybench.core.rotations.rotation import (
    KEY_ACCEPTED,
    NOT_COMPROMISED,
    OLD_KEY_DELETED,
    SEEN_WORKING,
    THIS_CONSOLE,
    ApplicationStep,
    CompromiseCheck,
    Deletion,
    Evidence,
    Expectation,
    Rotation,
)
from keybench.core.rotations.stages import Stage, accepted_checks, is_revoked, last_key_test, stage_of
from keybench.words.formats import both_times, sentence_case, within
from keybench.words.language import _
from keybench.words.paper import DRAFT_NOTE, Paper, PaperSection, visible
from keybench.words.rotations.progress import COMPROMISE_TITLES, names_line
from keybench.words.rotations.stages import STAGE_TITLES, key_rows, proof_result, stage_number

NOTHING: Final = "\u2013"
CLOSING: Final = _(
    "No key value is in this record. A fingerprint stands for a value and doesn't lead back to it. "
    "Times are given in UTC, then by the clock of the computer that wrote this, with its distance from UTC."
)
# What counts within a line of Markdown; no line of the record begins with what people wrote.
_SPECIAL: Final = re.compile(r"([\\`*_\[\]#|~$])")
_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_EXPECTED: Final = {Expectation.ALLOWED: _("allowed"), Expectation.REFUSED: _("refused")}


def record_paper(rotation: Rotation, environment: Environment, now: datetime) -> Paper:
    """Return a rotation's record as a document; a draft as long as the rotation is open."""
    return Paper(
        title=record_title(rotation),
        environment=environment,
        written_at=now,
        lead=standing(rotation),
        sections=tuple(_sections(rotation, environment, now)),
        closing=CLOSING,
        is_draft=rotation.is_open,
    )


def record_title(rotation: Rotation) -> str:
    if is_revoked(rotation) and rotation.replacement is None:
        return _("Key revocation: {name}").format(name=rotation.old.name)
    return _("Key rotation: {names_line}").format(names_line=names_line(rotation))


def standing(rotation: Rotation) -> str:
    if rotation.documentation:
        return _("Finished {both_times}.").format(both_times=both_times(rotation.documentation.at))
    if rotation.abandoned_at:
        return _("Abandoned {both_times}. Both keys stay as they are.").format(
            both_times=both_times(rotation.abandoned_at)
        )
    stage = stage_of(rotation)
    if stage is Stage.DOCUMENT:
        return _(
            "Not finished when this was written: the old key is gone, and only the update of the security "
            "documentation was still to be recorded."
        )
    return _("Not finished: it is at stage {stage_number}, {STAGE_TITLES}.").format(
        stage_number=stage_number(stage), STAGE_TITLES=within(STAGE_TITLES[stage])
    )


def _sections(rotation: Rotation, environment: Environment, now: datetime) -> Iterator[PaperSection]:
    yield _overview(rotation, environment, now)
    yield _keys(rotation)
    yield _proof(rotation)
    yield _applications(rotation)
    yield _test(rotation)
    yield _deletion(rotation)
    if rotation.compromised:
        yield _checks(rotation)
    if rotation.leftovers:
        rows = tuple((left.making.draft.name, left.gateway_id or NOTHING) for left in rotation.leftovers)
        note = _("These were made on the way, or may have been, and are still to be deleted.")
        yield PaperSection(_("Keys left over"), (_("Name"), _("The gateway's identifier")), rows, note)
    yield _documentation(rotation)
    yield _evidence(rotation)


def _overview(rotation: Rotation, environment: Environment, now: datetime) -> PaperSection:
    rows = [
        (_("Environment"), marking(environment)),
        (_("Address"), environment.base_url or _("the built-in practice gateway")),
        (_("Reason"), rotation.reason or NOTHING),
        (
            _("Compromised"),
            _("yes: the old key may be in the wrong hands") if rotation.compromised else _cleared(rotation),
        ),
        (_("Started"), _by(rotation.started_at, rotation.started_by)),
    ]
    if not rotation.compromised:
        rows.append((_("Planned end of the overlap"), both_times(rotation.overlap_ends_at)))
    if rotation.abandoned_at:
        rows += [
            (_("Abandoned"), both_times(rotation.abandoned_at)),
            (_("Why abandoned"), rotation.abandon_reason or NOTHING),
        ]
    return PaperSection(_("Overview"), rows=(*rows, (_("This record was written"), both_times(now))))


def _cleared(rotation: Rotation) -> str:
    """Return that the old key isn't compromised, and why where it was thought to be."""
    why = [one for one in rotation.evidence if one.what == NOT_COMPROMISED]
    return (
        _("no: a false alarm\n{by}\n{reason}").format(by=_by(why[-1].at, why[-1].by), reason=why[-1].detail)
        if why
        else _("no")
    )


def _keys(rotation: Rotation) -> PaperSection:
    old, new = rotation.old, rotation.replacement
    known = [(row.name, row.old or NOTHING, row.new or NOTHING) for row in key_rows(old, new)]
    since = both_times(old.created_at), both_times(new.created_at) if new else NOTHING
    rows = (*known, (_("Known here since"), *since))
    note = "" if new else _("There is no replacement yet.")
    return PaperSection(_("Keys"), ("", _("Old key"), _("New key")), rows, note)


def _proof(rotation: Rotation) -> PaperSection:
    title, proof = _("Same permissions"), rotation.proof
    waived = (
        _("Not proven the same. Reason to go on: {proof_waived}").format(proof_waived=rotation.proof_waived)
        if rotation.proof_waived
        else ""
    )
    if proof is None and is_revoked(rotation):
        return PaperSection(title, note=_("The old key was revoked, so there was nothing to compare."))
    if proof is None:
        return PaperSection(title, note=waived or _("The keys' permissions were not compared."))
    head = (_("Call"), _("Should be"), _("Old key"), _("New key"), _("Result"))
    rows = tuple(
        (row.call, _EXPECTED[row.expected], str(row.old_status), str(row.new_status), proof_result(row))
        for row in proof.rows
    )
    if not proof.same:
        same = _("The keys differ")
    elif proof.is_whole:
        same = _("The gateway made no difference between the keys")
    else:
        same = _("One allowed call compared, and the gateway made no difference there")
    return PaperSection(
        title, head, rows, "\n".join(filter(None, (f"{same}: {both_times(proof.at)}.", waived)))
    )


def _applications(rotation: Rotation) -> PaperSection:
    if not rotation.applications:
        return PaperSection(_("Applications"), note=_("No application is listed for the old key."))
    head = (
        _("Application"),
        _("Looked after by"),
        _("Where the key is set"),
        _("Changed"),
        _("Seen working after that"),
    )
    return PaperSection(_("Applications"), head, tuple(map(_application, rotation.applications)))


def _application(step: ApplicationStep) -> tuple[str, ...]:
    changed = _by(step.changed_at, step.changed_by) if step.changed_at else _("no")
    seen = _seen(step)
    return (
        step.name,
        "\n".join(filter(None, (step.owner, step.contact))) or NOTHING,
        step.place or NOTHING,
        changed,
        seen,
    )


def _seen(step: ApplicationStep) -> str:
    if at := step.accepted_here_at:
        return _("no\nThe gateway accepted the new key from this console: {both_times}").format(
            both_times=both_times(at)
        )
    if step.seen_at is None:
        return _("no")
    return "\n".join(filter(None, (_by(step.seen_at, step.seen_by), step.seen_how)))


def _test(rotation: Rotation) -> PaperSection:
    title, test = _("Test of the new key"), rotation.test
    if test is None:
        return PaperSection(title, note=_not_accepted(last_key_test(rotation)))
    rows = [(_("Tested"), both_times(test.at)), (_("Answer"), _("HTTP {status}").format(status=test.status))]
    if test.sale:
        rows.append((_("Test sale"), test.sale))
    return PaperSection(title, rows=tuple(rows))


def _not_accepted(last: Evidence | None) -> str:
    if last is None:
        return _("The new key itself was not tested.")
    if last.what == "new key tested":
        return _("The gateway did not accept the new key: HTTP {status}, {both_times}.").format(
            status=last.status, both_times=both_times(last.at)
        )
    return _("The test of the new key showed nothing ({detail}): {both_times}.").format(
        detail=last.detail, both_times=both_times(last.at)
    )


def _deletion(rotation: Rotation) -> PaperSection:
    title, deletion = _("Deletion of the old key"), rotation.deletion
    if deletion is None:
        return PaperSection(title, note=_("The old key was not deleted."))
    rows = [(_("Requested"), _by(deletion.asked_at, deletion.by))]
    if is_revoked(rotation):
        rows.append((_("Why at once, whatever stops working"), deletion.override))
    elif deletion.override:
        rows.append((_("Why before everything was ready"), deletion.override))
    if deletion.deleted_at:
        where = (
            _("in the portal, by a person") if deletion.in_portal else _("at the gateway, by this console")
        )
        said = _("Deleted") if deletion.refused_at else _("Said to be deleted")
        rows.append((said, f"{both_times(deletion.deleted_at)}\n{where}"))
    elif rotation.old.gateway_id:
        rows.append((_("Deleted"), _("unknown: the gateway has not confirmed it")))
    else:
        rows.append((_("Deleted"), _("not yet")))
    if accepted := accepted_checks(rotation):
        times = (
            _("{both_times}, HTTP {status}").format(both_times=both_times(one.at), status=one.status)
            for one in accepted
        )
        rows.append((_("Still accepted after that"), "\n".join(times)))
    rows.append((_("Seen to be refused"), _refused(deletion)))
    erased = both_times(deletion.erased_at) if deletion.erased_at else _("not yet")
    return PaperSection(title, rows=(*rows, (_("Value erased from this computer"), erased)))


def _refused(deletion: Deletion) -> str:
    if deletion.refused_at is None:
        return _("not yet")
    status = (
        _("HTTP {refused_status}").format(refused_status=deletion.refused_status)
        if deletion.refused_status
        else ""
    )
    return "\n".join(filter(None, (both_times(deletion.refused_at), status, deletion.refused_note)))


def _checks(rotation: Rotation) -> PaperSection:
    head = (_("What the service asks for"), _("Done"), _("Findings"))
    return PaperSection(_("The key was compromised"), head, tuple(map(_check, rotation.checks)))


def _check(check: CompromiseCheck) -> tuple[str, ...]:
    done = _by(check.done_at, check.by) if check.done_at else _("no")
    return (COMPROMISE_TITLES[check.step], done, check.findings or NOTHING)


def _documentation(rotation: Rotation) -> PaperSection:
    title, done = _("Security documentation"), rotation.documentation
    if done is None:
        return PaperSection(title, note=_("Its update was not recorded yet when this was written."))
    rows = ((_("Updated"), _by(done.at, done.by)), (_("Record kept at"), done.place or NOTHING))
    return PaperSection(title, rows=rows)


def _evidence(rotation: Rotation) -> PaperSection:
    head = (_("Time"), _("What"), _("Details"), _("HTTP status"), _("By"))
    rows = tuple(
        (
            both_times(one.at),
            _what(one),
            one.detail or NOTHING,
            str(one.status) if one.status else NOTHING,
            one.by,
        )
        for one in rotation.evidence
    )
    return PaperSection(_("Evidence by time"), head, rows, "" if rows else _("Nothing was recorded yet."))


def _what(one: Evidence) -> str:
    """Return what was seen or done; what this console once noted of an application was only the key."""
    what = KEY_ACCEPTED if (one.what, one.by) == (SEEN_WORKING, THIS_CONSOLE) else one.what
    if what == OLD_KEY_DELETED:
        what = _("old key said to be deleted")
    return sentence_case(what)


def _by(at: datetime, who: str) -> str:
    return f"{both_times(at)}\n{who}" if who else both_times(at)


# --- as Markdown -------------------------------------------------------------------------------------


def paper_markdown(paper: Paper) -> str:
    """Return a document as Markdown with tables; whatever people wrote stays text."""
    blocks = [
        f"# {_plain(paper.full_title)}",
        f"**{_plain(marking(paper.environment))}**",
        *([f"**{_plain(DRAFT_NOTE)}**"] if paper.is_draft else []),
        _plain(paper.lead),
        *(block for section in paper.sections for block in _blocks(section)),
        f"---\n\n{_plain(paper.closing)}",
    ]
    return "\n\n".join(blocks) + "\n"


def _blocks(section: PaperSection) -> Iterator[str]:
    yield f"## {_plain(section.title)}"
    if section.note:
        yield _plain(section.note)
    if section.rows:
        # A Markdown table can't do without a head.
        head = section.head or ("",) * len(section.rows[0])
        lines = [_row(head), _line(["---"] * len(head)), *map(_row, section.rows)]
        yield "\n".join(lines)


def _row(cells: tuple[str, ...]) -> str:
    return _line([_plain(cell) for cell in cells])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """Return any text so that Markdown shows it as it is; its line ends become breaks."""
    return "<br>".join(_escaped(" ".join(line.split())) for line in text.splitlines())


def _escaped(line: str) -> str:
    escaped = _SPECIAL.sub(r"\\\1", visible(line))
    return "".join(_ENTITIES.get(c, c) for c in escaped)
