"""Of which kind an erratum is, by the structure of its verdict."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from sgtheory.notation.display import Shown
from sgtheory.notation.sentence import Sentence, sentence
from verification.consequence.changes import OnBothSides, between, changes, is_slight, told
from verification.consequence.size import Size, size
from verification.consequence.undone import undone
from verification.refuter.conditions import OneDimensional
from verification.refuter.places import Place
from verification.relations.compare import Compare
from verification.relations.equal import Equal
from verification.statements.deciding import asked
from verification.terms.term import Letter, added
from verification.terms.walking import CANNOT
from verification.verdicts.verdict import Finding
from verification.verdicts.wording import DEGREE, stands_as_printed

# The gravest first: a result fails; a condition is missing; it is right to leading order only; a formula
# is right up to factors, signs and one term.
KINDS = ("substance", "condition", "limit", "slip")
_NOTHING = sentence("")
_PLACES = 12  # at which a condition is looked at, to see whether it is met by chance


@dataclass(frozen=True, repr=False)
class Consequence(Shown):
    """What follows from what is wrong: its kind, its size, what to change, and which fault it is."""

    kind: str  # one of ``KINDS``, or "degree"
    size: Size | None = None
    change: Sentence = _NOTHING
    faults: tuple[str, ...] = ()  # what is at fault: entries that share one fall together

    @property
    def share(self) -> float:
        """How much of the statement is wrong, at most all of it; all where that is no number."""
        return 1.0 if self.size is None else min(self.size.share, 1.0)

    def to_json(self) -> dict[str, Any]:
        """The kind alone stands under the contract's key; the rest beside it."""
        found: dict[str, Any] = {"consequence": self.kind}
        if self.size is not None:
            found["size"] = self.size.to_json()
        if self.change:
            found["change"] = self.change
        return found


def consequence(claim: Any, finding: Finding) -> Consequence | None:
    """Of what does not hold as it stands; None of what does, and of what is not decided."""
    if finding.verdict == DEGREE:
        return Consequence("degree")
    if stands_as_printed(claim, finding) is not False:
        return None
    found = _changes(claim, finding)
    units = finding.corrected is not None and getattr(_form(claim), "in_other_units", False)
    if not (is_slight(found) or units or claim.is_result) and finding.verdict == "refuted":
        with_one = undone(claim)
        found = found if with_one is None else between(claim.statement, with_one)
    kind = _kind(claim, finding, is_slight(found) or units)
    form = _form(claim)
    shown = kind == "slip" and found and (form is None or hasattr(form, "steps"))
    change = told(found) if shown else _NOTHING
    return Consequence(kind, size(claim, finding), change, _faults(claim, finding))


def _kind(claim: Any, finding: Finding, slight: bool) -> str:
    if finding.verdict == "limit-only":
        return "limit"
    if finding.verdict == "proved-if":
        slight = slight and claim.stands != "derived"
        if slight and not claim.is_result and isinstance(finding.needs, OneDimensional):
            return "slip"  # a factor that only one dimension hides: no hypothesis is missing
        return "substance" if claim.is_result and _is_rare(claim, finding.needs) else "condition"
    if claim.is_result or claim.stands in ("common", "derived"):  # of which nothing is printed
        return "substance"
    compared = claim.stands == "read" and any(isinstance(r, Compare) for r in _relations(claim))
    slight = slight and not compared  # what is said to be larger has no factor that a pen could miss
    return "slip" if slight or _is_number(claim, finding) else "substance"


def _changes(claim: Any, finding: Finding) -> Any:
    """What has to be changed for the proved correction."""
    corrected = finding.corrected
    if corrected is not None and corrected.verdict == "proved" and len(corrected.printed) == 1:
        return changes(claim.statement, corrected.printed[0])
    (one, *others) = _relations(claim) or (None,)
    if others or type(one) is not Equal or not isinstance(one.left, Letter):
        return None
    same = any(sign > 0 and term == one.left for sign, term in added(one.right))
    return (OnBothSides(one.left),) if same else None


def _relations(claim: Any) -> tuple[Any, ...]:
    return getattr(getattr(claim, "statement", None), "relations", ())


def _is_number(claim: Any, finding: Finding) -> bool:
    """Whether a number is printed wrongly: an equation without letters."""
    relations = _relations(claim)
    return bool(relations) and all(
        type(one) is Equal and {a.name for a in one.letters} <= set(claim.printed_numbers)
        for one in relations
    )


def _is_rare(claim: Any, needs: Any) -> bool:
    """Whether a condition is met at none of a few random places: then the result fails."""
    question, source = asked(claim), random.Random(claim.id)
    size = 2 if question.space.matrices else None
    places = (question.space.random(source, size) for _ in range(_PLACES))
    return not any(_meets(needs, place) for place in places)


def _meets(needs: Any, place: Place) -> bool:
    try:
        if hasattr(needs, "holds") and not hasattr(needs, "relations"):
            return bool(needs.holds(place))
        seen = [one.at(place.scalars) for one in needs.relations]
        return all(one is None or one.holds for one in seen)
    except (KeyError, TypeError, *CANNOT):
        return True  # it is about something else than the numbers of a place


def _form(claim: Any) -> Any:
    return getattr(getattr(claim, "statement", None), "form", None)


def _faults(claim: Any, finding: Finding) -> tuple[str, ...]:
    """What is at fault: the condition that is missing, what is true instead, what is left over."""
    found = [f"needs {finding.condition}"] if finding.condition else []
    if _form(claim) is None:
        found += [f"instead {finding.corrected.text}"] if finding.corrected is not None else []
    else:
        found += [f"left over {one}" for e in finding.evidence for one in e.data.get("left_over", ())]
    return tuple(dict.fromkeys(found))
