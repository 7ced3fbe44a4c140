"""What a wrong equality should have said: the same terms with other factors and signs.

The factors are the solution of linear equations, one for each of a few exact places; nothing here is
believed before it is proved.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import mpmath
import sympy as sp

from sgtheory.declare import MatrixName, Parameter, Size
from sgtheory.notation.matrixwords import SIGMA, A, Determinant, H, Trace
from verification.claims.printed import Printed
from verification.laws.quantities import is_matrix
from verification.notation import D, N, eps
from verification.refuter.places import Place
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

_DIGITS = 40
_DENOMINATOR = 24
_PLACES = 40  # that are tried
_MOST_WORDS = 4  # of a product whose order is changed
_BALLS = 120  # digits in which terms are evaluated


@dataclass(frozen=True)
class Equation:
    """An equation of which another is looked for, in the symbols in which it is written."""

    law: Any
    moving: tuple[Letter, ...]
    printed: Printed

    @property
    def id(self) -> str:
        """From which places are seeded."""
        return f"{self.printed.left} = {self.printed.right}"

    @property
    def of(self) -> bool:
        """Whether it is about a law."""
        return self.law.setting is not None

    @property
    def defined(self) -> tuple[tuple[Any, Any], ...]:
        """What letters stand for."""
        return tuple((self.law.symbols(a), self.law.symbols(value)) for a, value in self.law.where)

    def meant(self, expr: Any) -> Any:
        """With definitions written out."""
        return self.law.symbols(self.law.put_in(self._put(from_sympy(sp.sympify(expr)))))

    def _put(self, side: Term) -> Term:
        for letter, value in self.law.where:
            side = side.put({letter: value})
        return side

    def random(self, source: random.Random) -> Place:
        """A random place under what is given."""
        terms = tuple(self._put(from_sympy(s)) for s in (self.printed.left, self.printed.right))
        place = with_second(self.law.space((*terms, *self.moving)), self.moving).random(source)
        for condition in self.law.given:
            place = condition.imposed(place)
        return calm(self.law, place)

    def values(self, exprs: tuple[Any, ...], place: Place) -> tuple[Any, ...] | None:
        """Entries at a place, or changes of them."""
        terms = tuple(map(from_sympy, exprs))
        first = solved(self.law, terms, place)
        then = second(first, self.moving) if first is not None and self.moving else first
        if first is None or then is None:
            return None
        try:
            found = [_entries(t, first) for t in terms]
            if self.moving:
                after = (_entries(t, then) for t in terms)
                with mpmath.workdps(_BALLS):
                    pairs = zip(found, after, strict=True)
                    found = [[b - a for a, b in zip(*both, strict=True)] for both in pairs]
        except (Undefined, Unable):
            return None
        most = max(map(len, found))  # of a matrix; zero is one number beside it
        return tuple(e if len(e) == most else e * most for e in found)


def _entries(side: Term, at: Mapping[str, Any]) -> list[Any]:
    arithmetic = balls(_BALLS)
    known = {a.name: arithmetic.number(at[a.name]) for a in side.letters}
    return [_decimal(x) for x in entries(walk(side, arithmetic, known))]


def _decimal(ball: Any) -> Any:
    with mpmath.workdps(_BALLS):
        return mpmath.mpf(ball.mid().str(_BALLS, radius=False))


def mended(claim: Equation) -> Iterator[Printed]:
    """Candidates, the nearest first; whoever asks has to prove them."""
    printed, time = claim.printed, claim.law.time
    turned = [*_transposed(claim, printed), *_reordered(printed), *_scaled_inside(printed)]
    yield from turned
    extra = _of_the_step(claim, printed, time) if claim.of else []
    # with the step's own term the order cannot be seen by looking: only transposes are tried
    for base in (printed, *turned[: 1 if time == "discrete" and _has_transpose(printed) else 0]):
        terms = _terms(base.right)
        counted = [t if _has_matrix(t) else D * t for t in terms]  # once for each coordinate
        rows = (terms, *([counted] if counted != terms else []), *([*terms, e] for e in extra))
        for right in rows:
            found = _solved(claim, base.left, right)
            if found is not None:
                yield replace(base, right=sp.Add(*(c * t for c, t in zip(found, right, strict=True))))
    terms = _terms(printed.right)
    if len(terms) == 1:
        for power in _monomials(claim, printed):
            found = _solved(claim, printed.left, [power * terms[0]])
            if found is not None:
                yield replace(printed, right=found[0] * power * terms[0])
    first, *others = _terms(printed.left) or [sp.Integer(0)]
    if others:
        found = _solved(claim, first, [*others, *terms])
        if found is not None:
            left = first - sp.Add(*(c * t for c, t in zip(found, others, strict=False)))
            right = sp.Add(*(c * t for c, t in zip(found[len(others) :], terms, strict=True)))
            yield replace(printed, left=left, right=right)


def _has_matrix(term: Any) -> bool:
    return any(not s.is_commutative for s in term.free_symbols)


def _terms(side: Any) -> list[Any]:
    whole = sp.expand_mul(sp.sympify(side), deep=False)
    return [t for t in sp.Add.make_args(whole) if t != 0]


def _of_the_step(claim: Equation, printed: Printed, time: str) -> list[Any]:
    """What the discrete law has beside the process's: A Sigma A with the gain."""
    whole = claim.meant(printed.left) - claim.meant(printed.right)
    if time != "discrete" or not expanded(whole).has(SIGMA):
        return []
    gained = whole.has(H) or sp.sympify(printed.residual).has(H)
    step = 1 if claim.meant(H) != H else eps  # the printed gain may contain it
    if is_matrix(printed.left) or is_matrix(printed.right):
        words = [A * SIGMA * A * H, H * A * SIGMA * A * H] if gained else []
        return [step * w for w in (*words, A * SIGMA * A)]
    trace = step * Trace(A * SIGMA * A * H) if gained else eps * Trace(A * SIGMA * A)
    return [trace, N * trace]


def _monomials(claim: Equation, printed: Printed) -> Iterator[Any]:
    """Scalars that may be missing, one or two powers of them."""
    found = (claim.meant(printed.left) - claim.meant(printed.right)).free_symbols
    setting = claim.law.setting
    own = {s for s in setting.sampler.parameters if s.is_commutative} if claim.of else set()
    own = {s for s in own if not isinstance(s, MatrixName)}
    scalars = {s for s in found if isinstance(s, Parameter | Size)} | own | {D}
    powers = [s**k for s in sorted(scalars, key=str) for k in (1, -1, 2, -2)]
    yield from powers
    for a, b in combinations(powers, 2):
        if a.free_symbols != b.free_symbols:
            yield a * b


def _transposed(claim: Equation, printed: Printed) -> Iterator[Printed]:
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


def _solved(claim: Equation, left: Any, right: list[Any]) -> list[Any] | None:
    """The factors c with left = sum c_k right_k at random places, where there is one set of them."""
    source = random.Random(f"mend {claim.id}")
    exprs = tuple(claim.meant(e) for e in (left, *right))
    rows: list[list[Any]] = []
    for _ in range(_PLACES):
        try:
            values = claim.values(exprs, claim.random(source))
        except (TypeError, ZeroDivisionError, KeyError):
            continue
        if values is not None:
            rows += [list(entry) for entry in zip(*values, strict=True) if any(entry)]
        if len(rows) >= 2 * len(right) + 4:
            return _rational(rows)
    return None


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
