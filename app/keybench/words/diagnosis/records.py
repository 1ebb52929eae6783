"""A diagnosis as JSON: a line for each check and one for the verdict, as commands print and bundles keep them."""

from __future__ import annotations

from typing import Any

from keybench.core.diagnosis.checks import CheckFinding
from keybench.core.diagnosis.conclusion import Diagnosis, Judged
from keybench.core.diagnosis.rules import result_of, rules_out
from keybench.words.diagnosis import because, evidence_text
from keybench.words.diagnosis.causes import remedy


def check_record(finding: CheckFinding) -> dict[str, Any]:
    return {
        "check": finding.check.value,
        "result": result_of(finding).value,
        "evidence": evidence_text(finding),
        "rules_out": [cause.value for cause in rules_out(finding)],
        "took_s": round(finding.took_s, 3),
    }


def cause_record(judged: Judged) -> dict[str, Any]:
    return {
        "cause": judged.cause.value,
        "standing": judged.standing.value,
        "because": because(judged),
        "remedy": remedy(judged.cause),
    }


def verdict_record(diagnosis: Diagnosis) -> dict[str, Any]:
    conclusion = diagnosis.conclusion
    next_check = conclusion.next_check
    return {
        "verdict": conclusion.trouble.value,
        "causes": [cause_record(one) for one in conclusion.causes],
        "explained": [{"check": one.check.value, "by": one.by.value} for one in conclusion.explained],
        "next_check": next_check.value if next_check else None,
        "took_s": round(diagnosis.took_s, 3),
    }
