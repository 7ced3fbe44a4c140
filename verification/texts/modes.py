"""A bound by the largest eigenvalue of the curvature is a bound by each: stability is said of each."""

from __future__ import annotations

from typing import Any

from verification import notation
from verification.statements import Compare
from verification.statements.asking import prove
from verification.terms.term import Applied, Letter, Number, Term, number, term
from verification.theories.answers import Proved

LARGEST = Applied("lambda_max", (term(notation.A),))


def of_each(relation: Any, eigenvalue: Any, settles: bool = True) -> Any:
    """The same of each eigenvalue, where that says the same: of products of positive letters.

    What does not ``settle`` does not where one eigenvalue is too large: the same is said of any.

    >>> from verification.statements import letters
    >>> eps, mu, eigenvalue = letters("eps mu lambda")
    >>> print(of_each(eps < 2 / LARGEST, eigenvalue), "|", of_each(eps < 2 - LARGEST, eigenvalue))
    eps < 2/lambda | eps < 2 - lambda_max(A)
    """
    if not isinstance(relation, Compare) or relation.relation == "!=":
        return relation
    powers = [_power(side) for side in relation.upward[:2][:: 1 if settles else -1]]
    if None in powers or powers[0] < 0 or powers[1] > 0 or powers == [0, 0]:  # type: ignore[operator]
        return relation
    return relation.with_terms(lambda side: side.named({LARGEST: eigenvalue}))


def _power(of: Term) -> int | None:
    """The sign of the powers that the largest eigenvalue has in a product; else None."""
    if of == LARGEST:
        return 1
    if isinstance(of, Number) or (
        isinstance(of, Letter) and of.kind not in ("real", "within one", "matrix")
    ):
        return 0
    if isinstance(of, Applied) and of.head == "sqrt":
        return _power(of.of[0])
    if isinstance(of, Applied) and of.head == "+" and LARGEST in of.subterms():
        return 1 if {_power(part) for part in of.of} <= {0, 1} else None  # it grows with its parts
    if not isinstance(of, Applied) or of.head not in ("*", "/"):
        return None if LARGEST in of.subterms() or not _is_free(of) else 0
    first, second = (_power(part) for part in of.of)
    if first is None or second is None:
        return None
    second = -second if of.head == "/" else second
    return None if first * second < 0 else first or second


def _is_free(of: Term) -> bool:
    """Whether a factor without the eigenvalue is positive: by its form, or by a proof."""
    if not isinstance(of, Applied) or LARGEST in of.subterms():
        return False
    summed = of.head in ("+", "sqrt", "**") and all(_power(part) == 0 for part in of.of)
    return summed or isinstance(prove(Compare(number(0), "<", of)), Proved)
