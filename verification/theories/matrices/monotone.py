"""Numbers that grow with a matrix in the order of matrices: traces, determinants, eigenvalues.

Where X - Y is positive semidefinite, tr(P X) is at least tr(P Y) for every positive semidefinite P; so
are entries on the diagonal, the largest and the smallest eigenvalue (Weyl) and, of covariances, the
determinant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.notation.matrixwords import Entry, Trace
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Number, Term, number
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.matrices import elsewhere

if TYPE_CHECKING:
    from verification.theories.matrices.by_modes import Given
    from verification.theories.matrices.laws import Law

_ZERO = number(0)
_LEMMA = (
    "It grows with the matrix in it, and of these the larger side's minus the smaller's is positive."
)
_DEFINITE = ("positive definite", "squared")


def has_sign(law: Law, left: Term, right: Term, wanted: tuple[int, ...], given: Given) -> Answer:
    """Whether left minus right has a wanted sign, because a matrix in both is larger, or smaller."""
    sign, strictly = wanted[0], 0 not in wanted
    small, large = (right, left) if sign > 0 else (left, right)
    for difference, whole in _differences(law, small, large):
        if strictly and not whole:
            continue
        if isinstance(
            found := law.has_sign(difference, _ZERO, (1,) if strictly else (1, 0), given), Proved
        ):
            return Proved(f"{_LEMMA} {found.lemma}", found.derivation, {"dimensions": "every"})
    return Silent(Silence.NO_CERTIFICATE)


def _differences(law: Law, small: Term, large: Term) -> Iterator[tuple[Term, bool]]:
    """Matrices that have to be positive semidefinite, and whether definite ones make it strict."""
    (c, X), (d, Y) = _apart(large), _apart(small)
    heads = {getattr(one, "head", "") for one in (X, Y)}
    if heads <= {"lambda_max", "lambda_min"} and len(heads) == 1 and c > 0 and d > 0:
        yield number(c) * X.parts[0] - number(d) * Y.parts[0], True
    logs = [one.of[0] for one in (X, Y) if isinstance(one, Applied) and one.head == "log"]
    if len(logs) == 2 and c == d == 1:
        (X, Y), heads = logs, {getattr(one, "head", "") for one in logs}
    if heads == {"det"} and c > 0 and d > 0 and _is_covariance(Y.parts[0]):
        yield X.parts[0] - number(max(d / c, 1)) * Y.parts[0], True
    yield from _in_traces(law, small, large)


def _apart(side: Term) -> tuple[Any, Term]:
    """A number and what it is a factor of."""
    if isinstance(side, Applied) and side.head == "*" and isinstance(side.of[0], Number):
        others = side.of[1:]
        return side.of[0].value, others[0] if len(others) == 1 else Applied("*", others)
    if isinstance(side, Applied) and side.head == "/" and isinstance(side.of[1], Number):
        c, rest = _apart(side.of[0])
        return c / side.of[1].value, rest
    return 1, side


def _is_covariance(of: Term) -> bool:
    """Whether it is a second moment of a law: other matrices may have a determinant below zero."""
    if isinstance(of, Applied) and of.head == elsewhere.WORD:
        of = of.of[0]
    return isinstance(of, Letter) and of.name == "Sigma"


def _in_traces(law: Law, small: Term, large: Term) -> Iterator[tuple[Term, bool]]:
    """The matrix M of tr(P M), or of an entry on its diagonal, which larger minus smaller is."""
    rest = sp.expand(law.symbols(large) - law.symbols(small))
    kinds = dict(law.space((small, large)).matrices) | dict(law.kinds)
    pieces = sorted(rest.atoms(Trace, Entry), key=str)
    if not pieces or any(isinstance(p, Entry) and p.args[1] != p.args[2] for p in pieces):
        return
    if sp.expand(rest - sp.Add(*(rest.coeff(p) * p for p in pieces))) != 0:
        return
    back = elsewhere.back((small, large))
    if len({p.args[1:] for p in pieces}) != 1:
        return
    whole = sp.expand(sp.Add(*(rest.coeff(p) * p.args[0] for p in pieces)))
    if all(isinstance(p, Entry) for p in pieces):
        yield from_sympy(whole).put(back), True
        return
    words = [one.args_cnc() for one in sp.Add.make_args(whole)]
    for P in {w for _, each in words for w in each if str(w) == "C" or kinds.get(str(w)) in _DEFINITE}:
        if str(P) in ("A", "I") or any(each.count(P) != 1 for _, each in words):
            continue
        turned = (sp.Mul(*c, *each[(k := each.index(P)) + 1 :], *each[:k]) for c, each in words)
        yield from_sympy(sp.Add(*turned)).put(back), kinds.get(str(P)) in _DEFINITE
