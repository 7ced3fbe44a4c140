"""The words for what a proof and a gap show: made here, and only here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verification.refuter.conditions import Condition, OneDimensional
from verification.verdicts.verdict import Evidence, Finding, Gap

if TYPE_CHECKING:
    from verification.statements.mining import Mined

DEGREE = "a matter of degree"  # no number is printed, and any threshold would be ours
UNDECIDED = (DEGREE, "not-mathematical")  # counted apart from what is printed, read or derived
PART = "in part"  # how a word is counted that is of less than the source says


def with_scope(word: str, scope: str | None) -> str:
    """A verdict with what it covers.

    >>> with_scope("proved", "one dimension"), with_scope("proved", "")
    ('proved (one dimension)', 'proved')
    """
    return f"{word} ({scope})" if scope else word


def scope_of(claim: Any, finding: Finding | None) -> str:
    """Of which part of what is said a word is; a counterexample in a part is one to all of it."""
    if finding is None or finding.verdict == "refuted":
        return ""
    scope: str = claim.scope or finding.scope
    return scope


def of_true(holds: bool | None, confirmed: Any = True) -> str:
    """A proof that numbers confirm; without either nothing is known.

    >>> of_true(True), of_true(True, confirmed=0), of_true(None)
    ('proved', 'inconclusive', 'inconclusive')
    """
    return "proved" if holds and confirmed else "inconclusive"


def of_false(proved_under: Any, gap: Gap | None) -> str:
    """A proof under a condition makes it true there, a gap that vanishes true to leading order.

    >>> of_false(None, None), of_false("a proof", None)
    ('refuted', 'proved-if')
    """
    if proved_under:
        return "proved-if"
    return "limit-only" if gap is not None else "refuted"


def chosen_word(mined: tuple[Mined, ...], gap: Gap | None) -> tuple[str, Condition | None]:
    """The verdict on a statement that is false in general, and the condition that goes with it.

    What holds in one dimension only is rather called right to leading order, where it is that.
    """
    proved = [m.condition for m in mined if m.proof is not None]
    if gap is not None and all(isinstance(c, OneDimensional) for c in proved):
        proved = []
    return of_false(proved, gap), proved[0] if proved else None


def beside_a_failure(tested: Evidence) -> Evidence:
    """Random places that miss what a search found are not told as if they spoke for the statement.

    >>> beside_a_failure(Evidence("exact", "satisfy", {"places": 2, "holds": True})).words
    '2 random exact places do not show that it fails; the counterexample does.'
    """
    if not tested.data["holds"] or "places" not in tested.data:
        return tested
    looked = tested.data["places"]
    places = "One random exact place does" if looked == 1 else f"{looked} random exact places do"
    words = f"{places} not show that it fails; the counterexample does."
    return replace(
        tested, words=words if looked else "Only the counterexample was looked at, no random places."
    )


def stands_as_printed(claim: Any, finding: Finding) -> bool | None:
    """Whether it is true without a hypothesis that is not stated; None where that is not decided.

    What is right to leading order is so where a hypothesis takes that very letter to zero.
    """
    if finding.verdict in ("proved", "confirmed"):
        return True
    if finding.verdict == "limit-only" and finding.gap is not None:
        return any(finding.gap.parameter in getattr(h, "small", ()) for h in claim.given)
    return False if finding.verdict in ("refuted", "proved-if", "limit-only") else None
