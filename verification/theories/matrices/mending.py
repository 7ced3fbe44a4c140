"""What a wrong equality should have said: the same terms with other factors and signs.

The factors are the solution of linear equations, one for each of a few exact places; nothing here is
believed before it is proved.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations, product
from typing import Any

import sympy as sp
from flint import arb, arb_mat, ctx, fmpq

from sgtheory.declare import MatrixName, Parameter, Size
from sgtheory.notation.matrixwords import SIGMA, A, Determinant, H, Trace
from verification.laws.quantities import is_matrix
from verification.notation import D, N, eps
from verification.refuter.places import Place, Space
from verification.terms.arithmetics import balls
from verification.terms.arithmetics.matrices import entries
from verification.terms.comparing import second
from verification.terms.from_sympy import from_sympy
from verification.terms.gaussians import expanded
from verification.terms.kinds import Transpose
from verification.terms.term import Letter, Term
from verification.terms.walking import Unable, Undefined, walk
from verification.theories.matrices.solving import calm, solved
from verification.theories.subject import with_second

_DENOMINATOR = 24
_PLACES = 40  # that are tried
_MOST_WORDS = 4  # of a product whose order is changed
_DIGITS = 120  # in which terms are evaluated


@dataclass(frozen=True)
class Equation:
    """An equation of which another is looked for, in the symbols in which it is written."""

    law: Any
    moving: tuple[Letter, ...]
    left: Any
    right: Any

    @property
    def of_step(self) -> bool:
        """Whether it is about a step of an algorithm."""
        return self.law.setting is not None and self.law.time == "discrete"

    @property
    def definitions(self) -> dict[Letter, Term]:
        """What letters stand for."""
        return dict(self.law.where)

    def meant(self, expr: Any) -> Any:
        """With definitions written out."""
        return self.law.symbols(self.law.put_in(self._put(from_sympy(sp.sympify(expr)))))

    @property
    def rest(self) -> Any:
        """Left minus right, with definitions written out."""
        return self.meant(self.left) - self.meant(self.right)

    def _put(self, side: Term) -> Term:
        for letter, value in self.definitions.items():
            side = side.put({letter: value})
        return side

    def random(self, source: random.Random) -> Place:
        """A random place under what is given."""
        place = self._space.random(source)
        for condition in self.law.given:
            place = condition.imposed(place)
        return calm(self.law, place)

    @cached_property
    def _space(self) -> Space:
        terms = tuple(self._put(from_sympy(s)) for s in (self.left, self.right))
        return with_second(self.law.space((*terms, *self.moving)), self.moving)

    def values(self, exprs: tuple[Any, ...], place: Place) -> tuple[Any, ...] | None:
        """Entries at a place in balls, or changes of them."""
        terms = tuple(map(from_sympy, exprs))
        first = solved(self.law, terms, place)
        then = second(first, self.moving) if first is not None and self.moving else first
        if first is None or then is None:
            return None
        try:
            found = [_entries(t, first) for t in terms]
            if self.moving:
                pairs = zip(found, (_entries(t, then) for t in terms), strict=True)
                found = [[b - a for a, b in zip(*both, strict=True)] for both in pairs]
        except (Undefined, Unable):
            return None
        most = max(map(len, found))  # of a matrix; zero is one number beside it
        return tuple(e if len(e) == most else e * most for e in found)


def _entries(side: Term, at: Mapping[str, Any]) -> list[Any]:
    arithmetic = balls(_DIGITS)
    known = {a.name: arithmetic.number(at[a.name]) for a in side.letters}
    return entries(walk(side, arithmetic, known))


def mended(claim: Equation) -> Iterator[Equation]:
    """Candidates, the nearest first; whoever asks has to prove them."""
    turned = [*_transposed(claim), *_reordered(claim), *_scaled_inside(claim)]
    yield from turned
    extra = _of_the_step(claim)
    # with the step's own term the order cannot be seen by looking: only transposes are tried
    has_transpose = sp.sympify(claim.left).has(Transpose)
    for base in (claim, *turned[: 1 if claim.law.time == "discrete" and has_transpose else 0]):
        terms = _terms(base.right)
        counted = [t if _has_matrix(t) else D * t for t in terms]  # once for each coordinate
        rows = (terms, *([counted] if counted != terms else []), *([*terms, e] for e in extra))
        for right in rows:
            found = _solved(claim, base.left, right)
            if found is not None:
                yield replace(base, right=_sum(found, right))
                if len({*found}) == 1 and len(found) == len(terms):  # the whole side, kept in sight
                    yield replace(base, right=sp.Mul(found[0], base.right, evaluate=False))
    terms = _terms(claim.right)
    if len(terms) == 1:
        for power in _monomials(claim):
            found = _solved(claim, claim.left, [power * terms[0]])
            if found is not None:
                yield replace(claim, right=found[0] * power * terms[0])
    first, *others = _terms(claim.left) or [sp.Integer(0)]
    if others:
        found = _solved(claim, first, [*others, *terms])
        if found is not None:
            left = first - _sum(found[: len(others)], others)
            yield replace(claim, left=left, right=_sum(found[len(others) :], terms))


def _has_matrix(term: Any) -> bool:
    return any(not s.is_commutative for s in term.free_symbols)


def _terms(side: Any) -> list[Any]:
    whole = sp.expand_mul(sp.sympify(side), deep=False)
    return [t for t in sp.Add.make_args(whole) if t != 0]


def _sum(factors: list[Any], terms: list[Any]) -> Any:
    return sp.Add(*(c * t for c, t in zip(factors, terms, strict=True)))


def _of_the_step(claim: Equation) -> list[Any]:
    """What the discrete law has beside the process's: A Sigma A with the gain."""
    if not claim.of_step or not expanded(claim.rest).has(SIGMA):
        return []
    gained = claim.rest.has(H) or sp.sympify(claim.left - claim.right).has(H)
    step = 1 if claim.meant(H) != H else eps  # the printed gain may contain it
    if is_matrix(claim.left) or is_matrix(claim.right):
        words = [A * SIGMA * A * H, H * A * SIGMA * A * H] if gained else []
        return [step * w for w in (*words, A * SIGMA * A)]
    trace = step * Trace(A * SIGMA * A * H) if gained else eps * Trace(A * SIGMA * A)
    return [trace, N * trace]


def _monomials(claim: Equation) -> Iterator[Any]:
    """Scalars that may be missing, one or two powers of them."""
    setting = claim.law.setting
    own = () if setting is None else setting.sampler.parameters
    scalars = {s for s in claim.rest.free_symbols if isinstance(s, Parameter | Size)} | {D}
    scalars |= {s for s in own if s.is_commutative and not isinstance(s, MatrixName)}
    powers = [s**k for s in sorted(scalars, key=str) for k in (1, -1, 2, -2)]
    yield from powers
    for a, b in combinations(powers, 2):
        if a.free_symbols != b.free_symbols:
            yield a * b


def _transposed(claim: Equation) -> Iterator[Equation]:
    """Letters with a definition, and their transposes, exchanged: in the whole, or term by term."""
    symbols = ((claim.law.symbols(a), claim.law.symbols(v)) for a, v in claim.definitions.items())
    for q in [s for s, v in symbols if not s.is_commutative and not _symmetric(v)]:
        exchanged = _exchange(claim.left, q), _exchange(claim.right, q)
        if exchanged != (claim.left, claim.right):
            yield replace(claim, left=exchanged[0], right=exchanged[1])
        parts = _terms(claim.left)
        for chosen in product((False, True), repeat=len(parts)):
            left = sp.Add(*(_exchange(t, q) if c else t for t, c in zip(parts, chosen, strict=True)))
            if any(chosen) and left != claim.left:
                yield replace(claim, left=left)


def _reordered(claim: Equation) -> Iterator[Equation]:
    """One product of matrices on the left side in another order."""
    parts = _terms(claim.left)
    for k, term in enumerate(parts):
        scalars, words = term.args_cnc()
        if not is_matrix(term) or len(words) > _MOST_WORDS:
            continue
        for order in permutations(words):
            turned = sp.Mul(*scalars) * sp.Mul(*order)
            if turned != term:
                yield replace(claim, left=sp.Add(*parts[:k], turned, *parts[k + 1 :]))


def _scaled_inside(claim: Equation) -> Iterator[Equation]:
    """The logarithm of a number times a determinant, read as the determinant of that multiple."""

    def inside(argument: Any) -> Any:
        factors = sp.Mul.make_args(argument)
        found = [x for x in factors if isinstance(x, Determinant)]
        if len(found) != 1 or len(factors) == 1:
            return sp.log(argument)
        return sp.log(Determinant(argument / found[0] * found[0].args[0]))

    right = sp.sympify(claim.right).replace(sp.log, inside)
    if right != claim.right:
        yield replace(claim, right=right)


def _exchange(expr: Any, q: Any) -> Any:
    held = sp.Symbol("_held", commutative=False)
    return sp.sympify(expr).subs(Transpose(q), held).subs(q, Transpose(q)).subs(held, q)


def _symmetric(value: Any) -> bool:
    """A word that reads the same from both ends; other definitions are taken as not symmetric."""
    letters = sp.sympify(value).args_cnc()[1] if sp.sympify(value).is_Mul else [value]
    return bool(letters == letters[::-1])


def _solved(claim: Equation, left: Any, right: list[Any]) -> list[Any] | None:
    """The factors c with left = sum c_k right_k at random places, where there is one set of them."""
    source = random.Random(f"mend {claim.left} = {claim.right}")
    exprs = tuple(claim.meant(e) for e in (left, *right))
    rows: list[list[Any]] = []
    for _ in range(_PLACES):
        try:
            values = claim.values(exprs, claim.random(source))
        except (TypeError, ZeroDivisionError, KeyError):
            continue
        if values is not None:
            entries_at = (list(entry) for entry in zip(*values, strict=True))
            rows += [row for row in entries_at if not all(x.contains(0) for x in row)]
        if len(rows) >= 2 * len(right) + 4:
            return _factors_of(rows)
    return None


def _factors_of(rows: list[list[Any]]) -> list[Any] | None:
    """The factors; terms that do not matter are kept, and of those that say the same one is dropped."""
    terms = len(rows[0]) - 1
    still = [k for k in range(terms) if all(row[k + 1].contains(0) for row in rows)]
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
    size, before = len(rows[0]) - 1, ctx.dps
    ctx.dps = _DIGITS
    try:
        system = arb_mat(len(rows), size, [x.mid() for row in rows for x in row[1:]])
        wanted = arb_mat(len(rows), 1, [row[0].mid() for row in rows])
        turned = system.transpose()
        solution = (turned * system).solve(turned * wanted)
        near = [Fraction(solution[k, 0].mid().str(_DIGITS, radius=False)) for k in range(size)]
        found = [x.limit_denominator(_DENOMINATOR) for x in near]
        exact = [arb(fmpq(x.numerator, x.denominator)) for x in found]
        for first, *others in rows:
            if not (sum(c * x for c, x in zip(exact, others, strict=True)) - first).contains(0):
                return None
    except (ZeroDivisionError, ValueError):  # terms that say the same
        return None
    finally:
        ctx.dps = before
    return [sp.Rational(x.numerator, x.denominator) for x in found]
