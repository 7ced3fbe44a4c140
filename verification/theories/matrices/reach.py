"""What noise reaches: bounds of the ranks of a law's covariance, and conditions that decide them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import sympy as sp

from sgtheory.modepairs.pairs import stationary
from verification.laws.pair_form import NOISE
from verification.refuter.conditions import (
    Both,
    Condition,
    HiddenMode,
    Singular,
    conditions,
    implies,
)
from verification.terms.term import Applied, Letter, Term, term

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law


def bounds_of_rank(law: Law, of: Term) -> Iterator[tuple[Term, Term, bool]]:
    """That a matrix is singular: as it is given, or because a mode is left without variance.

    Where each entry of the covariance between modes is a multiple of that of the noise, a mode that
    the noise does not reach has none, in every dimension.
    """
    rank, parts = Applied("rank", (of,)), [p for c in law.given for p in c.parts]
    names = {a.name for a in of.letters}
    singular = any(isinstance(p, Singular) and set(p.letters) == names for p in parts)
    hidden = any(isinstance(p, HiddenMode) and p.letters == ("A", "C") for p in parts)
    if singular or (hidden and str(of) == "Sigma" and _is_driven_by_data_alone(law)):
        yield rank + term(1), Letter("D", "dimension"), True


def _is_driven_by_data_alone(law: Law) -> bool:
    """Whether Sigma_ij is a multiple of C_ij in the eigenbasis of A."""
    if law.setting is None or "H" in law.space(()).matrices:
        return False
    entry = stationary(law.setting, law.time).entry("theta", "theta")
    return bool(sp.simplify(entry - entry.coeff(NOISE) * NOISE) == 0)


def conditions_on_ranks(letters: tuple[str, ...], given: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """A mode that a matrix does not reach; then what does not imply that, under what is given."""
    hidden = [c for c in map(HiddenMode, combinations(letters, 2)) if implies(c, c, letters)]
    singular = [p for c in given for p in c.parts if isinstance(p, Singular)]

    def hides(c: Condition) -> bool:
        for one in singular:
            c = Both((), c, one)
        return any(implies(c, h, letters) for h in hidden)

    return (*hidden, *(c for c in conditions(letters) if not hides(c)))
