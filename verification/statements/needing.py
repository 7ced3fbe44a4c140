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
    letters = {a.name for one in statement.needed.relations for a in one.letters}
    asked = {
        "kinds": tuple(kind for kind in claim.kinds if kind[0] in letters),
        "given": tuple(h for h in claim.given if _names(h) <= letters),
    }
    found = deciding.find(replace(claim, statement=statement.needed, **asked), time)
    premises = [
        (one, deciding.find(replace(claim, statement=one, **alone))) for one in statement.premises
    ]
    proved = all(finding.verdict == "proved" for _, finding in premises)
    fails = proved and found.verdict not in ("proved", "inconclusive")
    reason = telling.needs(statement, proved, fails)
    # what is known of that one under a condition says nothing of this
    kept = (one for one in found.evidence if "condition" not in one.data)
    evidence = (*(telling.premise(*pair) for pair in premises), *kept)
    if not fails:
        return Finding("inconclusive", reason, evidence)
    # no condition under which what it needs holds, and no limit, makes it true: nothing of these is kept
    word, shown = of_false(False, None), found.counterexample
    return Finding(word, reason, evidence, corrected=found.corrected, counterexample=shown)


def _names(hypothesis: Any) -> set[str]:
    """The letters that something given is about; of words, none."""
    return {getattr(a, "name", a) for a in getattr(hypothesis, "letters", ())}
