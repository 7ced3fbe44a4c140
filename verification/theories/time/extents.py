"""How far an order of functions of A holds: in short steps, or from a factor that is reached on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import sympy as sp

from verification import notation
from verification.laws.pair_form import DELTA
from verification.refuter.parameters import written_under
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Term, number
from verification.theories.time.expansion import in_stable_steps, is_negative_in_long_steps

if TYPE_CHECKING:
    from verification.theories.time.laws import Law

Extent = tuple[Term, str, Term]
# the first half of the steps at which a law exists
SHORT: Extent = (
    from_sympy(notation.eps),
    "<=",
    1 / Applied("lambda_max", (Letter("A", "matrix"),)),
)


def edges(law: Law, small: Term, large: Term, may_be_equal: bool) -> Iterator[Extent]:
    """Bounds of letters up to which an order may hold."""
    value = _at_a_mode(law, large - small) if may_be_equal else None
    if value is None:
        return
    if law.time == "discrete" and in_stable_steps(value, short=True) is not None:
        yield SHORT
    factor = law.least_factor(large, small)
    if isinstance(factor, Letter):
        yield factor, ">=", number(1)


def fails_without(law: Law, small: Term, large: Term, condition: Any) -> bool:
    """Whether an order holds in short steps alone."""
    value = _at_a_mode(law, large - small)
    told = tuple(getattr(condition, name, None) for name in ("left", "relation", "right"))
    return value is not None and told == SHORT and is_negative_in_long_steps(value)


def _at_a_mode(law: Law, side: Term) -> Any:
    """A function of A at one eigenvalue; None of what is none."""
    found = law.known(side)
    if not found or not set(found[0]) <= {DELTA}:
        return None
    return written_under(found[0].get(DELTA, sp.Integer(0)), law.given)
