"""The reader of numbers at the modes of A: traces, log determinants and distances as sums over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.modepairs.longrun import long_run_of_squares
from sgtheory.modepairs.pairs import LI, LJ, stationary
from sgtheory.notation.matrixwords import Determinant, Diagonal, Entry, H, Trace
from sgtheory.setting import Setting
from verification.laws.lagsums import SQUARES_LAGS
from verification.laws.pair_form import DELTA, NotInPairForm, responses, to_pair
from verification.laws.per_mode import COMMUTE, General, at_one_mode, left_at_one_mode, with_law
from verification.laws.quantities import FUNCTIONALS, letters
from verification.notation import D
from verification.refuter.conditions import Condition, OneDimensional
from verification.refuter.lattice import implies
from verification.refuter.parameters import written_under
from verification.terms.asymptotics import NOTHING, Undecided, first_terms, sign
from verification.terms.gaussians import Divergence, OfLaws, TotalVariation, Transported
from verification.terms.kinds import Transpose

if TYPE_CHECKING:
    from verification.terms.ways import Way

Given = tuple[Condition, ...]


class Modes(sp.Function):
    """The sum over all eigenvalues of A of what stands in it."""

    is_commutative = True
    is_real = True
    nargs = 1


class NoFormula(Exception):
    """What has no formula at a mode."""


def general(
    expr: Any,
    setting: Setting | None,
    time: str,
    given: Given = (),
    others: Mapping[Any, Any] = MappingProxyType({}),
    way: Way | None = None,
) -> General | None:
    """A quantity of a law in symbols, for every dimension; None where this route has no formula.

    ``others`` has what further letters are at a pair of modes. On a way on which the step vanishes a log
    determinant is that of the diagonal, with a letter for what is left out.

    >>> from sgtheory import registry
    >>> from verification.notation import A, Sigma
    >>> sgd = Setting(registry.sampler("sgd"), registry.model("quadratic"))
    >>> general(Trace(A * Sigma), sgd, "continuous").parts
    (eps*C_ii/(2*S),)
    """
    expr = sp.sympify(expr)
    if expr.is_commutative and not expr.has(*FUNCTIONALS, D):
        return General((expr,), "formula", "for all values of its letters")
    if H.name in letters(expr):
        return None
    step = None if setting is None or way is None or way.to != "0" else setting.sampler.step
    small = step if step is not None and way is not None and step.name == way.letter.name else None
    reader = Reader(setting, time, given, others, small=small)
    try:
        if not expr.is_commutative:
            return reader.of_matrix(expr)
        found = reader.number(expr)
    except (NoFormula, NotInPairForm):
        return None
    if reader.single:
        return General((found,), "formula", "in one dimension")
    of_mode = summand(found)
    together = expr.has(Determinant) and (reader.commuting or small is None)
    scope = "where $A$ and $B B^T$ commute" if together else "for every dimension, commuting or not"
    return None if of_mode is None else General((of_mode,), "sum", scope)


@dataclass(frozen=True)
class Reader:
    """Quantities at a mode: with the law put in, and the moments of other laws."""

    setting: Setting | None
    time: str
    given: Given
    others: Mapping[Any, Any]
    moving: Any = None
    to: str = "0"
    small: Any = None  # a step that vanishes, with which what is left out of a log determinant does
    several: bool = False  # whether products of several matrices are read, and their inverses

    @cached_property
    def single(self) -> bool:
        """Whether one dimension is given."""
        return any(isinstance(p, OneDimensional) for c in self.given for p in c.parts)

    @cached_property
    def commuting(self) -> bool:
        """Whether A and the noise of minibatches commute by what is given."""
        return self.single or any(implies(c, COMMUTE, ("A", "C")) for c in self.given)

    def number(self, expr: Any) -> Any:
        """A number: words of matrices in it as sums over the modes, which are one in one dimension."""
        found = expr.replace(Transpose, lambda matrix: matrix)  # along a mode it is a number
        found = found.replace(Trace, lambda matrix: Modes(self.mode(matrix)))
        found = found.replace(Determinant, lambda matrix: sp.exp(Modes(self._log(matrix))))
        found = found.replace(Entry, lambda matrix, i, j: self._entry(matrix))
        for word, made in _MADE.items():
            found = found.replace(word, partial(self._both, made))
        if found.has(OfLaws):
            raise NoFormula
        if self.single:  # a matrix by itself is a number too
            found = found.subs(D, 1).replace(Modes, lambda one: one)
            return found.subs({s: self.own(s) for s in found.free_symbols if not s.is_commutative})
        terms = sp.Add.make_args(sp.expand_mul(found, deep=False))
        return sp.Add(*(t if t.has(Modes) or not t.has(D) else Modes(sp.cancel(t / D)) for t in terms))

    def of_matrix(self, expr: Any) -> General:
        """A matrix: for every noise the response at a pair of modes."""
        found = responses(self._at_pair(expr))
        if self.commuting:  # C_ij = 0 unless l_i = l_j
            equal = [sp.factor(r.subs(LJ, LI)) for r in found.values()]
            parts = tuple(r for r in equal if r != 0) or (sp.Integer(0),)
            return General(parts, "matrix", "where $A$ and $B B^T$ commute")
        parts = tuple(found.values()) or (sp.Integer(0),)
        return General(parts, "matrix", "for every dimension, commuting or not", tuple(found))

    def _at_pair(self, matrix: Any) -> Any:
        return with_law(to_pair(sp.expand(matrix)), self.setting, self.time, self.others)

    def mode(self, matrix: Any) -> Any:
        """A matrix along a mode; of products of several, where they are functions of A there."""
        if matrix.has(Modes, Diagonal):
            raise NoFormula
        if self.single and self.setting is not None and matrix == SQUARES_LAGS:
            return at_one_mode(long_run_of_squares(stationary(self.setting, self.time)))
        try:
            return at_one_mode(self._at_pair(matrix))
        except NotInPairForm:
            if not self.several:
                raise
        return matrix.subs({s: self.own(s) for s in matrix.free_symbols if not s.is_commutative})

    def own(self, matrix: Any) -> Any:
        """An eigenvalue of a matrix: of noise only where it has A's eigenvectors."""
        found = self.mode(matrix)
        if not (self.single or left_at_one_mode(found) <= ({"C_ii"} if self.commuting else set())):
            raise NoFormula
        return found

    def _log(self, matrix: Any) -> Any:
        """What a mode adds to a log determinant: that of an eigenvalue, or with what is left out."""
        try:
            return sp.log(self.own(matrix))
        except NoFormula:
            return sp.log(self.mode(matrix)) + self._left_out(matrix)

    def _left_out(self, matrix: Any) -> Any:
        """What a log determinant is beside that of the diagonal: of second order in what is beside it.

        Where the diagonal is a positive function of A to leading order and the entries of noises are
        smaller by a power of a letter that vanishes, it is at most the square of that power; else
        nothing is known.
        """
        if self.small is None:
            raise NoFormula
        found = responses(self._at_pair(matrix))
        known = [leading_term(e, self.small) for e in (found.pop(DELTA, sp.Integer(0)), *found.values())]
        if None in known or not found:
            raise NoFormula
        (own, first), *others = [one for one in known if one is not None]
        least = 2 * min(power - own for power, _ in others)
        if not least > 0 or not first.is_positive:
            raise NoFormula
        return sp.Dummy("left_out", real=True) * self.small**least

    def _both(self, made: Any, v: Any, _: Any, w: Any, __: Any) -> Any:
        variances = (written_under(self.own(one), self.given) for one in (v, w))
        return made(*variances, self)

    def _entry(self, matrix: Any) -> Any:
        if not self.single:
            raise NoFormula
        return self.mode(matrix)


def _divergence(v: Any, w: Any, reader: Reader) -> Any:
    ratio = sp.cancel(v / w)
    return Modes((ratio - 1 - sp.log(ratio)) / 2)


def _transported(v: Any, w: Any, reader: Reader) -> Any:
    return sp.sqrt(Modes(v + w - 2 * sp.sqrt(sp.factor(v * w))))


def _total_variation(v: Any, w: Any, reader: Reader) -> Any:
    """The wider law's less the narrower one's, where one of them is the wider one throughout."""
    ratio = sp.cancel(v / w)
    if ratio == 1:
        return sp.Integer(0)
    if not reader.single:
        raise NoFormula
    asked: tuple[Any, ...] = (ratio - 1, 1 / w - 1 / v, v - w)  # variances are positive
    if reader.moving is not None:
        first = leading_term(ratio - 1, reader.moving, reader.to)
        asked = () if first is None else (first[1],)
    wider = next(filter(None, map(sign, asked)), None)
    if wider is None:
        raise NoFormula
    part = sp.log(ratio) / (ratio - 1) / 2
    return wider * (sp.erf(sp.sqrt(ratio * part)) - sp.erf(sp.sqrt(part)))


_MADE = {Divergence: _divergence, Transported: _transported, TotalVariation: _total_variation}


def summand(expr: Any) -> Any:
    """What one mode adds to a sum of sums; None of other formulas."""
    total = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand(expr, deep=False)):
        factor, rest = term.as_independent(Modes, as_Add=False)
        if rest == 0 or (rest == 1 and factor == 0):
            continue
        if not isinstance(rest, Modes):
            return None
        total += factor * rest.args[0]
    return total


def leading_term(expr: Any, letter: Any, to: str = "0") -> tuple[Any, Any] | None:
    """The first power of a letter on its way, and its coefficient."""
    try:
        first = first_terms(expr, letter, to, 1)[0]
    except (Undecided, ZeroDivisionError, NotImplementedError):
        return None
    if first == NOTHING or first.logs:
        return None
    return sp.Rational(
        Fraction(first.power).numerator, Fraction(first.power).denominator
    ), first.coefficient
