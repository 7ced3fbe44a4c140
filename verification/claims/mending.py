"""What a wrong equality should have said: the same terms with other factors and signs.

The factors are the solution of linear equations, one for each of a few exact places; nothing here is
believed before it is proved.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any, Protocol

import mpmath
import sympy as sp

from sgtheory.declare import Parameter, Size
from sgtheory.matrixwords import SIGMA, A, Determinant, H, Trace
from verification.claims.base import Printed
from verification.claims.lettered import is_matrix
from verification.gaussians import expanded
from verification.kinds import Transpose
from verification.notation import D, N, eps
from verification.refuter.places import Place, Space

_DIGITS = 40
_DENOMINATOR = 24
_PLACES = 40  # that are tried
_MOST_WORDS = 4  # of a product whose order is changed
_CALM = 4**6  # a square, which leaves roots of the step rational


class Mendable(Protocol):
    """What is asked of the claim."""

    @property
    def id(self) -> str:
        """Its name, from which places are seeded."""

    @property
    def of(self) -> str:
        """The sampler."""

    @property
    def defined(self) -> tuple[tuple[Any, Any], ...]:
        """Letters that are introduced."""

    def space(self) -> Space:
        """Where it is looked at."""

    def meant(self, expr: Any) -> Any:
        """An expression as it is meant."""

    def values(self, exprs: tuple[Any, ...], place: Place, time: str) -> tuple[Any, ...] | None:
        """Entries at a place, or changes of them."""


def mended(claim: Mendable, printed: Printed, time: str) -> Iterator[Printed]:
    """Candidates, the nearest first; whoever asks has to prove them."""
    turned = [*_transposed(claim, printed), *_reordered(printed), *_scaled_inside(printed)]
    yield from turned
    extra = _of_the_step(claim, printed, time) if claim.of else []
    # with the step's own term the order cannot be seen by looking: only transposes are tried
    for base in (printed, *turned[: 1 if time == "discrete" and _has_transpose(printed) else 0]):
        terms = _terms(base.right)
        counted = [t if _has_matrix(t) else D * t for t in terms]  # once for each coordinate
        rows = (terms, *([counted] if counted != terms else []), *([*terms, e] for e in extra))
        for right in rows:
            found = _solved(claim, base.left, right, time)
            if found is not None:
                yield replace(base, right=sp.Add(*(c * t for c, t in zip(found, right, strict=True))))
    terms = _terms(printed.right)
    if len(terms) == 1:
        for power in _monomials(claim, printed):
            found = _solved(claim, printed.left, [power * terms[0]], time)
            if found is not None:
                yield replace(printed, right=found[0] * power * terms[0])
    first, *others = _terms(printed.left)
    if others:
        found = _solved(claim, first, [*others, *terms], time)
        if found is not None:
            left = first - sp.Add(*(c * t for c, t in zip(found, others, strict=False)))
            right = sp.Add(*(c * t for c, t in zip(found[len(others) :], terms, strict=True)))
            yield replace(printed, left=left, right=right)


def _has_matrix(term: Any) -> bool:
    return any(not s.is_commutative for s in term.free_symbols)


def _terms(side: Any) -> list[Any]:
    whole = sp.expand_mul(sp.sympify(side), deep=False)
    return [t for t in sp.Add.make_args(whole) if t != 0]


def _of_the_step(claim: Mendable, printed: Printed, time: str) -> list[Any]:
    """What the discrete law has beside the process's: A Sigma A with the gain."""
    whole = claim.meant(printed.left) - claim.meant(printed.right)
    if time != "discrete" or not expanded(whole).has(SIGMA):
        return []
    gained = whole.has(H) or sp.sympify(printed.residual).has(H)
    step = 1 if claim.meant(H) != H else eps  # the printed gain may contain it
    if is_matrix(printed.left, printed.right):
        words = [A * SIGMA * A * H, H * A * SIGMA * A * H] if gained else []
        return [step * w for w in (*words, A * SIGMA * A)]
    trace = step * Trace(A * SIGMA * A * H) if gained else eps * Trace(A * SIGMA * A)
    return [trace, N * trace]


def _monomials(claim: Mendable, printed: Printed) -> Iterator[Any]:
    """Scalars that may be missing, one or two powers of them."""
    found = (claim.meant(printed.left) - claim.meant(printed.right)).free_symbols
    scalars = {s for s in found if isinstance(s, Parameter | Size)} | {D}
    powers = [s**k for s in sorted(scalars, key=str) for k in (1, -1, 2, -2)]
    yield from powers
    for a, b in combinations(powers, 2):
        if a.free_symbols != b.free_symbols:
            yield a * b


def _transposed(claim: Mendable, printed: Printed) -> Iterator[Printed]:
    """Letters with a definition, and their transposes, exchanged: in the whole, or term by term."""
    letters = [s for s, v in claim.defined if not s.is_commutative and not _symmetric(v)]
    for q in letters:
        exchanged = _exchange(printed.left, q), _exchange(printed.right, q)
        if exchanged != (printed.left, printed.right):
            yield replace(printed, left=exchanged[0], right=exchanged[1])
        parts = _terms(printed.left)
        for chosen in product((False, True), repeat=len(parts)):
            left = sp.Add(*(_exchange(t, q) if c else t for t, c in zip(parts, chosen, strict=True)))
            if any(chosen) and left != printed.left:
                yield replace(printed, left=left)


def _reordered(printed: Printed) -> Iterator[Printed]:
    """One product of matrices on the left side in another order."""
    parts = _terms(printed.left)
    for k, term in enumerate(parts):
        scalars, words = term.args_cnc()
        if not is_matrix(term) or len(words) > _MOST_WORDS:
            continue
        for order in permutations(words):
            turned = sp.Mul(*scalars) * sp.Mul(*order)
            if turned != term:
                yield replace(printed, left=sp.Add(*parts[:k], turned, *parts[k + 1 :]))


def _has_transpose(printed: Printed) -> bool:
    return any(isinstance(x, Transpose) for x in sp.preorder_traversal(sp.sympify(printed.left)))


def _scaled_inside(printed: Printed) -> Iterator[Printed]:
    """The logarithm of a number times a determinant, read as the determinant of that multiple."""

    def inside(argument: Any) -> Any:
        scalars = [x for x in sp.Mul.make_args(argument) if not isinstance(x, Determinant)]
        found = [x for x in sp.Mul.make_args(argument) if isinstance(x, Determinant)]
        if not scalars or len(found) != 1:
            return sp.log(argument)
        return sp.log(Determinant(sp.Mul(*scalars) * found[0].args[0]))

    right = sp.sympify(printed.right).replace(sp.log, inside)
    if right != printed.right:
        yield replace(printed, right=right)


def _exchange(expr: Any, q: Any) -> Any:
    held = sp.Symbol("_held", commutative=False)
    return sp.sympify(expr).subs(Transpose(q), held).subs(q, Transpose(q)).subs(held, q)


def _symmetric(value: Any) -> bool:
    """A word that reads the same from both ends; other definitions are taken as not symmetric."""
    letters = sp.sympify(value).args_cnc()[1] if sp.sympify(value).is_Mul else [value]
    return bool(letters == letters[::-1])


def _solved(claim: Mendable, left: Any, right: list[Any], time: str) -> list[Any] | None:
    """The factors c with left = sum c_k right_k at random places, where there is one set of them."""
    source, space = random.Random(f"mend {claim.id}"), claim.space()
    exprs = tuple(claim.meant(e) for e in (left, *right))
    rows: list[list[Any]] = []
    for _ in range(_PLACES):
        try:
            values = claim.values(exprs, calmer(space.random(source), time), time)
        except (TypeError, ZeroDivisionError, KeyError):
            continue
        if values is not None:
            rows += [[a.decimal(_DIGITS) for a in entry] for entry in zip(*values, strict=True)]
        if len(rows) >= 2 * len(right) + 4:
            return _rational(rows)
    return None


def calmer(place: Place, time: str) -> Place:
    """With a step at which the discrete algorithm is stable: random curvatures are large."""
    if time != "discrete":
        return place
    steps = {n: x / _CALM for n, x in place.scalars.items() if n.removesuffix("_other") == "eps"}
    return place.but(**steps)


def _rational(rows: list[list[Any]]) -> list[Any] | None:
    """The factors; terms that do not matter are kept, and of those that say the same one is dropped."""
    terms = len(rows[0]) - 1
    still = [k for k in range(terms) if all(row[k + 1] == 0 for row in rows)]
    used = [k for k in range(terms) if k not in still]
    for dropped in ((), *((k,) for k in used)):
        kept = [k for k in used if k not in dropped]
        found = _factors([[row[0], *(row[k + 1] for k in kept)] for row in rows]) if kept else None
        if found is not None:
            factors = dict(zip(kept, found, strict=True)) | dict.fromkeys(still, sp.Integer(1))
            return [factors.get(k, sp.Integer(0)) for k in range(terms)]
    return None


def _factors(rows: list[list[Any]]) -> list[Any] | None:
    """The solution of more equations than unknowns, where there is one of simple fractions."""
    with mpmath.workdps(3 * _DIGITS):
        system = mpmath.matrix([row[1:] for row in rows])
        wanted = mpmath.matrix([row[0] for row in rows])
        try:
            solution = mpmath.lu_solve(system, wanted)
        except (ZeroDivisionError, ValueError):  # terms that say the same
            return None
        if mpmath.norm(system * solution - wanted) > mpmath.mpf(10) ** (-_DIGITS // 2):
            return None
        found = []
        for x in solution:
            near = Fraction(str(mpmath.nstr(x, _DIGITS))).limit_denominator(_DENOMINATOR)
            if abs(x - mpmath.mpf(near.numerator) / near.denominator) > mpmath.mpf(10) ** (
                -_DIGITS // 2
            ):
                return None
            found.append(sp.Rational(near.numerator, near.denominator))
        return found
