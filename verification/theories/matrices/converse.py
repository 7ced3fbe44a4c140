"""Equations between matrices as conditions, and such a condition as a consequence of an equation.

Also what noise reaches: bounds of the ranks of a law's covariance, and conditions that decide them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import sympy as sp

from sgtheory.modepairs.pairs import stationary
from sgtheory.notation.matrixwords import SIGMA, A, C, Trace
from sgtheory.notation.sentence import sentence
from sgtheory.polynomials import is_zero
from verification.laws.pair_form import NOISE
from verification.refuter.conditions import (
    Both,
    Commute,
    Condition,
    FullRank,
    HiddenMode,
    IsIdentity,
    OneDimensional,
    Singular,
)
from verification.refuter.lattice import conditions, implies
from verification.refuter.places import FACTORS
from verification.terms.gaussians import expanded
from verification.terms.term import Applied, Letter, Term, number, term
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.matrices.balance import Balance, equal


def condition_of(left: Term, right: Term) -> Condition | None:
    """``A C = C A``, or ``A = I``, as a condition that can be imposed.

    >>> A, C = Letter("A", "matrix"), Letter("C", "matrix")
    >>> print(condition_of(A * C, C * A).words)
    A and B B^T commute
    """
    if isinstance(left, Letter) and isinstance(right, Letter) and right.name == "I":
        return IsIdentity((left.name,))
    products = [side.of for side in (left, right) if isinstance(side, Applied) and side.head == "*"]
    names = [[a.name for a in of if isinstance(a, Letter) and a.kind == "matrix"] for of in products]
    pair = len(names) == 2 and len(names[0]) == 2 and names[0] == names[1][::-1]
    return Commute(tuple(sorted(names[0]))) if pair else None  # one condition however it is spelt


def singular(one: Any) -> Condition | None:
    """``rank(C) < D`` as a condition that can be imposed; None where it is another relation.

    >>> from verification.relations.compare import Compare
    >>> C, D = Letter("C", "matrix"), Letter("D", "dimension")
    >>> print(singular(Compare(Applied("rank", (C,)), "<", D)).words)
    B B^T is singular
    """
    if getattr(one, "relation", "") != "<" or getattr(one.right, "kind", "") != "dimension":
        return None
    ranked = isinstance(one.left, Applied) and one.left.head == "rank"
    return Singular((str(one.left.of[0]),)) if ranked and isinstance(one.left.of[0], Letter) else None


def full_rank(one: Any) -> Condition | None:
    """``C > 0``, of a covariance, as a condition that can be imposed; None where it is another relation.

    >>> from verification.relations.compare import Compare
    >>> print(full_rank(Compare(Letter("C", "matrix"), ">", 0)).words)
    B B^T has full rank
    """
    is_said = (
        getattr(one, "relation", "") == ">" and isinstance(one.left, Letter) and one.right == number(0)
    )
    return FullRank((one.left.name,)) if is_said and one.left.name in FACTORS else None


def one_dimensional(one: Any) -> Condition | None:
    """``D = 1`` as a condition that can be imposed; None where it is another relation.

    >>> from verification.relations.equal import Equal
    >>> print(one_dimensional(Equal(Letter("D", "dimension"), 1)).words)
    D = 1
    """
    is_said = getattr(one, "relation", "") == "=" and getattr(one.left, "kind", "") == "dimension"
    return OneDimensional(()) if is_said and one.right == number(1) else None


def follows(law: Any, when: Any, statement: Any) -> Answer:
    """That two matrices commute wherever an equation holds: by the equation of the law."""
    condition = condition_of(when.left, when.right)
    if statement.relation != "=" or not isinstance(condition, Commute):
        return Silent(Silence.NO_FORMULA)
    sides, about = (law.expanded(statement.left), law.expanded(statement.right)), law.equations_of
    X, Y = (sp.Symbol(n, commutative=False) for n in condition.letters)
    found = equal(X * Y, Y * X, about, extra=(sides,))
    if found is not None and found.holds:
        words = "Where it holds the condition follows, by the equation of the law, in every dimension."
        return Proved(words, facts={"dimensions": "every"})
    if condition == Commute(("A", "C")) and _are_traces_of_inverses(about, *sides):
        words = (
            "$A Sigma$ is $P + K$, with $P$ symmetric, a multiple of $B B^T$, and $K$ antisymmetric. The"
            " symmetric part of its inverse is the inverse of $P + K^T P^(-1) K$, which has the trace of"
            " $P^(-1)$ only where $K = 0$: where $A$ and $Sigma$, and so $A$ and $B B^T$, commute."
        )
        return Proved(sentence(words), facts={"dimensions": "every"})
    return Silent(Silence.NO_FORMULA)


def _are_traces_of_inverses(about: Balance, left: Any, right: Any) -> bool:
    """Whether one side is the trace of the inverse of A Sigma, and one that of its symmetric part.

    The law says what that part is: A Sigma + Sigma A is a multiple of C, which is positive definite.
    """
    if about.law_of is None:
        return False
    ((drift, noise),) = about.law(False)
    scalars, words = sp.sympify(noise).args_cnc()
    if sp.expand(drift - (A * SIGMA + SIGMA * A)) != 0 or words != [C]:
        return False
    product, part = Trace(A**-1 * SIGMA**-1), 2 / sp.Mul(*scalars) * Trace(C**-1)
    pairs = ((left, right), (right, left))
    return any(sp.expand(a - expanded(product)) == 0 == sp.expand(b - expanded(part)) for a, b in pairs)


# -- ranks -----------------------------------------------------------------------------------------


def bounds_of_rank(law: Any, of: Term) -> Iterator[tuple[Term, Term, bool]]:
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


def _is_driven_by_data_alone(law: Any) -> bool:
    """Whether Sigma_ij is a multiple of C_ij in the eigenbasis of A."""
    if law.setting is None or "H" in law.space(()).matrices:
        return False
    entry = stationary(law.setting, law.time).entry("theta", "theta")
    return is_zero(entry - entry.coeff(NOISE) * NOISE)


def conditions_on_ranks(letters: tuple[str, ...], given: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """A mode that a matrix does not reach; then what does not imply that, under what is given."""
    hidden = [c for c in map(HiddenMode, combinations(letters, 2)) if implies(c, c, letters)]
    singular = [p for c in given for p in c.parts if isinstance(p, Singular)]

    def hides(c: Condition) -> bool:
        for one in singular:
            c = Both((), c, one)
        return any(implies(c, h, letters) for h in hidden)

    return (*hidden, *(c for c in conditions(letters) if not hides(c)))
