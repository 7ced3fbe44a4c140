"""Statements that can hold only where others do: what is false of these is false of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from verification.statements import deciding, telling
from verification.verdicts.verdict import Finding
from verification.verdicts.wording import of_false


def find(claim: Any, time: str | None = None) -> Finding:
    """Where what a statement needs is false, it is false too; else nothing is known of it."""
    statement, alone = claim.statement.form, {"given": (), "kinds": (), "states": ()}
    found = deciding.find(replace(claim, statement=statement.needed), time)
    premises = [
        (one, deciding.find(replace(claim, statement=one, **alone))) for one in statement.premises
    ]
    proved = all(finding.verdict == "proved" for _, finding in premises)
    fails = proved and found.verdict not in ("proved", "inconclusive")
    reason = telling.needs(statement, proved, fails)
    evidence = (*(telling.premise(*pair) for pair in premises), *found.evidence)
    if not fails:
        return Finding("inconclusive", reason, evidence)
    # no condition under which what it needs holds, and no limit, makes it true: nothing of these is kept
    word, shown = of_false(False, None), found.counterexample
    return Finding(word, reason, evidence, corrected=found.corrected, counterexample=shown)
