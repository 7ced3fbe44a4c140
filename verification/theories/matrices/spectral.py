"""Numbers that are made of one number for each eigenvalue of A: traces, divergences, distances of laws.

Where covariances are functions of A, or commute with it, or there is one dimension, a divergence of
normal laws is a sum over the modes, and so is the square of their Wasserstein distance. What is said of
such sums is asked of what one mode adds. The total variation distance has a formula in one dimension.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.modepairs.longrun import long_run_of_squares
from sgtheory.modepairs.pairs import LI, LJ, stationary
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.matrixwords import A as CURVATURE
from sgtheory.notation.matrixwords import C, Determinant, Diagonal, Entry, H, Trace
from sgtheory.notation.sentence import formula_of, say
from sgtheory.polynomials import is_zero
from sgtheory.setting import Setting
from verification import notation
from verification.laws.lagsums import SQUARES_LAGS
from verification.laws.pair_form import DELTA, NotInPairForm, function_of_A, responses, to_pair
from verification.laws.per_mode import COMMUTE, General, at_one_mode, left_at_one_mode, with_law
from verification.laws.quantities import FUNCTIONALS, letters
from verification.notation import D
from verification.refuter.conditions import Condition, OneDimensional
from verification.refuter.lattice import implies
from verification.refuter.parameters import written_under
from verification.terms.asymptotics import NOTHING, Undecided, first_terms, sign
from verification.terms.from_sympy import from_sympy
from verification.terms.gaussians import Divergence, OfLaws, TotalVariation, Transported
from verification.terms.kinds import Transpose
from verification.terms.term import Applied, Letter, Term, number
from verification.theories.answers import Answer, Proved
from verification.theories.matrices import elsewhere
from verification.verdicts.verdict import Gap

if TYPE_CHECKING:
    from verification.terms.ways import Way
    from verification.theories.matrices.laws import Law

Given = tuple[Condition, ...]
WORDS = frozenset({"KL", "normal_W2", "normal_TV"})
ENDS = {
    Applied(name, (Letter("A", "matrix"),)): sp.Symbol(name, positive=True)
    for name in ("lambda_max", "lambda_min")
}
_VARIANCE = sp.Symbol("C_ii", positive=True)  # of the noise along a mode


class Modes(sp.Function):
    """The sum over all eigenvalues of A of what stands in it."""

    is_commutative = True
    is_real = True
    nargs = 1


class NoFormula(Exception):
    """What has no formula at a mode."""


@dataclass(frozen=True)
class AtModes:
    """Two sides that stand as two sums do: what one mode adds to each."""

    left: Any
    right: Any
    root: bool  # whether the sides are roots of these sums
    single: bool  # whether there is one mode

    @property
    def scope(self) -> str:
        """For which dimensions."""
        return "in one dimension" if self.single else "in every dimension"


def is_in(*sides: Term) -> bool:
    """Whether a distance or a divergence of normal laws is in any of some terms."""
    return any(isinstance(t, Applied) and t.head in WORDS for side in sides for t in side.subterms())


def has_determinant(side: Term) -> bool:
    """Whether a determinant is in a term, and not in its logarithm."""
    if isinstance(side, Applied) and side.head == "log" and getattr(side.of[0], "head", "") == "det":
        return has_determinant(side.of[0].parts[0])
    return getattr(side, "head", "") == "det" or any(map(has_determinant, side.parts))


def is_spelt(*sides: Term) -> bool:
    """Whether all such words in some terms are traces and log determinants."""
    heads = {t.head for side in sides for t in side.subterms() if isinstance(t, Applied)}
    return not heads & (WORDS - {"KL"})


def formula(law: Law, side: Term, given: Given = (), way: Way | None = None) -> General | None:
    """A number in symbols: in one dimension a formula, else what one mode adds to a sum.

    Roots of sums are a formula on a way to zero, in letters for the traces of powers of A.
    """
    if not is_in(side) and (way is None or not has_determinant(side)):
        others = elsewhere.entries(law, side)
        return general(law.symbols(side), law.setting, law.time, given, others, way)
    alone = way if way is not None and not way.where else None  # what moves alone decides near the end
    found = read(law, side) if alone is None else read(law, side, law.symbols(alone.letter), alone.to)
    if found is None:
        return None
    if not found.has(Modes):
        return General((found,), "formula", "in one dimension")
    of_mode = summand(found)
    if of_mode is not None:
        return General((of_mode,), "sum", "for every dimension")
    if way is None or way.to == "oo" or way.where:
        return None
    x = next((s for s in found.free_symbols if s.name == way.letter.name), None)
    try:
        whole = found.replace(Modes, lambda one: _in_traces(one, x))
    except (Undecided, NoFormula):
        return None
    return General((whole,), "formula", "for every dimension, tr_k the trace of $A^k$")


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
    >>> from sgtheory.notation.matrixwords import SIGMA
    >>> sgd = Setting(registry.sampler("sgd"), registry.model("quadratic"))
    >>> general(Trace(CURVATURE * SIGMA), sgd, "continuous").parts
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


def _in_traces(summand: Any, x: Any) -> Any:
    """The first terms of a sum over the modes, by traces of powers of A, and a letter for the rest."""
    terms = first_terms(summand, x, "0", _TERMS)
    if len(terms) < _TERMS and summand.has(sp.Pow) and not summand.is_polynomial(x):
        raise NoFormula
    total = sp.Integer(0)
    for one in terms:
        for part in sp.Add.make_args(sp.expand(sp.expand_log(one.written(x), force=True))):
            if part.has(sp.log(LI)):
                c, power = sp.cancel(part / sp.log(LI)), "log"
            else:
                c, power = part.as_coeff_exponent(LI)
            if c.has(LI):
                raise NoFormula
            total += c * sp.Symbol(f"tr_{power}", positive=True)
    more = max(Fraction(one.power) for one in terms) + Fraction(1, 2)
    left = sp.Symbol("left_out", real=True) * x ** sp.Rational(more.numerator, more.denominator)
    return total if summand.is_polynomial(x) else total + left


_TERMS = 5  # of a sum over the modes


def sides_of(law: Law, left: Term, right: Term, small: Any = None) -> AtModes | None:
    """What one mode adds to both sides; of roots of sums, to what stands under them.

    ``small`` is a letter where only what is near its zero is asked for.
    """
    if not is_in(left, right) or law.sets:
        return None
    found = [read(law, side, small) for side in (left, right)]
    if None in found:
        return None
    if not any(one.has(Modes) for one in found):
        return AtModes(found[0], found[1], False, single(law))
    plain = [summand(one) for one in found]
    if None not in plain:
        return AtModes(plain[0], plain[1], False, False)
    if not all(sp.sympify(one).is_nonnegative or is_root(one) for one in found):
        return None
    squares = [summand(sp.expand(one**2)) for one in found]
    return None if None in squares else AtModes(squares[0], squares[1], True, False)


def vanishes(law: Law, left: Term, right: Term) -> Answer | None:
    """That what one mode adds is the same on both sides; None where that is not known."""
    found = sides_of(law, left, right)
    if found is None or not is_zero(sp.expand_log(found.left - found.right, force=True)):
        return None
    lines = (Equation(Formula(r"\text{left}", "left"), formula_of(found.left)),)
    told = Derivation("At a mode", (Step("Both sides", "What one mode adds to each:", lines),), ())
    lemma = say("Each mode adds the same to both sides, {}.", found.scope)
    return Proved(lemma, told, {"dimensions": "one" if found.single else "every"})


def gap(law: Law, left: Term, right: Term) -> Gap | None:
    """How far apart two sums over the modes are beside the left one as the step vanishes."""
    step = None if law.setting is None else law.setting.sampler.step
    found = sides_of(law, left, right, step) if is_in(left, right) else _of_sums(law, left, right)
    if step is None or found is None:
        return None
    return between(step, found.left - found.right, found.left, found.root, found.single)


def _of_sums(law: Law, left: Term, right: Term) -> AtModes | None:
    """Two sides that are sums of what each mode adds."""
    found = [law.formula(side, law.given) for side in (left, right)]
    parts = [one.parts[0] for one in found if one is not None and one.form == "sum"]
    return AtModes(parts[0], parts[1], False, False) if len(parts) == len(found) else None


def between(step: Any, rest: Any, whole: Any, root: bool = False, single: bool = False) -> Gap | None:
    """What is left over of a sum over the modes beside all of it, where it vanishes faster."""
    rest = sp.cancel(rest) if rest.is_rational_function() else rest
    above, below = _leading(rest, step), _leading(whole, step)
    if above is None or below is None or above[0] <= below[0]:
        return None
    order, totals = above[0] - below[0], [one[1] if single else traced(one[1]) for one in (above, below)]
    if None in totals:
        return None
    term = totals[0] / totals[1] / (2 if root else 1)
    return Gap(step.name, str(order), formula_of((sp.factor(term) if single else term) * step**order))


def traced(summand: Any) -> Any:
    """The sum over all modes of a function of A, or of powers of A times a noise; None of others.

    >>> traced(2 * LI * _VARIANCE + LI) == 2 * Trace(CURVATURE * C) + Trace(CURVATURE)
    True
    """
    if not sp.expand(summand).is_polynomial(LI, _VARIANCE):
        beside, of_mode = sp.factor(summand).as_independent(LI, as_Add=False)
        return None if summand.has(_VARIANCE) else beside * Trace(of_mode.subs(LI, CURVATURE))
    total = sp.Integer(0)
    for (k, m), factor in sp.Poly(sp.expand(summand), LI, _VARIANCE).terms():
        if m > 1:
            return None
        whole = CURVATURE**k * C if m else CURVATURE**k
        total += factor * (Trace(whole) if k or m else D)
    return total


def mended(law: Law, left: Term, right: Term) -> Iterator[tuple[Term, Term]]:
    """A divergence, or a distance, by itself is a formula in A; in one dimension in its letters."""
    if law.sets or law.setting is None or not isinstance(left, Applied) or left.head not in WORDS:
        return
    try:
        known = law.setting, law.time, law.given, elsewhere.entries(law, left)
        reader = Reader(*known, several=True)
        values = [reader.own(law.symbols(left.of[k])) for k in (0, 2)]
    except _REFUSED:
        return
    if any(map(left_at_one_mode, values)):
        return
    v, w, ratio = map(function_of_A, (*values, sp.cancel(values[0] / values[1])))
    if left.head == "KL":
        one, logs = from_sympy(notation.identity), Applied("log", (Applied("det", (ratio,)),))
        yield left, (Applied("tr", (ratio - one,)) - logs) / number(2)
    if left.head == "normal_W2":
        half = number("1/2")
        yield left, Applied("sqrt", (Applied("tr", ((v**half - w**half) ** number(2),)),))


_REFUSED = (NoFormula, NotInPairForm, UnusableInput, KeyError, ZeroDivisionError)


def read(law: Law, side: Term, moving: Any = None, to: str = "0") -> Any:
    """A number in symbols, sums over the modes in ``Modes``; None where it has no such formula.

    It is that formula near the end of the way of a letter that is ``moving``, if there is one.
    """
    ends = {law.symbols(end): letter for end, letter in ENDS.items()}
    try:
        known = law.setting, law.time, law.given, elsewhere.entries(law, side), moving, to
        found = Reader(*known, several=True).number(law.symbols(side)).xreplace(ends)
    except _REFUSED:
        return None
    found = written_under(found, law.given)
    return None if any(not s.is_commutative for s in found.free_symbols) else found


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
        if self.single:
            return found.subs(D, 1).replace(Modes, lambda one: one)
        return found.subs(D, Modes(sp.Integer(1)))

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
        if matrix.has(Modes, Diagonal) or (D in matrix.free_symbols and not self.single):
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
        found = written_under(self.mode(matrix), self.given)
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
        known = [_leading(e, self.small) for e in (found.pop(DELTA, sp.Integer(0)), *found.values())]
        if None in known or not found:
            raise NoFormula
        (own, first), *others = [one for one in known if one is not None]
        least = 2 * min(power - own for power, _ in others)
        if not least > 0 or not first.is_positive:
            raise NoFormula
        return sp.Dummy("left_out", real=True) * self.small**least

    def _both(self, made: Any, v: Any, _: Any, w: Any, __: Any) -> Any:
        return made(self.own(v), self.own(w), self)

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
        first = _leading(ratio - 1, reader.moving, reader.to)
        asked = () if first is None else (first[1],)
    wider = next(filter(None, map(sign, asked)), None)
    if wider is None:
        raise NoFormula
    part = sp.log(ratio) / (ratio - 1) / 2
    return wider * (sp.erf(sp.sqrt(ratio * part)) - sp.erf(sp.sqrt(part)))


_MADE = {Divergence: _divergence, Transported: _transported, TotalVariation: _total_variation}


def single(law: Law) -> bool:
    """Whether one dimension is given."""
    return Reader(None, law.time, law.given, {}).single


def is_root(expr: Any) -> bool:
    """Whether it is a positive number of times the root of a sum."""
    factors = sp.Mul.make_args(expr)
    rooted = [f for f in factors if f.is_Pow and f.exp == sp.S.Half and f.base.has(Modes)]
    return len(rooted) == 1 and all(f.is_positive for f in factors if f not in rooted)


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


def _leading(expr: Any, letter: Any, to: str = "0") -> tuple[Any, Any] | None:
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
